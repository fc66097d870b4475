/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <kcovtrace/image.h>

#include "kernel_image.h"
#include "image/image.h"

static struct kct_image *open_bytes(const struct elf_bytes *bytes)
{
	struct kct_image *image = NULL;
	struct kct_error error;

	if (kct_image_open_memory(bytes->data, bytes->n, "test", &image, &error) < 0)
		fail_msg("%s", error.text);
	return image;
}

static void test_kernel(void **state)
{
	static const uint8_t id[] = {0xca, 0xfe, 1, 2, 3};
	struct elf_bytes bytes = elf_make(&kernel);
	struct kct_image *image = open_bytes(&bytes);
	const uint8_t *build_id;
	size_t n;

	(void)state;
	assert_string_equal(kct_image_name(image), "test");
	assert_false(kct_image_is_relocatable(image));
	assert_int_equal(kct_image_machine(image), EM_X86_64);
	assert_null(kct_image_module_name(image));
	build_id = kct_image_build_id(image, &n);
	assert_int_equal(n, sizeof(id));
	assert_memory_equal(build_id, id, sizeof(id));
	assert_int_equal(kct_image_set_section(image, ".text", 0x1000), KCT_ERR_ARGUMENT);
	kct_image_free(image);
	kct_image_free(NULL);
	free(bytes.data);
}

#define NAME_GNU 'G', 'N', 'U', 0

/* Notes that are odd, or only look as if they held a build ID. */
static const struct {
	const char *name;
	uint8_t order;
	size_t n;
	uint8_t notes[40];
	size_t n_id;
} odd_notes[] = {
	{"plain", ELFDATA2LSB, 20, {4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, NAME_GNU, 1, 2, 3, 4}, 4},
	{"big endian",
	 ELFDATA2MSB,
	 20,
	 {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 3, NAME_GNU, 1, 2, 3, 4},
	 4},
	{"last one without padding",
	 ELFDATA2LSB,
	 19,
	 {4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, NAME_GNU, 1, 2, 3},
	 3},
	{"of another owner",
	 ELFDATA2LSB,
	 20,
	 {4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'X', 'e', 'n', 0, 1, 2, 3, 4},
	 0},
	{"empty", ELFDATA2LSB, 16, {4, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, NAME_GNU}, 0},
	{"past the end",
	 ELFDATA2LSB,
	 20,
	 {4, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, NAME_GNU, 1, 2, 3, 4},
	 0},
	{"absurd sizes",
	 ELFDATA2LSB,
	 20,
	 {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, NAME_GNU, 1, 2, 3, 4},
	 0},
	{"header cut", ELFDATA2LSB, 11, {4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0}, 0},
	{"behind a note that says nothing",
	 ELFDATA2LSB,
	 32,
	 {0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	       0, 0, 4, 0, 0,
	  0, 4, 0, 0, 0, 3, 0, 0, 0, NAME_GNU, 1, 2, 3, 4},
	 4},
};

static void test_build_id(void **state)
{
	static const uint8_t id[] = {1, 2, 3, 4};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(odd_notes); i++) {
		const struct elf_section sections[] = {
			{".notes", SHT_NOTE, SHF_ALLOC, 0x1000, odd_notes[i].n, odd_notes[i].notes,
			 0},
			{NULL, 0, 0, 0, 0, NULL, 0},
		};
		const struct elf_image description = {.order = odd_notes[i].order,
						      .sections = sections};
		struct elf_bytes bytes = elf_make(&description);
		struct kct_image *image = open_bytes(&bytes);
		const uint8_t *build_id;
		size_t n = 99;

		build_id = kct_image_build_id(image, &n);
		CHECK_EQ(odd_notes[i].name, n, odd_notes[i].n_id);
		CHECK(odd_notes[i].name, !build_id == !n);
		CHECK(odd_notes[i].name, n == 0 || memcmp(build_id, id, n) == 0);
		kct_image_free(image);
		free(bytes.data);
	}
}

static void test_symbol(void **state)
{
	static const struct {
		const char *name;
		int result;
		uint64_t address;
	} rows[] = {
		{"_stext", 0, 0xffffffff81000000},
		{"variable", 0, 0xffffffff81004010},
		{"constant", 0, 0x1234},
		{"twice", 0, 0xffffffff81000400}, /* weak before local */
		{"elsewhere", KCT_ERR_NOT_FOUND, 0},
		{"", KCT_ERR_NOT_FOUND, 0},
		{"stext", KCT_ERR_NOT_FOUND, 0},
	};
	struct elf_bytes bytes = elf_make(&kernel);
	struct kct_image *image = open_bytes(&bytes);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t address = 0;

		CHECK_EQ(rows[i].name, kct_image_symbol(image, rows[i].name, &address),
			 rows[i].result);
		CHECK_EQ(rows[i].name, address, rows[i].address);
	}
	kct_image_free(image);
	free(bytes.data);
}

static void test_functions(void **state)
{
	static const struct kct_image_function expected[] = {
		{"first", 0xffffffff81000000, 0x20}, {"second", 0xffffffff81000100, 0x40},
		{"asm_code", 0xffffffff81000200, 0}, {"twice", 0xffffffff81000300, 0x10},
		{"twice", 0xffffffff81000400, 0x10}, {"start_up", 0xffffffff81003000, 0x10},
	};
	struct elf_bytes bytes = elf_make(&kernel);
	struct kct_image *image = open_bytes(&bytes);
	const struct kct_image_function *functions, *again;
	size_t n;

	(void)state;
	assert_int_equal(kct_image_functions(image, &functions, &n, NULL), 0);
	assert_int_equal(n, ARRAY_SIZE(expected));
	for (size_t i = 0; i < n; i++) {
		CHECK_STR(expected[i].name, functions[i].name, expected[i].name);
		CHECK_EQ(expected[i].name, functions[i].address, expected[i].address);
		CHECK_EQ(expected[i].name, functions[i].size, expected[i].size);
	}
	assert_int_equal(kct_image_functions(image, &again, &n, NULL), 0);
	assert_ptr_equal(again, functions);
	kct_image_free(image);
	free(bytes.data);
}

/* The same small file in every class and byte order. */
static void test_classes_and_orders(void **state)
{
	static const struct {
		const char *name;
		uint8_t class, order;
		uint16_t machine;
	} rows[] = {
		{"32 bit little", ELFCLASS32, ELFDATA2LSB, EM_386},
		{"32 bit big", ELFCLASS32, ELFDATA2MSB, EM_PPC},
		{"64 bit little", ELFCLASS64, ELFDATA2LSB, EM_AARCH64},
		{"64 bit big", ELFCLASS64, ELFDATA2MSB, EM_S390},
	};
	static const struct elf_section sections[] = {
		{".text", SHT_PROGBITS, CODE, 0xc0100000, 0x100, NULL, 0},
		{NULL, 0, 0, 0, 0, NULL, 0},
	};
	static const struct elf_symbol symbols[] = {
		{"foo", 0xc0100010, 0x20, STB_GLOBAL, STT_FUNC, 1},
		{NULL, 0, 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct elf_image description = {.class = rows[i].class,
						      .order = rows[i].order,
						      .machine = rows[i].machine,
						      .sections = sections,
						      .symbols = symbols};
		struct elf_bytes bytes = elf_make(&description);
		struct kct_image *image = open_bytes(&bytes);
		const struct kct_image_function *functions;
		size_t n;

		CHECK_EQ(rows[i].name, kct_image_machine(image), rows[i].machine);
		CHECK_EQ(rows[i].name, kct_image_functions(image, &functions, &n, NULL), 0);
		CHECK_EQ(rows[i].name, n, 1);
		CHECK_EQ(rows[i].name, functions[0].address, 0xc0100010);
		CHECK_EQ(rows[i].name, functions[0].size, 0x20);
		kct_image_free(image);
		free(bytes.data);
	}
}

static const char modinfo[] = "license=GPL\0depends=\0name=zram\0vermagic=7.2";

/* A struct module: a state padded to a long, a list head, the name. */
static const char this_module[64] = {[24] = 'l', 'o', 'o', 'p'};

static void test_module_name(void **state)
{
	static const struct {
		const char *name;
		struct elf_section sections[3];
		const char *module;
	} rows[] = {
		{".modinfo",
		 {{".modinfo", SHT_PROGBITS, SHF_ALLOC, 0, sizeof(modinfo), modinfo, 0}},
		 "zram"},
		{"cut .modinfo", {{".modinfo", SHT_PROGBITS, SHF_ALLOC, 0, 23, modinfo, 0}}, NULL},
		{"struct module",
		 {{".gnu.linkonce.this_module", SHT_PROGBITS, SHF_ALLOC, 0, 64, this_module, 0}},
		 "loop"},
		{".modinfo is first",
		 {{".gnu.linkonce.this_module", SHT_PROGBITS, SHF_ALLOC, 0, 64, this_module, 0},
		  {".modinfo", SHT_PROGBITS, SHF_ALLOC, 0, sizeof(modinfo), modinfo, 0}},
		 "zram"},
		{"section without contents",
		 {{".modinfo", SHT_NOBITS, SHF_ALLOC, 0, sizeof(modinfo), NULL, 0}},
		 NULL},
		{"no module", {{".data", SHT_PROGBITS, SHF_ALLOC, 0, 64, this_module, 0}}, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct elf_image description = {.type = ET_REL, .sections = rows[i].sections};
		struct elf_bytes bytes = elf_make(&description);
		struct kct_image *image = open_bytes(&bytes);

		CHECK(rows[i].name, !kct_image_module_name(image) == !rows[i].module);
		if (rows[i].module)
			CHECK_STR(rows[i].name, kct_image_module_name(image), rows[i].module);
		kct_image_free(image);
		free(bytes.data);
	}
}

static void test_module_sections(void **state)
{
	struct elf_bytes bytes = elf_make(&module);
	struct kct_image *image = open_bytes(&bytes);
	const struct kct_image_function *functions;
	uint64_t address = 0;
	size_t n;

	(void)state;
	assert_true(kct_image_is_relocatable(image));
	assert_int_equal(kct_image_set_section(image, ".text", 0xffffffffc0000000), 0);
	assert_int_equal(kct_image_set_section(image, ".data", 0xffffffffc0002000), 0);
	assert_int_equal(kct_image_set_section(image, ".nothing", 1), KCT_ERR_NOT_FOUND);
	assert_int_equal(kct_image_set_section(image, ".comment", 1), KCT_ERR_NOT_FOUND);
	assert_int_equal(kct_image_functions(image, &functions, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_string_equal(functions[0].name, "run");
	assert_int_equal(functions[0].address, 0xffffffffc0000010);
	assert_int_equal(kct_image_symbol(image, "data", &address), 0);
	assert_int_equal(address, 0xffffffffc0002010);
	assert_int_equal(kct_image_symbol(image, "start", &address), KCT_ERR_NOT_FOUND);
	/* In use: fixed. */
	assert_int_equal(kct_image_set_section(image, ".init.text", 0xffffffffc0004000),
			 KCT_ERR_ARGUMENT);
	kct_image_free(image);
	free(bytes.data);
}

/* Invented addresses overlap neither each other nor given ones, which are given where they would go. */
static void test_invented_addresses(void **state)
{
	struct elf_bytes bytes = elf_make(&module);
	struct kct_image *image = open_bytes(&bytes);

	(void)state;
	assert_int_equal(kct_image_set_section(image, ".text", 0x10080), 0);
	kct_image_fix(image);
	for (size_t i = 1; i <= 3; i++) {
		const struct kct_section *a = kct_image_section(image, i);

		assert_true(a->address != 0);
		assert_int_equal(a->placed, i == 1);
		for (size_t k = 1; k < i; k++) {
			const struct kct_section *b = kct_image_section(image, k);

			assert_true(a->address + a->size <= b->address ||
				    b->address + b->size <= a->address);
		}
	}
	kct_image_free(image);
	free(bytes.data);
}

/* What the section headers alone say about debug information. */
static const struct {
	const char *name;
	struct elf_section sections[4];
	bool symbols;
	enum kct_debug_status status;
	const char *says;
} debug_rows[] = {
	{"built without",
	 {{".text", SHT_PROGBITS, CODE, 0x1000, 16, NULL, 0}},
	 true,
	 KCT_DEBUG_ABSENT,
	 "CONFIG_DEBUG_INFO"},
	{"no symbols either",
	 {{".text", SHT_PROGBITS, CODE, 0x1000, 16, NULL, 0}},
	 false,
	 KCT_DEBUG_STRIPPED,
	 ".symtab"},
	{"debug link",
	 {{".gnu_debuglink", SHT_PROGBITS, 0, 0, 16, NULL, 0}},
	 true,
	 KCT_DEBUG_STRIPPED,
	 ".gnu_debuglink"},
	{"BTF was made of it",
	 {{".BTF", SHT_PROGBITS, 0, 0, 16, NULL, 0}},
	 true,
	 KCT_DEBUG_STRIPPED,
	 ".BTF"},
	{"contents moved away",
	 {{".debug_info", SHT_NOBITS, 0, 0, 16, NULL, 0}},
	 true,
	 KCT_DEBUG_STRIPPED,
	 ".debug_info has no contents"},
	{"no abbreviations",
	 {{".debug_info", SHT_PROGBITS, 0, 0, 16, NULL, 0}},
	 true,
	 KCT_DEBUG_STRIPPED,
	 ".debug_abbrev"},
	{"cut",
	 {{".debug_abbrev", SHT_PROGBITS, 0, 0, 16, NULL, 0},
	  {".debug_info", SHT_PROGBITS, 0, 0, 16, NULL, 1 << 20}},
	 true,
	 KCT_DEBUG_TRUNCATED,
	 ".debug_info (1048576 bytes at "},
	{"absurd size",
	 {{".debug_info", SHT_PROGBITS, 0, 0, 16, NULL, UINT64_C(1) << 63},
	  {".debug_abbrev", SHT_PROGBITS, 0, 0, 16, NULL, 0}},
	 true,
	 KCT_DEBUG_TRUNCATED,
	 ".debug_info"},
	/* Elf64_Chdr: type 77, reserved, size 64, alignment 1 */
	{"unknown compression",
	 {{".debug_info", SHT_PROGBITS, SHF_COMPRESSED, 0, 40,
	   "\x4d\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0................", 0},
	  {".debug_abbrev", SHT_PROGBITS, 0, 0, 16, NULL, 0}},
	 true,
	 KCT_DEBUG_UNSUPPORTED,
	 ".debug_info"},
	/* type 1 (zlib), but no zlib stream behind */
	{"damaged compression",
	 {{".debug_info", SHT_PROGBITS, SHF_COMPRESSED, 0, 40,
	   "\x01\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0................", 0},
	  {".debug_abbrev", SHT_PROGBITS, 0, 0, 16, NULL, 0}},
	 true,
	 KCT_DEBUG_BROKEN,
	 ".debug_info"},
};

static void test_debug_status(void **state)
{
	static const struct elf_symbol symbols[] = {
		{"foo", 0x1000, 16, STB_GLOBAL, STT_FUNC, 1},
		{NULL, 0, 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(debug_rows); i++) {
		const struct elf_image description = {.sections = debug_rows[i].sections,
						      .symbols = debug_rows[i].symbols ? symbols
										       : NULL};
		struct elf_bytes bytes = elf_make(&description);
		struct kct_image *image = open_bytes(&bytes);
		const char *reason = NULL;

		CHECK_EQ(debug_rows[i].name, kct_image_debug_status(image, &reason),
			 debug_rows[i].status);
		CHECK(debug_rows[i].name, reason && strstr(reason, debug_rows[i].says));
		CHECK(debug_rows[i].name, !strchr(reason, '\n'));
		CHECK_EQ(debug_rows[i].name, kct_image_debug_status(image, NULL),
			 debug_rows[i].status);
		kct_image_free(image);
		free(bytes.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_symbol),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_classes_and_orders),
		cmocka_unit_test(test_module_name),
		cmocka_unit_test(test_module_sections),
		cmocka_unit_test(test_invented_addresses),
		cmocka_unit_test(test_debug_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
