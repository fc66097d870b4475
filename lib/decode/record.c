/* SPDX-License-Identifier: BSD-2-Clause */
#include <kcovtrace/record.h>

#include "base/macros.h"

const char *kct_record_kind_name(unsigned kind)
{
	static const char *const names[] = {
#define KIND_NAME(name, text) [KCT_RECORD_##name] = text,
		KCT_RECORD_LIST(KIND_NAME)
#undef KIND_NAME
	};

	return kind < ARRAY_SIZE(names) ? names[kind] : "invalid";
}

const char *kct_lost_reason_text(unsigned reason)
{
	static const char *const texts[] = {
#define REASON_TEXT(name, text) [KCT_LOST_##name] = text,
		KCT_LOST_LIST(REASON_TEXT)
#undef REASON_TEXT
	};

	return reason < ARRAY_SIZE(texts) ? texts[reason] : "invalid reason";
}

const char *kct_memory_flag_name(uint32_t bit)
{
	switch (bit) {
	case KCT_MEMORY_WRITE:
		return "write";
	case KCT_MEMORY_RMW:
		return "rmw";
	case KCT_MEMORY_ATOMIC:
		return "atomic";
	case KCT_MEMORY_FREE:
		return "free";
	case KCT_MEMORY_VALUE:
		return "value";
	default:
		return NULL;
	}
}

/** Bits to shift a value up and down again to cut it to the operand size. */
static unsigned cmp_shift(const struct kct_record *record)
{
	unsigned bits = record->cmp.size * 8u;

	return bits == 0 || bits > 64 ? 0 : 64 - bits;
}

uint64_t kct_cmp_operand(const struct kct_record *record, uint64_t arg)
{
	unsigned shift = cmp_shift(record);

	return arg << shift >> shift;
}

int64_t kct_cmp_operand_signed(const struct kct_record *record, uint64_t arg)
{
	unsigned shift = cmp_shift(record);

	return (int64_t)(arg << shift) >> shift;
}
