/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "layout_spec.h"
#include "util.h"

static void add_number(char spec[LAYOUT_SPEC_BYTES], const char *key, uint64_t number,
		       uint64_t preset)
{
	size_t used = strlen(spec);

	if (number != preset)
		snprintf(spec + used, LAYOUT_SPEC_BYTES - used, ",%s=%llu", key,
			 (unsigned long long)number);
}

static void add_word(char spec[LAYOUT_SPEC_BYTES], const char *key, const char *word)
{
	size_t used = strlen(spec);

	snprintf(spec + used, LAYOUT_SPEC_BYTES - used, ",%s=%s", key, word);
}

void layout_spec(const struct kct_layout *layout, char spec[LAYOUT_SPEC_BYTES])
{
	struct kct_layout preset;

	if (!layout->preset || kct_layout_preset(layout->preset, &preset) < 0) {
		snprintf(spec, LAYOUT_SPEC_BYTES, "%s", kct_mode_name(layout->mode));
		return;
	}
	snprintf(spec, LAYOUT_SPEC_BYTES, "%s", layout->preset);
	add_number(spec, "word", layout->word_bytes, preset.word_bytes);
	if (layout->endian != preset.endian)
		add_word(spec, "endian", layout->endian == KCT_ENDIAN_BIG ? "big" : "little");
	add_number(spec, "entry-words", layout->entry_words, preset.entry_words);
	add_number(spec, "memory-words", layout->memory_words, preset.memory_words);
	add_number(spec, "bitmap-words", layout->bitmap_words, preset.bitmap_words);
	add_number(spec, "capacity", layout->capacity_words, preset.capacity_words);
	if (layout->slid != preset.slid)
		add_word(spec, "slid", layout->slid ? "yes" : "no");
}

int layout_change(struct kct_layout *layout, const char *keys, struct kct_error *error)
{
	char spec[LAYOUT_SPEC_BYTES], *whole;
	int r;

	/* Keys are read from the front: the later ones win. */
	layout_spec(layout, spec);
	whole = zeroed(char, strlen(spec) + strlen(keys) + 1);
	strcpy(whole, spec);
	strcat(whole, keys);
	r = kct_layout_parse(whole, layout, error);
	free(whole);
	return r;
}
