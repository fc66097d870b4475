/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk over a unit's tree in the order of the file, each entry touched once: its functions and what
 * is inlined into them. The levels are kept in an array, so that no nesting is too deep.
 */
#include <dwarf.h>

#include "dwarf/reader.h"

/* A walk under way. */
struct course {
	struct kct_reader *reader;
	struct kct_walk *walk;
	struct kct_build *build;
	const struct kct_scope *scope;
	const struct kct_abbrevs *abbrevs;
	struct kct_cursor c; /* ends with the unit */
	const uint8_t *section;
};

void kct_walk_clear(struct kct_walk *walk)
{
	free(walk->levels);
	kct_spans_clear(&walk->pieces);
	kct_spans_clear(&walk->flat);
	kct_spans_clear(&walk->ranges);
	*walk = (struct kct_walk){0};
}

/* Ranges of a function, those that are not too long for the tables. */
static int add_ranges(struct course *w, const struct kct_entry *entry, uint32_t function)
{
	struct kct_spans *ranges = &w->walk->ranges;
	struct kct_build *build = w->build;

	ranges->n = 0;
	if (kct_entry_ranges(w->reader, w->scope, entry, 0, 0, ranges) < 0 ||
	    kct_array_reserve(&build->ranges, &build->max_ranges, build->n_ranges + ranges->n) < 0)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < ranges->n; i++) {
		const struct kct_span *range = &ranges->at[i];

		if (range->end - range->start > UINT32_MAX) {
			kct_reader_complain(w->reader, "the function at %#llx is longer than 4 GiB",
					    (unsigned long long)entry->offset);
			continue;
		}
		build->ranges[build->n_ranges++] = (struct kct_build_range){
			.start = range->start, .end = range->end, .function = function};
	}
	return 0;
}

static int add_function(struct course *w, const struct kct_entry *entry, struct kct_level *level)
{
	struct kct_build *build = w->build;
	struct kct_unit_function function = {0};
	size_t first = build->n_ranges;

	if (build->n_functions >= KCT_NO_INDEX)
		return 0;
	if (add_ranges(w, entry, (uint32_t)build->n_functions) < 0)
		return KCT_ERR_NO_MEMORY;
	if (build->n_ranges == first)
		return 0; /* a declaration, or only ever inlined */
	function.entry = build->ranges[first].start;
	if (kct_entry_name(w->reader, w->scope, entry, &function.name) < 0 ||
	    kct_array_reserve(&build->functions, &build->max_functions, build->n_functions + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	*level = (struct kct_level){
		.function = (uint32_t)build->n_functions,
		.inlined = KCT_NO_INLINE,
		.first_piece = w->walk->pieces.n,
		.first_range = first,
		.n_ranges = build->n_ranges - first,
		.opens_function = true,
	};
	build->functions[build->n_functions++] = function;
	return 0;
}

/* A number, 0 if there is none or it is larger than that. */
static uint64_t number_of(const struct kct_entry *entry, enum kct_slot slot, uint64_t largest)
{
	uint64_t number = 0;

	if (!kct_entry_has(entry, slot) || !kct_value_number(&entry->values[slot], &number) ||
	    number > largest)
		return 0;
	return number;
}

static int fill_inline(struct course *w, const struct kct_entry *entry,
		       struct kct_unit_inline *inlined)
{
	uint64_t file;

	inlined->call_line = (uint32_t)number_of(entry, KCT_SLOT_CALL_LINE, UINT32_MAX - 1);
	inlined->call_column = (uint16_t)number_of(entry, KCT_SLOT_CALL_COLUMN, UINT16_MAX);
	inlined->call_file = KCT_NO_FILE;
	if (kct_entry_has(entry, KCT_SLOT_CALL_FILE) &&
	    kct_value_number(&entry->values[KCT_SLOT_CALL_FILE], &file) &&
	    kct_reader_file(w->reader, file, &inlined->call_file) < 0)
		return KCT_ERR_NO_MEMORY;
	return kct_entry_name(w->reader, w->scope, entry, &inlined->name);
}

static int add_inline(struct course *w, const struct kct_entry *entry, struct kct_level *level)
{
	struct kct_unit_inline inlined = {.parent = level->inlined, .depth = 1};
	struct kct_build *build = w->build;
	uint32_t number = (uint32_t)build->n_inlines;

	if (level->function == KCT_NO_INDEX || build->n_inlines >= KCT_NO_INLINE)
		return 0;
	if (level->inlined != KCT_NO_INLINE)
		inlined.depth = (uint16_t)(inlined.depth + build->inlines[level->inlined].depth);
	/* No compiler nests so deep: a look-up must not take as long as a file is large. */
	if (inlined.depth > KCT_MAX_INLINE_DEPTH) {
		kct_reader_complain(w->reader, "inlines are nested more than %d deep",
				    KCT_MAX_INLINE_DEPTH);
		return 0;
	}
	if (fill_inline(w, entry, &inlined) < 0 ||
	    kct_array_reserve(&build->inlines, &build->max_inlines, build->n_inlines + 1) < 0 ||
	    kct_entry_ranges(w->reader, w->scope, entry, number, inlined.depth, &w->walk->pieces) <
		    0)
		return KCT_ERR_NO_MEMORY;
	build->inlines[build->n_inlines++] = inlined;
	level->inlined = number;
	return 0;
}

/* What of the flat inlines of a function lies in one of its ranges. */
static int cut_spans(struct kct_build *build, const struct kct_spans *flat,
		     struct kct_build_range *range)
{
	range->first_span = (uint32_t)build->n_spans;
	if (build->n_spans + flat->n > UINT32_MAX)
		return 0;
	if (kct_array_reserve(&build->spans, &build->max_spans, build->n_spans + flat->n) < 0)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < flat->n; i++) {
		uint64_t start = kct_max_u64(flat->at[i].start, range->start);
		uint64_t end = kct_min_u64(flat->at[i].end, range->end);

		if (start < end)
			build->spans[build->n_spans++] = (struct kct_unit_span){
				(uint32_t)(start - range->start), (uint32_t)(end - range->start),
				flat->at[i].id};
	}
	range->n_spans = (uint32_t)(build->n_spans - range->first_span);
	return 0;
}

/* The children of a function are over: lay its inlines out flat. */
static int close_level(struct course *w)
{
	const struct kct_level *level = &w->walk->levels[--w->walk->n_levels];
	struct kct_spans *pieces = &w->walk->pieces, *flat = &w->walk->flat;

	if (!level->opens_function)
		return 0;
	flat->n = 0;
	if (pieces->n > level->first_piece &&
	    kct_spans_flatten(pieces->at + level->first_piece, pieces->n - level->first_piece,
			      flat) < 0)
		return KCT_ERR_NO_MEMORY;
	pieces->n = level->first_piece;
	for (size_t i = 0; i < level->n_ranges && flat->n > 0; i++) {
		/* A function of many ranges and many inlines: each range goes through all. */
		if (!kct_reader_work(w->reader, flat->n)) {
			kct_reader_complain(w->reader, "too many address ranges");
			break;
		}
		if (cut_spans(w->build, flat, &w->build->ranges[level->first_range + i]) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	return 0;
}

/* Where an entry says that its next sibling lies, in the unit; 0: it does not. */
static uint64_t sibling_of(const struct course *w, const struct kct_value *sibling)
{
	const struct kct_debug_file *file;
	uint64_t offset;

	return sibling->form != 0 && kct_scope_reference(w->scope, sibling, &file, &offset) &&
			       file == w->scope->file
		       ? offset
		       : 0;
}

/* Take an entry with its children to come. */
static int enter(struct course *w, const struct kct_entry *entry)
{
	struct kct_level level = w->walk->levels[w->walk->n_levels - 1];
	int result = 0;

	level.opens_function = false;
	if (entry->abbrev->kind == KCT_KIND_FUNCTION)
		result = add_function(w, entry, &level);
	else if (entry->abbrev->kind == KCT_KIND_INLINE)
		result = add_inline(w, entry, &level);
	if (result < 0 || !entry->abbrev->has_children)
		return result;
	if (kct_array_reserve(&w->walk->levels, &w->walk->max_levels, w->walk->n_levels + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	level.sibling = kct_entry_has(entry, KCT_SLOT_SIBLING)
				? sibling_of(w, &entry->values[KCT_SLOT_SIBLING])
				: 0;
	w->walk->levels[w->walk->n_levels++] = level;
	return 0;
}

/* Go to a sibling that lies ahead in the unit. False: it does not say where, or nonsense. */
static bool jump(struct course *w, const struct kct_value *sibling)
{
	uint64_t offset = sibling_of(w, sibling), here = (uint64_t)(w->c.at - w->section);

	if (offset < here || offset - here > kct_cursor_left(&w->c))
		return false;
	w->c.at += offset - here;
	return true;
}

/* Step over an entry below which there is no code, and its children. False: it cannot be read. */
static bool step_over(struct course *w, const struct kct_abbrev *abbrev)
{
	struct kct_value sibling;
	size_t depth = 0;
	uint64_t code;

	for (;;) {
		if (!kct_entry_skip(w->abbrevs, abbrev, &w->c, &sibling))
			return false;
		if (abbrev->has_children && !jump(w, &sibling))
			depth++;
		if (depth == 0)
			return true;
		while ((code = kct_cursor_uleb(&w->c)) == 0) {
			if (w->c.bad || --depth == 0)
				return !w->c.bad;
		}
		abbrev = kct_abbrevs_find(w->abbrevs, code);
		if (!abbrev)
			return false;
	}
}

/* The end of a list of children. As in step(). */
static int end_children(struct course *w)
{
	uint64_t here = (uint64_t)(w->c.at - w->section);
	uint64_t sibling = w->walk->levels[w->walk->n_levels - 1].sibling;

	if (sibling != 0 && sibling != here)
		kct_reader_complain(
			w->reader, "the children of an entry end at %#llx, its sibling is at %#llx",
			(unsigned long long)here, (unsigned long long)sibling);
	if (close_level(w) < 0)
		return KCT_ERR_NO_MEMORY;
	return w->walk->n_levels > 1;
}

/* One entry, or the end of a list of children. 1: go on, 0: the end, < 0: out of memory. */
static int step(struct course *w, struct kct_entry *entry)
{
	const uint8_t *start = w->c.at;
	uint64_t code = kct_cursor_uleb(&w->c);
	const struct kct_abbrev *abbrev;

	if (code == 0)
		return w->c.bad ? 0 : end_children(w);
	abbrev = kct_abbrevs_find(w->abbrevs, code);
	entry->offset = (uint64_t)(start - w->section);
	if (abbrev && (abbrev->kind == KCT_KIND_OTHER ||
		       (abbrev->kind == KCT_KIND_TYPE && !w->scope->types_hold_code))) {
		if (step_over(w, abbrev))
			return 1;
	} else if (abbrev && kct_entry_read(w->abbrevs, abbrev, &w->c, entry)) {
		return enter(w, entry) < 0 ? KCT_ERR_NO_MEMORY : 1;
	}
	w->c.bad = true;
	return 0;
}

/* Set the course behind the unit's own entry. False: it has no children. */
static bool start(struct course *w, const struct kct_entry *root)
{
	struct kct_value sibling;

	w->c = w->scope->file->info;
	w->section = w->c.at;
	w->c.end = w->c.at + kct_min_u64(w->scope->cu->end, kct_cursor_left(&w->c));
	kct_cursor_skip(&w->c, root->offset);
	kct_cursor_uleb(&w->c);
	return root->abbrev->has_children &&
	       kct_entry_skip(w->abbrevs, root->abbrev, &w->c, &sibling);
}

int kct_unit_walk(struct kct_reader *reader, const struct kct_scope *scope,
		  const struct kct_entry *root)
{
	struct kct_walk *walk = &reader->walk;
	struct course w = {.reader = reader, .walk = walk, .build = &reader->build, .scope = scope};
	struct kct_entry entry = {.offset = root->offset};
	int result;

	if (kct_reader_own_abbrevs(reader, scope->file, scope->cu, &w.abbrevs) < 0 ||
	    kct_array_reserve(&walk->levels, &walk->max_levels, 2) < 0)
		return KCT_ERR_NO_MEMORY;
	if (!w.abbrevs || !start(&w, root))
		return 0;
	walk->pieces.n = 0;
	walk->levels[0] = (struct kct_level){.function = KCT_NO_INDEX, .inlined = KCT_NO_INLINE};
	walk->levels[1] = walk->levels[0];
	walk->n_levels = 2;
	while (w.c.at < w.c.end && (result = step(&w, &entry)) != 0)
		if (result < 0)
			return KCT_ERR_NO_MEMORY;
	if (w.c.bad)
		kct_reader_complain(reader, "the entry at or below %#llx cannot be read",
				    (unsigned long long)entry.offset);
	else if (walk->n_levels > 2) /* those of the unit itself are ended by its end, too */
		kct_reader_complain(reader, "the children of an entry above %#llx have no end",
				    (unsigned long long)entry.offset);
	/* A damaged tree ends with levels open. */
	while (walk->n_levels > 0)
		if (close_level(&w) < 0)
			return KCT_ERR_NO_MEMORY;
	return 0;
}
