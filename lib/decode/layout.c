/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <kcovtrace/layout.h>

#include "base/fail.h"
#include "decode/words.h"

/* Fields that are not named are 0: Linux, little-endian, no slide in the PCs. */
static const struct kct_layout presets[] = {
	{.preset = "linux-pc", .mode = KCT_MODE_PC, .word_bytes = 8},
	{.preset = "linux-cmp", .mode = KCT_MODE_CMP, .word_bytes = 8},
	{.preset = "linux-ext", .mode = KCT_MODE_EXT, .word_bytes = 8, .entry_words = 2},
	{.preset = "linux-ext-v1", .mode = KCT_MODE_EXT, .word_bytes = 8, .entry_words = 1},
	{.preset = "linux-mem",
	 .mode = KCT_MODE_MEMORY,
	 .word_bytes = 8,
	 .entry_words = 2,
	 .memory_words = 5},
	{.preset = "linux-unique", .mode = KCT_MODE_UNIQUE, .word_bytes = 8},
	{.preset = "freebsd-pc",
	 .mode = KCT_MODE_PC,
	 .os = KCT_OS_FREEBSD,
	 .word_bytes = 8,
	 .slid = true},
	{.preset = "freebsd-cmp",
	 .mode = KCT_MODE_CMP,
	 .os = KCT_OS_FREEBSD,
	 .word_bytes = 8,
	 .slid = true},
	{.preset = "netbsd-pc",
	 .mode = KCT_MODE_PC,
	 .os = KCT_OS_NETBSD,
	 .word_bytes = 8,
	 .slid = true},
	{.preset = "netbsd-cmp",
	 .mode = KCT_MODE_CMP,
	 .os = KCT_OS_NETBSD,
	 .word_bytes = 8,
	 .slid = true},
	{.preset = "openbsd-pc",
	 .mode = KCT_MODE_PC,
	 .os = KCT_OS_OPENBSD,
	 .word_bytes = 8,
	 .slid = true},
	{.preset = "openbsd-cmp",
	 .mode = KCT_MODE_CMP,
	 .os = KCT_OS_OPENBSD,
	 .word_bytes = 8,
	 .slid = true},
};

int kct_layout_preset(const char *name, struct kct_layout *ret_layout)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		if (strcmp(presets[i].preset, name) == 0) {
			*ret_layout = presets[i];
			ret_layout->size = sizeof(*ret_layout);
			return 0;
		}
	}
	return KCT_ERR_LAYOUT;
}

const char *kct_layout_preset_name(size_t index)
{
	return index < ARRAY_SIZE(presets) ? presets[index].preset : NULL;
}

const char *kct_mode_name(enum kct_mode mode)
{
	switch (mode) {
	case KCT_MODE_PC:
		return "pc";
	case KCT_MODE_CMP:
		return "cmp";
	case KCT_MODE_EXT:
		return "ext";
	case KCT_MODE_MEMORY:
		return "mem";
	case KCT_MODE_UNIQUE:
		return "unique";
	}
	return "invalid";
}

static bool mode_has_calls(enum kct_mode mode)
{
	return mode == KCT_MODE_EXT || mode == KCT_MODE_MEMORY;
}

/** The enums come from callers and from files: any value is possible. */
static int check_ranges(const struct kct_layout *layout, struct kct_error *error)
{
	if ((unsigned)layout->mode > KCT_MODE_UNIQUE)
		return kct_fail(error, KCT_ERR_LAYOUT, "unknown mode %u", (unsigned)layout->mode);
	if ((unsigned)layout->os > KCT_OS_OPENBSD)
		return kct_fail(error, KCT_ERR_LAYOUT, "unknown system %u", (unsigned)layout->os);
	if ((unsigned)layout->endian > KCT_ENDIAN_BIG)
		return kct_fail(error, KCT_ERR_LAYOUT, "unknown byte order %u",
				(unsigned)layout->endian);
	if ((unsigned)layout->eesum_quirk > KCT_EESUM_SIGN_EXTENDED)
		return kct_fail(error, KCT_ERR_LAYOUT, "unknown EESUM quirk %u",
				(unsigned)layout->eesum_quirk);
	if (layout->word_bytes != 4 && layout->word_bytes != 8)
		return kct_fail(error, KCT_ERR_LAYOUT, "words have 4 or 8 bytes, not %u",
				layout->word_bytes);
	return 0;
}

static int check_calls(const struct kct_layout *layout, struct kct_error *error)
{
	if (layout->os != KCT_OS_LINUX)
		return kct_fail(error, KCT_ERR_LAYOUT, "mode %s exists on Linux only",
				kct_mode_name(layout->mode));
	if (layout->word_bytes != 8)
		return kct_fail(error, KCT_ERR_LAYOUT,
				"mode %s needs words of 8 bytes: the record type is in the top "
				"bits of a 64-bit word",
				kct_mode_name(layout->mode));
	if (layout->entry_words != 1 && layout->entry_words != 2)
		return kct_fail(error, KCT_ERR_LAYOUT, "entry records have 1 or 2 words, not %u",
				layout->entry_words);
	if (layout->mode == KCT_MODE_MEMORY && layout->memory_words < KCT_MEMORY_MIN_WORDS)
		return kct_fail(error, KCT_ERR_LAYOUT,
				"memory records have at least %u words, not %u",
				KCT_MEMORY_MIN_WORDS, layout->memory_words);
	return 0;
}

/** What a newer caller has added must be zero: we do not know what it means. */
static bool tail_is_zero(const struct kct_layout *layout)
{
	const unsigned char *bytes = (const unsigned char *)layout;

	for (size_t i = sizeof(*layout); i < layout->size; i++) {
		if (bytes[i] != 0)
			return false;
	}
	return true;
}

int kct_layout_check(const struct kct_layout *layout, struct kct_error *error)
{
	int result;

	if (!layout || layout->size < sizeof(*layout) || !tail_is_zero(layout))
		return kct_fail(error, KCT_ERR_ARGUMENT,
				"a layout of unknown size: start from a preset");
	result = check_ranges(layout, error);
	if (result < 0)
		return result;
	if (mode_has_calls(layout->mode))
		result = check_calls(layout, error);
	if (result < 0)
		return result;
	if (layout->word_bytes != 8 &&
	    (layout->os == KCT_OS_FREEBSD || layout->os == KCT_OS_NETBSD))
		return kct_fail(error, KCT_ERR_LAYOUT,
				"FreeBSD and NetBSD have words of 8 bytes on every machine");
	if (layout->mode == KCT_MODE_UNIQUE && layout->os != KCT_OS_LINUX)
		return kct_fail(error, KCT_ERR_LAYOUT, "mode unique exists on Linux only");
	if (layout->mode == KCT_MODE_UNIQUE && layout->bitmap_words == 0)
		return kct_fail(error, KCT_ERR_LAYOUT,
				"mode unique needs the size of the bitmap: bitmap-words=N");
	if (layout->mode != KCT_MODE_UNIQUE && layout->bitmap_words != 0)
		return kct_fail(error, KCT_ERR_LAYOUT, "mode %s has no bitmap",
				kct_mode_name(layout->mode));
	return 0;
}

/** The words of a `--layout` argument: not terminated. */
struct text {
	const char *start;
	size_t length;
};

static bool text_is(struct text text, const char *word)
{
	return strlen(word) == text.length && memcmp(text.start, word, text.length) == 0;
}

/** A decimal number, or hexadecimal after `0x`, up to `max`. */
static bool text_number(struct text text, uint64_t max, uint64_t *ret_number)
{
	char buffer[32];
	unsigned long long number;
	char *end;

	if (text.length == 0 || text.length >= sizeof(buffer) || text.start[0] < '0' ||
	    text.start[0] > '9')
		return false;
	memcpy(buffer, text.start, text.length);
	buffer[text.length] = '\0';
	errno = 0;
	number = strtoull(buffer, &end, strncmp(buffer, "0x", 2) == 0 ? 16 : 10);
	if (*end != '\0' || errno != 0 || number > max)
		return false;
	*ret_number = number;
	return true;
}

/** One of two words: false for the first, true for the second. */
static bool text_choice(struct text text, const char *no, const char *yes, bool *ret_yes)
{
	*ret_yes = text_is(text, yes);
	return *ret_yes || text_is(text, no);
}

enum key_result { KEY_SET, KEY_BAD_VALUE, KEY_UNKNOWN };

static enum key_result set_number(struct text value, uint64_t max, uint64_t *field)
{
	return text_number(value, max, field) ? KEY_SET : KEY_BAD_VALUE;
}

static enum key_result set_number_32(struct text value, uint32_t *field)
{
	uint64_t number;

	if (!text_number(value, UINT32_MAX, &number))
		return KEY_BAD_VALUE;
	*field = (uint32_t)number;
	return KEY_SET;
}

static enum key_result set_key(struct text key, struct text value, struct kct_layout *layout)
{
	bool yes;

	if (text_is(key, "word"))
		return set_number_32(value, &layout->word_bytes);
	if (text_is(key, "entry-words"))
		return set_number_32(value, &layout->entry_words);
	if (text_is(key, "memory-words"))
		return set_number_32(value, &layout->memory_words);
	if (text_is(key, "bitmap-words"))
		return set_number(value, UINT64_MAX, &layout->bitmap_words);
	if (text_is(key, "capacity"))
		return set_number(value, UINT64_MAX, &layout->capacity_words);
	if (text_is(key, "endian")) {
		if (!text_choice(value, "little", "big", &yes))
			return KEY_BAD_VALUE;
		layout->endian = yes ? KCT_ENDIAN_BIG : KCT_ENDIAN_LITTLE;
		return KEY_SET;
	}
	if (text_is(key, "slid")) {
		if (!text_choice(value, "no", "yes", &yes))
			return KEY_BAD_VALUE;
		layout->slid = yes;
		return KEY_SET;
	}
	return KEY_UNKNOWN;
}

/** One `KEY=VALUE`. */
static int parse_item(struct text item, struct kct_layout *layout, struct kct_error *error)
{
	const char *equals = memchr(item.start, '=', item.length);
	int shown = (int)kct_min_u64(item.length, 64);
	struct text key, value;

	if (!equals)
		return kct_fail(error, KCT_ERR_LAYOUT, "layout: '%.*s' is not KEY=VALUE", shown,
				item.start);
	key = (struct text){item.start, (size_t)(equals - item.start)};
	value = (struct text){equals + 1, item.length - key.length - 1};
	switch (set_key(key, value, layout)) {
	case KEY_SET:
		return 0;
	case KEY_BAD_VALUE:
		return kct_fail(error, KCT_ERR_LAYOUT, "layout: bad value in '%.*s'", shown,
				item.start);
	case KEY_UNKNOWN:
		break;
	}
	return kct_fail(error, KCT_ERR_LAYOUT, "layout: unknown key in '%.*s'", shown, item.start);
}

static int parse_name(struct text name, struct kct_layout *ret_layout, struct kct_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		if (text_is(name, presets[i].preset))
			return kct_layout_preset(presets[i].preset, ret_layout);
	}
	return kct_fail(error, KCT_ERR_LAYOUT, "unknown layout '%.*s'",
			(int)kct_min_u64(name.length, 64), name.start);
}

int kct_layout_parse(const char *spec, struct kct_layout *ret_layout, struct kct_error *error)
{
	struct kct_layout layout;
	size_t length = strcspn(spec, ",");
	int result = parse_name((struct text){spec, length}, &layout, error);

	while (result >= 0 && spec[length] == ',') {
		spec += length + 1;
		length = strcspn(spec, ",");
		result = parse_item((struct text){spec, length}, &layout, error);
	}
	if (result >= 0)
		result = kct_layout_check(&layout, error);
	if (result < 0)
		return result;
	*ret_layout = layout;
	return 0;
}
