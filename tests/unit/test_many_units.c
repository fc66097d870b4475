/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image of as many units as a kernel has, and what damage does to one. Every unit has four functions of
 * 64 bytes; in each, from byte 16 to 32, function `leaf` is inlined at line 77 of the unit's file. Line
 * 100 + n belongs to bytes 16 * n of the unit.
 */
#include "unit/check.h"

#include <sys/time.h>

#include <kcovtrace/image.h>
#include <kcovtrace/symbolizer.h>

#include "base/macros.h"
#include "unit/elf_image.h"

#define BASE	       0xffffffff81000000u
#define FUNCTIONS      4u
#define FUNCTION_BYTES 64u
#define UNIT_BYTES     (FUNCTIONS * FUNCTION_BYTES)
#define ROWS	       (UNIT_BYTES / 16)

static const struct elf_image little = {0};

struct parts {
	struct elf_bytes info, abbrev, line, str, text;
};

/* A declaration: code, tag, children, pairs of attribute and form. */
static void put_abbrev(struct parts *p)
{
	static const uint8_t bytes[] = {
		1,    0x11, 1,	  0x03, 0x0e, 0x11, 0x01, 0x12, 0x06, 0x10, 0x17, 0x13, 0x0b, 0,
		0,    2,    0x2e, 0,	0x03, 0x0e, 0,	  0, /* an abstract function */
		3,    0x2e, 1,	  0x03, 0x0e, 0x11, 0x01, 0x12, 0x06, 0,    0,	  4,	0x1d, 0,
		0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0x58, 0x0b, 0x59, 0x0b, 0,	  0,	0};

	elf_put_bytes(&p->abbrev, bytes, sizeof(bytes));
}

static void put_name(struct parts *p, const char *kind, unsigned unit, unsigned function)
{
	char name[48];

	snprintf(name, sizeof(name), "%s_%u_%u", kind, unit, function);
	elf_put(&p->info, &little, elf_put_string(&p->str, name), 4);
}

/* A line program of one sequence: a row each 16 bytes, one line further each. */
static void put_lines(struct parts *p, uint64_t start)
{
	static const uint8_t header[] = {4, 0, 27, 0, 0, 0, 1, 1, 1,   0xfb, 14,  13, 0, 1, 1, 1, 1,
					 0, 0, 0,  1, 0, 0, 1, 0, 'u', '.',  'c', 0,  0, 0, 0, 0};
	struct elf_bytes b = {0};

	elf_put_bytes(&b, header, sizeof(header));
	elf_put(&b, &little, 0x020900, 3); /* set_address */
	elf_put(&b, &little, start, 8);
	elf_put(&b, &little, 0x00e303, 3); /* advance_line 99 */
	for (unsigned i = 0; i < ROWS; i++) {
		elf_put(&b, &little, 1, 1);	     /* copy */
		elf_put(&b, &little, 0x01031002, 4); /* advance_pc 16, advance_line 1 */
	}
	elf_put(&b, &little, 0x010100, 3); /* end_sequence */
	elf_put(&p->line, &little, b.n, 4);
	elf_put_bytes(&p->line, b.data, b.n);
	free(b.data);
}

static void put_function(struct parts *p, unsigned unit, unsigned i, uint32_t origin)
{
	uint64_t start = BASE + unit * UNIT_BYTES + i * FUNCTION_BYTES;

	elf_put(&p->info, &little, 3, 1);
	put_name(p, "function", unit, i);
	elf_put(&p->info, &little, start, 8);
	elf_put(&p->info, &little, FUNCTION_BYTES, 4);
	elf_put(&p->info, &little, 4, 1);
	elf_put(&p->info, &little, origin, 4);
	elf_put(&p->info, &little, start + 16, 8);
	elf_put(&p->info, &little, 16, 4);
	elf_put(&p->info, &little, 1, 1); /* call file, line */
	elf_put(&p->info, &little, 77, 1);
	elf_put(&p->info, &little, 0, 1);
}

static void put_unit(struct parts *p, unsigned unit)
{
	uint64_t start = p->info.n, length;
	uint32_t origin;

	elf_put(&p->info, &little, 0, 4);
	elf_put(&p->info, &little, 4, 2);
	elf_put(&p->info, &little, 0, 4);
	elf_put(&p->info, &little, 8, 1);
	elf_put(&p->info, &little, 1, 1);
	put_name(p, "unit", unit, 0);
	elf_put(&p->info, &little, BASE + unit * UNIT_BYTES, 8);
	elf_put(&p->info, &little, UNIT_BYTES, 4);
	elf_put(&p->info, &little, p->line.n, 4);
	elf_put(&p->info, &little, 0x0c, 1); /* C99 */
	origin = (uint32_t)(p->info.n - start);
	elf_put(&p->info, &little, 2, 1);
	put_name(p, "leaf", unit, 0);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		put_function(p, unit, i, origin);
	elf_put(&p->info, &little, 0, 1);
	length = p->info.n - start - 4;
	memcpy(p->info.data + start, &length, 4);
	put_lines(p, BASE + unit * UNIT_BYTES);
}

/* Offsets of the debug sections in the file, for damage: they lie between these. */
struct made {
	struct elf_bytes file;
	size_t debug_start;
	size_t debug_end;
};

static struct made make(unsigned n_units)
{
	struct parts p = {{0}, {0}, {0}, {0}, {0}};
	struct made made = {{0}, 0, 0};

	put_abbrev(&p);
	for (unsigned i = 0; i < n_units; i++)
		put_unit(&p, i);
	{
		const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
		const struct elf_section sections[] = {
			{".text", SHT_NOBITS, code, BASE, n_units * UNIT_BYTES, NULL, 0},
			{".debug_info", SHT_PROGBITS, 0, 0, p.info.n, p.info.data, 0},
			{".debug_abbrev", SHT_PROGBITS, 0, 0, p.abbrev.n, p.abbrev.data, 0},
			{".debug_line", SHT_PROGBITS, 0, 0, p.line.n, p.line.data, 0},
			{".debug_str", SHT_PROGBITS, 0, 0, p.str.n, p.str.data, 0},
			{NULL, 0, 0, 0, 0, NULL, 0}};
		const struct elf_symbol symbols[] = {
			{"whole", BASE, n_units * UNIT_BYTES, STB_GLOBAL, STT_FUNC, 1},
			{NULL, 0, 0, 0, 0, 0}};
		const struct elf_image image = {.sections = sections, .symbols = symbols};

		made.file = elf_make(&image);
	}
	made.debug_start = 64;
	made.debug_end = 64 + p.info.n + p.abbrev.n + p.line.n + p.str.n;
	free(p.info.data);
	free(p.abbrev.data);
	free(p.line.data);
	free(p.str.data);
	return made;
}

static struct kct_symbolizer *symbolizer_of(struct kct_image *image)
{
	struct kct_symbolizer *symbolizer = NULL;

	assert_int_equal(kct_symbolizer_new(&symbolizer), 0);
	assert_int_equal(kct_symbolizer_add_image(symbolizer, image, "vmlinux", NULL), 0);
	return symbolizer;
}

/* What the file says of an address. */
static void check_symbol(const struct kct_symbol *symbol, unsigned unit, unsigned offset)
{
	bool inlined = offset % FUNCTION_BYTES / 16 == 1;
	char name[32];

	snprintf(name, sizeof(name), "function_%u_%u", unit, offset / FUNCTION_BYTES);
	assert_string_equal(symbol->function, name);
	assert_int_equal(symbol->size, FUNCTION_BYTES);
	assert_int_equal(symbol->n_frames, inlined ? 2 : 1);
	assert_int_equal(symbol->frames[0].line, 100 + offset / 16);
	assert_string_equal(symbol->frames[0].raw_file, "u.c");
	if (!inlined)
		return;
	snprintf(name, sizeof(name), "leaf_%u_0", unit);
	assert_string_equal(symbol->frames[0].function, name);
	assert_int_equal(symbol->frames[1].line, 77);
}

/* Largest number of KiB that this process had in memory so far. */
static size_t peak_kib(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	size_t kib = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %zu", &kib) == 1)
			break;
	fclose(file);
	return kib;
}

/* docs/symbols.md states: 2,000 units, 200,000 addresses: 128 MiB. Sanitizers take a multiple. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_KIB (4 * 128 * 1024u)
#else
#define LIMIT_KIB (128 * 1024u)
#endif

static void look_up_all(unsigned n_units, size_t n, unsigned threads)
{
	struct made made = make(n_units);
	uint64_t *pcs = calloc(n, sizeof(*pcs));
	const struct kct_symbol **symbols = calloc(n, sizeof(*symbols));
	size_t before, range = (size_t)n_units * UNIT_BYTES;
	struct kct_symbolizer *symbolizer;
	struct kct_image *image;

	assert_true(pcs && symbols);
	assert_int_equal(kct_image_open_memory(made.file.data, made.file.n, "many", &image, NULL),
			 0);
	symbolizer = symbolizer_of(image);
	assert_int_equal(kct_symbolizer_set_threads(symbolizer, threads), 0);
	/* Not in order: 7919 is prime to the number of addresses. */
	for (size_t i = 0; i < n; i++)
		pcs[i] = BASE + i * 7919 % range;
	before = peak_kib();
	assert_int_equal(
		kct_symbolizer_batch(symbolizer, pcs, n, KCT_PC_CALL, NULL, NULL, symbols, NULL),
		0);
	assert_in_range(peak_kib() - before, 0, LIMIT_KIB);
	for (size_t i = 0; i < n; i++)
		check_symbol(symbols[i], (unsigned)((pcs[i] - BASE) / UNIT_BYTES),
			     (unsigned)((pcs[i] - BASE) % UNIT_BYTES));
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
	free(made.file.data);
	free(symbols);
	free(pcs);
}

static void test_many_units(void **state)
{
	(void)state;
	look_up_all(2000, 200000, 1);
}

static void test_threads(void **state)
{
	static const unsigned threads[] = {0, 2, 3, 8, 1000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		look_up_all(40, 3000, threads[i]);
		look_up_all(1, 100, threads[i]);
	}
}

/* Single look-ups keep units within bounds and read them again: the answers stay. */
static void test_one_at_a_time(void **state)
{
	struct made made = make(50);
	struct kct_symbolizer *symbolizer;
	struct kct_image *image;

	(void)state;
	assert_int_equal(kct_image_open_memory(made.file.data, made.file.n, "many", &image, NULL),
			 0);
	symbolizer = symbolizer_of(image);
	for (unsigned i = 0; i < 2000; i++) {
		unsigned offset = i * 7919 % (50 * UNIT_BYTES);
		const struct kct_symbol *symbol = NULL;

		assert_int_equal(kct_symbolizer_lookup(symbolizer, BASE + offset, KCT_PC_CALL,
						       &symbol, NULL),
				 0);
		check_symbol(symbol, offset / UNIT_BYTES, offset % UNIT_BYTES);
	}
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
	free(made.file.data);
}

/* Any answer will do. Returns how many of the addresses got a name, and why debug information is bad. */
static size_t survive(const void *data, size_t n, unsigned n_units, enum kct_debug_status *status)
{
	const struct kct_symbol *symbols[256];
	struct kct_symbolizer *symbolizer;
	struct kct_error error = {0};
	struct kct_image *image;
	uint64_t pcs[256];
	size_t named = 0;

	*status = KCT_DEBUG_BROKEN;
	if (kct_image_open_memory(data, n, "damaged", &image, &error) < 0) {
		assert_true(error.text[0] != '\0');
		return 0;
	}
	symbolizer = symbolizer_of(image);
	for (size_t i = 0; i < ARRAY_SIZE(pcs); i++)
		pcs[i] = BASE + i * 64 % (n_units * UNIT_BYTES);
	assert_int_equal(kct_symbolizer_batch(symbolizer, pcs, ARRAY_SIZE(pcs), KCT_PC_CALL, NULL,
					      NULL, symbols, NULL),
			 0);
	for (size_t i = 0; i < ARRAY_SIZE(pcs); i++)
		named += symbols[i]->function != NULL;
	*status = kct_image_debug_status(image, NULL);
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
	return named;
}

/* So many seconds of the processor the damaged images of a test may take together, or it is killed. */
#define PATIENCE_SECONDS 60

static void be_patient(long seconds)
{
	const struct itimerval limit = {.it_value = {.tv_sec = seconds}};

	assert_int_equal(setitimer(ITIMER_PROF, &limit, NULL), 0);
}

static uint32_t next_random(uint32_t *random)
{
	*random = *random * 1664525 + 1013904223;
	return *random >> 8;
}

static void test_cut(void **state)
{
	struct made made = make(20);
	enum kct_debug_status status;
	uint32_t random = 50;

	(void)state;
	be_patient(PATIENCE_SECONDS);
	for (int i = 0; i < 50; i++) {
		size_t n = next_random(&random) % made.file.n;
		uint8_t *part = malloc(n + 1);

		assert_non_null(part);
		memcpy(part, made.file.data, n);
		survive(part, n, 20, &status);
		assert_int_not_equal(status, KCT_DEBUG_DWARF);
		free(part);
	}
	be_patient(0);
	free(made.file.data);
}

static void test_flipped(void **state)
{
	struct made made = make(20);
	enum kct_debug_status status;
	size_t named = 0;

	(void)state;
	be_patient(PATIENCE_SECONDS);
	for (uint32_t seed = 0; seed < 40; seed++) {
		uint8_t *bad = malloc(made.file.n);
		uint32_t random = seed;

		assert_non_null(bad);
		memcpy(bad, made.file.data, made.file.n);
		/* From one byte to 500 of them. */
		for (unsigned i = 0; i < 1 + 500 * seed / 39; i++)
			bad[made.debug_start +
			    next_random(&random) % (made.debug_end - made.debug_start)] ^=
				(uint8_t)(1 << next_random(&random) % 8);
		/* Whatever is lost, the symbol is there. */
		assert_int_equal(survive(bad, made.file.n, 20, &status), 256);
		named++;
		free(bad);
	}
	be_patient(0);
	assert_int_equal(named, 40);
	free(made.file.data);
}

/* A unit that claims 2^63 bytes: what is in it can be read, and something is said. */
static void test_endless_unit(void **state)
{
	struct made made = make(1);
	static const uint8_t length[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0x80};
	enum kct_debug_status status;
	struct kct_image *image;
	const char *reason;

	(void)state;
	be_patient(PATIENCE_SECONDS);
	memcpy(made.file.data + made.debug_start, length, sizeof(length));
	assert_int_equal(survive(made.file.data, made.file.n, 1, &status), 256);
	assert_int_equal(
		kct_image_open_memory(made.file.data, made.file.n, "endless", &image, NULL), 0);
	kct_image_debug_status(image, &reason);
	assert_non_null(strstr(reason, "unit 0"));
	kct_image_free(image);
	be_patient(0);
	free(made.file.data);
}

/* The origin of a function's only inlined call is that call itself. */
static void test_origin_of_itself(void **state)
{
	/* Of the first unit: header, its entry, leaf, the first function up to its inlined call. */
	const uint32_t call = 11 + 1 + 4 + 8 + 4 + 4 + 1 + 5 + 1 + 4 + 8 + 4;
	struct made made = make(1);
	const struct kct_symbol *symbol = NULL;
	struct kct_symbolizer *symbolizer;
	struct kct_image *image;

	(void)state;
	assert_int_equal(made.file.data[made.debug_start + call], 4);
	memcpy(made.file.data + made.debug_start + call + 1, &call, 4);
	be_patient(PATIENCE_SECONDS);
	assert_int_equal(kct_image_open_memory(made.file.data, made.file.n, "origin", &image, NULL),
			 0);
	symbolizer = symbolizer_of(image);
	assert_int_equal(kct_symbolizer_lookup(symbolizer, BASE + 20, KCT_PC_CALL, &symbol, NULL),
			 0);
	assert_int_equal(symbol->n_frames, 2);
	assert_null(symbol->frames[0].function);
	assert_string_equal(symbol->function, "function_0_0");
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
	be_patient(0);
	free(made.file.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_units),	 cmocka_unit_test(test_threads),
		cmocka_unit_test(test_one_at_a_time),	 cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flipped),		 cmocka_unit_test(test_endless_unit),
		cmocka_unit_test(test_origin_of_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
