/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images with debug information, made by the compiler and binutils of the
 * machine when the test runs: relocated modules, linked images, and what is
 * left when something is removed. #line gives every function its line, nm its
 * address.
 */
#include "check.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kcovtrace/file.h>
#include <kcovtrace/symbolizer.h>

#include "base/macros.h"
#include "debug_sources.h"

#define TEXT 0xffffffffc0000000u
#define INIT 0xffffffffc0100000u
#define EXIT 0xffffffffc0200000u

#define CFLAGS                                                          \
	"-g -O1 -ffreestanding -fno-pic -fno-pie -fcf-protection=none " \
	"-fno-asynchronous-unwind-tables -fdebug-prefix-map=\"$PWD\"=/src/linux"

struct work {
	char directory[32];
};

static bool run(const struct work *work, const char *format, ...) KCT_PRINTF(2, 3);

/** Run a shell command in the work directory; false if it failed. */
static bool run(const struct work *work, const char *format, ...)
{
	char command[1024];
	va_list args;
	int used;

	used = snprintf(command, sizeof(command), "cd %s && ", work->directory);
	va_start(args, format);
	vsnprintf(command + used, sizeof(command) - (size_t)used, format, args);
	va_end(args);
	strncat(command, " 2>/dev/null", sizeof(command) - strlen(command) - 1);
	return system(command) == 0;
}

static void must_run(const struct work *work, const char *command)
{
	if (!run(work, "%s", command))
		fail_msg("failed: %s", command);
}

static void write_file(const struct work *work, const char *name, const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", work->directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int setup(void **state)
{
	static struct work work;

	snprintf(work.directory, sizeof(work.directory), "/tmp/kct-debug-XXXXXX");
	assert_non_null(mkdtemp(work.directory));
	write_file(&work, "one.c", one_c);
	write_file(&work, "two.c", two_c);
	write_file(&work, "split.c", split_c);
	write_file(&work, "code.S", code_s);
	*state = &work;
	return 0;
}

static int teardown(void **state)
{
	const struct work *work = *state;

	run(work, "rm -rf %s", work->directory);
	return 0;
}

/** The address nm prints for a symbol. */
static uint64_t nm(const struct work *work, const char *file, const char *symbol)
{
	unsigned long long address = 0;
	char command[256];
	FILE *pipe;

	snprintf(command, sizeof(command), "nm %s/%s | awk '$3 == \"%s\" { print $1 }'",
		 work->directory, file, symbol);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	if (fscanf(pipe, "%llx", &address) != 1)
		fail_msg("no symbol %s in %s", symbol, file);
	pclose(pipe);
	return address;
}

static struct kct_image *open_file(const struct work *work, const char *name)
{
	struct kct_image *image = NULL;
	struct kct_error error;
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", work->directory, name);
	if (kct_image_open(path, &image, &error) < 0)
		fail_msg("%s", error.text);
	return image;
}

static struct kct_symbolizer *symbolizer_of(struct kct_image *image, const char *name)
{
	struct kct_symbolizer *symbolizer = NULL;
	struct kct_error error;

	assert_int_equal(kct_symbolizer_new(&symbolizer), 0);
	if (kct_symbolizer_add_image(symbolizer, image, name, &error) < 0)
		fail_msg("%s", error.text);
	return symbolizer;
}

static const struct kct_symbol *look(struct kct_symbolizer *symbolizer, uint64_t pc)
{
	const struct kct_symbol *symbol = NULL;

	assert_int_equal(kct_symbolizer_lookup(symbolizer, pc, KCT_PC_CALL, &symbol, NULL), 0);
	return symbol;
}

/** One frame; `function` and `file` may be NULL. */
static void check_frame(const char *row, const struct kct_symbol *symbol, size_t i,
			const char *function, const char *raw_file, uint32_t line)
{
	const struct kct_symbol_frame *frame = &symbol->frames[i];

	CHECK(row, symbol->n_frames > i);
	CHECK(row, !frame->function == !function);
	if (function)
		CHECK_STR(row, frame->function, function);
	if (raw_file)
		CHECK_STR(row, frame->raw_file, raw_file);
	CHECK_EQ(row, frame->line, line);
}

static const char *const builds[] = {
	"gcc -gdwarf-5",   "gcc -gdwarf-4",	     "clang -gdwarf-5",
	"clang -gdwarf-4", "gcc -gdwarf-5 -gz=zlib", "gcc -gdwarf-4 -gz=zlib-gnu",
};

static bool build_module(const struct work *work, const char *compiler)
{
	return run(work,
		   "%s " CFLAGS " -c one.c -o one.o && %s " CFLAGS " -c two.c -o two.o && "
		   "ld -r one.o two.o -o mod.ko",
		   compiler, compiler);
}

/** What mod.ko must give when all its sections have addresses. */
static void check_module(const char *row, struct kct_symbolizer *symbolizer, uint64_t second)
{
	const struct kct_symbol *symbol = look(symbolizer, TEXT);
	bool inlined = false;

	check_frame(row, symbol, symbol->n_frames - 1, "run", "/src/linux/fs/one.c", 102);
	CHECK_STR(row, symbol->module, "mod");
	CHECK_EQ(row, symbol->start, TEXT);
	CHECK_EQ(row, symbol->reason, KCT_SYMBOL_NONE);
	for (uint64_t pc = TEXT; pc < TEXT + symbol->size; pc++) {
		symbol = look(symbolizer, pc);
		if (symbol->n_frames < 2)
			continue;
		inlined = true;
		check_frame(row, symbol, 0, "twice", "/src/linux/./include/twice.h", 50);
		CHECK_STR(row, symbol->frames[0].file, "/src/linux/include/twice.h");
		check_frame(row, symbol, 1, "run", "/src/linux/fs/one.c", 103);
	}
	CHECK(row, inlined);
	check_frame(row, look(symbolizer, INIT), 0, "start", "/src/linux/fs/one.c", 202);
	check_frame(row, look(symbolizer, EXIT), 0, "stop", "/src/linux/fs/one.c", 302);
	check_frame(row, look(symbolizer, TEXT + second), 0, "second_unit", "/opt/two.c", 402);
}

static void test_module(void **state)
{
	const struct work *work = *state;
	size_t n_built = 0;

	for (size_t i = 0; i < ARRAY_SIZE(builds); i++) {
		struct kct_image *image;
		struct kct_symbolizer *symbolizer;

		if (!build_module(work, builds[i]))
			continue;
		n_built++;
		image = open_file(work, "mod.ko");
		CHECK_EQ(builds[i], kct_image_debug_status(image, NULL), KCT_DEBUG_DWARF);
		assert_int_equal(kct_image_set_section(image, ".text", TEXT), 0);
		assert_int_equal(kct_image_set_section(image, ".init.text", INIT), 0);
		assert_int_equal(kct_image_set_section(image, ".exit.text", EXIT), 0);
		symbolizer = symbolizer_of(image, "mod");
		check_module(builds[i], symbolizer, nm(work, "mod.ko", "second_unit"));
		CHECK_EQ(builds[i], kct_image_debug_status(image, NULL), KCT_DEBUG_DWARF);
		kct_symbolizer_free(symbolizer);
		kct_image_free(image);
	}
	if (n_built == 0)
		skip();
}

/* Relocation is libdwfl's work, which knows each machine's types: 32 bit, big endian, RISC-V pairs. */
static void test_modules_of_other_machines(void **state)
{
	static const struct {
		const char *target;
		uint64_t text;
	} rows[] = {
		{"aarch64-linux-gnu", TEXT},	{"s390x-linux-gnu", TEXT},
		{"riscv64-linux-gnu", TEXT},	{"powerpc64le-linux-gnu", TEXT},
		{"i386-linux-gnu", 0xc0000000}, {"arm-linux-gnueabi", 0xc0000000},
	};
	const struct work *work = *state;
	size_t n_built = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_symbolizer *symbolizer;
		const struct kct_symbol *symbol;
		struct kct_image *image;

		if (!run(work,
			 "clang --target=%s -g -O1 -ffreestanding -fno-pic -c one.c -o other.o",
			 rows[i].target))
			continue;
		n_built++;
		image = open_file(work, "other.o");
		assert_int_equal(kct_image_set_section(image, ".text", rows[i].text), 0);
		symbolizer = symbolizer_of(image, "mod");
		symbol = look(symbolizer, rows[i].text);
		CHECK_STR(rows[i].target, symbol->symbol, "run");
		CHECK_EQ(rows[i].target, symbol->start, rows[i].text);
		CHECK(rows[i].target, symbol->n_frames > 0);
		CHECK_STR(rows[i].target, symbol->frames[symbol->n_frames - 1].function, "run");
		CHECK(rows[i].target, symbol->frames[symbol->n_frames - 1].line >= 100 &&
					      symbol->frames[symbol->n_frames - 1].line <= 103);
		kct_symbolizer_free(symbolizer);
		kct_image_free(image);
	}
	if (n_built == 0)
		skip();
}

/* Only .text is known: the rest of the module is nowhere, and not at its invented addresses. */
static void test_module_with_text_only(void **state)
{
	const struct work *work = *state;
	struct kct_symbolizer *symbolizer;
	struct kct_image *image;

	if (!build_module(work, "gcc"))
		skip();
	image = open_file(work, "mod.ko");
	assert_int_equal(kct_image_set_section(image, ".text", TEXT), 0);
	symbolizer = symbolizer_of(image, "mod");
	check_frame("text", look(symbolizer, TEXT), 0, "run", "/src/linux/fs/one.c", 102);
	for (uint64_t pc = 0; pc < 0x40000; pc += 4)
		assert_null(look(symbolizer, pc)->function);
	assert_int_equal(look(symbolizer, INIT)->reason, KCT_SYMBOL_NO_IMAGE);
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
}

/* Relocating must not write to the caller's bytes. */
static void test_module_in_memory(void **state)
{
	const struct work *work = *state;
	struct kct_symbolizer *symbolizer;
	struct kct_image *image = NULL;
	struct kct_file *file = NULL;
	const void *bytes;
	char path[64];
	void *before;
	size_t n;

	if (!build_module(work, "gcc"))
		skip();
	snprintf(path, sizeof(path), "%s/mod.ko", work->directory);
	assert_int_equal(kct_file_open(path, &file, NULL), 0);
	bytes = kct_file_data(file, &n);
	before = malloc(n);
	assert_non_null(before);
	memcpy(before, bytes, n);
	assert_int_equal(kct_image_open_memory(bytes, n, "mod", &image, NULL), 0);
	assert_int_equal(kct_image_set_section(image, ".text", TEXT), 0);
	symbolizer = symbolizer_of(image, "mod");
	check_frame("text", look(symbolizer, TEXT), 0, "run", "/src/linux/fs/one.c", 102);
	assert_memory_equal(bytes, before, n);
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
	kct_file_free(file);
	free(before);
}

/* The debug half of a module: .text has no contents there, but a size and an address. */
static void test_only_keep_debug(void **state)
{
	const struct work *work = *state;
	struct kct_symbolizer *symbolizer;
	struct kct_image *image;

	if (!build_module(work, "gcc"))
		skip();
	must_run(work, "objcopy --only-keep-debug mod.ko mod.debug");
	image = open_file(work, "mod.debug");
	assert_int_equal(kct_image_set_section(image, ".text", TEXT), 0);
	symbolizer = symbolizer_of(image, "mod");
	check_frame("text", look(symbolizer, TEXT), 0, "run", "/src/linux/fs/one.c", 102);
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
}

#define LINK "gcc -nostdlib -static -Wl,--build-id=0xabcdef -Wl,-Ttext=0x81000000 "

static bool build_linked(const struct work *work)
{
	return run(work,
		   "gcc " CFLAGS " -O2 -c split.c -o split.o && gcc -g -c code.S -o code.o && "
		   "gcc " CFLAGS " -c two.c -o two.o") &&
	       run(work, LINK "split.o code.o two.o -o vmlinux") &&
	       run(work, LINK "-Wl,--emit-relocs split.o code.o two.o -o emit");
}

static void check_linked(const struct work *work, const char *name)
{
	struct kct_image *image = open_file(work, name);
	struct kct_symbolizer *symbolizer = symbolizer_of(image, "vmlinux");
	const struct kct_symbol *hot, *cold, *code;
	uint64_t asm_code = nm(work, name, "asm_code");

	assert_int_equal(kct_image_debug_status(image, NULL), KCT_DEBUG_DWARF);
	check_frame(name, look(symbolizer, nm(work, name, "second_unit")), 0, "second_unit",
		    "/opt/two.c", 402);
	hot = look(symbolizer, nm(work, name, "split"));
	check_frame(name, hot, 0, "split", "/src/linux/split.c", 502);
	cold = look(symbolizer, nm(work, name, "split.cold"));
	CHECK_STR(name, cold->function, "split");
	CHECK_STR(name, cold->symbol, "split.cold");
	CHECK_EQ(name, cold->identity, hot->identity);
	CHECK_EQ(name, cold->start, nm(work, name, "split.cold"));
	CHECK_EQ(name, cold->offset, 0);
	/* A line, and the function only by its symbol. */
	code = look(symbolizer, asm_code);
	check_frame(name, code, 0, "asm_code", NULL, 10);
	CHECK_STR(name, code->function, "asm_code");
	CHECK_EQ(name, code->size, 4);
	/* A line, and nothing that names the function. */
	code = look(symbolizer, asm_code + 4);
	check_frame(name, code, 0, NULL, NULL, 12);
	CHECK(name, !code->function && !code->symbol && code->identity == 0);
	CHECK_EQ(name, code->reason, KCT_SYMBOL_NO_SYMBOL);
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
}

static void test_linked(void **state)
{
	const struct work *work = *state;
	const uint8_t id[] = {0xab, 0xcd, 0xef};
	struct kct_image *image;
	const uint8_t *build_id;
	size_t n;

	if (!build_linked(work))
		skip();
	check_linked(work, "vmlinux");
	/* Relocations that the linker kept are applied already. */
	check_linked(work, "emit");
	image = open_file(work, "vmlinux");
	build_id = kct_image_build_id(image, &n);
	assert_int_equal(n, sizeof(id));
	assert_memory_equal(build_id, id, n);
	kct_image_free(image);
}

/* Line 0 is the compiler's way to say that there is none. gas drops it, clang's assembler does not. */
static void test_line_0(void **state)
{
	const struct work *work = *state;
	struct kct_symbolizer *symbolizer;
	const struct kct_symbol *symbol;
	struct kct_image *image;

	write_file(work, "zero.c", "void zero_line(void)\n{\n#line 0 \"zero.c\"\n" NOP "}\n");
	if (!run(work, "clang -w " CFLAGS " -c zero.c -o zero.o && " LINK "-Wl,-e0 zero.o -o x"))
		skip();
	image = open_file(work, "x");
	symbolizer = symbolizer_of(image, "vmlinux");
	symbol = look(symbolizer, nm(work, "x", "zero_line"));
	check_frame("line 0", symbol, 0, "zero_line", NULL, 0);
	assert_int_equal(symbol->frames[0].column, 0);
	assert_int_equal(symbol->reason, KCT_SYMBOL_NO_LINE);
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
}

/* Without DWARF the symbols still join the parts of a function. */
static void test_stripped(void **state)
{
	const struct work *work = *state;
	struct kct_symbolizer *symbolizer;
	const struct kct_symbol *hot, *cold;
	struct kct_image *image;
	const char *reason;

	if (!build_linked(work))
		skip();
	must_run(work, "strip -g vmlinux -o stripped");
	image = open_file(work, "stripped");
	assert_int_equal(kct_image_debug_status(image, &reason), KCT_DEBUG_ABSENT);
	assert_non_null(strstr(reason, ".debug_info"));
	symbolizer = symbolizer_of(image, "vmlinux");
	hot = look(symbolizer, nm(work, "vmlinux", "split"));
	cold = look(symbolizer, nm(work, "vmlinux", "split.cold"));
	assert_string_equal(hot->function, "split");
	assert_string_equal(cold->function, "split");
	assert_int_equal(hot->identity, cold->identity);
	assert_int_equal(hot->reason, KCT_SYMBOL_NO_DEBUG);
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
}

static void test_removed_or_unreadable(void **state)
{
	static const struct {
		const char *name, *command;
		int status; /* -1: depends on the version of libelf */
		const char *says;
	} rows[] = {
		{"strip -s", "strip -s vmlinux -o x", KCT_DEBUG_STRIPPED, ".symtab"},
		{"debug link",
		 "objcopy --only-keep-debug vmlinux x.debug && objcopy -g "
		 "--add-gnu-debuglink=x.debug vmlinux x",
		 KCT_DEBUG_STRIPPED, ".gnu_debuglink"},
		{"zlib", "objcopy --compress-debug-sections=zlib vmlinux x", KCT_DEBUG_DWARF, ""},
		{"zstd", "objcopy --compress-debug-sections=zstd vmlinux x", -1, "zstd"},
		{"line table removed", "objcopy -R .debug_line vmlinux x", KCT_DEBUG_DWARF, ""},
		{"no abbreviations", "objcopy -R .debug_abbrev vmlinux x", KCT_DEBUG_STRIPPED,
		 ".debug_abbrev"},
	};
	const struct work *work = *state;

	if (!build_linked(work))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_symbolizer *symbolizer;
		struct kct_image *image;
		const char *reason = NULL;
		int status;

		if (!run(work, "%s", rows[i].command))
			continue;
		image = open_file(work, "x");
		status = (int)kct_image_debug_status(image, &reason);
		if (rows[i].status >= 0)
			CHECK_EQ(rows[i].name, status, rows[i].status);
		else
			CHECK(rows[i].name,
			      status == KCT_DEBUG_DWARF || status == KCT_DEBUG_UNSUPPORTED);
		if (status != KCT_DEBUG_DWARF)
			CHECK(rows[i].name, strstr(reason, rows[i].says));
		symbolizer = symbolizer_of(image, "vmlinux");
		if (i > 0)
			CHECK_STR(rows[i].name,
				  look(symbolizer, nm(work, "vmlinux", "split"))->function,
				  "split");
		kct_symbolizer_free(symbolizer);
		kct_image_free(image);
	}
}

/* Split DWARF without its .dwo: said once, and the symbols go on. */
static void test_missing_dwo(void **state)
{
	const struct work *work = *state;
	struct kct_symbolizer *symbolizer;
	struct kct_image *image;
	const char *reason;

	if (!run(work, "gcc " CFLAGS " -gsplit-dwarf -c two.c -o two.o && rm -f two.dwo && " LINK
		       "-Wl,-e0 two.o -o x"))
		skip();
	image = open_file(work, "x");
	symbolizer = symbolizer_of(image, "vmlinux");
	assert_string_equal(look(symbolizer, nm(work, "x", "second_unit"))->function,
			    "second_unit");
	assert_int_equal(kct_image_debug_status(image, &reason), KCT_DEBUG_SPLIT);
	assert_non_null(strstr(reason, ".dwo"));
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
	/* To open a pipe would never end. */
	if (!run(work, "mkfifo two.dwo"))
		skip();
	alarm(60);
	image = open_file(work, "x");
	assert_int_equal(kct_image_debug_status(image, NULL), KCT_DEBUG_SPLIT);
	alarm(0);
	kct_image_free(image);
	run(work, "rm two.dwo");
}

/** Look at some addresses of an image that may be damaged. */
static void look_around(const void *bytes, size_t n, uint64_t base)
{
	struct kct_symbolizer *symbolizer;
	struct kct_image *image;

	if (kct_image_open_memory(bytes, n, "x", &image, NULL) < 0)
		return;
	if (kct_image_is_relocatable(image))
		kct_image_set_section(image, ".text", base);
	assert_int_equal(kct_symbolizer_new(&symbolizer), 0);
	if (kct_symbolizer_add_image(symbolizer, image, "x", NULL) == 0) {
		for (uint64_t pc = base; pc < base + 0x40; pc += 4)
			look(symbolizer, pc);
		kct_image_debug_status(image, NULL);
	}
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
}

/* Bytes overwritten at many places, and the end cut off: no crash, no hang. */
static void test_damaged(void **state)
{
	const struct work *work = *state;
	const struct {
		const char *name;
		uint64_t base;
	} files[] = {{"mod.ko", TEXT}, {"vmlinux", 0x81000000}};

	if (!build_module(work, "gcc") || !build_linked(work))
		skip();
	for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
		struct kct_file *file = NULL;
		const uint8_t *bytes;
		char path[64];
		size_t n;

		snprintf(path, sizeof(path), "%s/%s", work->directory, files[f].name);
		assert_int_equal(kct_file_open(path, &file, NULL), 0);
		bytes = kct_file_data(file, &n);
		for (size_t at = 16; at < n; at += 1 + n / 600) {
			uint8_t *damaged = malloc(n);

			assert_non_null(damaged);
			memcpy(damaged, bytes, n);
			damaged[at] ^= at % 3 == 0 ? 0xff : 0x81;
			look_around(damaged, n, files[f].base);
			free(damaged);
		}
		for (size_t cut = 0; cut < n; cut += 1 + n / 60) {
			uint8_t *part = malloc(cut + 1);

			assert_non_null(part);
			memcpy(part, bytes, cut);
			look_around(part, cut, files[f].base);
			free(part);
		}
		kct_file_free(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_modules_of_other_machines),
		cmocka_unit_test(test_module_with_text_only),
		cmocka_unit_test(test_module_in_memory),
		cmocka_unit_test(test_only_keep_debug),
		cmocka_unit_test(test_linked),
		cmocka_unit_test(test_line_0),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_removed_or_unreadable),
		cmocka_unit_test(test_missing_dwo),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
