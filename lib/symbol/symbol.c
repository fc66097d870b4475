/* SPDX-License-Identifier: BSD-2-Clause */
/* One result: what the address space knows of a PC, put together for the caller. */
#include <string.h>

#include "base/fail.h"
#include "symbol/symbolizer.h"

/** What a memo is of. */
enum purpose { WHOLE_NAME, BASE_NAME, FILE_PATH };

/** Where the memo of something in the memory of an image or its tables is, if there is one. */
static struct kct_memo *memo_of(struct kct_symbolizer *symbolizer, const void *from,
				enum purpose purpose)
{
	uint64_t hash = kct_hash_u64((uintptr_t)from ^ (uint64_t)purpose << 60);

	return &symbolizer->memo[hash % KCT_MEMO_PLACES];
}

/** A name, or what is left of it without clone suffixes, in the pool. */
static const char *intern(struct kct_symbolizer *symbolizer, const char *name, enum purpose purpose)
{
	struct kct_memo *memo = memo_of(symbolizer, name, purpose);
	const char *result;

	if (memo->from == name && memo->purpose == purpose && memo->epoch == symbolizer->epoch)
		return memo->result;
	result = kct_pool_intern(&symbolizer->pool, name,
				 purpose == BASE_NAME ? kct_base_name_length(name) : strlen(name));
	if (result)
		*memo = (struct kct_memo){name, symbolizer->epoch, result, purpose};
	return result;
}

/** The path of a frame. */
static const struct kct_path *path_of(struct kct_symbolizer *symbolizer,
				      const struct kct_unit_frame *frame)
{
	struct kct_memo *memo = memo_of(symbolizer, frame->file, FILE_PATH);
	const struct kct_path *path;

	/* All files of a unit have the same directory. */
	if (memo->from == frame->file && memo->purpose == FILE_PATH &&
	    memo->epoch == symbolizer->epoch)
		return memo->result;
	if (kct_paths_get(&symbolizer->paths, &symbolizer->pool, frame->comp_dir, frame->file,
			  &path) < 0)
		return NULL;
	*memo = (struct kct_memo){frame->file, symbolizer->epoch, path, FILE_PATH};
	return path;
}

int kct_symbol_place(struct kct_symbolizer *symbolizer, const struct kct_unit_frame *from,
		     struct kct_symbol_frame *frame)
{
	const struct kct_path *path;

	/* A line of 0 is the compiler's way to say that there is none. */
	frame->line = from->line;
	frame->column = from->line ? from->column : 0;
	if (!from->file)
		return 0;
	path = path_of(symbolizer, from);
	if (!path)
		return KCT_ERR_NO_MEMORY;
	frame->file = path->file;
	frame->raw_file = path->raw;
	return 0;
}

/** One frame of a chain. */
static int fill_frame(struct kct_symbolizer *symbolizer, const struct kct_unit_frame *from,
		      const char *function, struct kct_symbol_frame *frame)
{
	frame->function = function;
	if (from->name && !function) {
		frame->function = intern(symbolizer, from->name, BASE_NAME);
		if (!frame->function)
			return KCT_ERR_NO_MEMORY;
	}
	return kct_symbol_place(symbolizer, from, frame);
}

/** The chain; without debug information it is one frame with the function's name. */
static int fill_frames(struct kct_symbolizer *symbolizer, const struct kct_place *place,
		       struct kct_pool *results, struct kct_symbol *symbol)
{
	size_t n = place->hit.n_frames;
	struct kct_symbol_frame *frames;

	if (n == 0 && !symbol->function)
		return 0;
	symbol->n_frames = (uint32_t)(n ? n : 1);
	frames = kct_pool_alloc(results, symbol->n_frames * sizeof(*frames));
	if (!frames)
		return KCT_ERR_NO_MEMORY;
	if (n == 0)
		frames[0].function = symbol->function;
	for (size_t i = 0; i < n; i++) {
		const char *function = i + 1 == n ? symbol->function : NULL;
		int result = fill_frame(symbolizer, &place->hit.frames[i], function, &frames[i]);

		if (result < 0)
			return result;
	}
	symbol->frames = frames;
	return 0;
}

/** The machine function: the name that debug information gives, else the symbol's. */
static int fill_names(struct kct_symbolizer *symbolizer, const struct kct_place *place,
		      struct kct_symbol *symbol)
{
	const struct kct_hit *hit = &place->hit;
	const char *name = NULL, *module = NULL;

	if (place->symbol) {
		name = kct_symtab_name(place->table, place->symbol);
		symbol->symbol = intern(symbolizer, name, WHOLE_NAME);
		if (!symbol->symbol)
			return KCT_ERR_NO_MEMORY;
	}
	if (hit->has_function && hit->n_frames > 0 && hit->frames[hit->n_frames - 1].name)
		name = hit->frames[hit->n_frames - 1].name;
	if (name) {
		symbol->function = intern(symbolizer, name, BASE_NAME);
		if (!symbol->function)
			return KCT_ERR_NO_MEMORY;
	}
	if (place->member)
		module = place->member->name;
	else if (place->symbol)
		module = kct_symtab_module(place->table, place->symbol);
	if (!module && place->symbol)
		module = "vmlinux";
	if (module) {
		symbol->module = intern(symbolizer, module, WHOLE_NAME);
		if (!symbol->module)
			return KCT_ERR_NO_MEMORY;
	}
	return 0;
}

/** Where the function lies, as recorded PCs count. */
static int fill_extent(const struct kct_place *place, struct kct_symbol *symbol)
{
	uint64_t start, size;

	if (kct_place_extent(place, &start, &size)) {
		symbol->start = start - place->shift;
		symbol->size = size;
		symbol->offset = symbol->pc - symbol->start;
		symbol->guessed = !place->hit.has_function && place->symbol->guessed;
	}
	return kct_place_identity(place, &symbol->identity);
}

/** What is missing. */
static enum kct_symbol_reason find_reason(const struct kct_symbolizer *symbolizer,
					  const struct kct_place *place,
					  const struct kct_symbol *symbol)
{
	const struct kct_hit *hit = &place->hit;

	if (!place->symbol && !hit->has_function) {
		if (place->is_cut)
			return KCT_SYMBOL_NOT_KEPT;
		if (place->member)
			return KCT_SYMBOL_NO_SYMBOL;
		return kct_address_reason(symbol->pc, symbolizer->space.kernel_is_low);
	}
	if (place->ambiguous)
		return KCT_SYMBOL_AMBIGUOUS;
	if (hit->n_frames == 0)
		return KCT_SYMBOL_NO_DEBUG;
	return hit->frames[0].line == 0 ? KCT_SYMBOL_NO_LINE : KCT_SYMBOL_NONE;
}

int kct_symbol_make(struct kct_symbolizer *symbolizer, uint64_t pc, enum kct_pc_kind kind,
		    struct kct_pool *results, const struct kct_symbol **ret_symbol,
		    struct kct_error *error)
{
	const struct kct_image *image;
	struct kct_symbol *symbol;
	struct kct_place place;
	int result;

	result = kct_space_find(&symbolizer->space, pc, kind, &place, error);
	if (result < 0)
		return result;
	symbol = kct_pool_alloc(results, sizeof(*symbol));
	if (!symbol)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	symbol->pc = pc;
	image = place.member ? place.member->image : NULL;
	if (image != symbolizer->last_image || place.hit.stamp != symbolizer->stamp) {
		symbolizer->last_image = image;
		symbolizer->stamp = place.hit.stamp;
		symbolizer->epoch++;
	}
	result = fill_names(symbolizer, &place, symbol);
	if (result >= 0)
		result = fill_extent(&place, symbol);
	if (result >= 0)
		result = fill_frames(symbolizer, &place, results, symbol);
	if (result < 0)
		return kct_fail_code(error, result);
	symbol->approximate = place.member && place.member->image->approximate;
	symbol->reason = (uint8_t)find_reason(symbolizer, &place, symbol);
	*ret_symbol = symbol;
	return 0;
}
