/* SPDX-License-Identifier: BSD-2-Clause */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "message.h"

/* Functions of the kernel that every trace is full of. */
static const struct {
	const char *name;
	const char *const *globs;
} presets[] = {
	{"locking", (const char *const[]){"*spin_lock*",     "*spin_unlock*",  "*spin_trylock*",
					  "*_read_lock*",    "*_read_unlock*", "*_write_lock*",
					  "*_write_unlock*", "mutex_*",	       "__mutex_*",
					  "ww_mutex_*",	     "down_read*",     "down_write*",
					  "__down_*",	     "up_read",	       "up_write",
					  "__up_*",	     "rwsem_*",	       "lock_acquire*",
					  "lock_release*",   "__lock_*",       "lockdep_*",
					  "lockref_*",	     "queued_*lock*",  "osq_*",
					  "percpu_down_*",   "percpu_up_*",    NULL}},
	{"rcu",
	 (const char *const[]){"rcu_*", "__rcu_*", "call_rcu*", "*_rcu_read_*", "synchronize_rcu*",
			       "*srcu_*", "kfree_rcu*", "kvfree_call_rcu", NULL}},
	{"kasan", (const char *const[]){"kasan_*", "__kasan_*", "__asan_*", "kmsan_*", "__msan_*",
					"kcsan_*", "__tsan_*", "stack_trace_*", "stack_depot_*",
					"__sanitizer_*", "check_memory_region*", NULL}},
	{"memory", (const char *const[]){"kmalloc*",	  "__kmalloc*",
					 "kzalloc*",	  "kfree*",
					 "kvmalloc*",	  "kvfree*",
					 "vmalloc*",	  "vfree*",
					 "kmem_cache_*",  "slab_*",
					 "__slab_*",	  "___slab_*",
					 "*alloc_pages*", "free_pages*",
					 "__free_pages*", "get_page_from_freelist",
					 "*free_unref_*", "post_alloc_hook",
					 "prep_new_page", "rmqueue*",
					 "memcg_*",	  "__memcg_*",
					 "obj_cgroup_*",  "mod_*_state",
					 "__mod_*_state", NULL}},
	{"entry", (const char *const[]){"do_syscall_*", "x64_sys_call", "*syscall_enter*",
					"*syscall_exit*", "*irqentry_*", "exc_*", "asm_*",
					"entry_*", "*exit_to_user_mode*", "*enter_from_user_mode*",
					"*page_fault*", "invoke_syscall", "el0_svc*", NULL}},
};

struct verdict_slot {
	uint64_t pc;
	unsigned char used;
	unsigned char verdict;
};

const char *filter_preset_name(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(presets); i++) {
		if (strlen(presets[i].name) == length &&
		    strncmp(presets[i].name, name, length) == 0)
			return presets[i].name;
	}
	return NULL;
}

/** Take a `[NAME]` off the end of a copied pattern. Returns NAME, NULL if there is none. */
static char *cut_module(char *glob)
{
	size_t length = strlen(glob);
	char *open = strrchr(glob, '[');

	/* `[a]` alone is a class: a module needs a function before it. */
	if (!open || open == glob || glob[length - 1] != ']' || open + 2 == glob + length)
		return NULL;
	glob[length - 1] = '\0';
	*open = '\0';
	return open + 1;
}

static void add_pattern(struct pattern_list *list, const char *option, const char *text,
			bool of_function)
{
	char *glob = zeroed(char, strlen(text) + 1);

	strcpy(glob, text);
	grow(&list->patterns, list->n, &list->max);
	list->patterns[list->n++] = (struct pattern){
		.option = option,
		.text = text,
		.glob = glob,
		.module = of_function ? cut_module(glob) : NULL,
	};
}

static void add_patterns(struct pattern_list *list, const char *option,
			 const struct value_list *values, bool of_function)
{
	size_t i;

	for (i = 0; i < values->n; i++)
		add_pattern(list, option, values->values[i], of_function);
}

static void add_preset(struct filter *filter, const char *name)
{
	size_t i, j;

	for (i = 0; strcmp(presets[i].name, name) != 0; i++)
		;
	for (j = 0; presets[i].globs[j]; j++)
		add_pattern(&filter->hides, NULL, presets[i].globs[j], true);
}

void filter_open(struct filter *filter, const struct options *options, bool inlines)
{
	size_t i;

	*filter = (struct filter){.inlines = inlines};
	add_patterns(&filter->functions, "--function", &options->functions, true);
	add_patterns(&filter->files, "--file", &options->files, false);
	add_patterns(&filter->modules, "--module-name", &options->module_names, false);
	add_patterns(&filter->hides, "--hide", &options->hides, true);
	add_patterns(&filter->prunes, "--prune", &options->prunes, true);
	for (i = 0; i < options->hide_presets.n; i++)
		add_preset(filter, options->hide_presets.values[i]);
	if (options->at_function)
		add_pattern(&filter->entries, "--at-function", options->at_function, true);
	filter->keeps = filter->functions.n || filter->files.n || filter->modules.n;
}

static void free_list(struct pattern_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->patterns[i].glob);
	free(list->patterns);
}

void filter_close(struct filter *filter)
{
	free_list(&filter->functions);
	free_list(&filter->files);
	free_list(&filter->modules);
	free_list(&filter->hides);
	free_list(&filter->prunes);
	free_list(&filter->entries);
	free(filter->slots);
	*filter = (struct filter){0};
}

/** Try all patterns, so that each one that matches anything is known to. */
static bool match(struct pattern_list *list, const char *text, const char *module)
{
	bool any = false;
	size_t i;

	for (i = 0; text && i < list->n; i++) {
		struct pattern *pattern = &list->patterns[i];

		if (fnmatch(pattern->glob, text, 0) == 0 &&
		    (!pattern->module || fnmatch(pattern->module, module ? module : "", 0) == 0))
			any = pattern->matched = true;
	}
	return any;
}

bool filter_hides(struct filter *filter, const char *function, const char *module)
{
	return match(&filter->hides, function, module);
}

/** The verdict on one function: the machine function of an address, or one inlined there. */
static unsigned judge_function(struct filter *filter, const char *function, const char *file,
			       const char *module)
{
	unsigned verdict = VERDICT_KEPT;

	if (filter->functions.n && !match(&filter->functions, function, module))
		verdict = 0;
	if (filter->files.n && !match(&filter->files, file, NULL))
		verdict = 0;
	if (filter->modules.n && !match(&filter->modules, module, NULL))
		verdict = 0;
	if (match(&filter->hides, function, module))
		verdict |= VERDICT_HIDDEN;
	if (match(&filter->prunes, function, module))
		verdict |= VERDICT_PRUNED;
	return verdict;
}

/** The name by which patterns know the machine function of an address. */
static const char *name_of(char address[20], uint64_t pc, const struct kct_symbol *symbol)
{
	if (symbol && symbol->function)
		return symbol->function;
	snprintf(address, 20, "0x%llx", (unsigned long long)pc);
	return address;
}

static unsigned judge(struct filter *filter, uint64_t pc, const struct kct_symbol *symbol)
{
	const char *module = symbol ? symbol->module : NULL;
	uint32_t i = symbol ? symbol->n_frames : 0;
	char address[20];
	unsigned verdict, inner = 0;

	verdict = judge_function(filter, name_of(address, pc, symbol),
				 i ? symbol->frames[i - 1].file : NULL, module);
	/* From the outermost inwards: what a pruned function would keep keeps nothing alive. */
	for (i = i && filter->inlines ? i - 1 : 0; i-- && !(inner & VERDICT_PRUNED);) {
		const struct kct_symbol_frame *frame = &symbol->frames[i];
		unsigned one = judge_function(filter, frame->function, frame->file, module);

		inner |= one & VERDICT_PRUNED ? one & ~(unsigned)VERDICT_KEPT : one;
	}
	if (!filter->keeps)
		inner &= ~(unsigned)VERDICT_KEPT;
	return verdict | inner << VERDICT_INNER_SHIFT;
}

bool filter_is_entry(struct filter *filter, uint64_t pc, const struct kct_symbol *symbol)
{
	const char *module = symbol ? symbol->module : NULL;
	char address[20];
	bool any = match(&filter->entries, name_of(address, pc, symbol), module);
	uint32_t i;

	for (i = 0; filter->inlines && symbol && i + 1 < symbol->n_frames; i++)
		any |= match(&filter->entries, symbol->frames[i].function, module);
	return any;
}

unsigned filter_judge_once(struct filter *filter, uint64_t pc, const struct kct_symbol *symbol)
{
	return filter_is_active(filter) ? judge(filter, pc, symbol) : VERDICT_KEPT;
}

static struct verdict_slot *slot_of(const struct filter *filter, uint64_t pc)
{
	size_t mask = filter->n_slots - 1;
	size_t at = (size_t)((pc ^ pc >> 29) * 0x9e3779b97f4a7c15u >> 20) & mask;

	while (filter->slots[at].used && filter->slots[at].pc != pc)
		at = (at + 1) & mask;
	return &filter->slots[at];
}

static void enlarge(struct filter *filter)
{
	struct verdict_slot *old = filter->slots;
	size_t n_old = filter->n_slots, i;

	filter->n_slots = n_old ? n_old * 2 : 1024;
	filter->slots = zeroed(struct verdict_slot, filter->n_slots);
	for (i = 0; i < n_old; i++) {
		if (old[i].used)
			*slot_of(filter, old[i].pc) = old[i];
	}
	free(old);
}

unsigned filter_judge(struct filter *filter, uint64_t pc, const struct kct_symbol *symbol)
{
	struct verdict_slot *slot;

	if (!filter_is_active(filter))
		return VERDICT_KEPT;
	if (filter->used * 2 >= filter->n_slots)
		enlarge(filter);
	slot = slot_of(filter, pc);
	if (!slot->used) {
		*slot = (struct verdict_slot){pc, 1, (unsigned char)judge(filter, pc, symbol)};
		filter->used++;
	}
	return slot->verdict;
}

/** Why a pattern can have matched nothing; empty: nothing is known. */
static const char *explain_nothing(const struct filter *filter, const struct pattern_list *list,
				   const char *text)
{
	if (list == &filter->files && text[0] != '/' && text[0] != '*')
		return " (the whole path counts, as in '*/fs/open.c' or '*/fs/*')";
	return filter->inlines ? "" : " (of inlined functions none counts)";
}

static int report_list(const struct filter *filter, const struct pattern_list *list)
{
	const struct pattern *pattern;
	int status = STATUS_FINE;
	size_t i;

	for (i = 0; i < list->n; i++) {
		pattern = &list->patterns[i];
		if (pattern->option && !pattern->matched)
			status =
				failure("%s '%s' matches nothing%s", pattern->option, pattern->text,
					explain_nothing(filter, list, pattern->text));
	}
	return status;
}

int filter_report(const struct filter *filter)
{
	int status = report_list(filter, &filter->functions);

	status = worst(status, report_list(filter, &filter->files));
	status = worst(status, report_list(filter, &filter->modules));
	status = worst(status, report_list(filter, &filter->hides));
	status = worst(status, report_list(filter, &filter->prunes));
	return worst(status, report_list(filter, &filter->entries));
}
