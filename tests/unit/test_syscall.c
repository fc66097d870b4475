/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of system calls against the headers of the C library and the manual pages of calls. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include <kcovtrace/syscall.h>

#include "unit/check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

#define I386 ((int64_t)((uint64_t)0x40000003 << 32)) /* AUDIT_ARCH_I386 */

static void test_names_and_arguments(void **state)
{
	static const struct {
		const char *machine;
		int64_t number;
		const char *name;
		unsigned arguments;
	} rows[] = {
		{"x86_64", 0, "read", 3},
		{"x86_64", 9, "mmap", 6},
		{"x86_64", 39, "getpid", 0},
		{"x86_64", 56, "clone", 5},
		{"x86_64", 231, "exit_group", 1},
		{"x86_64", 257, "openat", 4},
		{"x86_64", 435, "clone3", 2},
		{"x86_64", 0x40000000, "read", 3}, /* of an x32 program */
		{"x86_64", I386 | 4, "write", 3},
		{"x86_64", I386 | 102, "socketcall", 2},
		{"i386", 3, "read", 3},
		{"i686", 11, "execve", 3},
		{"aarch64", 63, "read", 3},
		{"aarch64", 56, "openat", 4},
		{"riscv64", 221, "execve", 3},
		{"loongarch64", 220, "clone", 5},
		{NULL, I386 | 20, "getpid", 0}, /* the call says it all */
		/* Numbers and machines that are not known. */
		{"x86_64", 9999, NULL, 0},
		{"x86_64", 500, NULL, 0},
		{"x86_64", -1, NULL, 0},
		{"x86_64", 0x40000000 + 512, NULL, 0},
		{"s390x", 3, NULL, 0},
		{"", 0, NULL, 0},
		{NULL, 0, NULL, 0},
	};
	char name[64];

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		unsigned arguments = 0;
		const char *found = kct_syscall_name(rows[i].machine, rows[i].number, &arguments);

		snprintf(name, sizeof(name), "%s %lld", rows[i].machine ? rows[i].machine : "NULL",
			 (long long)rows[i].number);
		CHECK(name, (found != NULL) == (rows[i].name != NULL));
		if (found)
			CHECK_STR(name, found, rows[i].name);
		CHECK_EQ(name, arguments, rows[i].arguments);
	}
	assert_string_equal(kct_syscall_name("x86_64", 0, NULL), "read");
	assert_true(kct_syscall_number(I386 | 102) == 102);
}

#if defined(__x86_64__)
/** As this machine's C library numbers them. */
static void test_numbers_of_this_machine(void **state)
{
#define ROW(name)                 \
	{                         \
#name, SYS_##name \
	}
	static const struct {
		const char *name;
		int64_t number;
	} rows[] = {
		ROW(open),	  ROW(stat),	    ROW(rt_sigreturn), ROW(ioctl),
		ROW(select),	  ROW(fork),	    ROW(vfork),	       ROW(wait4),
		ROW(getdents64),  ROW(arch_prctl),  ROW(futex),	       ROW(unlinkat),
		ROW(epoll_pwait), ROW(preadv2),	    ROW(statx),	       ROW(pidfd_getfd),
		ROW(close_range), ROW(futex_waitv),
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		CHECK_STR(rows[i].name, kct_syscall_name("x86_64", rows[i].number, NULL),
			  rows[i].name);
}
#endif

/** All that the C library knows, and those that are the kernel's own. */
static void test_errors(void **state)
{
	size_t known = 0;

	(void)state;
	for (int number = 1; number < 134; number++) {
		const char *theirs = strerrorname_np(number), *ours = kct_errno_name(number);

		if (!theirs || strcmp(theirs, "ENOTSUP") == 0) /* EOPNOTSUPP is its first name */
			continue;
		known++;
		if (!ours || strcmp(theirs, ours) != 0)
			fail_msg("%d is %s, not %s", number, theirs, ours ? ours : "(null)");
	}
	assert_true(known > 120);
	assert_string_equal(kct_errno_name(512), "ERESTARTSYS");
	assert_string_equal(kct_errno_name(516), "ERESTART_RESTARTBLOCK");
	assert_null(kct_errno_name(0));
	assert_null(kct_errno_name(-2));
	assert_null(kct_errno_name(4095));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_arguments),
#if defined(__x86_64__)
		cmocka_unit_test(test_numbers_of_this_machine),
#endif
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
