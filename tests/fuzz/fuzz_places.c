/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where modules were: the first byte chooses a list of sections or /proc/modules, the rest is the text.
 * What was read is written again and must be read as the same; every module is found, all its places
 * in the order of their lines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "module_files.h"
#include "places.h"

static char *text_of(const void *data, size_t bytes)
{
	char *text = malloc(bytes + 1);

	FUZZ_CHECK(text);
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	return text;
}

static void check_place(const struct place *place, enum places_form form)
{
	FUZZ_CHECK(place->module[0] && !place->module[strcspn(place->module, " \t\r\n")]);
	FUZZ_CHECK(place->address != 0);
	FUZZ_CHECK((place->section != NULL) == (form == PLACES_SECTIONS));
	if (place->section)
		FUZZ_CHECK(place->section[0] &&
			   !place->section[strcspn(place->section, " \t\r\n#")]);
}

static void check_lines(const struct places *places, size_t n_lines)
{
	FUZZ_CHECK(places->n + places->n_bad <= n_lines);
	for (size_t i = 0; i < places->n_bad; i++) {
		FUZZ_CHECK(places->bad[i] >= 1 && places->bad[i] <= n_lines);
		FUZZ_CHECK(i == 0 || places->bad[i] > places->bad[i - 1]);
	}
}

/** The order by name, and that each module is found at its first place. */
static void check_names(const struct places *places)
{
	for (size_t i = 0; i < places->n; i++) {
		const char *name = places->by_name[i]->module;
		bool is_first = true;

		if (i > 0) {
			const char *before = places->by_name[i - 1]->module;

			is_first = !module_is(before, name, strlen(name));
			FUZZ_CHECK(module_compare(before, name, strlen(name)) <= 0);
			FUZZ_CHECK(is_first || places->by_name[i - 1] < places->by_name[i]);
		}
		if (is_first)
			FUZZ_CHECK(places_find(places, name, strlen(name)) == i);
	}
	FUZZ_CHECK(places_find(places, "no such module", 14) == places->n);
}

/** Read again what was read. */
static void check_again(const struct places *places, enum places_form form, size_t bytes)
{
	char *text = malloc(bytes + places->n * 40 + 1);
	struct places again = {0};
	size_t used = 0;

	FUZZ_CHECK(text);
	text[0] = '\0';
	for (size_t i = 0; i < places->n; i++) {
		const struct place *place = &places->places[i];

		if (form == PLACES_SECTIONS)
			used += (size_t)sprintf(text + used, "%s %s 0x%" PRIx64 "\n", place->module,
						place->section, place->address);
		else
			used += (size_t)sprintf(text + used, "%s 1 0 - Live 0x%" PRIx64 " (O)\n",
						place->module, place->address);
	}
	places_read(&again, form, text);
	FUZZ_CHECK(again.n == places->n && again.n_bad == 0 && !again.hidden);
	for (size_t i = 0; i < again.n; i++) {
		const struct place *one = &places->places[i], *other = &again.places[i];

		FUZZ_CHECK(one->address == other->address &&
			   strcmp(one->module, other->module) == 0);
		FUZZ_CHECK(!one->section || strcmp(one->section, other->section) == 0);
	}
	places_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	enum places_form form;
	struct places places = {0};
	size_t n_lines = 1;

	if (bytes == 0)
		return -1;
	form = data[0] & 1 ? PLACES_PROC_MODULES : PLACES_SECTIONS;
	for (size_t i = 1; i < bytes; i++)
		n_lines += data[i] == '\n';
	places_read(&places, form, text_of(data + 1, bytes - 1));
	for (size_t i = 0; i < places.n; i++)
		check_place(&places.places[i], form);
	check_lines(&places, n_lines);
	check_names(&places);
	check_again(&places, form, bytes);
	places_clear(&places);
	return 0;
}
