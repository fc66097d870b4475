/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "image/names.h"
#include "points/graph.h"

/* Larger than any function of a real kernel. */
#define MAX_CODE ((uint64_t)8 << 20)

/* More pieces of code outside of any function than that belong to no function. */
#define MAX_PARTS 256

/* Instructions of such a piece: it tests something and jumps back. */
#define MAX_STUB 32

/** Index of the first function that begins behind `address`. */
static size_t function_after(const struct kct_points *points, uint64_t address)
{
	size_t low = 0, high = points->n_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** The code of a symbol, which ends where another function begins. False: it has none. */
static bool symbol_code(const struct kct_points *points, const struct kct_symtab_entry *symbol,
			struct kct_piece *ret_piece)
{
	size_t next = function_after(points, symbol->address);

	if (!kct_points_code(points, symbol->address, ret_piece))
		return false;
	ret_piece->bytes = kct_min_u64(ret_piece->bytes, symbol->size);
	if (next < points->n_functions)
		ret_piece->bytes = kct_min_u64(ret_piece->bytes,
					       points->functions[next].address - symbol->address);
	return ret_piece->bytes > 0;
}

static const struct kct_symtab_entry *symbol_at(const struct kct_points *points, uint64_t address)
{
	return kct_symtab_find(&points->image->symtab, address);
}

static bool is_cold(const struct kct_points *points, const struct kct_symtab_entry *symbol)
{
	return kct_name_cold_stem(kct_symtab_name(&points->image->symtab, symbol)) != 0;
}

/** What a call or jump means by the role of its target. */
static void apply_role(struct kct_instruction *insn)
{
	if (insn->role == KCT_ROLE_RETURN_THUNK && insn->flow == KCT_FLOW_JUMP)
		insn->flow = KCT_FLOW_RETURN;
	if (insn->role != KCT_ROLE_INDIRECT_THUNK)
		return;
	if (insn->flow == KCT_FLOW_JUMP)
		insn->flow = KCT_FLOW_JUMP_INDIRECT;
	else if (insn->flow == KCT_FLOW_CALL)
		insn->flow = KCT_FLOW_CALL_INDIRECT;
}

/** Read an instruction and find out where it goes. False: no known instruction. */
static bool read_insn(struct kct_build *build, const struct kct_piece *piece, uint64_t offset,
		      struct kct_instruction *insn)
{
	const struct kct_points *points = build->points;
	const struct kct_reloc *reloc;

	if (!kct_read(build->reader, piece, offset, insn))
		return false;
	if (insn->flow != KCT_FLOW_CALL && insn->flow != KCT_FLOW_JUMP &&
	    insn->flow != KCT_FLOW_BRANCH)
		return true;
	reloc = kct_relocs_find(&points->relocs, insn->address, insn->address + insn->length);
	if (reloc) {
		insn->target = reloc->target;
		insn->role = reloc->role;
	} else {
		insn->role = (uint8_t)kct_roles_find(&points->roles, insn->target);
	}
	apply_role(insn);
	return true;
}

static bool in_parts(const struct kct_build *build, uint64_t address)
{
	for (size_t i = 0; i < build->n_parts; i++) {
		if (address - build->parts[i].address < build->parts[i].bytes)
			return true;
	}
	return false;
}

static int add_part(struct kct_build *build, const struct kct_piece *piece)
{
	uint64_t bytes = piece->bytes;

	for (size_t i = 0; i < build->n_parts; i++)
		bytes += build->parts[i].bytes;
	if (bytes > MAX_CODE)
		return KCT_ERR_LIMIT;
	if (kct_array_reserve(&build->parts, &build->max_parts, build->n_parts + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	build->parts[build->n_parts++] = *piece;
	return 0;
}

/** Code that belongs to no symbol, up to where it jumps away. */
static void stub_code(struct kct_build *build, struct kct_piece *piece)
{
	uint64_t offset = 0;

	for (unsigned i = 0; i < MAX_STUB && offset < piece->bytes; i++) {
		struct kct_instruction insn;
		bool known = read_insn(build, piece, offset, &insn);

		offset += insn.length;
		if (!known || insn.flow == KCT_FLOW_JUMP || insn.flow == KCT_FLOW_RETURN ||
		    insn.flow == KCT_FLOW_JUMP_INDIRECT ||
		    in_parts(build, insn.address + insn.length))
			break;
	}
	piece->bytes = offset;
}

/** A jump out of the parts leads to another function, or to more of this one. */
static int follow(struct kct_build *build, uint64_t target)
{
	const struct kct_symtab_entry *symbol;
	struct kct_piece piece;

	if (build->n_parts >= MAX_PARTS || in_parts(build, target) ||
	    !kct_points_code(build->points, target, &piece))
		return 0;
	symbol = symbol_at(build->points, target);
	if (!symbol)
		stub_code(build, &piece);
	else if (!is_cold(build->points, symbol) || !symbol_code(build->points, symbol, &piece) ||
		 in_parts(build, piece.address))
		return 0;
	return add_part(build, &piece);
}

static int sweep_part(struct kct_build *build, size_t part)
{
	struct kct_piece piece = build->parts[part];
	int result = 0;

	for (uint64_t offset = 0; offset < piece.bytes && result >= 0;) {
		struct kct_instruction *insn;

		if (kct_array_reserve(&build->insns, &build->max_insns, build->n_insns + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		insn = &build->insns[build->n_insns++];
		if (!read_insn(build, &piece, offset, insn))
			insn->role = UINT8_MAX; /* until there are marks */
		offset += insn->length;
		if (insn->flow == KCT_FLOW_JUMP || insn->flow == KCT_FLOW_BRANCH)
			result = follow(build, insn->target);
	}
	return result;
}

/** The function that a cold part jumps back to, or the part itself. */
static const struct kct_symtab_entry *hot_part(struct kct_build *build,
					       const struct kct_symtab_entry *cold)
{
	struct kct_piece piece;

	if (!symbol_code(build->points, cold, &piece))
		return cold;
	for (uint64_t offset = 0; offset < piece.bytes;) {
		const struct kct_symtab_entry *symbol = NULL;
		struct kct_instruction insn;

		if (read_insn(build, &piece, offset, &insn) &&
		    (insn.flow == KCT_FLOW_JUMP || insn.flow == KCT_FLOW_BRANCH))
			symbol = symbol_at(build->points, insn.target);
		if (symbol && symbol != cold && symbol->address != insn.target &&
		    !is_cold(build->points, symbol))
			return symbol;
		offset += insn.length;
	}
	return cold;
}

static int compare_insns(const void *left, const void *right)
{
	const struct kct_instruction *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->length > b->length) - (a->length < b->length);
}

/** Most functions have one part, or the others lie behind it. */
static bool is_sorted(const struct kct_build *build)
{
	for (size_t i = 1; i < build->n_insns; i++) {
		if (build->insns[i].address <= build->insns[i - 1].address)
			return false;
	}
	return true;
}

/** Sort, and drop what a stub has read into a part that was found later. */
static int finish(struct kct_build *build)
{
	uint64_t end = 0;
	size_t n = 0;

	if (!is_sorted(build))
		qsort(build->insns, build->n_insns, sizeof(*build->insns), compare_insns);
	build->marks = calloc(build->n_insns + 1, sizeof(*build->marks));
	if (!build->marks)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < build->n_insns; i++) {
		struct kct_instruction *insn = &build->insns[i];

		if (n > 0 && insn->address < end)
			continue;
		end = insn->address + insn->length;
		build->insns[n] = *insn;
		if (insn->role == UINT8_MAX) {
			build->insns[n].role = KCT_ROLE_NONE;
			build->marks[n] |= KCT_MARK_SKIPPED;
		}
		n++;
	}
	build->n_insns = n;
	return 0;
}

int kct_build_sweep(struct kct_build *build, uint64_t address)
{
	const struct kct_symtab_entry *symbol = symbol_at(build->points, address);
	struct kct_piece piece;
	int result = 0;

	if (symbol && is_cold(build->points, symbol))
		symbol = hot_part(build, symbol);
	if (!symbol || !symbol_code(build->points, symbol, &piece))
		return KCT_ERR_NOT_FOUND;
	result = add_part(build, &piece);
	for (size_t i = 0; i < build->n_parts && result >= 0; i++) {
		result = sweep_part(build, i);
		/* Asked for by an address in a cold part that nothing jumps to. */
		if (i + 1 == build->n_parts && result >= 0 && !in_parts(build, address) &&
		    symbol_at(build->points, address) &&
		    symbol_code(build->points, symbol_at(build->points, address), &piece) &&
		    address - piece.address < piece.bytes)
			result = add_part(build, &piece);
	}
	if (result >= 0 && !in_parts(build, address))
		return KCT_ERR_NOT_FOUND; /* another function begins before it */
	return result < 0 ? result : finish(build);
}

size_t kct_build_find(const struct kct_build *build, uint64_t address)
{
	size_t low = 0, high = build->n_insns;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (build->insns[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address - build->insns[low - 1].address >= build->insns[low - 1].length)
		return build->n_insns;
	return low - 1;
}
