/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <kcovtrace/pclist.h>

#include "module_files.h"
#include "places.h"

static const char blanks[] = " \t\r";

/* How a line is read, which is changed. 1: done, 0: nothing in it, -1: malformed. */
typedef int parse_function(char *line, struct place *ret);

static int parse_section(char *line, struct place *ret)
{
	char *rest, *address;

	line[strcspn(line, "#")] = '\0';
	ret->module = strtok_r(line, blanks, &rest);
	if (!ret->module)
		return 0;
	ret->section = strtok_r(NULL, blanks, &rest);
	address = ret->section ? strtok_r(NULL, blanks, &rest) : NULL;
	if (!address || strtok_r(NULL, blanks, &rest) ||
	    kct_parse_address(address, strlen(address), &ret->address) < 0)
		return -1;
	return 1;
}

/** A line of /proc/modules: name, size, users, their names, state, address, taints. */
static int parse_proc_modules(char *line, struct place *ret)
{
	char *rest, *word = NULL;
	int i;

	ret->section = NULL;
	ret->module = strtok_r(line, blanks, &rest);
	if (!ret->module)
		return 0;
	for (i = 0; i < 5; i++)
		word = strtok_r(NULL, blanks, &rest);
	if (!word || kct_parse_address(word, strlen(word), &ret->address) < 0)
		return -1;
	return 1;
}

/** Places by the names of their modules, those of one module in their order. */
static int compare_places(const void *a, const void *b)
{
	const struct place *left = *(const struct place *const *)a;
	const struct place *right = *(const struct place *const *)b;
	int order = module_compare(left->module, right->module, strlen(right->module));

	if (order)
		return order;
	return left < right ? -1 : left > right;
}

static void sort_places(struct places *places)
{
	size_t i;

	places->by_name = zeroed(const struct place *, places->n);
	for (i = 0; i < places->n; i++)
		places->by_name[i] = &places->places[i];
	if (places->n)
		qsort(places->by_name, places->n, sizeof(*places->by_name), compare_places);
}

void places_read(struct places *places, enum places_form form, char *text)
{
	parse_function *parse = form == PLACES_SECTIONS ? parse_section : parse_proc_modules;
	size_t number = 0;
	char *at = text;

	places->text = text;
	while (at) {
		char *line = strsep(&at, "\n");
		int r;

		grow(&places->places, places->n, &places->max);
		r = parse(line, &places->places[places->n]);
		number++;
		if (r > 0 && places->places[places->n].address == 0) {
			places->hidden = true;
		} else if (r > 0) {
			places->n++;
		} else if (r < 0) {
			grow(&places->bad, places->n_bad, &places->max_bad);
			places->bad[places->n_bad++] = number;
		}
	}
	sort_places(places);
}

size_t places_find(const struct places *places, const char *name, size_t length)
{
	size_t low = 0, high = places->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (module_compare(places->by_name[middle]->module, name, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < places->n && module_is(places->by_name[low]->module, name, length))
		return low;
	return places->n;
}

const char *places_form_text(enum places_form form)
{
	return form == PLACES_SECTIONS ? "MODULE SECTION ADDRESS"
				       : "NAME SIZE USERS NAMES STATE ADDRESS";
}

void places_clear(struct places *places)
{
	free(places->by_name);
	free(places->places);
	free(places->bad);
	free(places->text);
	*places = (struct places){0};
}
