/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

#include <kcovtrace/file.h>

#include "base/macros.h"

/* "hello kcov\n" as gzip -n and zstd --no-check pack it. */
static const unsigned char gzip_hello[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xcb,
	0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x4e, 0xce, 0x2f, 0xe3, 0x02,
	0x00, 0x19, 0x52, 0x55, 0xec, 0x0b, 0x00, 0x00, 0x00,
};
static const unsigned char zstd_hello[] = {
	0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x59, 0x00, 0x00, 0x68,
	0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x6b, 0x63, 0x6f, 0x76, 0x0a,
};
/* The same by xz --check=crc32. */
static const unsigned char xz_hello[] = {
	0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02,
	0x00, 0x21, 0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00,
	0x0a, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x6b, 0x63, 0x6f, 0x76, 0x0a, 0x00,
	0x00, 0x19, 0x52, 0x55, 0xec, 0x00, 0x01, 0x1f, 0x0b, 0x3d, 0x62, 0x0e, 0x7a,
	0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a,
};
static const char hello[] = "hello kcov\n";

#ifdef KCT_HAVE_ZLIB
#define WITH_GZIP 0
#else
#define WITH_GZIP KCT_ERR_UNSUPPORTED
#endif
#ifdef KCT_HAVE_ZSTD
#define WITH_ZSTD 0
#else
#define WITH_ZSTD KCT_ERR_UNSUPPORTED
#endif
#ifdef KCT_HAVE_LZMA
#define WITH_XZ 0
#else
#define WITH_XZ KCT_ERR_UNSUPPORTED
#endif

/** A file of these bytes that is gone when the descriptor is closed. */
static int temporary(const void *data, size_t bytes)
{
	char path[] = "/tmp/kct-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(write(fd, data, bytes), bytes);
	return fd;
}

static int open_bytes(const void *data, size_t bytes, struct kct_file **ret_file,
		      struct kct_error *error)
{
	int fd = temporary(data, bytes);
	int result = kct_file_open_fd(fd, "a test", ret_file, error);

	close(fd);
	return result;
}

static void check_holds(struct kct_file *file, const char *name, const void *data, size_t bytes)
{
	size_t n;
	const void *found = kct_file_data(file, &n);

	CHECK_EQ(name, n, bytes);
	CHECK(name, found != NULL);
	CHECK(name, memcmp(found, data, bytes) == 0);
}

static void test_plain_file(void **state)
{
	struct kct_file *file;

	(void)state;
	assert_int_equal(open_bytes(hello, 11, &file, NULL), 0);
	check_holds(file, "plain", hello, 11);
	assert_string_equal(kct_file_name(file), "a test");
	assert_null(kct_file_packing(file));
	kct_file_free(file);
	kct_file_free(NULL);
}

static void test_empty_file(void **state)
{
	struct kct_file *file;

	(void)state;
	assert_int_equal(open_bytes("", 0, &file, NULL), 0);
	check_holds(file, "empty", "", 0);
	kct_file_free(file);
}

static void test_pipe(void **state)
{
	static char much[60000];
	struct kct_file *file;
	int ends[2];

	(void)state;
	memset(much, 'x', sizeof(much));
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], much, sizeof(much)), sizeof(much));
	close(ends[1]);
	assert_int_equal(kct_file_open_fd(ends[0], "-", &file, NULL), 0);
	check_holds(file, "pipe", much, sizeof(much));
	kct_file_free(file);
	/* The descriptor is still ours. */
	assert_int_equal(close(ends[0]), 0);
}

static void test_proc_file_has_no_size(void **state)
{
	struct kct_file *file;
	size_t n;

	(void)state;
	assert_int_equal(kct_file_open("/proc/self/status", &file, NULL), 0);
	kct_file_data(file, &n);
	assert_true(n > 0);
	kct_file_free(file);
}

static void test_what_cannot_be_read(void **state)
{
	struct kct_file *file = NULL;
	struct kct_error error;

	(void)state;
	assert_int_equal(kct_file_open("/nonexistent/file", &file, &error), KCT_ERR_IO);
	assert_int_equal(error.sys_errno, ENOENT);
	assert_non_null(strstr(error.text, "/nonexistent/file"));
	assert_int_equal(kct_file_open("/", &file, &error), KCT_ERR_IO);
	assert_int_equal(error.sys_errno, EISDIR);
	assert_int_equal(kct_file_open_fd(-1, "none", &file, &error), KCT_ERR_IO);
	assert_int_equal(error.sys_errno, EBADF);
	assert_null(file);
}

/** Twice the same, and what may follow. */
static size_t join(unsigned char *to, const unsigned char *packed, size_t bytes, size_t zeros)
{
	memcpy(to, packed, bytes);
	memcpy(to + bytes, packed, bytes);
	memset(to + 2 * bytes, 0, zeros);
	return 2 * bytes + zeros;
}

static void test_packed_files(void **state)
{
	static const struct {
		const char *name;
		const unsigned char *data;
		size_t bytes;
		const char *packing;
		size_t zeros; /* after the last member */
		int result;
	} rows[] = {
		{"gzip", gzip_hello, sizeof(gzip_hello), "gzip", 0, WITH_GZIP},
		{"gzip and padding", gzip_hello, sizeof(gzip_hello), "gzip", 20, WITH_GZIP},
		{"zstd", zstd_hello, sizeof(zstd_hello), "zstd", 0, WITH_ZSTD},
		{"xz", xz_hello, sizeof(xz_hello), "xz", 0, WITH_XZ},
		{"xz and padding", xz_hello, sizeof(xz_hello), "xz", 8, WITH_XZ},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char twice[160];
		size_t bytes = join(twice, rows[i].data, rows[i].bytes, rows[i].zeros);
		struct kct_file *file;
		struct kct_error error;

		CHECK_EQ(rows[i].name, open_bytes(rows[i].data, rows[i].bytes, &file, &error),
			 rows[i].result);
		if (rows[i].result < 0)
			continue;
		check_holds(file, rows[i].name, hello, 11);
		CHECK_STR(rows[i].name, kct_file_packing(file), rows[i].packing);
		kct_file_free(file);
		/* All members and frames, one after the other. */
		CHECK_EQ(rows[i].name, open_bytes(twice, bytes, &file, &error), 0);
		check_holds(file, rows[i].name, "hello kcov\nhello kcov\n", 22);
		kct_file_free(file);
	}
}

/** Open damaged bytes: the first `expected` of `whole` must come out, and the damage be told. */
static void check_damaged(const char *name, const unsigned char *data, size_t bytes,
			  const char *whole, size_t expected, const char *says)
{
	struct kct_file *file = NULL;
	struct kct_error error;
	uint64_t offset = UINT64_MAX;
	int result = open_bytes(data, bytes, &file, &error);

	CHECK_EQ(name, result, expected ? 0 : KCT_ERR_SYNTAX);
	if (result < 0) {
		CHECK(name, strstr(error.text, says) && error.offset <= bytes);
		CHECK(name, file == NULL);
		return;
	}
	check_holds(file, name, whole, expected);
	CHECK(name, kct_file_packing(file) != NULL);
	if (!kct_file_damage(file, NULL) || !strstr(kct_file_damage(file, &offset), says))
		fail_msg("row '%s' says '%s'", name, kct_file_damage(file, NULL));
	CHECK(name, offset <= bytes);
	kct_file_free(file);
}

/** How much of `hello` is in the first bytes of a packed file; it must be its start. */
static size_t unpacked_of(const unsigned char *data, size_t bytes)
{
	struct kct_file *file;
	size_t n;

	if (open_bytes(data, bytes, &file, NULL) < 0)
		return 0;
	kct_file_data(file, &n);
	kct_file_free(file);
	assert_true(n <= 11);
	return n;
}

static void test_cut_packed_files(void **state)
{
	static const struct {
		const char *name;
		const unsigned char *data;
		size_t bytes;
		int result;
		size_t first; /* length from which on there is something */
		size_t all;   /* and everything but the checksum */
	} rows[] = {
		{"gzip", gzip_hello, sizeof(gzip_hello), WITH_GZIP, 13, 23},
		{"zstd", zstd_hello, sizeof(zstd_hello), WITH_ZSTD, 10, 20},
		/* 24 bytes of headers and 3 of the chunk that holds the text as it is. */
		{"xz", xz_hello, sizeof(xz_hello), WITH_XZ, 28, 38},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t bytes = 6; bytes < rows[i].bytes && rows[i].result == 0; bytes++) {
			size_t n = unpacked_of(rows[i].data, bytes);

			check_damaged(rows[i].name, rows[i].data, bytes, hello, n, "cut");
			CHECK(rows[i].name, bytes < rows[i].first || n > 0);
			CHECK(rows[i].name, bytes < rows[i].all || n == 11);
		}
	}
}

static void test_damaged_gzip(void **state)
{
	unsigned char damaged[64];

	(void)state;
	if (WITH_GZIP != 0)
		SKIP("built without zlib");
	memcpy(damaged, gzip_hello, sizeof(gzip_hello));
	damaged[24] ^= 1; /* in the checksum */
	check_damaged("checksum", damaged, sizeof(gzip_hello), hello, 11, "gzip: incorrect data");
	memcpy(damaged, gzip_hello, sizeof(gzip_hello));
	memset(damaged + sizeof(gzip_hello), 'x', 4); /* no member, no padding */
	check_damaged("tail", damaged, sizeof(gzip_hello) + 4, hello, 11, "gzip: other data");
	check_damaged("short tail", damaged, sizeof(gzip_hello) + 1, hello, 11, "other data");
	join(damaged, gzip_hello, sizeof(gzip_hello), 0);
	damaged[sizeof(gzip_hello) + 10] = 0x07; /* a block of type 3 */
	check_damaged("second member", damaged, 2 * sizeof(gzip_hello), hello, 11, "gzip: invalid");
	damaged[10] = 0x07;
	check_damaged("first member", damaged, 2 * sizeof(gzip_hello), hello, 0, "gzip: invalid");
}

static void test_damaged_zstd(void **state)
{
	/* A frame of two blocks: one of 11 bytes as they are, then a header of type 3. */
	unsigned char blocks[] = "\x28\xb5\x2f\xfd\x20\x20\x58\0\0hello kcov\n\x06\0\0";
	unsigned char damaged[64];

	(void)state;
	if (WITH_ZSTD != 0)
		SKIP("built without zstd");
	check_damaged("second block", blocks, sizeof(blocks) - 1, hello, 11, "zstd: ");
	blocks[6] = 6;
	check_damaged("first block", blocks, sizeof(blocks) - 1, hello, 0, "zstd: ");
	memcpy(damaged, zstd_hello, sizeof(zstd_hello));
	memset(damaged + sizeof(zstd_hello), 'x', 8);
	for (size_t tail = 1; tail <= 8; tail++)
		check_damaged("tail", damaged, sizeof(zstd_hello) + tail, hello, 11,
			      "zstd: other data");
}

static void test_damaged_xz(void **state)
{
	unsigned char damaged[160];

	(void)state;
	if (WITH_XZ != 0)
		SKIP("built without liblzma");
	memcpy(damaged, xz_hello, sizeof(xz_hello));
	damaged[40] ^= 1; /* in the checksum of the block */
	check_damaged("checksum", damaged, sizeof(xz_hello), hello, 11, "xz: the data is damaged");
	damaged[12] ^= 1; /* in the header of the block */
	check_damaged("block header", damaged, sizeof(xz_hello), hello, 0, "xz: ");
	memcpy(damaged, xz_hello, sizeof(xz_hello));
	memset(damaged + sizeof(xz_hello), 'x', 20);
	check_damaged("tail", damaged, sizeof(xz_hello) + 20, hello, 11, "xz: other data");
	join(damaged, xz_hello, sizeof(xz_hello), 0);
	damaged[sizeof(xz_hello) + 24] = 3; /* a chunk of a type that is none */
	check_damaged("second stream", damaged, 2 * sizeof(xz_hello), hello, 11,
		      "xz: the data is damaged");
}

static void test_no_damage(void **state)
{
	struct kct_file *file;
	uint64_t offset = 77;

	(void)state;
	assert_int_equal(open_bytes(hello, 11, &file, NULL), 0);
	assert_null(kct_file_damage(file, &offset));
	kct_file_free(file);
	if (WITH_GZIP == 0) {
		assert_int_equal(open_bytes(gzip_hello, sizeof(gzip_hello), &file, NULL), 0);
		assert_null(kct_file_damage(file, &offset));
		kct_file_free(file);
	}
	assert_int_equal(offset, 77);
}

/** A trace of 559,903 words starts like gzip; it is no error that it is none. */
static void test_count_that_looks_like_gzip(void **state)
{
	size_t bytes = 8 * (0x088b1f + 1);
	uint64_t *words;
	struct kct_file *file;
	size_t n;

	(void)state;
	if (WITH_GZIP != 0 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		SKIP("built without zlib, or big-endian");
	words = calloc(1, bytes);
	assert_non_null(words);
	memset(words, 0x81, bytes);
	words[0] = 0x088b1f;
	assert_int_equal(open_bytes(words, bytes, &file, NULL), 0);
	assert_null(kct_file_packing(file));
	kct_file_data(file, &n);
	assert_int_equal(n, bytes);
	kct_file_free(file);
	free(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_file),
		cmocka_unit_test(test_empty_file),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_proc_file_has_no_size),
		cmocka_unit_test(test_what_cannot_be_read),
		cmocka_unit_test(test_packed_files),
		cmocka_unit_test(test_cut_packed_files),
		cmocka_unit_test(test_damaged_gzip),
		cmocka_unit_test(test_damaged_zstd),
		cmocka_unit_test(test_damaged_xz),
		cmocka_unit_test(test_no_damage),
		cmocka_unit_test(test_count_that_looks_like_gzip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
