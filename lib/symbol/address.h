/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file address.h
 * All arithmetic on PCs: which byte a PC means and what the KASLR offset does
 * to it. Nothing else adds to or subtracts from a PC.
 *
 * `pc` is an address as recorded; a `look-up address` is the byte that is
 * looked up, still with the slide of the record; an `image address` is one in an
 * image or kallsyms. All wrap around like the machine's.
 */
#ifndef KCT_SYMBOL_ADDRESS_H
#define KCT_SYMBOL_ADDRESS_H

#include <kcovtrace/symbolizer.h>

#include "base/macros.h"

/** The KASLR offset, and whether recorded PCs still hold it. */
struct kct_slide {
	uint64_t offset;
	bool slid;
};

/** The byte to look up for a PC. */
uint64_t kct_lookup_address(uint64_t pc, enum kct_pc_kind kind);

/**
 * What to add to an address as recorded to get an image address. `at_runtime`:
 * the image has run-time addresses (modules, kallsyms), else link addresses.
 */
uint64_t kct_slide_shift(const struct kct_slide *slide, bool at_runtime);

/** The same for the address of data, which is as the CPU saw it, whatever recorded PCs hold. */
uint64_t kct_data_shift(const struct kct_slide *slide, bool at_runtime);

/**
 * What an address may be that no image covers. `kernel_is_low`: a kernel text
 * lies in the lower half of the address space (32 bit, s390), which then says nothing.
 */
enum kct_symbol_reason kct_address_reason(uint64_t pc, bool kernel_is_low);

/** Whether an address lies in the lower half of a 64-bit address space. */
bool kct_address_is_low(uint64_t address);

#endif
