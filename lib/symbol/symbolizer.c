/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "symbol/symbolizer.h"

const char *kct_symbol_reason_text(unsigned reason)
{
	static const char *const texts[] = {
#define KCT_SYMBOL_REASON_TEXT(name, text) text,
		KCT_SYMBOL_REASON_LIST(KCT_SYMBOL_REASON_TEXT)
#undef KCT_SYMBOL_REASON_TEXT
	};

	return reason < ARRAY_SIZE(texts) ? texts[reason] : "unknown reason";
}

int kct_symbolizer_new(struct kct_symbolizer **ret_symbolizer)
{
	struct kct_symbolizer *symbolizer;

	if (!ret_symbolizer)
		return KCT_ERR_ARGUMENT;
	symbolizer = calloc(1, sizeof(*symbolizer));
	if (!symbolizer)
		return KCT_ERR_NO_MEMORY;
	*ret_symbolizer = symbolizer;
	return 0;
}

void kct_symbolizer_free(struct kct_symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	kct_space_clear(&symbolizer->space);
	kct_paths_clear(&symbolizer->paths);
	for (size_t i = 0; i < KCT_PC_KINDS; i++)
		kct_map_clear(&symbolizer->results[i]);
	kct_pool_clear(&symbolizer->pool);
	free(symbolizer->memo);
	free(symbolizer);
}

static bool has_placed_section(const struct kct_image *image)
{
	for (size_t i = 0; i < image->n_sections; i++) {
		if (image->sections[i].placed)
			return true;
	}
	return false;
}

int kct_symbolizer_add_image(struct kct_symbolizer *symbolizer, struct kct_image *image,
			     const char *name, struct kct_error *error)
{
	struct kct_space *space;
	struct kct_member member = {.image = image};

	if (!symbolizer || !image || !name)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	/* What was cut down to the addresses of one more trace changes nothing about others. */
	if (symbolizer->started && !image->kept)
		return kct_fail(error, KCT_ERR_ARGUMENT, "%s: added after the first look-up",
				kct_image_name(image));
	if (image->relocatable && !has_placed_section(image))
		return kct_fail(error, KCT_ERR_ARGUMENT,
				"%s: no section of this module has an address",
				kct_image_name(image));
	space = &symbolizer->space;
	member.name = kct_pool_intern(&symbolizer->pool, name, strlen(name));
	if (!member.name ||
	    kct_array_reserve(&space->members, &space->max_members, space->n_members + 1) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	kct_image_fix(image);
	space->members[space->n_members++] = member;
	space->ready = false;
	space->data_ready = false;
	return 0;
}

int kct_symbolizer_add_kallsyms(struct kct_symbolizer *symbolizer, struct kct_kallsyms *kallsyms)
{
	struct kct_space *space;

	if (!symbolizer || !kallsyms || symbolizer->started)
		return KCT_ERR_ARGUMENT;
	space = &symbolizer->space;
	if (kct_array_reserve(&space->kallsyms, &space->max_kallsyms, space->n_kallsyms + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	space->kallsyms[space->n_kallsyms++] = kallsyms;
	return 0;
}

int kct_symbolizer_set_slide(struct kct_symbolizer *symbolizer, uint64_t offset, bool slid)
{
	if (!symbolizer || symbolizer->started)
		return KCT_ERR_ARGUMENT;
	symbolizer->space.slide = (struct kct_slide){offset, slid};
	return 0;
}

int kct_symbolizer_doubt_slide(struct kct_symbolizer *symbolizer)
{
	if (!symbolizer || symbolizer->started)
		return KCT_ERR_ARGUMENT;
	symbolizer->space.doubtful = true;
	return 0;
}

int kct_symbolizer_map_path(struct kct_symbolizer *symbolizer, const char *from, const char *to)
{
	if (!symbolizer || !from || !to || symbolizer->started)
		return KCT_ERR_ARGUMENT;
	return kct_paths_add_map(&symbolizer->paths, &symbolizer->pool, from, to);
}

int kct_symbolizer_strip_build_dir(struct kct_symbolizer *symbolizer, bool strip)
{
	if (!symbolizer || symbolizer->started)
		return KCT_ERR_ARGUMENT;
	symbolizer->paths.strip = strip;
	return 0;
}

int kct_symbolizer_set_threads(struct kct_symbolizer *symbolizer, unsigned threads)
{
	if (!symbolizer)
		return KCT_ERR_ARGUMENT;
	symbolizer->threads = threads;
	return 0;
}

int kct_symbolizer_start(struct kct_symbolizer *symbolizer, struct kct_error *error)
{
	symbolizer->started = true;
	if (!symbolizer->memo)
		symbolizer->memo = calloc(KCT_MEMO_PLACES, sizeof(*symbolizer->memo));
	if (!symbolizer->memo)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	return kct_space_prepare(&symbolizer->space, error);
}

const struct kct_symbol *kct_symbolizer_known(struct kct_symbolizer *symbolizer, uint64_t pc,
					      enum kct_pc_kind kind)
{
	const uint64_t *value = kct_map_find(&symbolizer->results[kind], pc);

	return value ? (const struct kct_symbol *)(uintptr_t)*value : NULL;
}

int kct_symbolizer_lookup(struct kct_symbolizer *symbolizer, uint64_t pc, enum kct_pc_kind kind,
			  const struct kct_symbol **ret_symbol, struct kct_error *error)
{
	const struct kct_symbol *symbol;
	uint64_t *value;
	int result;

	if (!symbolizer || !ret_symbol || (unsigned)kind >= KCT_PC_KINDS)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	if (kct_map_put(&symbolizer->results[kind], pc, &value) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	/* 0: a new place, or one left by a look-up that failed. */
	if (*value == 0) {
		result = kct_symbolizer_start(symbolizer, error);
		if (result < 0)
			return result;
		result = kct_symbol_make(symbolizer, pc, kind, &symbolizer->pool, &symbol, error);
		if (result < 0)
			return result;
		*value = (uintptr_t)symbol;
	}
	*ret_symbol = (const struct kct_symbol *)(uintptr_t)*value;
	return 0;
}

/** The identity alone: no strings and no frames are made for it. */
static int identity_of(struct kct_symbolizer *symbolizer, uint64_t pc, enum kct_pc_kind kind,
		       uint64_t *ret_function)
{
	const struct kct_symbol *symbol = kct_symbolizer_known(symbolizer, pc, kind);
	uint64_t identity;
	struct kct_place place;
	int result;

	if (symbol) {
		identity = symbol->identity;
	} else {
		result = kct_symbolizer_start(symbolizer, NULL);
		if (result >= 0)
			result = kct_space_find(&symbolizer->space, pc, kind, &place, NULL);
		if (result >= 0)
			result = kct_place_identity(&place, &identity);
		if (result < 0)
			return result;
	}
	if (identity == 0)
		return 0;
	*ret_function = identity;
	return 1;
}

static int function_of_return(void *context, uint64_t pc, uint64_t *ret_function)
{
	return identity_of(context, pc, KCT_PC_RETURN, ret_function);
}

static int function_of_call(void *context, uint64_t pc, uint64_t *ret_function)
{
	return identity_of(context, pc, KCT_PC_CALL, ret_function);
}

struct kct_function_source kct_symbolizer_functions(struct kct_symbolizer *symbolizer,
						    enum kct_pc_kind kind)
{
	return (struct kct_function_source){
		.function_of = kind == KCT_PC_CALL ? function_of_call : function_of_return,
		.context = symbolizer,
	};
}
