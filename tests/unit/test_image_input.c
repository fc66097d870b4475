/* SPDX-License-Identifier: BSD-2-Clause */
/* Where images come from, and bytes that are none: refused, cut, damaged. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <kcovtrace/image.h>

#include "kernel_image.h"
#include "image/image.h"

static void test_refused(void **state)
{
	static const struct {
		const char *name, *bytes;
		size_t n;
		int code;
		const char *says;
	} rows[] = {
		{"empty", "", 0, KCT_ERR_ELF, "empty file"},
		{"text", "hello, world\n", 13, KCT_ERR_ELF, "not an ELF file"},
		{"magic only", "\177ELF", 4, KCT_ERR_ELF, "cut off"},
		{"short magic", "\177EL", 3, KCT_ERR_ELF, "not an ELF file"},
		{"xz", "\xfd\x37zXZ\0\0", 7, KCT_ERR_UNSUPPORTED, "xz"},
		{"bzip2", "BZh91AY", 7, KCT_ERR_UNSUPPORTED, "bzip2"},
		{"archive", "!<arch>\nfoo", 11, KCT_ERR_ELF, "archive"},
		{"boot image", "MZ\0\0", 4, KCT_ERR_ELF, "boot image"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_image *image = NULL;
		struct kct_error error;

		CHECK_EQ(rows[i].name,
			 kct_image_open_memory(rows[i].bytes, rows[i].n, "x", &image, &error),
			 rows[i].code);
		CHECK(rows[i].name, strstr(error.text, rows[i].says));
		CHECK(rows[i].name, !image);
	}
}

/* The start of a packed image is no image, however much could be unpacked. */
static void test_damaged_packing(void **state)
{
	/* "hello kcov\n", whole, and something behind it. */
	static const unsigned char packed[] =
		"\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\x57\xc8"
		"\x4e\xce\x2f\xe3\x02\0\x19\x52\x55\xec\x0b\0\0\0xx";
	char path[] = "/tmp/kct-test-XXXXXX";
	struct kct_image *image = NULL;
	struct kct_error error;
	int fd = mkstemp(path), result;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, packed, sizeof(packed) - 1), sizeof(packed) - 1);
	close(fd);
	result = kct_image_open(path, &image, &error);
	unlink(path);
	assert_null(image);
	if (result == KCT_ERR_UNSUPPORTED)
		SKIP("built without zlib");
	assert_int_equal(result, KCT_ERR_SYNTAX);
	assert_int_equal(error.offset, 31);
	assert_non_null(strstr(error.text, "other data follows"));
}

/* One byte or word of a good header made bad. */
static void test_bad_headers(void **state)
{
	static const struct {
		const char *name;
		size_t offset;
		uint8_t value;
		const char *says;
	} rows[] = {
		{"class", EI_CLASS, 7, "unknown ELF class 7"},
		{"byte order", EI_DATA, 9, "unknown ELF byte order 9"},
		{"other byte order", EI_DATA, ELFDATA2MSB, ""},
		{"other class", EI_CLASS, ELFCLASS32, ""},
		{"core file", 16, ET_CORE, "ELF type 4"},
		{"section headers far away", 40 + 6, 0x7f, "past the end"},
		{"too many sections", 60 + 1, 0x7f, "past the end"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct elf_bytes bytes = elf_make(&kernel);
		struct kct_image *image = NULL;
		struct kct_error error;

		bytes.data[rows[i].offset] = rows[i].value;
		CHECK_EQ(rows[i].name,
			 kct_image_open_memory(bytes.data, bytes.n, "x", &image, &error),
			 KCT_ERR_ELF);
		CHECK(rows[i].name, strstr(error.text, rows[i].says));
		free(bytes.data);
	}
}

/** Ask everything of a file that may be bad; a failure is fine, a crash is not. */
static void ask_everything(const uint8_t *data, size_t n)
{
	uint8_t *exact = malloc(n ? n : 1);
	const struct kct_image_function *functions;
	struct kct_image *image;
	uint64_t address;
	size_t count;

	assert_non_null(exact);
	memcpy(exact, data, n);
	if (kct_image_open_memory(exact, n, "x", &image, NULL) == 0) {
		kct_image_debug_status(image, NULL);
		if (kct_image_is_relocatable(image))
			kct_image_set_section(image, ".text", 0xffffffffc0000000);
		kct_image_symbol(image, "data", &address);
		assert_int_equal(kct_image_functions(image, &functions, &count, NULL), 0);
		kct_image_debug_status(image, NULL);
		kct_image_free(image);
	}
	free(exact);
}

static void test_cut_anywhere(void **state)
{
	static const struct elf_image *const images[] = {&kernel, &module};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(images); i++) {
		struct elf_bytes bytes = elf_make(images[i]);

		for (size_t n = 0; n < bytes.n; n += n < 0x80 || n > bytes.headers - 8 ? 1 : 61)
			ask_everything(bytes.data, n);
		free(bytes.data);
	}
}

/* Every byte, with values that hurt; fewer of the code, which nobody reads. */
static void test_damaged_anywhere(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	static const struct elf_image *const images[] = {&kernel, &module};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(images); i++) {
		struct elf_bytes bytes = elf_make(images[i]);

		for (size_t at = 0; at<bytes.n; at += at> 64 && at < 0x1000 ? 97 : 1) {
			uint8_t saved = bytes.data[at];

			for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
				bytes.data[at] = values[v];
				ask_everything(bytes.data, bytes.n);
			}
			bytes.data[at] = saved;
		}
		free(bytes.data);
	}
}

struct source {
	const uint8_t *data;
	size_t n;
	size_t fail_at; /* 0 = never */
	bool too_much;
};

/** Gives a few bytes at a time. */
static int64_t read_source(void *context, void *buffer, size_t bytes, uint64_t offset)
{
	const struct source *source = context;
	size_t n = source->n - offset;

	if (source->fail_at && offset >= source->fail_at)
		return -1;
	if (source->too_much)
		return (int64_t)bytes + 1;
	n = n < 1000 ? n : 1000;
	n = n < bytes ? n : bytes;
	memcpy(buffer, source->data + offset, n);
	return (int64_t)n;
}

static void test_callback(void **state)
{
	struct elf_bytes bytes = elf_make(&kernel);
	struct source source = {bytes.data, bytes.n, 0, false};
	struct kct_image *image = NULL;
	struct kct_error error;
	uint64_t address;

	(void)state;
	assert_int_equal(kct_image_open_callback(read_source, &source, "c", &image, &error), 0);
	assert_int_equal(kct_image_symbol(image, "second", &address), 0);
	assert_int_equal(address, 0xffffffff81000100);
	kct_image_free(image);
	image = NULL;
	source.fail_at = 2000;
	assert_int_equal(kct_image_open_callback(read_source, &source, "c", &image, &error),
			 KCT_ERR_IO);
	assert_int_equal(error.offset, 2000);
	source = (struct source){bytes.data, bytes.n, 0, true};
	assert_int_equal(kct_image_open_callback(read_source, &source, "c", &image, &error),
			 KCT_ERR_IO);
	assert_null(image);
	free(bytes.data);
}

static void test_open_path(void **state)
{
	char directory[] = "/tmp/kct-image-XXXXXX", path[64];
	struct elf_bytes bytes = elf_make(&kernel);
	struct kct_image *image = NULL;
	struct kct_error error;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/vmlinux", directory);
	assert_int_equal(kct_image_open(path, &image, &error), KCT_ERR_IO);
	assert_int_equal(kct_image_open(directory, &image, &error), KCT_ERR_IO);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes.data, 1, bytes.n, file), bytes.n);
	fclose(file);
	assert_int_equal(kct_image_open(path, &image, &error), 0);
	assert_string_equal(kct_image_name(image), path);
	kct_image_free(image);
	unlink(path);
	rmdir(directory);
	free(bytes.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),		 cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_damaged_packing),	 cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_damaged_anywhere), cmocka_unit_test(test_callback),
		cmocka_unit_test(test_open_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
