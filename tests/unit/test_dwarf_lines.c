/* SPDX-License-Identifier: BSD-2-Clause */
/* Line number programs as bytes; expectations by hand. */
#include "unit/check.h"

#include "dwarf/reader.h"

/* Operations of a line number program. */
#define SET_ADDRESS(a) 0, 9, 2, (a)&0xff, (a) >> 8 & 0xff, 0, 0, 0, 0, 0, 0
#define COPY	       1
#define ADVANCE_PC(n)  2, (n)
#define LINE(n)	       3, (n)&0x7f /* advance_line by -64 to 63 */
#define SET_FILE(n)    4, (n)
#define END	       0, 1, 1

#define MAX_TABLE 512

struct bytes {
	uint8_t at[MAX_TABLE];
	size_t n;
};

static void put(struct bytes *bytes, const void *from, size_t n)
{
	assert_true(bytes->n + n <= MAX_TABLE);
	memcpy(bytes->at + bytes->n, from, n);
	bytes->n += n;
}

#define PUT(bytes, ...)                                 \
	do {                                            \
		const uint8_t bytes_[] = {__VA_ARGS__}; \
		put((bytes), bytes_, sizeof(bytes_));   \
	} while (0)
#define PUT_STRING(bytes, text) put((bytes), (text), sizeof(text))

/* Version 4: directories include and /abs, four files. */
static struct bytes files_v4(void)
{
	struct bytes b = {.n = 0};

	PUT_STRING(&b, "include");
	PUT_STRING(&b, "/abs/"); /* joined with one slash */
	PUT(&b, 0);
	PUT_STRING(&b, "main.c");
	PUT(&b, 0, 0, 0); /* directory, time, length */
	PUT_STRING(&b, "x.h");
	PUT(&b, 1, 0, 0);
	PUT_STRING(&b, "y.h");
	PUT(&b, 2, 0, 0);
	PUT_STRING(&b, "/root.h");
	PUT(&b, 1, 0, 0);
	PUT(&b, 0);
	return b;
}

/* Version 5: directories /build and include, two files with MD5. */
static struct bytes files_v5(void)
{
	static const uint8_t md5[16] = {1, 2, 3};
	struct bytes b = {.n = 0};

	PUT(&b, 1, 0x01, 0x08, 2); /* one column: path as string; two directories */
	PUT_STRING(&b, "/build");
	PUT_STRING(&b, "include");
	PUT(&b, 3, 0x01, 0x08, 0x02, 0x0f, 0x05, 0x1e, 2); /* path, directory udata, MD5 data16 */
	PUT_STRING(&b, "main.c");
	PUT(&b, 0);
	put(&b, md5, sizeof(md5));
	PUT_STRING(&b, "x.h");
	PUT(&b, 1);
	put(&b, md5, sizeof(md5));
	return b;
}

/* A whole table: header, files, program. line_base -5, line_range 14, opcode_base 13. */
static struct bytes make_table(unsigned version, const struct bytes *files, const uint8_t *program,
			       size_t n_program)
{
	static const uint8_t numbers[] = {1, 1, 1, 0xfb, 14, 13, 0, 1, 1,
					  1, 1, 0, 0,	 0,  1,	 0, 0, 1};
	size_t header = sizeof(numbers) + files->n;
	size_t length = 2 + (version >= 5 ? 2 : 0) + 4 + header + n_program;
	struct bytes b = {.n = 0};

	PUT(&b, length & 0xff, length >> 8, 0, 0, version, 0);
	if (version >= 5)
		PUT(&b, 8, 0);
	PUT(&b, header & 0xff, header >> 8, 0, 0);
	put(&b, numbers, sizeof(numbers));
	put(&b, files->at, files->n);
	put(&b, program, n_program);
	return b;
}

/* Tables over bytes that end where they end, for the sanitizer. */
struct fixture {
	struct kct_dwarf dwarf;
	struct kct_reader *reader;
	struct kct_built *built; /* NULL: the header is of no use */
	uint8_t *copy;
};

static void read_at(struct fixture *f, uint64_t offset, const char *comp_dir)
{
	const struct kct_cu cu = {.encoding = {5, 8, 4}};
	const struct kct_scope scope = {.file = &f->dwarf.image,
					.image = &f->dwarf.image,
					.cu = &cu,
					.has_lines = true,
					.lines = offset,
					.comp_dir = comp_dir};
	struct kct_line_header header;
	int result;

	f->dwarf.linked = true;
	f->dwarf.spare_work = 1000;
	f->reader = kct_reader_new(&f->dwarf);
	assert_non_null(f->reader);
	assert_int_equal(kct_build_reset(&f->reader->build), 0);
	result = kct_line_header_read(f->reader, &scope, &header);
	assert_in_range(result, 0, 1);
	if (result == 0) {
		assert_int_equal(kct_lines_run(f->reader, &header), 0);
		assert_int_equal(kct_build_finish(&f->reader->build, &f->built), 0);
	}
}

static struct fixture read_table(const uint8_t *bytes, size_t n, const char *comp_dir)
{
	struct fixture f = {.built = NULL};

	f.copy = malloc(n + 1);
	assert_non_null(f.copy);
	memcpy(f.copy + 1, bytes, n);
	f.dwarf.image.line = (struct kct_cursor){f.copy + 1, f.copy + 1 + n, false, false};
	read_at(&f, 0, comp_dir);
	return f;
}

/* The row that holds for an address, or NULL. */
static const struct kct_unit_row *find_row(const struct fixture *f, uint64_t address)
{
	struct kct_unit_place place;

	kct_unit_find(&f->built->unit, address, &place);
	return place.row;
}

/* The path of a file by its number in the line table, or NULL. */
static const char *path_of(struct fixture *f, uint32_t number)
{
	struct kct_build *build = &f->reader->build;
	uint16_t file;

	assert_int_equal(kct_reader_file(f->reader, number, &file), 0);
	return file < build->n_files ? build->text + build->files[file] : NULL;
}

static void drop(struct fixture *f)
{
	kct_reader_free(f->reader);
	free(f->built);
	free(f->copy);
}

#define NO_LINE 0xffff

struct program_case {
	const char *name;
	uint8_t program[80];
	size_t n;
	struct {
		uint64_t address;
		uint32_t line; /* NO_LINE: no sequence there */
	} expected[6];
};

#define PROGRAM(...) {__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static const struct program_case programs[] = {
	{"one sequence",
	 PROGRAM(SET_ADDRESS(0x100), LINE(9), COPY, ADVANCE_PC(4), LINE(1), COPY, ADVANCE_PC(4),
		 END),
	 {{0xff, NO_LINE}, {0x100, 10}, {0x103, 10}, {0x104, 11}, {0x107, 11}, {0x108, NO_LINE}}},
	{"second below the first, with a hole",
	 PROGRAM(SET_ADDRESS(0x200), LINE(19), COPY, ADVANCE_PC(8), END, SET_ADDRESS(0x100),
		 LINE(9), COPY, ADVANCE_PC(8), END),
	 {{0x100, 10},
	  {0x107, 10},
	  {0x108, NO_LINE},
	  {0x1ff, NO_LINE},
	  {0x200, 20},
	  {0x208, NO_LINE}}},
	{"end of one is the start of the next",
	 PROGRAM(SET_ADDRESS(0x108), LINE(19), COPY, ADVANCE_PC(8), END, SET_ADDRESS(0x100),
		 LINE(9), COPY, ADVANCE_PC(8), END),
	 {{0x107, 10}, {0x108, 20}}},
	{"row at the end of its sequence counts for nothing",
	 PROGRAM(SET_ADDRESS(0x100), LINE(9), COPY, ADVANCE_PC(8), LINE(60), COPY, END),
	 {{0x107, 10}, {0x108, NO_LINE}, {0x110, NO_LINE}}},
	{"row at the end does not win over the next sequence, stored before",
	 PROGRAM(SET_ADDRESS(0x108), LINE(19), COPY, ADVANCE_PC(8), END, SET_ADDRESS(0x100),
		 LINE(9), COPY, ADVANCE_PC(8), LINE(60), COPY, END),
	 {{0x108, 20}, {0x10f, 20}}},
	{"last of several rows at one address",
	 PROGRAM(SET_ADDRESS(0x100), LINE(9), COPY, LINE(5), COPY, LINE(-3), COPY, ADVANCE_PC(4),
		 END),
	 {{0x100, 12}, {0x103, 12}}},
	{"line 0",
	 PROGRAM(SET_ADDRESS(0x100), LINE(-1), COPY, ADVANCE_PC(4), LINE(7), COPY, ADVANCE_PC(4),
		 END),
	 {{0x100, 0}, {0x104, 7}}},
	{"addresses that go down",
	 PROGRAM(SET_ADDRESS(0x104), LINE(9), COPY, SET_ADDRESS(0x100), LINE(1), COPY,
		 SET_ADDRESS(0x108), END),
	 {{0x100, 11}, {0x103, 11}, {0x104, 10}, {0x107, 10}}},
	{"empty sequence",
	 PROGRAM(SET_ADDRESS(0x100), LINE(9), COPY, END, SET_ADDRESS(0x108), COPY, ADVANCE_PC(4),
		 END),
	 {{0x100, NO_LINE}, {0x104, NO_LINE}, {0x108, 1}}},
	{"sequence of a dropped section",
	 PROGRAM(SET_ADDRESS(0), COPY, ADVANCE_PC(8), END, SET_ADDRESS(4), LINE(1), COPY,
		 ADVANCE_PC(2), END),
	 {{1, NO_LINE}, {4, 2}, {6, NO_LINE}}},
	{"no end: no sequence",
	 PROGRAM(SET_ADDRESS(0x100), LINE(9), COPY, ADVANCE_PC(8), COPY),
	 {{0x100, NO_LINE}}},
	/* 0x4b = 13 + 4 * 14 + 6: address + 4, line + 1; 8: const_add_pc, as 255: + 17; 9: fixed. */
	{"special opcodes",
	 PROGRAM(SET_ADDRESS(0x100), COPY, 0x4b, 8, 0x13, 9, 2, 0, END),
	 {{0x103, 1}, {0x104, 2}, {0x114, 2}, {0x115, 3}, {0x116, 3}, {0x117, NO_LINE}}},
	/* 12: set_isa has an operand, 10: set_prologue_end has none; 0x80: unknown extended. */
	{"operations without effect",
	 PROGRAM(SET_ADDRESS(0x100), 12, 1, 10, 11, 6, 7, 0, 3, 0x80, 1, 1, COPY, ADVANCE_PC(2),
		 END),
	 {{0x100, 1}, {0x101, 1}, {0x102, NO_LINE}}},
};

static void test_programs(void **state)
{
	struct bytes files[2] = {files_v4(), files_v5()};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs) * 2; i++) {
		const struct program_case *row = &programs[i / 2];
		struct bytes table = make_table(4 + i % 2, &files[i % 2], row->program, row->n);
		struct fixture f = read_table(table.at, table.n, "/build");

		assert_non_null(f.built);
		CHECK(row->name, f.reader->complaint[0] == '\0');
		for (size_t j = 0; j < ARRAY_SIZE(row->expected); j++) {
			uint64_t address = row->expected[j].address;
			const struct kct_unit_row *found = find_row(&f, address);

			if (address == 0)
				break;
			CHECK_EQ(row->name, found ? found->line : NO_LINE, row->expected[j].line);
		}
		drop(&f);
	}
}

/* Negates is_stmt, which is set in the beginning: see make_table(). */
#define NEGATE_STMT 6

/* Which rows are kept, and which of them begin a statement. */
static void test_statements(void **state)
{
	static const struct {
		const char *name;
		uint8_t program[80];
		size_t n;
		struct kct_unit_row rows[6]; /* line 0: no more */
	} table[] = {
		{"a statement, and code of its line",
		 PROGRAM(SET_ADDRESS(0x100), LINE(9), COPY, NEGATE_STMT, ADVANCE_PC(4), COPY,
			 ADVANCE_PC(4), COPY, ADVANCE_PC(4), END),
		 {{0, 10, 0, 0, 1}}},
		{"moved code, then the statement",
		 PROGRAM(SET_ADDRESS(0x100), LINE(9), NEGATE_STMT, COPY, ADVANCE_PC(4), NEGATE_STMT,
			 COPY, ADVANCE_PC(4), END),
		 {{0, 10, 0, 0, 0}, {4, 10, 0, 0, 1}}},
		{"a statement at the address of its code",
		 PROGRAM(SET_ADDRESS(0x100), LINE(9), COPY, NEGATE_STMT, COPY, ADVANCE_PC(4), END),
		 {{0, 10, 0, 0, 1}}},
		{"its code in front of which another begins",
		 PROGRAM(SET_ADDRESS(0x100), LINE(9), COPY, LINE(1), COPY, NEGATE_STMT, LINE(-1),
			 COPY, ADVANCE_PC(4), END),
		 {{0, 10, 0, 0, 1}, {0, 11, 0, 0, 1}, {0, 10, 0, 0, 1}}},
		{"statements without code in front of moved code",
		 PROGRAM(SET_ADDRESS(0x100), LINE(9), COPY, LINE(1), COPY, NEGATE_STMT, COPY,
			 LINE(1), COPY, ADVANCE_PC(4), END),
		 {{0, 10, 0, 0, 1}, {0, 11, 0, 0, 1}, {0, 12, 0, 0, 0}}},
		{"moved code at the address of other code is not kept",
		 PROGRAM(SET_ADDRESS(0x100), LINE(9), NEGATE_STMT, COPY, NEGATE_STMT, LINE(1), COPY,
			 ADVANCE_PC(4), END),
		 {{0, 11, 0, 0, 1}}},
		{"each sequence begins as the header says",
		 PROGRAM(SET_ADDRESS(0x100), NEGATE_STMT, COPY, ADVANCE_PC(4), END,
			 SET_ADDRESS(0x104), LINE(1), COPY, ADVANCE_PC(4), END),
		 {{0, 1, 0, 0, 0}, {0, 2, 0, 0, 1}}},
	};
	struct bytes files = files_v4();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct bytes bytes = make_table(4, &files, table[i].program, table[i].n);
		struct fixture f = read_table(bytes.at, bytes.n, "/build");
		const struct kct_unit *unit = &f.built->unit;
		size_t n = 0;

		assert_non_null(f.built);
		for (; n < ARRAY_SIZE(table[i].rows) && table[i].rows[n].line && n < unit->n_rows;
		     n++) {
			CHECK_EQ(table[i].name, unit->rows[n].offset, table[i].rows[n].offset);
			CHECK_EQ(table[i].name, unit->rows[n].line, table[i].rows[n].line);
			CHECK_EQ(table[i].name, unit->rows[n].statement,
				 table[i].rows[n].statement);
		}
		CHECK_EQ(table[i].name, n, unit->n_rows);
		CHECK_EQ(table[i].name, table[i].rows[n].line, 0);
		drop(&f);
	}
}

/* The path that the row of an address names, or NULL. */
static const char *path_at(const struct fixture *f, uint64_t address)
{
	struct kct_unit_place place;
	struct kct_unit_frame frame;

	kct_unit_find(&f->built->unit, address, &place);
	assert_non_null(place.row);
	kct_unit_frames(&f->built->unit, &place, &frame);
	return frame.file;
}

static bool same_path(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void test_files(void **state)
{
	static const uint8_t program[] = {SET_ADDRESS(0x100), SET_FILE(2), COPY, ADVANCE_PC(1),
					  END};
	static const struct {
		const char *name;
		unsigned version;
		const char *comp_dir;
		const char *paths[6]; /* of the files 0, 1, ... */
		uint32_t default_file;
	} rows[] = {
		{"version 2",
		 2,
		 "/build",
		 {NULL, "main.c", "include/x.h", "/abs/y.h", "/root.h"},
		 1},
		{"version 4",
		 4,
		 "/build",
		 {NULL, "main.c", "include/x.h", "/abs/y.h", "/root.h"},
		 1},
		{"version 5", 5, "/build", {"main.c", "include/x.h"}, 1},
		{"version 5, another directory", 5, "/other", {"/build/main.c", "include/x.h"}, 1},
		{"version 5, no directory", 5, NULL, {"/build/main.c", "include/x.h"}, 1},
	};
	struct bytes v4 = files_v4(), v5 = files_v5();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes table = make_table(rows[i].version, rows[i].version >= 5 ? &v5 : &v4,
						program, sizeof(program));
		struct fixture f;

		/* Before version 4 the header has no "operations per instruction". */
		if (rows[i].version < 4) {
			memmove(table.at + 11, table.at + 12, table.n - 12);
			table.n--;
			table.at[0]--;
			table.at[6]--;
		}
		f = read_table(table.at, table.n, rows[i].comp_dir);
		for (uint32_t file = 0; file < ARRAY_SIZE(rows[i].paths); file++) {
			const char *path = path_of(&f, file);

			if (rows[i].paths[file])
				CHECK_STR(rows[i].name, path, rows[i].paths[file]);
			else
				CHECK(rows[i].name, !path);
		}
		CHECK(rows[i].name, !path_of(&f, UINT32_MAX));
		/* File 2, which version 5 does not have. */
		CHECK(rows[i].name, same_path(path_at(&f, 0x100), rows[i].paths[2]));
		drop(&f);
	}
}

/* Where a number of the version 5 header lies. */
enum {
	AT_VERSION = 4,
	AT_ADDRESS_BYTES = 6,
	AT_HEADER_LENGTH = 8,
	AT_MIN_LENGTH = 12,
	AT_MAX_OPERATIONS = 13,
	AT_LINE_RANGE = 16,
	AT_OPCODE_BASE = 17,
	AT_DIRECTORIES = 30
};

static void test_damaged_headers(void **state)
{
	static const struct {
		const char *name;
		size_t at;
		uint8_t value;
	} rows[] = {
		{"version 1", AT_VERSION, 1},
		{"version 6", AT_VERSION, 6},
		{"addresses of no bytes", AT_ADDRESS_BYTES, 0},
		{"addresses of 7 bytes", AT_ADDRESS_BYTES, 7},
		{"addresses of 9 bytes", AT_ADDRESS_BYTES, 9},
		{"header longer than the table", AT_HEADER_LENGTH + 1, 0xff},
		{"division by zero", AT_LINE_RANGE, 0},
		{"no opcodes", AT_OPCODE_BASE, 0},
		{"unknown form", AT_DIRECTORIES + 2, 0x70},
		{"more directories than bytes", AT_DIRECTORIES + 3, 0x7f},
	};
	static const uint8_t program[] = {SET_ADDRESS(0x100), COPY, ADVANCE_PC(1), END};
	struct bytes files = files_v5();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes table = make_table(5, &files, program, sizeof(program));
		struct fixture f;

		table.at[rows[i].at] = rows[i].value;
		f = read_table(table.at, table.n, "/build");
		CHECK(rows[i].name, f.reader->complaint[0] != '\0');
		drop(&f);
	}
}

/* Extended operations whose operands do not fill what their length says: what follows is where the length
 * says, and it is said that something is wrong. */
static void test_odd_lengths(void **state)
{
	static const struct {
		const char *name;
		uint8_t operation[16]; /* 0, length, opcode, operands */
		size_t n;
	} rows[] = {
		{"no bytes", {0, 0}, 2},
		{"end of a sequence with an operand", {0, 2, 1, 0}, 4},
		{"address of 4 bytes, where 8 are usual", {0, 5, 2, 0, 1, 0, 0}, 7},
		{"address of 9 bytes", {0, 10, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0}, 12},
		{"file that is cut", {0, 3, 3, 'a', 0}, 5},
		{"discriminator longer than its operation", {0, 2, 4, 0xff}, 4},
		{"discriminator with more behind it", {0, 3, 4, 1, 1}, 5},
	};
	static const uint8_t rest[] = {SET_ADDRESS(0x100), LINE(9), COPY, ADVANCE_PC(1), END};
	struct bytes files = files_v5();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t program[sizeof(rows[i].operation) + sizeof(rest)];
		struct bytes table;
		const struct kct_unit_row *row;
		struct fixture f;

		memcpy(program, rows[i].operation, rows[i].n);
		memcpy(program + rows[i].n, rest, sizeof(rest));
		table = make_table(5, &files, program, rows[i].n + sizeof(rest));
		f = read_table(table.at, table.n, "/build");
		row = find_row(&f, 0x100);
		CHECK_EQ(rows[i].name, row ? row->line : NO_LINE, 10);
		CHECK(rows[i].name, f.reader->complaint[0] != '\0');
		drop(&f);
	}
}

static void test_cut_anywhere(void **state)
{
	static const uint8_t program[] = {SET_ADDRESS(0x100), LINE(9), COPY, ADVANCE_PC(8), END};
	struct bytes files[2] = {files_v4(), files_v5()};

	(void)state;
	for (unsigned version = 4; version <= 5; version++) {
		struct bytes table =
			make_table(version, &files[version - 4], program, sizeof(program));

		for (size_t n = 0; n < table.n; n++) {
			struct fixture f = read_table(table.at, n, "/build");

			assert_true(!f.built || !find_row(&f, 0x100));
			for (uint32_t file = 0; f.built && file < 6; file++)
				path_of(&f, file);
			drop(&f);
		}
	}
}

static void test_offset_outside(void **state)
{
	struct fixture f = {.built = NULL};
	uint8_t byte = 0;

	(void)state;
	f.dwarf.image.line = (struct kct_cursor){&byte, &byte + 1, false, false};
	read_at(&f, UINT64_MAX, NULL);
	assert_null(f.built);
	assert_true(f.reader->complaint[0] != '\0');
	drop(&f);
}

/* Long instructions: two operations of an instruction share its address. */
static void test_vliw(void **state)
{
	static const uint8_t program[] = {
		SET_ADDRESS(0x100), COPY,    ADVANCE_PC(3), LINE(1),	   COPY,
		ADVANCE_PC(1),	    LINE(1), COPY,	    ADVANCE_PC(4), END};
	struct bytes files = files_v5();
	struct bytes table = make_table(5, &files, program, sizeof(program));
	struct fixture f;

	(void)state;
	table.at[AT_MIN_LENGTH] = 16;
	table.at[AT_MAX_OPERATIONS] = 4;
	f = read_table(table.at, table.n, "/build");
	assert_int_equal(find_row(&f, 0x100)->line, 2);
	assert_int_equal(find_row(&f, 0x10f)->line, 2);
	assert_int_equal(find_row(&f, 0x110)->line, 3);
	assert_null(find_row(&f, 0x120));
	drop(&f);
}

static void test_numbers(void **state)
{
	static const uint8_t bytes[] = {0xe5, 0x8e, 0x26,	/* ULEB128 624485 */
					0x80, 0x7f,		/* SLEB128 -128 */
					0x12, 0x34, 0x56, 0x78, /* four bytes */
					'h',  'i'};		/* no NUL */
	struct kct_cursor c = {bytes, bytes + sizeof(bytes), true, false};

	(void)state;
	assert_int_equal(kct_cursor_uleb(&c), 624485);
	assert_int_equal(kct_cursor_sleb(&c), -128);
	assert_int_equal(kct_cursor_uint(&c, 4), 0x12345678);
	assert_false(c.bad);
	assert_string_equal(kct_cursor_string(&c), "");
	assert_true(c.bad);
	assert_int_equal(kct_cursor_u8(&c), 0);
	assert_int_equal(kct_cursor_uint(&c, 8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),       cmocka_unit_test(test_statements),
		cmocka_unit_test(test_files),	       cmocka_unit_test(test_damaged_headers),
		cmocka_unit_test(test_odd_lengths),    cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_offset_outside), cmocka_unit_test(test_vliw),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
