/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever the driver refuses has a code of its own, its errno, and a text with advice. */
#include <errno.h>
#include <limits.h>

#include "capture_kernels.h"

#define ENOTSUPP 524

/* Kernels by what they have. What is not named they do not know. */
static const struct double_kernel bare = {.kcov = true};
static const struct double_kernel cmp_not_built = {.kcov = true, .cmp = DOUBLE_NOT_BUILT};
static const struct double_kernel has_cmp = {.kcov = true, .cmp = DOUBLE_BUILT};
static const struct double_kernel ext_not_built = {.kcov = true, .ext = DOUBLE_NOT_BUILT};
static const struct double_kernel small_ext = {.kcov = true, .word_bytes = 4, .ext = DOUBLE_BUILT};
static const struct double_kernel memory_no_size = {.kcov = true, .memory = DOUBLE_BUILT};
static const struct double_kernel memory_odd_size = {
	.kcov = true, .memory = DOUBLE_BUILT, .memory_record_bytes = 3};
static const struct double_kernel memory_small_size = {
	.kcov = true, .memory = DOUBLE_BUILT, .memory_record_bytes = 24};
static const struct double_kernel memory_large_size = {
	.kcov = true, .memory = DOUBLE_BUILT, .memory_record_bytes = 8192};
static const struct double_kernel memory_size_refused = {
	.kcov = true, .memory = DOUBLE_BUILT, .memory_record_bytes = -ENOTSUPP};
static const struct double_kernel memory_not_built = {
	.kcov = true, .memory = DOUBLE_NOT_BUILT, .memory_record_bytes = 40};
static const struct double_kernel has_memory = {
	.kcov = true, .memory = DOUBLE_BUILT, .memory_record_bytes = 40};
static const struct double_kernel has_unique = {.kcov = true, .unique = DOUBLE_BUILT};
static const struct double_kernel unique_not_built = {.kcov = true, .unique = DOUBLE_NOT_BUILT};
static const struct double_kernel first_abi = {.kcov = true, .busy_first = true};
static const struct double_kernel has_remote = {.kcov = true, .remote = DOUBLE_BUILT};
static const struct double_kernel remote_cmp_not_built = {
	.kcov = true, .remote = DOUBLE_BUILT, .cmp = DOUBLE_NOT_BUILT};
static const struct double_kernel remote_unique = {
	.kcov = true, .remote = DOUBLE_BUILT, .unique = DOUBLE_BUILT};

/* And by what is in the way. */
static const struct double_kernel no_debugfs = {.debugfs = false};
static const struct double_kernel no_kcov = {.debugfs = true};
static const struct double_kernel file_as_directory = {.open_errno = ENOTDIR};
static const struct double_kernel no_permission = {.open_errno = EACCES};
static const struct double_kernel locked_down = {.open_errno = EPERM};
static const struct double_kernel no_driver = {.open_errno = ENXIO};
static const struct double_kernel no_descriptors = {.open_errno = EMFILE};
static const struct double_kernel other_device = {.kcov = true, .other_device = true};
static const struct double_kernel few_words = {.kcov = true, .max_words = 1000};
static const struct double_kernel no_memory = {.kcov = true, .no_memory = true};
static const struct double_kernel no_room = {.kcov = true, .map_errno = ENOMEM};
static const struct double_kernel map_refused = {.kcov = true, .map_errno = EINVAL};

#define DEEPER	  "/and/so/on/and/so/forth/for/ever"
#define LONG_PATH "/sys/kernel/debug" DEEPER DEEPER DEEPER DEEPER DEEPER DEEPER DEEPER "/kcov"

/* What a code must have in its text: the advice. */
static void check_error(const char *row, const struct kct_error *error, int result, int code,
			int sys_errno, const char *advice)
{
	if (result != code)
		fail_msg("row '%s': %s, expected %s", row, kct_error_name(result),
			 kct_error_name(code));
	CHECK_EQ(row, error->code, code);
	CHECK_EQ(row, error->sys_errno, sys_errno);
	CHECK(row, strlen(error->text) + 1 < sizeof(error->text)); /* not cut */
	if (!strstr(error->text, advice))
		fail_msg("row '%s': no '%s' in '%s'", row, advice, error->text);
}

static const struct {
	const char *name;
	const struct double_kernel *kernel;
	const char *device;
	uint64_t words, bitmap_words;
	int code, sys_errno;
	const char *advice;
} open_rows[] = {
	{"no debugfs", &no_debugfs, NULL, 0, 0, KCT_ERR_NO_DEBUGFS, ENOENT,
	 "mount -t debugfs none /sys/kernel/debug"},
	{"no kcov", &no_kcov, NULL, 0, 0, KCT_ERR_NO_KCOV, ENOENT, "without CONFIG_KCOV"},
	{"elsewhere", &no_kcov, "/mnt/kcov", 0, 0, KCT_ERR_NO_DEBUGFS, ENOENT,
	 "no debugfs is there; its usual place has it: /sys/kernel/debug/kcov"},
	{"in the root", &no_kcov, "/kcov", 0, 0, KCT_ERR_NO_DEBUGFS, ENOENT,
	 "none /sys/kernel/debug"},
	{"a bare name", &no_kcov, "kcov", 0, 0, KCT_ERR_NO_DEBUGFS, ENOENT,
	 "none /sys/kernel/debug"},
	{"a long path", &no_kcov, LONG_PATH, 0, 0, KCT_ERR_NO_DEBUGFS, ENOENT,
	 "mount -t debugfs none /sys/"},
	{"a file as directory", &file_as_directory, NULL, 0, 0, KCT_ERR_NO_DEBUGFS, ENOTDIR,
	 "mount"},
	{"no permission", &no_permission, NULL, 0, 0, KCT_ERR_PERMISSION, EACCES, "as root"},
	{"locked down", &locked_down, NULL, 0, 0, KCT_ERR_PERMISSION, EPERM, "lockdown=none"},
	{"no driver", &no_driver, NULL, 0, 0, KCT_ERR_NO_KCOV, ENXIO, "no driver"},
	{"too many files", &no_descriptors, NULL, 0, 0, KCT_ERR_IO, EMFILE,
	 "cannot open /sys/kernel/debug/kcov: "},
	{"another device", &other_device, NULL, 0, 0, KCT_ERR_NO_KCOV, ENOTTY,
	 "is not a KCOV device"},
	{"one word", &bare, NULL, 1, 0, KCT_ERR_TOO_SMALL, 0, "at least 2"},
	/* Whole pages of INT_MAX bytes, for pages of 4096. */
	{"too many words", &bare, NULL, INT_MAX / 8, 0, KCT_ERR_TOO_LARGE, 0,
	 "at most 268434944 words: ask for fewer"},
	{"far too many words", &bare, NULL, UINT64_MAX, 0, KCT_ERR_TOO_LARGE, 0, "ask for fewer"},
	{"more than this kernel takes", &few_words, NULL, 1001, 0, KCT_ERR_TOO_LARGE, EINVAL,
	 "1024 words: ask for fewer"},
	{"no memory", &no_memory, NULL, 0, 0, KCT_ERR_TOO_LARGE, ENOMEM, "ask for fewer"},
	{"map, no room", &no_room, NULL, 0, 0, KCT_ERR_MAP, ENOMEM, "ulimit -v"},
	{"map refused", &map_refused, NULL, 0, 0, KCT_ERR_MAP, EINVAL, "refuses"},
	{"bitmap too large", &bare, NULL, 512, 511, KCT_ERR_TOO_SMALL, 0, "smaller bitmap"},
	{"bitmap far too large", &bare, NULL, 512, UINT64_MAX, KCT_ERR_TOO_SMALL, 0,
	 "smaller bitmap"},
	{"bitmap too large, too many words", &bare, NULL, UINT64_MAX, 1, KCT_ERR_TOO_LARGE, 0,
	 "ask for fewer"},
};

static void test_open(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(open_rows); i++) {
		struct kct_capture_options options = {
			.size = sizeof(options),
			.device = open_rows[i].device,
			.words = open_rows[i].words,
			.bitmap_words = open_rows[i].bitmap_words,
		};
		struct kct_capture *capture = (struct kct_capture *)&options; /* untouched */
		struct capture_double driver;
		struct kct_system system = double_system(&driver);
		struct kct_error error;
		int result;

		double_init(&driver, open_rows[i].kernel);
		result = kct_capture_open_on(&system, &options, &capture, &error);
		check_error(open_rows[i].name, &error, result, open_rows[i].code,
			    open_rows[i].sys_errno, open_rows[i].advice);
		CHECK(open_rows[i].name, (void *)capture == (void *)&options);
		CHECK_EQ(open_rows[i].name, double_leaks(&driver), 0);
		/* And without a place for the text. */
		CHECK_EQ(open_rows[i].name, kct_capture_open_on(&system, &options, &capture, NULL),
			 open_rows[i].code);
	}
}

/** It could not be reset. */
static void test_read_only_needs_a_request(void **state)
{
	const struct kct_capture_options options = {.size = sizeof(options), .read_only = true};
	struct kct_capture *capture;
	struct capture_double driver;
	struct kct_system system = double_system(&driver);
	struct kct_error error;
	int result;

	(void)state;
	double_init(&driver, &has_memory);
	result = kct_capture_open_on(&system, &options, &capture, &error);
	check_error("read-only", &error, result, KCT_ERR_NO_MODE, 0, "map it for writing");
	assert_int_equal(double_leaks(&driver), 0);
}

static void test_options_of_other_versions(void **state)
{
	struct {
		struct kct_capture_options known;
		uint64_t later;
	} options = {.known = {.size = sizeof(options), .words = 2}, .later = 1};
	struct kct_capture *capture;
	struct capture_double driver;
	struct kct_system system = double_system(&driver);

	(void)state;
	double_init(&driver, &bare);
	assert_int_equal(kct_capture_open_on(&system, &options.known, &capture, NULL),
			 KCT_ERR_ARGUMENT);
	options.later = 0;
	assert_int_equal(kct_capture_open_on(&system, &options.known, &capture, NULL), 0);
	kct_capture_free(capture);
	/* An older caller without the size of the area. */
	options.known.size = offsetof(struct kct_capture_options, words);
	assert_int_equal(kct_capture_open_on(&system, &options.known, &capture, NULL), 0);
	assert_int_equal(kct_capture_bytes(capture), KCT_CAPTURE_WORDS * 8);
	kct_capture_free(capture);
	options.known.size = 0;
	assert_int_equal(kct_capture_open_on(&system, &options.known, &capture, NULL),
			 KCT_ERR_ARGUMENT);
}

/* What happened before the enabling that fails. */
enum before {
	FRESH,
	THIS_ENABLED,	/* this thread through this capture */
	OTHER_ENABLED,	/* this thread through another capture */
	THREAD_ENABLED, /* another thread through this capture */
	BOTH_ENABLED,	/* another thread through this one, this thread through another */
	REMOTE_ENABLED, /* another capture and thread trace the handle USB 1 */
	DROPPED,	/* this one cannot be opened again */
	THREAD_DROPPED, /* THREAD_ENABLED and DROPPED */
	OTHER_DROPPED,	/* OTHER_ENABLED and DROPPED */
};

static const uint64_t usb_1[] = {KCT_REMOTE_USB(1)};
static const struct kct_capture_remote remote_usb_1 = {.handles = usb_1, .n_handles = 1};

static void prepare(struct capture_double *driver, enum before before, struct kct_capture *capture,
		    struct kct_capture *other)
{
	if (before == THIS_ENABLED)
		enable_capture(capture, KCT_MODE_PC);
	if (before == OTHER_ENABLED || before == BOTH_ENABLED || before == OTHER_DROPPED)
		enable_capture(other, KCT_MODE_PC);
	driver->thread = 2;
	if (before == THREAD_ENABLED || before == BOTH_ENABLED || before == THREAD_DROPPED)
		enable_capture(capture, KCT_MODE_PC);
	if (before == REMOTE_ENABLED)
		assert_int_equal(kct_capture_enable_remote(other, KCT_MODE_PC, &remote_usb_1, NULL),
				 0);
	driver->thread = 1;
	if (before >= DROPPED)
		driver->kernel.open_errno = EACCES;
}

struct enable_row {
	const char *name;
	const struct double_kernel *kernel;
	enum before before;
	enum kct_mode mode;
	int code, sys_errno;
	const char *advice;
	const struct kct_capture_remote *remote;
};

static void check_enable(const struct enable_row *row)
{
	struct capture_double driver;
	struct kct_capture *capture, *other;
	struct kct_capture_area area;
	unsigned leaks;
	struct kct_error error;
	int result;

	double_init(&driver, row->kernel);
	capture = open_capture(&driver, 512, 2);
	other = open_capture(&driver, 512, 2);
	prepare(&driver, row->before, capture, other);
	leaks = double_leaks(&driver);
	if (row->remote)
		result = kct_capture_enable_remote(capture, row->mode, row->remote, &error);
	else
		result = kct_capture_enable(capture, row->mode, &error);
	check_error(row->name, &error, result, row->code, row->sys_errno, row->advice);
	CHECK_EQ(row->name, double_leaks(&driver), leaks);
	kct_capture_view(capture, &area);
	CHECK_EQ(row->name, area.layout->mode, KCT_MODE_PC); /* as before */
	/* The diagnosis has left no tracing behind that was not there. */
	CHECK_EQ(row->name, kct_capture_disable(capture, NULL),
		 row->before == THIS_ENABLED ? 0 : KCT_ERR_NOT_TRACED);
	double_end_thread(&driver, 2);
	kct_capture_free(capture);
	kct_capture_free(other);
	CHECK_EQ(row->name, double_leaks(&driver), 0);
}

static const struct enable_row enable_rows[] = {
	{"no cmp", &bare, FRESH, KCT_MODE_CMP, KCT_ERR_NO_MODE, EINVAL, "Linux 4.14", NULL},
	{"cmp not built", &cmp_not_built, FRESH, KCT_MODE_CMP, KCT_ERR_NOT_BUILT, ENOTSUPP,
	 "CONFIG_KCOV_ENABLE_COMPARISONS", NULL},
	{"no ext", &bare, FRESH, KCT_MODE_EXT, KCT_ERR_NO_MODE, EINVAL, "patches of EXT", NULL},
	{"ext not built", &ext_not_built, FRESH, KCT_MODE_EXT, KCT_ERR_NOT_BUILT, ENOTSUPP,
	 "CONFIG_KCOV_EXT_RECORDS", NULL},
	{"ext, 32-bit kernel", &small_ext, FRESH, KCT_MODE_EXT, KCT_ERR_NO_MODE, EINVAL, "64 bits",
	 NULL},
	{"no memory", &bare, FRESH, KCT_MODE_MEMORY, KCT_ERR_NO_MODE, ENOTTY, "patches of MEMORY",
	 NULL},
	{"memory without its size", &memory_no_size, FRESH, KCT_MODE_MEMORY, KCT_ERR_NO_MODE,
	 ENOTTY, "patches of MEMORY", NULL},
	{"request 103 is not a size", &memory_odd_size, FRESH, KCT_MODE_MEMORY, KCT_ERR_NO_MODE,
	 ENOTTY, "patches of MEMORY", NULL},
	{"request 103 is too small a size", &memory_small_size, FRESH, KCT_MODE_MEMORY,
	 KCT_ERR_NO_MODE, ENOTTY, "patches of MEMORY", NULL},
	{"request 103 is too large a size", &memory_large_size, FRESH, KCT_MODE_MEMORY,
	 KCT_ERR_NO_MODE, ENOTTY, "patches of MEMORY", NULL},
	{"request 103 is refused", &memory_size_refused, FRESH, KCT_MODE_MEMORY, KCT_ERR_NOT_BUILT,
	 ENOTSUPP, "CONFIG_KCOV_MEMORY", NULL},
	{"memory not built", &memory_not_built, FRESH, KCT_MODE_MEMORY, KCT_ERR_NOT_BUILT, ENOTSUPP,
	 "CONFIG_KCOV_MEMORY", NULL},
	{"no unique", &bare, FRESH, KCT_MODE_UNIQUE, KCT_ERR_NO_MODE, ENOTTY, "patches of UNIQUE",
	 NULL},
	{"unique on a memory kernel", &has_memory, FRESH, KCT_MODE_UNIQUE, KCT_ERR_NO_MODE, ENOTTY,
	 "patches of UNIQUE", NULL},
	{"memory on a unique kernel", &has_unique, FRESH, KCT_MODE_MEMORY, KCT_ERR_NO_MODE, ENOTTY,
	 "patches of MEMORY", NULL},
	{"unique not built", &unique_not_built, FRESH, KCT_MODE_UNIQUE, KCT_ERR_NOT_BUILT, ENOTSUPP,
	 "CONFIG_KCOV_UNIQUE", NULL},
	{"enabled already", &bare, THIS_ENABLED, KCT_MODE_PC, KCT_ERR_BUSY_THREAD, EINVAL,
	 "one at a time", NULL},
	{"enabled already, first ABI", &first_abi, THIS_ENABLED, KCT_MODE_PC, KCT_ERR_BUSY_THREAD,
	 EBUSY, "one at a time", NULL},
	{"by another capture", &bare, OTHER_ENABLED, KCT_MODE_PC, KCT_ERR_BUSY_THREAD, EBUSY,
	 "disable that first", NULL},
	{"unique, by another capture", &has_unique, OTHER_ENABLED, KCT_MODE_UNIQUE,
	 KCT_ERR_BUSY_THREAD, EBUSY, "disable that first", NULL},
	{"another thread", &bare, THREAD_ENABLED, KCT_MODE_PC, KCT_ERR_BUSY_DEVICE, EINVAL,
	 "one for each thread", NULL},
	{"another thread, cmp", &has_cmp, THREAD_ENABLED, KCT_MODE_CMP, KCT_ERR_BUSY_DEVICE, EINVAL,
	 "one for each thread", NULL},
	{"another thread, cmp unknown", &bare, THREAD_ENABLED, KCT_MODE_CMP, KCT_ERR_NO_MODE,
	 EINVAL, "Linux 4.14", NULL},
	{"another thread, cmp not built", &cmp_not_built, THREAD_ENABLED, KCT_MODE_CMP,
	 KCT_ERR_NOT_BUILT, ENOTSUPP, "CONFIG_KCOV_ENABLE_COMPARISONS", NULL},
	{"another thread, first ABI", &first_abi, THREAD_ENABLED, KCT_MODE_PC, KCT_ERR_BUSY_DEVICE,
	 EBUSY, "one for each thread", NULL},
	{"another thread, unique", &has_unique, THREAD_ENABLED, KCT_MODE_UNIQUE,
	 KCT_ERR_BUSY_DEVICE, EINVAL, "one for each thread", NULL},
	{"both are busy", &bare, BOTH_ENABLED, KCT_MODE_PC, KCT_ERR_BUSY_THREAD, EINVAL,
	 "disable that first", NULL},
	{"privileges dropped, unknown", &bare, DROPPED, KCT_MODE_CMP, KCT_ERR_NO_MODE, EINVAL,
	 "cannot be opened again", NULL},
	{"privileges dropped, another thread", &bare, THREAD_DROPPED, KCT_MODE_PC, KCT_ERR_NO_MODE,
	 EINVAL, "or another thread", NULL},
	{"privileges dropped, another capture", &bare, OTHER_DROPPED, KCT_MODE_PC, KCT_ERR_BUSY,
	 EBUSY, "disable that first", NULL},
	{"no such mode", &bare, FRESH, (enum kct_mode)17, KCT_ERR_ARGUMENT, 0, "mode 17", NULL},
};

static void test_enable(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(enable_rows); i++)
		check_enable(&enable_rows[i]);
}

static void test_enable_remote(void **state)
{
	static const uint64_t reserved[] = {KCT_REMOTE_USB(1) | (uint64_t)1 << 40};
	static const uint64_t common[] = {KCT_REMOTE_COMMON(1)};
	static const uint64_t unknown[] = {(uint64_t)2 << 56 | 1};
	static const uint64_t many[257];
	static const struct kct_capture_remote reserved_bits = {.handles = reserved,
								.n_handles = 1};
	static const struct kct_capture_remote common_in_list = {.handles = common, .n_handles = 1};
	static const struct kct_capture_remote subsystem = {.handles = unknown, .n_handles = 1};
	static const struct kct_capture_remote too_many = {.handles = many, .n_handles = 257};
	static const struct kct_capture_remote wide = {.common = (uint64_t)1 << 32};
	static const struct kct_capture_remote none = {0};
	static const struct enable_row rows[] = {
		{"no remote", &bare, FRESH, KCT_MODE_PC, KCT_ERR_NO_MODE, ENOTTY, "Linux 5.5",
		 &none},
		{"reserved bits", &has_remote, FRESH, KCT_MODE_PC, KCT_ERR_ARGUMENT, 0, "top byte",
		 &reserved_bits},
		{"common in the list", &has_remote, FRESH, KCT_MODE_PC, KCT_ERR_ARGUMENT, 0,
		 "subsystem (not 0)", &common_in_list},
		{"wide common", &has_remote, FRESH, KCT_MODE_PC, KCT_ERR_ARGUMENT, 0, "32 bits",
		 &wide},
		{"unknown subsystem", &has_remote, FRESH, KCT_MODE_PC, KCT_ERR_ARGUMENT, 0,
		 "no such subsystem", &subsystem},
		{"too many", &has_remote, FRESH, KCT_MODE_PC, KCT_ERR_ARGUMENT, 0, "at most 256",
		 &too_many},
		{"unknown mode", &has_remote, FRESH, KCT_MODE_CMP, KCT_ERR_NO_MODE, EINVAL,
		 "Linux 4.14", &remote_usb_1},
		{"mode not built", &remote_cmp_not_built, FRESH, KCT_MODE_CMP, KCT_ERR_NOT_BUILT,
		 ENOTSUPP, "CONFIG", &remote_usb_1},
		{"unique", &remote_unique, FRESH, KCT_MODE_UNIQUE, KCT_ERR_MODE, 0,
		 "no mode unique", &none},
		{"handle in use", &has_remote, REMOTE_ENABLED, KCT_MODE_PC, KCT_ERR_BUSY_HANDLE,
		 EEXIST, "disable it there first", &remote_usb_1},
		{"thread in use", &has_remote, OTHER_ENABLED, KCT_MODE_PC, KCT_ERR_BUSY_THREAD,
		 EBUSY, "disable that first", &remote_usb_1},
		{"descriptor in use", &has_remote, THREAD_ENABLED, KCT_MODE_PC, KCT_ERR_BUSY_DEVICE,
		 EINVAL, "one for each thread", &remote_usb_1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_enable(&rows[i]);
}

/** The limit of the kernel itself is not an error. */
static void test_most_handles(void **state)
{
	uint64_t handles[KCT_REMOTE_MAX_HANDLES];
	const struct kct_capture_remote remote = {
		.handles = handles, .n_handles = KCT_REMOTE_MAX_HANDLES, .common = 5};
	struct capture_double driver;
	struct kct_capture *capture;

	(void)state;
	for (unsigned i = 0; i < KCT_REMOTE_MAX_HANDLES; i++)
		handles[i] = KCT_REMOTE_USB(i);
	double_init(&driver, &plain_kernel);
	capture = open_capture(&driver, 512, 0);
	assert_int_equal(kct_capture_enable_remote(capture, KCT_MODE_PC, &remote, NULL), 0);
	assert_int_equal(driver.descriptors[0].n_handles, 257);
	assert_int_equal(driver.descriptors[0].handles[255], KCT_REMOTE_USB(255));
	assert_int_equal(driver.descriptors[0].handles[256], 5);
	/* As long as the area, when nothing is said. */
	assert_int_equal(driver.descriptors[0].section_words, driver.descriptors[0].words);
	kct_capture_free(capture);
}

static void test_not_traced(void **state)
{
	const struct kct_capture_options options = {
		.size = sizeof(options), .words = 512, .bitmap_words = 0, .read_only = true};
	struct capture_double driver;
	const struct kct_system system = double_system(&driver);
	struct kct_capture *capture;
	struct kct_error error;
	int result;

	(void)state;
	double_init(&driver, &unique_kernel);
	assert_int_equal(kct_capture_open_on(&system, &options, &capture, &error), 0);
	result = kct_capture_disable(capture, &error);
	check_error("never enabled", &error, result, KCT_ERR_NOT_TRACED, EINVAL, "one thread");
	result = kct_capture_reset(capture, &error);
	check_error("reset", &error, result, KCT_ERR_NOT_TRACED, EINVAL, "one thread");
	enable_capture(capture, KCT_MODE_PC);
	driver.thread = 2;
	result = kct_capture_disable(capture, &error);
	check_error("by another thread", &error, result, KCT_ERR_NOT_TRACED, EINVAL, "one thread");
	driver.thread = 1;
	assert_int_equal(kct_capture_disable(capture, &error), 0);
	kct_capture_free(capture);
}

static void test_modes_that_need_more(void **state)
{
	struct capture_double driver;
	struct kct_capture *capture;
	struct kct_error error;
	int result;

	(void)state;
	double_init(&driver, &unique_kernel);
	capture = open_capture(&driver, 512, 0);
	result = kct_capture_enable(capture, KCT_MODE_UNIQUE, &error);
	check_error("no bitmap", &error, result, KCT_ERR_ARGUMENT, 0, "set bitmap_words");
	result = kct_capture_set_mode(capture, KCT_MODE_MEMORY, &error);
	check_error("no size", &error, result, KCT_ERR_NO_MODE, ENOTTY, "MEMORY");
	kct_capture_free(capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_read_only_needs_a_request),
		cmocka_unit_test(test_options_of_other_versions),
		cmocka_unit_test(test_enable),
		cmocka_unit_test(test_enable_remote),
		cmocka_unit_test(test_most_handles),
		cmocka_unit_test(test_not_traced),
		cmocka_unit_test(test_modes_that_need_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
