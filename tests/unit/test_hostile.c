/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input made to waste time or memory, or to be taken for something else. What was quadratic would
 * take minutes here; each test has seconds.
 */
#include <string.h>
#include <time.h>

#include <kcovtrace/kcovtrace.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/unpack.h"
#include "elf_image.h"
#include "base/limits.h"
#include "dwarf/dwarf.h"
#include "image/image.h"
#include "image/names.h"
#include "image/symtab.h"

#define CODE	  (SHF_ALLOC | SHF_EXECINSTR)
#define SECONDS	  20
#define KERNEL(n) (0xffffffff81000000u + (n))
#define KIB(n)	  ((size_t)(n) << 10)
#define END_SECTIONS                      \
	{                                 \
		NULL, 0, 0, 0, 0, NULL, 0 \
	}
#define END_SYMBOLS                 \
	{                           \
		NULL, 0, 0, 0, 0, 0 \
	}

static double cpu_seconds(clock_t since)
{
	return (double)(clock() - since) / CLOCKS_PER_SEC;
}

static struct kct_image *open_bytes(const struct elf_bytes *bytes)
{
	struct kct_image *image;
	struct kct_error error;

	if (kct_image_open_memory(bytes->data, bytes->n, "made", &image, &error) < 0)
		fail_msg("%s", error.text);
	return image;
}

static void test_error_is_one_line(void **state)
{
	struct kct_layout layout;
	struct kct_error error;

	(void)state;
	assert_int_equal(kct_layout_parse("no\n\x1b[2Jsuch\x7f", &layout, &error), KCT_ERR_LAYOUT);
	assert_string_equal(error.text, "unknown layout 'no??[2Jsuch?'");
	/* Letters beyond ASCII stay. */
	kct_fail(&error, KCT_ERR_IO, "%s", "na\xc3\xafve");
	assert_string_equal(error.text, "na\xc3\xafve");
}

/** The key whose hash without a seed is `hash`: each step of kct_hash_u64() can be undone. */
static uint64_t key_of_hash(uint64_t hash)
{
	const uint64_t factor = 0xd6e8feb86659fd93u;
	uint64_t inverse = 1;

	for (int i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	hash = (hash ^ hash >> 32) * inverse;
	hash = (hash ^ hash >> 32) * inverse;
	return hash ^ hash >> 32;
}

/** Keys that without a seed all fall into one slot. */
static void test_keys_of_one_slot(void **state)
{
	clock_t start = clock();
	struct kct_map map = {0};
	uint64_t *value;

	(void)state;
	assert_int_equal(kct_hash_u64(key_of_hash(77)), 77);
	for (uint64_t i = 1; i <= 300000; i++) {
		assert_int_equal(kct_map_put(&map, key_of_hash(i << 24), &value), 1);
		*value = i;
	}
	for (uint64_t i = 1; i <= 300000; i++)
		assert_int_equal(*kct_map_find(&map, key_of_hash(i << 24)), i);
	kct_map_clear(&map);
	assert_true(cpu_seconds(start) < SECONDS);
}

/** Many functions of one name, and as many parts split from them. */
static void test_cold_parts_of_one_name(void **state)
{
	const size_t n = 60000;
	static const char text[] = "same\0same.cold";
	const struct kct_symtab_entry *base;
	struct kct_symtab table = {.text = text, .n_text = sizeof(text)};
	clock_t start = clock();

	(void)state;
	for (size_t i = 0; i < 2 * n; i++) {
		const struct kct_symtab_entry entry = {
			.name = i < n ? 0 : 5,
			.module = KCT_NO_MODULE,
			.address = KERNEL(16 * i),
			.size = 16,
			.limit = UINT64_MAX,
			.is_function = true,
			.is_code = true,
		};

		assert_int_equal(kct_symtab_add(&table, &entry), 0);
	}
	assert_int_equal(kct_symtab_finish(&table), 0);
	for (size_t i = n; i < 2 * n; i++)
		assert_int_equal(kct_symtab_cold_base(
					 &table, kct_symtab_find(&table, KERNEL(16 * i)), &base),
				 0);
	kct_symtab_clear(&table);
	assert_true(cpu_seconds(start) < SECONDS);
}

/** Which of several lines for an address answers must not depend on their order. */
static void test_kallsyms_in_any_order(void **state)
{
	static const char *const lines[] = {
		"ffffffffa0000000 t same [b]\n",
		"ffffffffa0000000 t same\n",
		"ffffffffa0000000 t same [a]\n",
	};
	static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					{1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		const struct kct_symbol *symbol;
		struct kct_symbolizer *symbolizer;
		struct kct_kallsyms *kallsyms;
		char text[128] = "";

		for (size_t k = 0; k < 3; k++)
			strcat(text, lines[orders[i][k]]);
		assert_int_equal(kct_kallsyms_parse(text, strlen(text), &kallsyms, NULL), 0);
		assert_int_equal(kct_symbolizer_new(&symbolizer), 0);
		assert_int_equal(kct_symbolizer_add_kallsyms(symbolizer, kallsyms), 0);
		assert_int_equal(kct_symbolizer_lookup(symbolizer, 0xffffffffa0000004, KCT_PC_CALL,
						       &symbol, NULL),
				 0);
		CHECK_STR(text, symbol->module, "vmlinux");
		kct_symbolizer_free(symbolizer);
		kct_kallsyms_free(kallsyms);
	}
}

/* printf 'hello kcov\n' | gzip -n, and | zstd: 11 bytes */
static const unsigned char gzip_hello[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
					   0x00, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57,
					   0xc8, 0x4e, 0xce, 0x2f, 0xe3, 0x02, 0x00, 0x19,
					   0x52, 0x55, 0xec, 0x0b, 0x00, 0x00, 0x00};
static const unsigned char zstd_hello[] = {0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x59, 0x00,
					   0x00, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x6b,
					   0x63, 0x6f, 0x76, 0x0a, 0x6a, 0x46, 0x7a, 0x9a};

static const unsigned char xz_hello[] = {
	0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02,
	0x00, 0x21, 0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00,
	0x0a, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x6b, 0x63, 0x6f, 0x76, 0x0a, 0x00,
	0x00, 0x19, 0x52, 0x55, 0xec, 0x00, 0x01, 0x1f, 0x0b, 0x3d, 0x62, 0x0e, 0x7a,
	0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a,
};

static void check_unpack(const char *name, const unsigned char *data, size_t n, uint64_t limit,
			 int expected)
{
	struct kct_bytes bytes = {0};
	struct kct_error error;
	int result = kct_unpack(kct_packing_of(data, n), data, n, limit, &bytes, &error);

	if (result != KCT_ERR_UNSUPPORTED) {
		CHECK_EQ(name, result, expected);
		CHECK_EQ(name, bytes.n, result < 0 ? 0 : 11);
	}
	if (result < 0)
		CHECK_EQ(name, error.code, result);
	free(bytes.data);
}

static void test_unpack_limit(void **state)
{
	static const struct {
		const char *name;
		uint64_t limit;
		int result;
	} rows[] = {
		{"nothing fits", 0, KCT_ERR_LIMIT},
		{"one byte too small", 10, KCT_ERR_LIMIT},
		{"exact", 11, 0},
		{"that of files", KCT_UNPACK_LIMIT, 0},
		{"none", UINT64_MAX - 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		check_unpack(rows[i].name, gzip_hello, sizeof(gzip_hello), rows[i].limit,
			     rows[i].result);
		check_unpack(rows[i].name, zstd_hello, sizeof(zstd_hello), rows[i].limit,
			     rows[i].result);
		check_unpack(rows[i].name, xz_hello, sizeof(xz_hello), rows[i].limit,
			     rows[i].result);
	}
}

/** At the depth limit, calls that seem to come from the outermost function. */
static void put_calls(struct kct_stack *stack, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		const struct kct_record entry = {.index = i,
						 .pc = KERNEL(0x20),
						 .words = 2,
						 .kind = KCT_RECORD_ENTRY,
						 .count = 1,
						 .entry = {.caller = KERNEL(0x10)}};

		assert_int_equal(kct_stack_feed(stack, &entry, 1), 0);
	}
}

static int function_of_line(void *context, uint64_t pc, uint64_t *ret_function)
{
	(void)context;
	*ret_function = pc / 16;
	return 1;
}

static void test_calls_at_the_depth_limit(void **state)
{
	const uint64_t n = 300000;
	const struct kct_record first = {
		.pc = KERNEL(0x10), .words = 2, .kind = KCT_RECORD_ENTRY, .count = 1};
	const struct kct_record push = {
		.words = 1, .kind = KCT_RECORD_EESUM, .count = 1, .eesum = {.delta = 32767}};
	const struct kct_stack_options options = {
		.size = sizeof(options), .max_depth = n, .functions = {function_of_line, NULL}};
	struct kct_stack_stats stats = {.size = sizeof(stats)};
	clock_t start = clock();
	struct kct_stack *stack;

	(void)state;
	assert_int_equal(kct_stack_new(&options, &stack), 0);
	assert_int_equal(kct_stack_feed(stack, &first, 1), 0);
	for (uint64_t i = 0; i < n / 32767 + 1; i++)
		assert_int_equal(kct_stack_feed(stack, &push, 1), 0);
	put_calls(stack, n);
	assert_int_equal(kct_stack_stats(stack, &stats), 0);
	assert_int_equal(stats.depth, n);
	/* What of the sums found no place, and all calls after them. */
	assert_int_equal(stats.too_deep, 1 + (n / 32767 + 1) * 32767 - n + n);
	kct_stack_free(stack);
	assert_true(cpu_seconds(start) < SECONDS);
}

/** An image of symbols whose names are the ends of one long string. */
static struct elf_bytes long_names(size_t n_symbols, size_t length)
{
	static const struct elf_section text[] = {
		{".text", SHT_PROGBITS, CODE, KERNEL(0), 0x1000, NULL, 0}, END_SECTIONS};
	struct elf_symbol *symbols = calloc(n_symbols + 2, sizeof(*symbols));
	char *name = malloc(length + 1);
	const struct elf_image description = {.sections = text, .symbols = symbols};
	struct elf_bytes bytes;
	uint8_t *table;

	assert_true(symbols && name);
	memset(name, 'n', length);
	name[length] = '\0';
	for (size_t i = 0; i < n_symbols; i++)
		symbols[i] = (struct elf_symbol){"f", KERNEL(0x10), 16, STB_GLOBAL, STT_FUNC, 1};
	symbols[n_symbols] = (struct elf_symbol){name, KERNEL(0x20), 16, STB_GLOBAL, STT_FUNC, 1};
	bytes = elf_make(&description);
	/* The table is after the headers and .text; entry 0 is none, st_name comes first. The long
	 * name is behind those of two bytes. Symbol number i gets all but its first i letters, the
	 * last one two. */
	table = bytes.data + 64 + 0x1000 + 24;
	for (size_t i = 0; i < n_symbols; i++) {
		uint64_t at = 1 + 2 * n_symbols + (i + 1 < n_symbols ? i : length - 2);

		for (size_t k = 0; k < 4; k++)
			table[i * 24 + k] = (uint8_t)(at >> 8 * k);
	}
	free(name);
	free(symbols);
	return bytes;
}

static void test_long_names(void **state)
{
	struct elf_bytes bytes = long_names(2000, KIB(8192));
	struct kct_image *image = open_bytes(&bytes);
	const struct kct_image_function *functions;
	clock_t start = clock();
	uint64_t address;
	size_t n;

	(void)state;
	assert_int_equal(kct_image_functions(image, &functions, &n, NULL), 0);
	/* Only the short name is one. */
	assert_int_equal(n, 1);
	assert_string_equal(functions[0].name, "nn");
	assert_int_equal(kct_image_symbol(image, "nn", &address), 0);
	assert_true(cpu_seconds(start) < SECONDS);
	kct_image_free(image);
	free(bytes.data);
	/* The longest name that is one. */
	bytes = long_names(1, KCT_MAX_NAME);
	image = open_bytes(&bytes);
	assert_int_equal(kct_image_functions(image, &functions, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(strlen(functions[1].name), KCT_MAX_NAME);
	kct_image_free(image);
	free(bytes.data);
}

/** A section of type NULL has no bytes, whatever its header claims. */
static void test_section_without_type(void **state)
{
	static const struct elf_section sections[] = {
		{".modinfo", SHT_NULL, 0, 0, 8, "name=xy", 1 << 20},
		{".gnu.linkonce.this_module", SHT_NULL, 0, 0, 8, NULL, 1 << 20},
		{".gnu_debugaltlink", SHT_NULL, 0, 0, 8, NULL, 1 << 20},
		{".debug_info", SHT_PROGBITS, 0, 0, 8, NULL, 0},
		END_SECTIONS};
	const struct elf_image description = {.type = ET_REL, .sections = sections};
	struct elf_bytes bytes = elf_make(&description);
	struct kct_image *image = open_bytes(&bytes);

	(void)state;
	assert_null(kct_image_module_name(image));
	assert_int_equal(kct_image_debug_status(image, NULL), KCT_DEBUG_STRIPPED);
	kct_image_free(image);
	free(bytes.data);
}

/** An executable that has no section but is one. */
static void test_image_without_sections(void **state)
{
	static const struct elf_section none[] = {END_SECTIONS};
	const struct elf_image description = {.sections = none};
	struct elf_bytes bytes = elf_make(&description);
	struct kct_image *image;
	struct kct_symbolizer *symbolizer;
	const struct kct_symbol *symbol;

	(void)state;
	bytes.data[60] = 1; /* e_shnum: the empty section alone */
	image = open_bytes(&bytes);
	assert_int_equal(kct_symbolizer_new(&symbolizer), 0);
	assert_int_equal(kct_symbolizer_add_image(symbolizer, image, "vmlinux", NULL), 0);
	assert_int_equal(kct_symbolizer_lookup(symbolizer, KERNEL(0), KCT_PC_RETURN, &symbol, NULL),
			 0);
	assert_int_equal(symbol->reason, KCT_SYMBOL_NO_IMAGE);
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
	free(bytes.data);
}

/* Elf64_Chdr: type 1 (zlib), reserved, size 5 GiB, alignment 1 */
#define FIVE_GIB "\x01\0\0\0\0\0\0\0\0\0\0\x40\x01\0\0\0\x01\0\0\0\0\0\0\0................"

/** Files that are not handed to libelf and libdw. */
static void test_unusable_debug_information(void **state)
{
	static const struct {
		const char *name;
		struct elf_section sections[4];
		enum kct_debug_status status;
		const char *says;
	} rows[] = {
		{"large when unpacked",
		 {{".debug_info", SHT_PROGBITS, SHF_COMPRESSED, 0, 40, FIVE_GIB, 0},
		  {".debug_abbrev", SHT_PROGBITS, SHF_COMPRESSED, 0, 40, FIVE_GIB, 0}},
		 KCT_DEBUG_UNSUPPORTED,
		 ".debug_abbrev and those before unpack to more than 8589934592 bytes"},
		{"large when unpacked, the old way",
		 {{".zdebug_info", SHT_PROGBITS, 0, 0, 16, "ZLIB\0\0\1\0\0\0\0\0....", 0},
		  {".debug_abbrev", SHT_PROGBITS, 0, 0, 16, NULL, 0}},
		 KCT_DEBUG_UNSUPPORTED,
		 ".zdebug_info and those before"},
		{"sections in each other",
		 {{".debug_info", SHT_PROGBITS, 0, 0, 16, NULL, 4000},
		  {".debug_abbrev", SHT_PROGBITS, 0, 0, 16, NULL, 4000},
		  {".data", SHT_PROGBITS, 0, 0, 4096, NULL, 0}},
		 KCT_DEBUG_BROKEN,
		 "lie in each other"},
		{"moved to what is no file",
		 {{".gnu_debugaltlink", SHT_PROGBITS, 0, 0, 14, "/dev/null\0....", 0},
		  {".debug_info", SHT_PROGBITS, 0, 0, 16, NULL, 0},
		  {".debug_abbrev", SHT_PROGBITS, 0, 0, 16, NULL, 0}},
		 KCT_DEBUG_DWARF,
		 "/dev/null, the common file of dwz, is not there"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct elf_image description = {.sections = rows[i].sections};
		struct elf_bytes bytes = elf_make(&description);
		struct kct_image *image = open_bytes(&bytes);
		const char *reason;

		CHECK_EQ(rows[i].name, kct_image_debug_status(image, &reason), rows[i].status);
		CHECK(rows[i].name, strstr(reason, rows[i].says));
		kct_image_free(image);
		free(bytes.data);
	}
}

static void test_names_without_end(void **state)
{
	static const struct elf_section sections[] = {
		{".debug_info", SHT_PROGBITS, 0, 0, 16, NULL, 0},
		{".debug_abbrev", SHT_PROGBITS, 0, 0, 16, NULL, 0},
		END_SECTIONS};
	const struct elf_image description = {.sections = sections};
	struct elf_bytes bytes = elf_make(&description);
	static const char last[] = ".shstrtab";
	char *end = memmem(bytes.data, bytes.n, last, sizeof(last));
	struct kct_image *image;
	const char *reason;

	(void)state;
	assert_non_null(end);
	end[sizeof(last) - 1] = '!';
	image = open_bytes(&bytes);
	assert_int_equal(kct_image_debug_status(image, &reason), KCT_DEBUG_BROKEN);
	assert_non_null(strstr(reason, "has no end"));
	kct_image_free(image);
	free(bytes.data);
}

/* A unit of DWARF 4: length, version, abbreviations at 0, 8-byte addresses, a DIE of code 1. */
static void put_unit(struct elf_bytes *out, const void *attributes, size_t n)
{
	const struct elf_image any = {0};

	elf_put(out, &any, 2 + 4 + 1 + 1 + n, 4);
	elf_put(out, &any, 4, 2);
	elf_put(out, &any, 0, 4);
	elf_put(out, &any, 8, 1);
	elf_put(out, &any, 1, 1);
	elf_put_bytes(out, attributes, n);
}

/** What is said of an image with such debug information. */
static void check_complaint(const char *name, const struct elf_bytes *info, const void *abbrev,
			    size_t n_abbrev, const struct elf_bytes *line, const char *says)
{
	const struct elf_section sections[] = {
		{".text", SHT_PROGBITS, CODE, KERNEL(0), 0x1000, NULL, 0},
		{".debug_info", SHT_PROGBITS, 0, 0, info->n, info->data, 0},
		{".debug_abbrev", SHT_PROGBITS, 0, 0, n_abbrev, abbrev, 0},
		{".debug_line", SHT_PROGBITS, 0, 0, line->n, line->data, 0},
		END_SECTIONS};
	const struct elf_image description = {.sections = sections};
	struct elf_bytes bytes = elf_make(&description);
	struct kct_image *image = open_bytes(&bytes);
	const struct kct_unit *unit;
	const char *reason;

	/* Some damage shows when units are listed, some when one is read. */
	kct_image_debug_status(image, &reason);
	if (image->debug.reader && kct_dwarf_units(image->debug.reader) > 0)
		assert_int_equal(kct_dwarf_finish_unit(image->debug.reader, 0, &unit), 0);
	kct_image_debug_status(image, &reason);
	if (!strstr(reason, says))
		fail_msg("row '%s': '%s' does not say '%s'", name, reason, says);
	kct_image_free(image);
	free(bytes.data);
}

/** Each entry takes one byte and makes its reader go through all attributes. */
static void test_many_attributes(void **state)
{
	static const uint8_t start[] = {1, 0x11, 0}; /* code, compile unit, no children */
	struct elf_bytes info = {0}, abbrev = {0};
	const struct elf_bytes none = {0};

	(void)state;
	put_unit(&info, NULL, 0);
	elf_put_bytes(&abbrev, start, sizeof(start));
	for (int i = 0; i < 300; i++)
		elf_put_bytes(&abbrev, "\x3f\x19", 2); /* external, flag_present */
	elf_put_bytes(&abbrev, "\0\0", 3);
	check_complaint("attributes", &info, abbrev.data, abbrev.n, &none,
			"more than 256 attributes");
	free(info.data);
	free(abbrev.data);
}

/** Line tables of which each is the end of the one before. */
static void test_line_tables_in_each_other(void **state)
{
	static const uint8_t abbrev[] = {1, 0x11, 0, 0x10, 0x17, 0, 0, 0}; /* stmt_list */
	/* After the length: version 2, the header's length, its numbers, no files. */
	static const uint8_t header[] = {2, 0, 19, 0, 0, 0, 1, 1, 0xfb, 14, 13, 0, 1,
					 1, 1, 1,  0, 0, 0, 1, 0, 0,	1,  0,	0};
	/* An unknown operation that takes the rest. */
	const uint64_t n = 2000, size = 4 + sizeof(header) + 5;
	struct elf_bytes info = {0}, line = {0};
	const struct elf_image any = {0};

	(void)state;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t at = (uint32_t)(i * size);
		const uint8_t offset[] = {(uint8_t)at, (uint8_t)(at >> 8), (uint8_t)(at >> 16), 0};

		put_unit(&info, offset, sizeof(offset));
		elf_put(&line, &any, (n - i) * size - 4, 4);
		elf_put_bytes(&line, header, sizeof(header));
		at = (uint32_t)((n - i - 1) * size + 1);
		elf_put(&line, &any, 0, 1);
		elf_put(&line, &any, (at & 0x7f) | 0x80, 1);
		elf_put(&line, &any, (at >> 7 & 0x7f) | 0x80, 1);
		elf_put(&line, &any, at >> 14, 1);
		elf_put(&line, &any, 0x80, 1);
	}
	check_complaint("lines", &info, abbrev, sizeof(abbrev), &line,
			"line tables lie in each other");
	free(info.data);
	free(line.data);
}

/** Units that all claim the same addresses. */
static void test_units_over_each_other(void **state)
{
	static const uint8_t abbrev[] = {1, 0x11, 0, 0x11, 1, 0x12, 6, 0, 0, 0}; /* bounds */
	static const uint8_t bounds[] = {0, 0, 0, 0x81, 0xff, 0xff, 0xff, 0xff, 0, 0x10, 0, 0};
	const struct elf_bytes none = {0};
	struct elf_bytes info = {0};

	(void)state;
	for (int i = 0; i < 20; i++)
		put_unit(&info, bounds, sizeof(bounds));
	check_complaint("units", &info, abbrev, sizeof(abbrev), &none,
			"more than 16 units claim address 0xffffffff81000000");
	free(info.data);
}

/** A function whose children end at one place and whose sibling is said to be at another: readers that
 *  go by the one see other functions than those that go by the other. */
static void test_sibling_elsewhere(void **state)
{
	static const uint8_t abbrev[] = {
		1, 0x11, 1, 0x11, 1,	0x12, 6, 0,    0,	/* unit with children: bounds */
		2, 0x2e, 1, 1,	  0x13, 0x11, 1, 0x12, 6, 0, 0, /* function: sibling, bounds */
		0,
	};
	static const uint8_t entries[] = {
		0,  0, 0, 0x81, 0xff, 0xff, 0xff, 0xff, 0, 0x10, 0, 0, /* of the unit */
		2,						       /* a function at 24 */
		41, 0, 0, 0, /* its sibling; it ends at 42 */
		0,  0, 0, 0x81, 0xff, 0xff, 0xff, 0xff, 0, 1,	 0, 0, /* bounds */
		0,						       /* the end of its children */
		0,						       /* the end of the unit's */
	};
	const struct elf_bytes none = {0};
	struct elf_bytes info = {0};

	(void)state;
	put_unit(&info, entries, sizeof(entries));
	check_complaint("sibling", &info, abbrev, sizeof(abbrev), &none,
			"end at 0x2a, its sibling is at 0x29");
	free(info.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_is_one_line),
		cmocka_unit_test(test_keys_of_one_slot),
		cmocka_unit_test(test_cold_parts_of_one_name),
		cmocka_unit_test(test_kallsyms_in_any_order),
		cmocka_unit_test(test_unpack_limit),
		cmocka_unit_test(test_calls_at_the_depth_limit),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_section_without_type),
		cmocka_unit_test(test_image_without_sections),
		cmocka_unit_test(test_unusable_debug_information),
		cmocka_unit_test(test_names_without_end),
		cmocka_unit_test(test_many_attributes),
		cmocka_unit_test(test_line_tables_in_each_other),
		cmocka_unit_test(test_units_over_each_other),
		cmocka_unit_test(test_sibling_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
