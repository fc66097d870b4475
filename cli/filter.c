/* SPDX-License-Identifier: BSD-2-Clause */
#include <fnmatch.h>
#include <stdio.h>

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

static void add_pattern(struct pattern_list *list, const char *option, const char *glob)
{
	grow(&list->patterns, list->n, &list->max);
	list->patterns[list->n++] = (struct pattern){option, glob, false};
}

static void add_patterns(struct pattern_list *list, const char *option,
			 const struct value_list *values)
{
	size_t i;

	for (i = 0; i < values->n; i++)
		add_pattern(list, option, values->values[i]);
}

static void add_preset(struct filter *filter, const char *name)
{
	size_t i, j;

	for (i = 0; strcmp(presets[i].name, name) != 0; i++)
		;
	for (j = 0; presets[i].globs[j]; j++)
		add_pattern(&filter->hides, NULL, presets[i].globs[j]);
}

void filter_open(struct filter *filter, const struct options *options, bool inlines)
{
	size_t i;

	*filter = (struct filter){.inlines = inlines};
	add_patterns(&filter->functions, "--function", &options->functions);
	add_patterns(&filter->files, "--file", &options->files);
	add_patterns(&filter->modules, "--module-name", &options->module_names);
	add_patterns(&filter->hides, "--hide", &options->hides);
	add_patterns(&filter->prunes, "--prune", &options->prunes);
	for (i = 0; i < options->hide_presets.n; i++)
		add_preset(filter, options->hide_presets.values[i]);
	filter->keeps = filter->functions.n || filter->files.n || filter->modules.n;
}

void filter_close(struct filter *filter)
{
	free(filter->functions.patterns);
	free(filter->files.patterns);
	free(filter->modules.patterns);
	free(filter->hides.patterns);
	free(filter->prunes.patterns);
	free(filter->slots);
	*filter = (struct filter){0};
}

/** Try all patterns, so that each one that matches anything is known to. */
static bool match(struct pattern_list *list, const char *text)
{
	bool any = false;
	size_t i;

	for (i = 0; text && i < list->n; i++) {
		if (fnmatch(list->patterns[i].glob, text, 0) == 0)
			any = list->patterns[i].matched = true;
	}
	return any;
}

bool filter_hides(struct filter *filter, const char *function)
{
	return filter->hides.n && match(&filter->hides, function);
}

/** Whether a list matches the function of an address or, if wanted, a function inlined there. */
static bool match_functions(const struct filter *filter, struct pattern_list *list,
			    const char *function, const struct kct_symbol *symbol)
{
	bool any = match(list, function);
	uint32_t i;

	for (i = 0; filter->inlines && symbol && i + 1 < symbol->n_frames; i++)
		any |= match(list, symbol->frames[i].function);
	return any;
}

static bool match_files(const struct filter *filter, struct pattern_list *list,
			const struct kct_symbol *symbol)
{
	bool any = false;
	uint32_t i;

	for (i = 0; symbol && i < symbol->n_frames; i++) {
		if (filter->inlines || i + 1 == symbol->n_frames)
			any |= match(list, symbol->frames[i].file);
	}
	return any;
}

static unsigned judge(struct filter *filter, uint64_t pc, const struct kct_symbol *symbol)
{
	unsigned verdict = VERDICT_KEPT;
	const char *function = symbol ? symbol->function : NULL;
	char address[20];

	if (!function) {
		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)pc);
		function = address;
	}
	if (filter->functions.n && !match_functions(filter, &filter->functions, function, symbol))
		verdict = 0;
	if (filter->files.n && !match_files(filter, &filter->files, symbol))
		verdict = 0;
	if (filter->modules.n && !match(&filter->modules, symbol ? symbol->module : NULL))
		verdict = 0;
	if (match(&filter->hides, function))
		verdict |= VERDICT_HIDDEN;
	if (match(&filter->prunes, function))
		verdict |= VERDICT_PRUNED;
	return verdict;
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

	if (!filter->keeps && !filter->hides.n && !filter->prunes.n)
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

static int report_list(const struct pattern_list *list)
{
	int status = STATUS_FINE;
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (list->patterns[i].option && !list->patterns[i].matched)
			status = failure("%s '%s' matches nothing", list->patterns[i].option,
					 list->patterns[i].glob);
	}
	return status;
}

int filter_report(const struct filter *filter)
{
	int status = report_list(&filter->functions);

	status = worst(status, report_list(&filter->files));
	status = worst(status, report_list(&filter->modules));
	status = worst(status, report_list(&filter->hides));
	return worst(status, report_list(&filter->prunes));
}
