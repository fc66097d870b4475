/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <kcovtrace/points.h>

#include "base/macros.h"

static const char *const kind_names[] = {
#define NAME(name, text, callback) text,
	KCT_POINT_KIND_LIST(NAME)
#undef NAME
};

static const char *const state_names[] = {
#define NAME(name, text) text,
	KCT_BLOCK_STATE_LIST(NAME)
#undef NAME
};

static const char *const mismatch_texts[] = {
#define NAME(name, text) text,
	KCT_MISMATCH_LIST(NAME)
#undef NAME
};

bool kct_point_is_coverage(unsigned kind)
{
	return kind == KCT_POINT_PC || kind == KCT_POINT_ENTRY || kind == KCT_POINT_GUARD;
}

const char *kct_point_kind_name(unsigned kind)
{
	return kind < ARRAY_SIZE(kind_names) ? kind_names[kind] : "?";
}

int kct_point_kind_parse(const char *name, unsigned *ret_kind)
{
	if (!name || !ret_kind)
		return KCT_ERR_ARGUMENT;
	for (unsigned i = 0; i < ARRAY_SIZE(kind_names); i++) {
		if (strcmp(kind_names[i], name) != 0)
			continue;
		*ret_kind = i;
		return 0;
	}
	return KCT_ERR_NOT_FOUND;
}

const char *kct_block_state_name(unsigned state)
{
	return state < ARRAY_SIZE(state_names) ? state_names[state] : "?";
}

const char *kct_mismatch_text(unsigned cause)
{
	return cause < ARRAY_SIZE(mismatch_texts) ? mismatch_texts[cause] : "?";
}
