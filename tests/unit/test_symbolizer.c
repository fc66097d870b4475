/* SPDX-License-Identifier: BSD-2-Clause */
/* The address space without debug information: which image, which symbol, what is missing. */
#include "check.h"

#include <kcovtrace/symbolizer.h>

#include "base/macros.h"
#include "elf_image.h"

#define CODE   (SHF_ALLOC | SHF_EXECINSTR)
#define KERNEL 0xffffffff81000000u
#define MODULE 0xffffffffc0000000u
#define SLIDE  0x1c000000u

static const struct elf_section kernel_sections[] = {
	{".text", SHT_PROGBITS, CODE, KERNEL, 0x1000, NULL, 0},
	{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, KERNEL + 0x2000, 0x100, NULL, 0},
	{NULL, 0, 0, 0, 0, NULL, 0},
};

static const struct elf_symbol kernel_symbols[] = {
	{"do_cold.isra.0.cold", KERNEL + 0x000, 0x10, STB_LOCAL, STT_FUNC, 1},
	{"ends_with_call", KERNEL + 0x100, 0x20, STB_GLOBAL, STT_FUNC, 1},
	{"after_call", KERNEL + 0x120, 0x20, STB_GLOBAL, STT_FUNC, 1},
	/* padding from 0x140 to 0x200 */
	{"do_cold.isra.0", KERNEL + 0x200, 0x40, STB_LOCAL, STT_FUNC, 1},
	{"no_size", KERNEL + 0x300, 0, STB_GLOBAL, STT_NOTYPE, 1},
	{"foo.llvm.123", KERNEL + 0x400, 0x10, STB_LOCAL, STT_FUNC, 1},
	{NULL, 0, 0, 0, 0, 0},
};

static const struct elf_image kernel = {.sections = kernel_sections, .symbols = kernel_symbols};

static const struct elf_section module_sections[] = {
	{".text", SHT_PROGBITS, CODE, 0, 0x100, NULL, 0},
	{".init.text", SHT_PROGBITS, CODE, 0, 0x100, NULL, 0},
	{".exit.text", SHT_PROGBITS, CODE, 0, 0x100, NULL, 0},
	{NULL, 0, 0, 0, 0, NULL, 0},
};

static const struct elf_symbol module_symbols[] = {
	{"mod_run", 0x10, 0x20, STB_LOCAL, STT_FUNC, 1},
	{"mod_init", 0x10, 0x20, STB_LOCAL, STT_FUNC, 2},
	{"mod_exit", 0x10, 0x20, STB_LOCAL, STT_FUNC, 3},
	{NULL, 0, 0, 0, 0, 0},
};

static const struct elf_image module = {
	.type = ET_REL, .sections = module_sections, .symbols = module_symbols};

/* What most tests need: a kernel, a module, both added. */
struct fixture {
	struct elf_bytes bytes[2];
	struct kct_image *kernel, *module;
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
	static struct fixture fixture;

	fixture = (struct fixture){.bytes = {elf_make(&kernel), elf_make(&module)}};
	fixture.kernel = open_bytes(&fixture.bytes[0]);
	fixture.module = open_bytes(&fixture.bytes[1]);
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
	free(fixture->bytes[0].data);
	free(fixture->bytes[1].data);
	return 0;
}

static void add(struct kct_symbolizer *symbolizer, struct kct_image *image, const char *name)
{
	struct kct_error error;

	if (kct_symbolizer_add_image(symbolizer, image, name, &error) < 0)
		fail_msg("%s", error.text);
}

static void add_both(struct fixture *fixture)
{
	assert_int_equal(kct_image_set_section(fixture->module, ".text", MODULE), 0);
	assert_int_equal(kct_image_set_section(fixture->module, ".exit.text", MODULE + 0x5000), 0);
	add(fixture->symbolizer, fixture->kernel, "vmlinux");
	add(fixture->symbolizer, fixture->module, "mod");
}

static const struct kct_symbol *look(struct kct_symbolizer *symbolizer, uint64_t pc,
				     enum kct_pc_kind kind)
{
	const struct kct_symbol *symbol = NULL;
	struct kct_error error;

	if (kct_symbolizer_lookup(symbolizer, pc, kind, &symbol, &error) < 0)
		fail_msg("%s", error.text);
	assert_non_null(symbol);
	assert_true(symbol->pc == pc);
	return symbol;
}

struct expected {
	const char *name;
	uint64_t pc;
	enum kct_pc_kind kind;
	const char *function, *symbol, *module; /* NULL: unknown */
	uint64_t start, size;
	enum kct_symbol_reason reason;
	bool guessed;
};

static void check_string(const char *row, const char *actual, const char *expected)
{
	CHECK(row, !actual == !expected);
	if (expected)
		CHECK_STR(row, actual, expected);
}

static void check_symbol(struct kct_symbolizer *symbolizer, const struct expected *row)
{
	const struct kct_symbol *symbol = look(symbolizer, row->pc, row->kind);

	check_string(row->name, symbol->function, row->function);
	check_string(row->name, symbol->symbol, row->symbol);
	check_string(row->name, symbol->module, row->module);
	CHECK_EQ(row->name, symbol->start, row->start);
	CHECK_EQ(row->name, symbol->size, row->size);
	CHECK_EQ(row->name, symbol->offset, row->start ? row->pc - row->start : 0);
	CHECK_EQ(row->name, symbol->reason, row->reason);
	CHECK_EQ(row->name, symbol->guessed, row->guessed);
	CHECK_EQ(row->name, symbol->n_frames, row->function != NULL);
	CHECK_EQ(row->name, symbol->identity != 0, row->function != NULL);
	if (row->function) {
		CHECK_STR(row->name, symbol->frames[0].function, row->function);
		CHECK(row->name, !symbol->frames[0].file && !symbol->frames[0].raw_file);
		CHECK_EQ(row->name, symbol->frames[0].line, 0);
	}
}

#define RET    KCT_PC_RETURN
#define CALL   KCT_PC_CALL
#define NOBODY NULL, NULL

static void test_lookup(void **state)
{
	static const struct expected rows[] = {
		{"behind a call that does not return", KERNEL + 0x120, RET, "ends_with_call",
		 "ends_with_call", "vmlinux", KERNEL + 0x100, 0x20, KCT_SYMBOL_NO_DEBUG, false},
		{"the same address as an instruction", KERNEL + 0x120, CALL, "after_call",
		 "after_call", "vmlinux", KERNEL + 0x120, 0x20, KCT_SYMBOL_NO_DEBUG, false},
		{"first byte of a function is no return address", KERNEL + 0x100, RET, NOBODY,
		 "vmlinux", 0, 0, KCT_SYMBOL_NO_SYMBOL, false},
		{"padding", KERNEL + 0x150, CALL, NOBODY, "vmlinux", 0, 0, KCT_SYMBOL_NO_SYMBOL,
		 false},
		{"cold part", KERNEL + 8, CALL, "do_cold", "do_cold.isra.0.cold", "vmlinux", KERNEL,
		 0x10, KCT_SYMBOL_NO_DEBUG, false},
		{"clone", KERNEL + 0x404, CALL, "foo", "foo.llvm.123", "vmlinux", KERNEL + 0x400,
		 0x10, KCT_SYMBOL_NO_DEBUG, false},
		{"no size", KERNEL + 0x3ff, CALL, "no_size", "no_size", "vmlinux", KERNEL + 0x300,
		 0x100, KCT_SYMBOL_NO_DEBUG, true},
		{"end of the text, return", KERNEL + 0x1000, RET, NOBODY, "vmlinux", 0, 0,
		 KCT_SYMBOL_NO_SYMBOL, false},
		{"end of the text", KERNEL + 0x1000, CALL, NOBODY, NULL, 0, 0, KCT_SYMBOL_NO_IMAGE,
		 false},
		{"data", KERNEL + 0x2000, CALL, NOBODY, NULL, 0, 0, KCT_SYMBOL_NO_IMAGE, false},
		{"module", MODULE + 0x18, CALL, "mod_run", "mod_run", "mod", MODULE + 0x10, 0x20,
		 KCT_SYMBOL_NO_DEBUG, false},
		{"its other section", MODULE + 0x5018, CALL, "mod_exit", "mod_exit", "mod",
		 MODULE + 0x5010, 0x20, KCT_SYMBOL_NO_DEBUG, false},
		{"behind its first section", MODULE + 0x118, CALL, NOBODY, NULL, 0, 0,
		 KCT_SYMBOL_NO_IMAGE, false},
		{"where sections are invented", 0x10018, CALL, NOBODY, NULL, 0, 0, KCT_SYMBOL_USER,
		 false},
		{"zero", 0, RET, NOBODY, NULL, 0, 0, KCT_SYMBOL_TINY, false},
		{"garbage", 0x80007000c0008, RET, NOBODY, NULL, 0, 0, KCT_SYMBOL_USER, false},
		{"edge sum", 0xffffffffff000000, RET, NOBODY, NULL, 0, 0, KCT_SYMBOL_SUSPECT,
		 false},
		{"last address", UINT64_MAX, CALL, NOBODY, NULL, 0, 0, KCT_SYMBOL_SUSPECT, false},
	};
	struct fixture *fixture = *state;

	add_both(fixture);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_symbol(fixture->symbolizer, &rows[i]);
	/* Asking again gives the same object; the other kind is another one. */
	assert_ptr_equal(look(fixture->symbolizer, KERNEL + 0x120, RET),
			 look(fixture->symbolizer, KERNEL + 0x120, RET));
	assert_ptr_not_equal(look(fixture->symbolizer, KERNEL + 0x120, RET),
			     look(fixture->symbolizer, KERNEL + 0x120, CALL));
}

static void test_slide(void **state)
{
	static const struct {
		bool slid;
		struct expected rows[3];
	} tables[] = {
		{false,
		 {{"driver subtracted, vmlinux", KERNEL + 0x110, CALL, "ends_with_call",
		   "ends_with_call", "vmlinux", KERNEL + 0x100, 0x20, KCT_SYMBOL_NO_DEBUG, false},
		  {"driver subtracted, module", MODULE + 0x18 - SLIDE, CALL, "mod_run", "mod_run",
		   "mod", MODULE + 0x10 - SLIDE, 0x20, KCT_SYMBOL_NO_DEBUG, false},
		  {"module where it was at run time", MODULE + 0x18, CALL, NOBODY, NULL, 0, 0,
		   KCT_SYMBOL_NO_IMAGE, false}}},
		{true,
		 {{"still slid, vmlinux", KERNEL + 0x110 + SLIDE, CALL, "ends_with_call",
		   "ends_with_call", "vmlinux", KERNEL + 0x100 + SLIDE, 0x20, KCT_SYMBOL_NO_DEBUG,
		   false},
		  {"still slid, module", MODULE + 0x18, CALL, "mod_run", "mod_run", "mod",
		   MODULE + 0x10, 0x20, KCT_SYMBOL_NO_DEBUG, false},
		  {"vmlinux as linked", KERNEL + 0x110, CALL, NOBODY, NULL, 0, 0,
		   KCT_SYMBOL_NO_IMAGE, false}}},
	};
	struct fixture *fixture = *state;

	add_both(fixture);
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		struct kct_symbolizer *symbolizer;

		assert_int_equal(kct_symbolizer_new(&symbolizer), 0);
		add(symbolizer, fixture->module, "mod");
		add(symbolizer, fixture->kernel, "vmlinux");
		assert_int_equal(kct_symbolizer_set_slide(symbolizer, SLIDE, tables[t].slid), 0);
		for (size_t i = 0; i < ARRAY_SIZE(tables[t].rows); i++)
			check_symbol(symbolizer, &tables[t].rows[i]);
		kct_symbolizer_free(symbolizer);
	}
}

/* A module's PC that falls into vmlinux when the driver subtracts the slide: vmlinux, whatever the
 * order they were added in. */
static void test_slide_into_vmlinux(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(kct_image_set_section(fixture->module, ".text", KERNEL + 0x100 + SLIDE),
			 0);
	add(fixture->symbolizer, fixture->module, "mod");
	add(fixture->symbolizer, fixture->kernel, "vmlinux");
	assert_int_equal(kct_symbolizer_set_slide(fixture->symbolizer, SLIDE, false), 0);
	assert_string_equal(look(fixture->symbolizer, KERNEL + 0x118, CALL)->module, "vmlinux");
}

static void test_overlap_first_added_wins(void **state)
{
	struct fixture *fixture = *state;
	struct kct_image *second = open_bytes(&fixture->bytes[1]);

	assert_int_equal(kct_image_set_section(fixture->module, ".text", MODULE), 0);
	/* Init code of another module where .text of this one was put later. */
	assert_int_equal(kct_image_set_section(second, ".init.text", MODULE + 8), 0);
	add(fixture->symbolizer, fixture->module, "mod");
	add(fixture->symbolizer, second, "other");
	assert_string_equal(look(fixture->symbolizer, MODULE + 0x18, CALL)->symbol, "mod_run");
	assert_string_equal(look(fixture->symbolizer, MODULE + 0x104, CALL)->module, "other");
	kct_symbolizer_free(TAKE_PTR(fixture->symbolizer));
	kct_image_free(second);
}

static void test_identity(void **state)
{
	struct fixture *fixture = *state;
	struct kct_function_source source, call;
	const struct kct_symbol *cold, *hot;
	uint64_t first, second;

	add_both(fixture);
	source = kct_symbolizer_functions(fixture->symbolizer, KCT_PC_RETURN);
	call = kct_symbolizer_functions(fixture->symbolizer, KCT_PC_CALL);
	/* Before any look-up. */
	assert_int_equal(source.function_of(source.context, KERNEL + 0x210, &first), 1);
	assert_int_equal(source.function_of(source.context, KERNEL + 0x008, &second), 1);
	assert_true(first == second && first != 0);
	cold = look(fixture->symbolizer, KERNEL + 0x008, RET);
	hot = look(fixture->symbolizer, KERNEL + 0x210, RET);
	assert_true(cold->identity == first && hot->identity == first);
	assert_true(cold->start == KERNEL);
	/* Another function; a return address at its end is still in it. */
	assert_int_equal(source.function_of(source.context, KERNEL + 0x120, &second), 1);
	assert_true(second != first);
	assert_int_equal(call.function_of(call.context, KERNEL + 0x120, &first), 1);
	assert_true(second != first);
	/* Unknown: 0, and nothing stored. */
	first = 77;
	assert_int_equal(source.function_of(source.context, KERNEL + 0x160, &first), 0);
	assert_int_equal(source.function_of(source.context, 0, &first), 0);
	assert_int_equal(first, 77);
}

/* At run time the module is where vmlinux was linked: one number, two functions. */
static void test_identity_under_slide(void **state)
{
	struct fixture *fixture = *state;
	const struct kct_symbol *kernel_function, *module_function;

	assert_int_equal(kct_image_set_section(fixture->module, ".text", KERNEL + 0xf0), 0);
	add(fixture->symbolizer, fixture->kernel, "vmlinux");
	add(fixture->symbolizer, fixture->module, "mod");
	assert_int_equal(kct_symbolizer_set_slide(fixture->symbolizer, SLIDE, false), 0);
	kernel_function = look(fixture->symbolizer, KERNEL + 0x108, CALL);
	module_function = look(fixture->symbolizer, KERNEL + 0x108 - SLIDE, CALL);
	assert_string_equal(kernel_function->function, "ends_with_call");
	assert_string_equal(module_function->function, "mod_run");
	assert_true(kernel_function->identity != module_function->identity);
}

static const char kallsyms_text[] = "ffffffff81000140 t would_be_padding\n"
				    "ffffffff81000200 t next\n"
				    "ffffffff90000000 T only_here.isra.0\n"
				    "ffffffff90000040 D data\n"
				    "ffffffffc0000010 t mod_run\t[mod]\n"
				    "ffffffffd0000000 t far_run\t[far]\n";

static void test_kallsyms(void **state)
{
	static const struct expected rows[] = {
		{"an image with symbols knows its padding", KERNEL + 0x150, CALL, NOBODY, "vmlinux",
		 0, 0, KCT_SYMBOL_NO_SYMBOL, false},
		{"an image comes first", MODULE + 0x18, CALL, "mod_run", "mod_run", "mod",
		 MODULE + 0x10, 0x20, KCT_SYMBOL_NO_DEBUG, false},
		{"only kallsyms", 0xffffffff90000010, CALL, "only_here", "only_here.isra.0",
		 "vmlinux", 0xffffffff90000000, 0x40, KCT_SYMBOL_NO_DEBUG, true},
		{"end of it as a return address", 0xffffffff90000040, RET, "only_here",
		 "only_here.isra.0", "vmlinux", 0xffffffff90000000, 0x40, KCT_SYMBOL_NO_DEBUG,
		 true},
		{"module", 0xffffffffd0000001, RET, "far_run", "far_run", "far", 0xffffffffd0000000,
		 0x100000, KCT_SYMBOL_NO_DEBUG, true},
		{"none", 0xffffffffe0000000, RET, NOBODY, NULL, 0, 0, KCT_SYMBOL_NO_IMAGE, false},
	};
	struct fixture *fixture = *state;
	struct kct_kallsyms *kallsyms;

	add_both(fixture);
	assert_int_equal(kct_kallsyms_parse(kallsyms_text, strlen(kallsyms_text), &kallsyms, NULL),
			 0);
	assert_int_equal(kct_symbolizer_add_kallsyms(fixture->symbolizer, kallsyms), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_symbol(fixture->symbolizer, &rows[i]);
	kct_symbolizer_free(TAKE_PTR(fixture->symbolizer));
	kct_kallsyms_free(kallsyms);
}

/* kallsyms has run-time addresses; a stripped image names the module, kallsyms the function. */
static void test_kallsyms_slide_and_stripped(void **state)
{
	static const struct elf_image stripped = {.sections = kernel_sections};
	struct fixture *fixture = *state;
	struct elf_bytes bytes = elf_make(&stripped);
	struct kct_image *image = open_bytes(&bytes);
	struct kct_kallsyms *kallsyms;
	const struct expected row = {
		"stripped", KERNEL + 0x150 - SLIDE, CALL, "would_be_padding",  "would_be_padding",
		"vmlinux",  KERNEL + 0x140 - SLIDE, 0xc0, KCT_SYMBOL_NO_DEBUG, true};
	const struct expected in_image = {
		"stripped image covers it", KERNEL + 0x10, CALL, NOBODY, "vmlinux", 0, 0,
		KCT_SYMBOL_NO_SYMBOL,	    false};

	assert_int_equal(kct_kallsyms_parse(kallsyms_text, strlen(kallsyms_text), &kallsyms, NULL),
			 0);
	assert_int_equal(kct_symbolizer_add_kallsyms(fixture->symbolizer, kallsyms), 0);
	add(fixture->symbolizer, image, "vmlinux");
	assert_int_equal(kct_symbolizer_set_slide(fixture->symbolizer, SLIDE, false), 0);
	check_symbol(fixture->symbolizer, &row);
	check_symbol(fixture->symbolizer, &in_image);
	kct_symbolizer_free(TAKE_PTR(fixture->symbolizer));
	kct_image_free(image);
	kct_kallsyms_free(kallsyms);
	free(bytes.data);
}

/* A kernel in the lower half makes "user space" a wrong guess. */
static void test_low_kernel(void **state)
{
	static const struct elf_section sections[] = {
		{".text", SHT_PROGBITS, CODE, 0xc0100000, 0x1000, NULL, 0},
		{NULL, 0, 0, 0, 0, NULL, 0},
	};
	static const struct elf_image low = {
		.class = ELFCLASS32, .machine = EM_386, .sections = sections};
	struct fixture *fixture = *state;
	struct elf_bytes bytes = elf_make(&low);
	struct kct_image *image = open_bytes(&bytes);

	add(fixture->symbolizer, image, "vmlinux");
	assert_int_equal(look(fixture->symbolizer, 0xc0200000, RET)->reason, KCT_SYMBOL_NO_IMAGE);
	assert_int_equal(look(fixture->symbolizer, 0xc0100010, RET)->reason, KCT_SYMBOL_NO_SYMBOL);
	kct_symbolizer_free(TAKE_PTR(fixture->symbolizer));
	kct_image_free(image);
	free(bytes.data);
}

struct seen {
	size_t calls, done, total;
	size_t stop_at; /* call that stops, 0 = none */
};

static int on_progress(void *context, size_t done, size_t total)
{
	struct seen *seen = context;

	assert_true(done >= seen->done && done <= total);
	seen->done = done;
	seen->total = total;
	return ++seen->calls == seen->stop_at;
}

static void test_batch(void **state)
{
	enum { N = 20000 };
	struct fixture *fixture = *state;
	uint64_t *pcs = calloc(N, sizeof(*pcs));
	const struct kct_symbol **symbols = calloc(N, sizeof(*symbols));
	struct seen seen = {.stop_at = 2};

	add_both(fixture);
	/* Backwards, each address twice, in and outside the images. */
	for (size_t i = 0; i < N; i++)
		pcs[i] = KERNEL + (N - i) / 2;
	assert_int_equal(kct_symbolizer_batch(fixture->symbolizer, pcs, N, RET, on_progress, &seen,
					      symbols, NULL),
			 KCT_ERR_LIMIT);
	assert_null(symbols[0]);
	seen = (struct seen){0};
	assert_int_equal(kct_symbolizer_batch(fixture->symbolizer, pcs, N, RET, on_progress, &seen,
					      symbols, NULL),
			 0);
	assert_int_equal(seen.total, N);
	assert_int_equal(seen.done, seen.total);
	assert_true(seen.calls > 2);
	for (size_t i = 0; i < N; i++) {
		assert_true(symbols[i]->pc == pcs[i]);
		if (i % 61 == 0)
			assert_ptr_equal(symbols[i], look(fixture->symbolizer, pcs[i], RET));
	}
	assert_string_equal(symbols[N - 2 * 0x110]->function, "ends_with_call");
	assert_int_equal(
		kct_symbolizer_batch(fixture->symbolizer, NULL, 0, RET, NULL, NULL, NULL, NULL), 0);
	free(pcs);
	free(symbols);
}

static void test_rules_of_use(void **state)
{
	struct fixture *fixture = *state;
	struct kct_symbolizer *symbolizer = fixture->symbolizer;
	const struct kct_symbol *symbol = NULL;
	struct kct_error error;

	assert_int_equal(kct_symbolizer_add_image(symbolizer, fixture->module, "mod", &error),
			 KCT_ERR_ARGUMENT);
	assert_non_null(strstr(error.text, "address"));
	add(symbolizer, fixture->kernel, "vmlinux");
	assert_int_equal(kct_symbolizer_map_path(symbolizer, "", "x"), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_symbolizer_map_path(symbolizer, "/a", "/b"), 0);
	assert_int_equal(
		kct_symbolizer_lookup(symbolizer, KERNEL, (enum kct_pc_kind)9, &symbol, NULL),
		KCT_ERR_ARGUMENT);
	assert_null(symbol);
	look(symbolizer, KERNEL, RET);
	/* Results never change, so that settings are final. */
	assert_int_equal(kct_symbolizer_set_slide(symbolizer, 1, true), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_symbolizer_map_path(symbolizer, "/a", "/b"), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_symbolizer_strip_build_dir(symbolizer, true), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_image_set_section(fixture->module, ".text", MODULE), 0);
	assert_int_equal(kct_symbolizer_add_image(symbolizer, fixture->module, "mod", &error),
			 KCT_ERR_ARGUMENT);
	kct_symbolizer_free(NULL);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(test_lookup),
		WITH_FIXTURE(test_slide),
		WITH_FIXTURE(test_slide_into_vmlinux),
		WITH_FIXTURE(test_overlap_first_added_wins),
		WITH_FIXTURE(test_identity),
		WITH_FIXTURE(test_identity_under_slide),
		WITH_FIXTURE(test_kallsyms),
		WITH_FIXTURE(test_kallsyms_slide_and_stripped),
		WITH_FIXTURE(test_low_kernel),
		WITH_FIXTURE(test_batch),
		WITH_FIXTURE(test_rules_of_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
