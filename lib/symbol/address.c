/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbol/address.h"

/* No text is mapped in the first page. */
#define TINY_LIMIT 4096

/* The top of the address space holds no text; the sum of a stack edge may look like it. */
#define SUSPECT_START 0xffffffffff000000u

uint64_t kct_lookup_address(uint64_t pc, enum kct_pc_kind kind)
{
	/* One byte back is inside the call on every machine; no call length is needed. */
	return kind == KCT_PC_RETURN ? pc - 1 : pc;
}

uint64_t kct_slide_shift(const struct kct_slide *slide, bool at_runtime)
{
	if (slide->slid)
		return at_runtime ? 0 : -slide->offset;
	return at_runtime ? slide->offset : 0;
}

uint64_t kct_data_shift(const struct kct_slide *slide, bool at_runtime)
{
	return at_runtime ? 0 : -slide->offset;
}

bool kct_address_is_low(uint64_t address)
{
	return address >> 63 == 0;
}

enum kct_symbol_reason kct_address_reason(uint64_t pc, bool kernel_is_low)
{
	if (pc < TINY_LIMIT)
		return KCT_SYMBOL_TINY;
	if (pc >= SUSPECT_START)
		return KCT_SYMBOL_SUSPECT;
	if (kct_address_is_low(pc) && !kernel_is_low)
		return KCT_SYMBOL_USER;
	return KCT_SYMBOL_NO_IMAGE;
}
