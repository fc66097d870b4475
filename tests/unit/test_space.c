/* SPDX-License-Identifier: BSD-2-Clause */
/* Where more than one image may be meant, modules placed by /proc/modules, variables. */
#include "check.h"

#include <kcovtrace/symbolizer.h>

#include "base/macros.h"
#include "elf_image.h"

#define CODE   (SHF_ALLOC | SHF_EXECINSTR)
#define KERNEL 0xffffffff81000000u
#define DATA   (KERNEL + 0x10000)
#define PERCPU (KERNEL + 0x20000)
#define MODULE 0xffffffffc0200000u
#define SLIDE  0x1c000000u

static const struct elf_section kernel_sections[] = {
	{".text", SHT_PROGBITS, CODE, KERNEL, 0x1000, NULL, 0},
	{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, DATA, 0x100, NULL, 0},
	{".data..percpu", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, PERCPU, 0x80, NULL, 0},
	{NULL, 0, 0, 0, 0, NULL, 0},
};

static const struct elf_symbol kernel_symbols[] = {
	{"start", KERNEL, 0x200, STB_GLOBAL, STT_FUNC, 1},
	{"other", KERNEL + 0x800, 0x200, STB_GLOBAL, STT_FUNC, 1},
	{"jiffies", DATA + 0x10, 8, STB_GLOBAL, STT_OBJECT, 2},
	{"asm_table", DATA + 0x40, 0, STB_GLOBAL, STT_NOTYPE, 2},
	{"current_task", PERCPU + 0x20, 8, STB_GLOBAL, STT_OBJECT, 3},
	{NULL, 0, 0, 0, 0, 0},
};

static const struct elf_section module_sections[] = {
	{".init.text", SHT_PROGBITS, CODE, 0, 0x100, NULL, 0},
	{".text", SHT_PROGBITS, CODE, 0, 0x102, NULL, 0},
	{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, 0x40, NULL, 0},
	{".exit.text", SHT_PROGBITS, CODE, 0, 0x20, NULL, 0},
	{NULL, 0, 0, 0, 0, NULL, 0},
};

static const struct elf_symbol module_symbols[] = {
	{"mod_init", 0, 0x100, STB_LOCAL, STT_FUNC, 1},
	{"mod_run", 0, 0x100, STB_LOCAL, STT_FUNC, 2},
	{"mod_data", 0x10, 8, STB_LOCAL, STT_OBJECT, 3},
	{"mod_exit", 0, 0x20, STB_LOCAL, STT_FUNC, 4},
	{NULL, 0, 0, 0, 0, 0},
};

/* A kernel and two modules of the same file. */
struct fixture {
	struct elf_bytes bytes[2];
	struct kct_image *kernel, *module, *second;
	struct kct_symbolizer *symbolizer;
};

static struct kct_image *open_bytes(const struct elf_bytes *bytes)
{
	struct kct_image *image = NULL;

	assert_int_equal(kct_image_open_memory(bytes->data, bytes->n, "test", &image, NULL), 0);
	return image;
}

static int setup(void **state)
{
	static const struct elf_image kernel = {.sections = kernel_sections,
						.symbols = kernel_symbols};
	static const struct elf_image module = {
		.type = ET_REL, .sections = module_sections, .symbols = module_symbols};
	static struct fixture fixture;

	fixture = (struct fixture){.bytes = {elf_make(&kernel), elf_make(&module)}};
	fixture.kernel = open_bytes(&fixture.bytes[0]);
	fixture.module = open_bytes(&fixture.bytes[1]);
	fixture.second = open_bytes(&fixture.bytes[1]);
	assert_int_equal(kct_symbolizer_new(&fixture.symbolizer), 0);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	kct_symbolizer_free(fixture->symbolizer);
	kct_image_free(fixture->kernel);
	kct_image_free(fixture->module);
	kct_image_free(fixture->second);
	free(fixture->bytes[0].data);
	free(fixture->bytes[1].data);
	return 0;
}

static void add(struct fixture *fixture, struct kct_image *image, const char *name)
{
	assert_int_equal(kct_symbolizer_add_image(fixture->symbolizer, image, name, NULL), 0);
}

static void check_pc(struct fixture *fixture, const char *row, uint64_t pc, const char *function,
		     const char *module, enum kct_symbol_reason reason)
{
	const struct kct_symbol *symbol = NULL;

	CHECK_EQ(row, kct_symbolizer_lookup(fixture->symbolizer, pc, KCT_PC_CALL, &symbol, NULL),
		 0);
	CHECK(row, !symbol->function == !function);
	if (function) {
		CHECK_STR(row, symbol->function, function);
		CHECK_STR(row, symbol->module, module);
	}
	CHECK_EQ(row, symbol->reason, reason);
}

/* A module's PC has the offset of vmlinux subtracted, as the driver writes it. */
static void test_slid_module(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(kct_image_set_section(fixture->module, ".text", MODULE), 0);
	add(fixture, fixture->kernel, "vmlinux");
	add(fixture, fixture->module, "mod");
	assert_int_equal(kct_symbolizer_set_slide(fixture->symbolizer, SLIDE, false), 0);
	check_pc(fixture, "module", MODULE + 0x10 - SLIDE, "mod_run", "mod", KCT_SYMBOL_NO_DEBUG);
	check_pc(fixture, "its run-time address", MODULE + 0x10, NULL, NULL, KCT_SYMBOL_NO_IMAGE);
	check_pc(fixture, "vmlinux", KERNEL + 0x10, "start", "vmlinux", KCT_SYMBOL_NO_DEBUG);
}

/* The same, but without the offset it lies in vmlinux. */
static void test_slid_module_in_vmlinux(void **state)
{
	struct fixture *fixture = *state;
	uint64_t base = KERNEL + 0x100 + SLIDE;

	assert_int_equal(kct_image_set_section(fixture->module, ".text", base), 0);
	add(fixture, fixture->module, "mod");
	add(fixture, fixture->kernel, "vmlinux");
	assert_int_equal(kct_symbolizer_set_slide(fixture->symbolizer, SLIDE, false), 0);
	check_pc(fixture, "both", base + 0x10 - SLIDE, "start", "vmlinux", KCT_SYMBOL_AMBIGUOUS);
	check_pc(fixture, "vmlinux alone", KERNEL + 0x10, "start", "vmlinux", KCT_SYMBOL_NO_DEBUG);
	assert_string_equal(kct_symbol_reason_text(KCT_SYMBOL_AMBIGUOUS),
			    "ambiguous: another image may cover this address");
}

/* The offset is not known: what a possible one would move into the module is in doubt. */
static void test_unknown_slide(void **state)
{
	struct fixture *fixture = *state;

	/* 0x900 above a multiple of 2 MiB, as is KERNEL + 0x900, but more than 1 GiB away. */
	assert_int_equal(
		kct_image_set_section(fixture->module, ".text", MODULE + 0x1000000 + 0x900), 0);
	add(fixture, fixture->kernel, "vmlinux");
	add(fixture, fixture->module, "mod");
	assert_int_equal(kct_symbolizer_doubt_slide(fixture->symbolizer), 0);
	check_pc(fixture, "before", KERNEL + 0x8ff, "other", "vmlinux", KCT_SYMBOL_NO_DEBUG);
	check_pc(fixture, "first", KERNEL + 0x900, "other", "vmlinux", KCT_SYMBOL_NO_DEBUG);
	check_pc(fixture, "module as it is", MODULE + 0x1000000 + 0x900, "mod_run", "mod",
		 KCT_SYMBOL_NO_DEBUG);
}

/* The same within the GiB that x86-64 moves a kernel in. */
static void test_unknown_slide_in_reach(void **state)
{
	struct fixture *fixture = *state;
	uint64_t base = KERNEL + 0x3e000000 + 0x900;

	assert_int_equal(kct_image_set_section(fixture->module, ".text", base), 0);
	add(fixture, fixture->kernel, "vmlinux");
	add(fixture, fixture->module, "mod");
	assert_int_equal(kct_symbolizer_doubt_slide(fixture->symbolizer), 0);
	check_pc(fixture, "before", KERNEL + 0x8ff, "other", "vmlinux", KCT_SYMBOL_NO_DEBUG);
	check_pc(fixture, "first", KERNEL + 0x900, "other", "vmlinux", KCT_SYMBOL_AMBIGUOUS);
	check_pc(fixture, "last", KERNEL + 0x9ff, "other", "vmlinux", KCT_SYMBOL_AMBIGUOUS);
	check_pc(fixture, "outside", KERNEL + 0x10, "start", "vmlinux", KCT_SYMBOL_NO_DEBUG);
}

/* Where one module was initialised another one was loaded later. */
static void test_freed_code(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(kct_image_set_section(fixture->module, ".text", MODULE), 0);
	assert_int_equal(kct_image_set_section(fixture->module, ".init.text", MODULE + 0x4080), 0);
	assert_int_equal(kct_image_set_section(fixture->second, ".text", MODULE + 0x4000), 0);
	add(fixture, fixture->module, "first");
	add(fixture, fixture->second, "second");
	check_pc(fixture, "not reused", MODULE + 0x4150, "mod_init", "first", KCT_SYMBOL_NO_DEBUG);
	check_pc(fixture, "reused", MODULE + 0x4090, "mod_run", "second", KCT_SYMBOL_AMBIGUOUS);
	check_pc(fixture, "never freed", MODULE + 0x4010, "mod_run", "second", KCT_SYMBOL_NO_DEBUG);
	check_pc(fixture, "the first", MODULE + 0x10, "mod_run", "first", KCT_SYMBOL_NO_DEBUG);
}

/* Executable sections in the order of the file, aligned to 4, without the one of initialisation. */
static void test_base(void **state)
{
	struct fixture *fixture = *state;
	const struct kct_symbol *symbol = NULL;

	assert_int_equal(kct_image_set_base(fixture->kernel, MODULE), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_image_set_base(fixture->module, 0), KCT_ERR_ARGUMENT);
	assert_false(kct_image_is_approximate(fixture->module));
	assert_int_equal(kct_image_set_base(fixture->module, MODULE), 0);
	assert_true(kct_image_is_approximate(fixture->module));
	add(fixture, fixture->kernel, "vmlinux");
	add(fixture, fixture->module, "mod");
	check_pc(fixture, ".text", MODULE + 0x10, "mod_run", "mod", KCT_SYMBOL_NO_DEBUG);
	check_pc(fixture, ".exit.text", MODULE + 0x104, "mod_exit", "mod", KCT_SYMBOL_NO_DEBUG);
	check_pc(fixture, "between", MODULE + 0x102, NULL, NULL, KCT_SYMBOL_NO_IMAGE);
	assert_int_equal(kct_symbolizer_lookup(fixture->symbolizer, MODULE + 0x10, KCT_PC_CALL,
					       &symbol, NULL),
			 0);
	assert_true(symbol->approximate);
	assert_int_equal(kct_symbolizer_lookup(fixture->symbolizer, KERNEL + 0x10, KCT_PC_CALL,
					       &symbol, NULL),
			 0);
	assert_false(symbol->approximate);
	assert_int_equal(kct_image_set_base(fixture->module, MODULE), KCT_ERR_ARGUMENT);
}

struct data_row {
	const char *name;
	uint64_t address;
	const char *variable, *module; /* NULL: none */
	uint64_t offset, size;
	int cpu;
};

static void check_data(struct fixture *fixture, const struct data_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct kct_variable variable = {.address = 1};
		int result =
			kct_symbolizer_data(fixture->symbolizer, rows[i].address, &variable, NULL);

		CHECK_EQ(rows[i].name, result, rows[i].variable != NULL);
		if (result <= 0) {
			CHECK_EQ(rows[i].name, variable.address, 1);
			continue;
		}
		CHECK_EQ(rows[i].name, variable.address, rows[i].address);
		CHECK_STR(rows[i].name, variable.name, rows[i].variable);
		CHECK_STR(rows[i].name, variable.module, rows[i].module);
		CHECK_EQ(rows[i].name, variable.offset, rows[i].offset);
		CHECK_EQ(rows[i].name, variable.start, rows[i].address - rows[i].offset);
		CHECK_EQ(rows[i].name, variable.size, rows[i].size);
		CHECK_EQ(rows[i].name, variable.cpu, rows[i].cpu);
	}
}

/* Addresses of data are as the CPU saw them: only vmlinux was linked elsewhere. */
static void test_data(void **state)
{
	static const struct data_row rows[] = {
		{"first byte", DATA + SLIDE + 0x10, "jiffies", "vmlinux", 0, 8, -1},
		{"last byte", DATA + SLIDE + 0x17, "jiffies", "vmlinux", 7, 8, -1},
		{"behind it", DATA + SLIDE + 0x18, NULL, NULL, 0, 0, -1},
		{"no size", DATA + SLIDE + 0x50, "asm_table", "vmlinux", 0x10, 0, -1},
		{"as linked", DATA + 0x10, NULL, NULL, 0, 0, -1},
		{"code", KERNEL + SLIDE + 0x10, NULL, NULL, 0, 0, -1},
		{"module", MODULE + 0x8014, "mod_data", "mod", 4, 8, -1},
		{"CPU 0", 0xffff888007c00024, "current_task", "vmlinux", 4, 8, 0},
		{"CPU 1", 0xffff888007d00020, "current_task", "vmlinux", 0, 8, 1},
		{"a CPU's, no symbol", 0xffff888007d00010, NULL, NULL, 0, 0, -1},
		{"the model itself", PERCPU + SLIDE + 0x20, NULL, NULL, 0, 0, -1},
		{"heap", 0xffff888001234567, NULL, NULL, 0, 0, -1},
	};
	static const uint64_t bases[] = {0xffff888007c00000, 0xffff888007d00000};
	struct fixture *fixture = *state;

	assert_int_equal(kct_image_set_section(fixture->module, ".text", MODULE), 0);
	assert_int_equal(kct_image_set_section(fixture->module, ".data", MODULE + 0x8000), 0);
	add(fixture, fixture->kernel, "vmlinux");
	add(fixture, fixture->module, "mod");
	assert_int_equal(kct_symbolizer_set_slide(fixture->symbolizer, SLIDE, false), 0);
	assert_int_equal(kct_symbolizer_set_percpu(fixture->symbolizer, bases, 2), 0);
	check_data(fixture, rows, ARRAY_SIZE(rows));
	assert_int_equal(kct_symbolizer_set_percpu(fixture->symbolizer, bases, 2),
			 KCT_ERR_ARGUMENT);
}

static void test_data_of_kallsyms(void **state)
{
	static const char text[] = "ffffffff9d000000 T _stext\n"
				   "ffffffff9e000000 D table\n"
				   "ffffffff9e000040 b counter\n"
				   "ffffffffc0300000 d lo_list\t[loop]\n";
	static const struct data_row rows[] = {
		{"kernel", 0xffffffff9e000008, "table", "vmlinux", 8, 0, -1},
		{"next", 0xffffffff9e000044, "counter", "vmlinux", 4, 0, -1},
		{"module", 0xffffffffc0300001, "lo_list", "loop", 1, 0, -1},
		{"text", 0xffffffff9d000010, NULL, NULL, 0, 0, -1},
		{"far behind", 0xffffffff9f000000, NULL, NULL, 0, 0, -1},
	};
	struct fixture *fixture = *state;
	struct kct_kallsyms *kallsyms;

	assert_int_equal(kct_kallsyms_parse(text, sizeof(text) - 1, &kallsyms, NULL), 0);
	assert_int_equal(kct_symbolizer_add_kallsyms(fixture->symbolizer, kallsyms), 0);
	assert_int_equal(kct_symbolizer_set_slide(fixture->symbolizer, SLIDE, false), 0);
	check_data(fixture, rows, ARRAY_SIZE(rows));
	kct_symbolizer_free(fixture->symbolizer);
	fixture->symbolizer = NULL;
	kct_kallsyms_free(kallsyms);
}

/* On ARM a return address into Thumb code is odd; it is shown as it is, but looked up without. */
static void test_thumb(void **state)
{
	static const struct elf_section sections[] = {
		{".text", SHT_PROGBITS, CODE, 0xc0100000, 0x100, NULL, 0},
		{NULL, 0, 0, 0, 0, NULL, 0},
	};
	static const struct elf_symbol symbols[] = {
		{"ends_with_call", 0xc0100001, 0x10, STB_GLOBAL, STT_FUNC, 1},
		{"next", 0xc0100011, 0x10, STB_GLOBAL, STT_FUNC, 1},
		{NULL, 0, 0, 0, 0, 0},
	};
	const struct elf_image description = {
		.class = ELFCLASS32, .machine = EM_ARM, .sections = sections, .symbols = symbols};
	struct elf_bytes bytes = elf_make(&description);
	struct kct_image *image = open_bytes(&bytes);
	struct fixture *fixture = *state;
	const struct kct_symbol *symbol = NULL;

	add(fixture, image, "vmlinux");
	assert_int_equal(kct_symbolizer_lookup(fixture->symbolizer, 0xc0100011, KCT_PC_RETURN,
					       &symbol, NULL),
			 0);
	assert_string_equal(symbol->function, "ends_with_call");
	assert_int_equal(symbol->pc, 0xc0100011);
	assert_int_equal(symbol->start, 0xc0100000);
	check_pc(fixture, "call", 0xc0100011, "next", "vmlinux", KCT_SYMBOL_NO_DEBUG);
	kct_symbolizer_free(fixture->symbolizer);
	fixture->symbolizer = NULL;
	kct_image_free(image);
	free(bytes.data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_slid_module),	  TEST(test_slid_module_in_vmlinux),
		TEST(test_unknown_slide), TEST(test_unknown_slide_in_reach),
		TEST(test_freed_code),	  TEST(test_base),
		TEST(test_data),	  TEST(test_data_of_kallsyms),
		TEST(test_thumb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
