/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A real vmlinux, module and kallsyms, from the directory that the environment
 * variable KCT_TRACES names: Linux 7.2.13, x86-64, clang, DWARF 5. What is
 * expected comes from nm and llvm-symbolizer.
 */
#include "check.h"

#include <kcovtrace/file.h>
#include <kcovtrace/symbolizer.h>

#include "base/macros.h"

#define MODULE 0xffffffffc0000000u

struct kernel {
	struct kct_image *vmlinux, *module;
	struct kct_kallsyms *kallsyms;
	struct kct_symbolizer *symbolizer;
};

static struct kct_image *open_image(const char *directory, const char *name)
{
	struct kct_image *image = NULL;
	struct kct_error error;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (kct_image_open(path, &image, &error) < 0)
		fail_msg("%s", error.text);
	return image;
}

static struct kct_kallsyms *open_kallsyms(const char *directory)
{
	struct kct_kallsyms *kallsyms = NULL;
	struct kct_file *file = NULL;
	const void *text;
	char path[512];
	size_t bytes;

	snprintf(path, sizeof(path), "%s/kallsyms", directory);
	assert_int_equal(kct_file_open(path, &file, NULL), 0);
	text = kct_file_data(file, &bytes);
	assert_int_equal(kct_kallsyms_parse(text, bytes, &kallsyms, NULL), 0);
	kct_file_free(file);
	return kallsyms;
}

static int setup(void **state)
{
	const char *directory = getenv("KCT_TRACES");
	static struct kernel kernel;

	*state = NULL;
	if (!directory)
		return 0;
	kernel.vmlinux = open_image(directory, "vmlinux");
	kernel.module = open_image(directory, "loop.ko");
	kernel.kallsyms = open_kallsyms(directory);
	assert_int_equal(kct_image_set_section(kernel.module, ".text", MODULE), 0);
	assert_int_equal(kct_symbolizer_new(&kernel.symbolizer), 0);
	assert_int_equal(
		kct_symbolizer_add_image(kernel.symbolizer, kernel.vmlinux, "vmlinux", NULL), 0);
	assert_int_equal(kct_symbolizer_add_image(kernel.symbolizer, kernel.module, "loop", NULL),
			 0);
	assert_int_equal(kct_symbolizer_strip_build_dir(kernel.symbolizer, true), 0);
	*state = &kernel;
	return 0;
}

static int teardown(void **state)
{
	struct kernel *kernel = *state;

	if (!kernel)
		return 0;
	kct_symbolizer_free(kernel->symbolizer);
	kct_kallsyms_free(kernel->kallsyms);
	kct_image_free(kernel->vmlinux);
	kct_image_free(kernel->module);
	return 0;
}

static void test_images(void **state)
{
	static const uint8_t id[] = {0x8b, 0xfa, 0xd1, 0xe2, 0x52, 0x07, 0x5f, 0xa5, 0xd0, 0x3a,
				     0x81, 0xf0, 0x87, 0xe3, 0x64, 0xae, 0xa3, 0x74, 0xdf, 0xaf};
	struct kernel *kernel = *state;
	const uint8_t *build_id;
	uint64_t image, running;
	size_t n;

	if (!kernel)
		SKIP("no vmlinux in $KCT_TRACES");
	build_id = kct_image_build_id(kernel->vmlinux, &n);
	assert_int_equal(n, sizeof(id));
	assert_memory_equal(build_id, id, n);
	assert_string_equal(kct_image_module_name(kernel->module), "loop");
	assert_int_equal(kct_image_debug_status(kernel->vmlinux, NULL), KCT_DEBUG_DWARF);
	assert_int_equal(kct_image_debug_status(kernel->module, NULL), KCT_DEBUG_DWARF);
	/* It was booted with nokaslr. */
	assert_int_equal(kct_image_symbol(kernel->vmlinux, "_stext", &image), 0);
	assert_int_equal(kct_kallsyms_symbol(kernel->kallsyms, "_stext", &running), 0);
	assert_true(image == 0xffffffff81000000 && running == image);
}

struct frame {
	const char *function, *file;
	uint32_t line;
};

static void test_addresses(void **state)
{
	static const struct {
		const char *symbol;
		uint64_t pc, start, size;
		size_t n_frames;
		struct frame frames[3];
	} rows[] = {
		{"current_save_fsgs",
		 0xffffffff8127e873,
		 0xffffffff8127e810,
		 0x169,
		 3,
		 {{"_static_cpu_has", "arch/x86/include/asm/cpufeature.h", 101},
		  {"save_fsgs", "arch/x86/kernel/process_64.c", 280},
		  {"current_save_fsgs", "arch/x86/kernel/process_64.c", 304}}},
		{"current_save_fsgs",
		 0xffffffff8127e89f,
		 0xffffffff8127e810,
		 0x169,
		 2,
		 {{"save_fsgs", "arch/x86/kernel/process_64.c", 0},
		  {"current_save_fsgs", "arch/x86/kernel/process_64.c", 304}}},
		{"entry_SYSCALL_64",
		 0xffffffff81000041,
		 0xffffffff81000040,
		 0xae,
		 1,
		 {{"entry_SYSCALL_64", "arch/x86/entry/entry_64.S", 89}}},
		{"lo_ioctl",
		 MODULE + 0x3179,
		 MODULE + 0x2b10,
		 0x1451,
		 2,
		 {{"loop_get_status64", "drivers/block/loop.c", 1396},
		  {"lo_ioctl", "drivers/block/loop.c", 1553}}},
	};
	struct kernel *kernel = *state;

	if (!kernel)
		SKIP("no vmlinux in $KCT_TRACES");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct kct_symbol *symbol;

		assert_int_equal(kct_symbolizer_lookup(kernel->symbolizer, rows[i].pc,
						       KCT_PC_RETURN, &symbol, NULL),
				 0);
		CHECK_STR(rows[i].symbol, symbol->symbol, rows[i].symbol);
		CHECK_EQ(rows[i].symbol, symbol->start, rows[i].start);
		CHECK_EQ(rows[i].symbol, symbol->size, rows[i].size);
		CHECK_EQ(rows[i].symbol, symbol->n_frames, rows[i].n_frames);
		for (size_t k = 0; k < rows[i].n_frames; k++) {
			CHECK_STR(rows[i].symbol, symbol->frames[k].function,
				  rows[i].frames[k].function);
			CHECK_STR(rows[i].symbol, symbol->frames[k].file, rows[i].frames[k].file);
			CHECK_EQ(rows[i].symbol, symbol->frames[k].line, rows[i].frames[k].line);
		}
	}
}

/* The kernel's own symbol list agrees with the image on where functions begin. */
static void test_against_kallsyms(void **state)
{
	struct kernel *kernel = *state;
	const struct kct_image_function *functions;
	size_t n, n_same = 0;

	if (!kernel)
		SKIP("no vmlinux in $KCT_TRACES");
	assert_int_equal(kct_image_functions(kernel->vmlinux, &functions, &n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		uint64_t address;

		if (i % 97 == 0 &&
		    kct_kallsyms_symbol(kernel->kallsyms, functions[i].name, &address) == 0)
			n_same += address == functions[i].address;
	}
	/* Names that are not unique, and init code that is gone, make up the rest. */
	assert_true(n_same > n / 97 * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_images),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_against_kallsyms),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
