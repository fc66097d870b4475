/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "points/roles.h"

static const char *const callbacks[] = {
#define CALLBACK(name, text, callback) callback,
	KCT_POINT_KIND_LIST(CALLBACK)
#undef CALLBACK
};

/* Functions that never return to their caller: of C libraries and compilers, and of Linux those that
 * end the thread. */
static const char *const no_return[] = {
	"_Exit",
	"_exit",
	"_Unwind_Resume",
	"__assert",
	"__assert_fail",
	"__assert_perror_fail",
	"__cxa_throw",
	"__longjmp_chk",
	"_longjmp",
	"abort",
	"do_exit",
	"do_group_exit",
	"do_task_dead",
	"err",
	"errx",
	"exit",
	"exit_group",
	"kthread_complete_and_exit",
	"kthread_exit",
	"longjmp",
	"make_task_dead",
	"__module_put_and_kthread_exit",
	"pthread_exit",
	"quick_exit",
	"rewind_stack_and_make_dead",
	"siglongjmp",
	"thrd_exit",
	"verr",
	"verrx",
};

/* Those after which the whole program or kernel is dead, so that no trace of it would be read. */
static const char *const dead[] = {
	"__chk_fail",
	"__fortify_fail",
	"__fortify_panic",
	"__stack_chk_fail",
	"__stack_chk_fail_local",
	"__ubsan_handle_builtin_unreachable",
	"nmi_panic_self_stop",
	"panic",
	"vpanic",
};

/* Those that return only if something else does not happen. */
static const char *const may_end[] = {
	"error",   "execl",   "execle", "execlp", "execv", "execve",  "execveat", "execvp",
	"execvpe", "fexecve", "kill",	"killpg", "raise", "syscall", "tgkill",
};

/* What compilers call for checks and at the start of functions: it comes back, or the kernel is dead. */
static const char *const returning[] = {
	"__asan_", "__hwasan_", "__kasan_check_", "__kcsan_",
	"__msan_", "__tsan_",	"__fentry__",	  "__sanitizer_cov_trace_",
	"_mcount", "mcount",	"__csan_",	  "__cyg_profile_func_",
};

/* What returns and indirect jumps become where they are dangerous. */
static const char *const return_thunks[] = {
	"__x86_return_thunk",	   "its_return_thunk",	    "srso_return_thunk",
	"srso_alias_return_thunk", "retbleed_return_thunk",
};
static const char *const indirect_thunks[] = {"__x86_indirect_", "__llvm_retpoline_",
					      "__llvm_lvi_thunk_"};

/* Those that end if a function of the program that they call does. */
static const char *const calls_back[] = {
	"bsearch",     "call_once",    "dl_iterate_phdr", "ftw",     "lfind",	"lsearch",
	"nftw",	       "pthread_once", "qsort",		  "qsort_r", "scandir", "setcontext",
	"swapcontext", "tdelete",      "tfind",		  "tsearch", "twalk",
};

static const struct {
	const char *const *names;
	size_t n;
	enum kct_role role;
} whole_names[] = {
	{no_return, ARRAY_SIZE(no_return), KCT_ROLE_NORETURN},
	{dead, ARRAY_SIZE(dead), KCT_ROLE_DEAD},
	{may_end, ARRAY_SIZE(may_end), KCT_ROLE_MAY_END},
	{calls_back, ARRAY_SIZE(calls_back), KCT_ROLE_CALLS_BACK},
};

static bool starts_with(const char *text, const char *prefix)
{
	return text[0] == prefix[0] && strncmp(text, prefix, strlen(prefix)) == 0;
}

/** Most of very many names differ in the first letter from most of those that are known here. */
static bool is_equal(const char *a, const char *b)
{
	return a[0] == b[0] && strcmp(a, b) == 0;
}

static bool is_one_of(const char *const *prefixes, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (starts_with(name, prefixes[i]))
			return true;
	}
	return false;
}

/** Find the function's own name in that of a veneer or thunk that a linker made to reach it. */
static const char *veneer_target(const char *name, size_t *length)
{
	static const char *const suffixes[] = {"_veneer", "_from_thumb", "_from_arm"};
	const char *thunk;

	*length = strlen(name);
	if (!starts_with(name, "__"))
		return name;
	thunk = strstr(name, "Thunk_"); /* lld: __AArch64ADRPThunk_f, __Thumbv7PILongThunk_f */
	if (thunk) {
		*length = strlen(thunk + 6);
		return thunk + 6;
	}
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) { /* GNU ld: __f_veneer */
		size_t suffix = strlen(suffixes[i]);

		if (*length > suffix + 2 && strcmp(name + *length - suffix, suffixes[i]) == 0) {
			*length -= suffix + 2;
			return name + 2;
		}
	}
	return name;
}

unsigned kct_role_of_name(const char *name)
{
	size_t length;
	const char *stem = veneer_target(name, &length);

	for (unsigned i = 0; i < ARRAY_SIZE(callbacks); i++) {
		if (strlen(callbacks[i]) == length && memcmp(callbacks[i], stem, length) == 0)
			return KCT_ROLE_POINT + i;
	}
	for (size_t i = 0; i < ARRAY_SIZE(whole_names); i++) {
		for (size_t k = 0; k < whole_names[i].n; k++) {
			if (is_equal(whole_names[i].names[k], name))
				return whole_names[i].role;
		}
	}
	if (is_one_of(returning, ARRAY_SIZE(returning), name))
		return KCT_ROLE_RETURNS;
	if (is_one_of(return_thunks, ARRAY_SIZE(return_thunks), name))
		return KCT_ROLE_RETURN_THUNK;
	if (is_one_of(indirect_thunks, ARRAY_SIZE(indirect_thunks), name))
		return KCT_ROLE_INDIRECT_THUNK;
	return KCT_ROLE_NONE;
}

void kct_roles_clear(struct kct_roles *roles)
{
	free(roles->items);
	*roles = (struct kct_roles){0};
}

int kct_roles_add(struct kct_roles *roles, uint64_t address, unsigned role)
{
	if (kct_array_reserve(&roles->items, &roles->max, roles->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	roles->items[roles->n++] = (struct kct_role_at){.address = address, .role = role};
	return 0;
}

static int compare_roles(const void *left, const void *right)
{
	const struct kct_role_at *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->role > b->role) - (a->role < b->role);
}

void kct_roles_finish(struct kct_roles *roles)
{
	roles->first_point = UINT64_MAX;
	roles->last_point = 0;
	if (roles->n)
		qsort(roles->items, roles->n, sizeof(*roles->items), compare_roles);
	for (size_t i = 0; i < roles->n; i++) {
		if (!kct_role_is_point(roles->items[i].role))
			continue;
		roles->has_callbacks = true;
		roles->first_point = kct_min_u64(roles->first_point, roles->items[i].address);
		roles->last_point = kct_max_u64(roles->last_point, roles->items[i].address);
	}
}

unsigned kct_roles_find(const struct kct_roles *roles, uint64_t address)
{
	size_t low = 0, high = roles->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (roles->items[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Of several at one address a callback is first. */
	return low < roles->n && roles->items[low].address == address ? roles->items[low].role
								      : KCT_ROLE_NONE;
}

struct loading {
	struct kct_roles *roles;
	bool arm;
};

static int add_symbol(void *context, const struct kct_table_symbol *symbol)
{
	struct loading *loading = context;
	uint64_t address = symbol->address;
	unsigned role;

	if (symbol->name[0] == '\0' || symbol->type == STT_FILE || symbol->type == STT_SECTION)
		return 0;
	loading->roles->n_symbols++;
	role = kct_role_of_name(symbol->name);
	if (role == KCT_ROLE_NONE)
		return 0;
	if (!symbol->known) {
		loading->roles->has_callbacks |= kct_role_is_point(role);
		return 0;
	}
	if (loading->arm && symbol->type == STT_FUNC)
		address &= ~(uint64_t)1;
	return kct_roles_add(loading->roles, address, role);
}

int kct_roles_load(struct kct_roles *roles, struct kct_image *image)
{
	struct loading loading = {.roles = roles, .arm = image->header.e_machine == EM_ARM};
	int result = kct_image_visit_symbols(image, 0, add_symbol, &loading);

	if (result >= 0)
		result = kct_plt_load(roles, image);
	kct_roles_finish(roles);
	return result;
}
