/* SPDX-License-Identifier: BSD-2-Clause */
/* Points that are kept with the symbols of an image: found once, and believed only as far as they can be. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "code_image.h"

#include "base/crc32c.h"
#include "points/kept.h"
#include "symfile/form.h"

static const struct elf_symbol symbols[] = {
	{"f", CODE_BASE, 0x100, STB_GLOBAL, STT_FUNC, 1},
	{"g", CODE_BASE + 0x100, 0x40, STB_GLOBAL, STT_FUNC, 1},
	{"__sanitizer_cov_trace_pc", CODE_BASE + 0x200, 0x40, STB_GLOBAL, STT_FUNC, 1},
	{"__sanitizer_cov_trace_pc_exit", CODE_BASE + 0x240, 0x40, STB_GLOBAL, STT_FUNC, 1},
	{0},
};

/** arm64: `bl` (0x94000000) or `b` (0x14000000) at `at`, a distance in words in its low bits. */
static void put_branch(uint8_t *code, uint32_t at, uint32_t opcode, uint32_t target)
{
	uint32_t insn = opcode | ((target - at) / 4 & 0x03ffffff);

	for (unsigned i = 0; i < 4; i++)
		code[at + i] = (uint8_t)(insn >> 8 * i);
}

/** Three points in f, an exit in g and a jump to a callback. `more`: one in g besides. */
static void make_code(uint8_t code[CODE_BYTES], bool more)
{
	static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};

	for (size_t i = 0; i < CODE_BYTES; i++)
		code[i] = nop[i % 4];
	put_branch(code, 0x10, 0x94000000, 0x200);
	put_branch(code, 0x20, 0x94000000, 0x200);
	put_branch(code, 0x80, 0x94000000, 0x200);
	put_branch(code, 0x108, 0x94000000, 0x240);
	put_branch(code, 0x13c, 0x14000000, 0x200);
	if (more)
		put_branch(code, 0x120, 0x94000000, 0x200);
}

/** Open the image with a cache in `directory` (NULL: none) and look for its points. */
static void open_kept(struct code_image *self, const char *directory, bool more)
{
	uint8_t code[CODE_BYTES];

	make_code(code, more);
	code_open_image(self, EM_AARCH64, ELFCLASS64, ELFDATA2LSB, code, NULL, symbols);
	assert_int_equal(kct_image_set_cache(self->image, directory), 0);
	self->result = kct_points_new(self->image, NULL, &self->points, &self->error);
	assert_int_equal(self->result, 0);
}

/** Whether all is found that make_code() has put there. */
static void check_found(const char *row, const struct code_image *self, bool more)
{
	static const struct {
		uint32_t call;
		unsigned kind;
		bool more;
	} expected[] = {
		{0x10, KCT_POINT_PC, false}, {0x20, KCT_POINT_PC, false},
		{0x80, KCT_POINT_PC, false}, {0x108, KCT_POINT_EXIT, false},
		{0x120, KCT_POINT_PC, true},
	};
	const struct kct_points_stats *stats = kct_points_stats(self->points);
	size_t n, n_tails;
	const struct kct_point *all = kct_points_all(self->points, &n);
	const uint64_t *tails = kct_points_tail_calls(self->points, &n_tails);

	CHECK_EQ(row, n, more ? 5 : 4);
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(row, all[i].call, CODE_BASE + expected[i].call);
		CHECK_EQ(row, all[i].pc, CODE_BASE + expected[i].call + 4);
		CHECK_EQ(row, all[i].kind, expected[i].kind);
	}
	CHECK_EQ(row, n_tails, 1);
	CHECK_EQ(row, tails[0], CODE_BASE + 0x13c);
	CHECK_EQ(row, stats->kinds[KCT_POINT_PC], more ? 4 : 3);
	CHECK_EQ(row, stats->kinds[KCT_POINT_EXIT], 1);
	CHECK_EQ(row, stats->coverage, more ? 4 : 3);
	CHECK_EQ(row, stats->functions, 4);
	CHECK_EQ(row, stats->with_points, more ? 2 : 1);
	CHECK_EQ(row, stats->code_bytes, CODE_BYTES);
	CHECK_EQ(row, stats->undecoded_bytes, 0);
	CHECK_EQ(row, stats->tail_calls, 1);
}

static char directory[] = "/tmp/points-XXXXXX";

/** Path of the only file of the cache. */
static void find_file(char path[512])
{
	DIR *files = opendir(directory);
	struct dirent *entry;
	int n = 0;

	assert_non_null(files);
	while ((entry = readdir(files))) {
		if (entry->d_name[0] == '.')
			continue;
		n++;
		snprintf(path, 512, "%s/%s", directory, entry->d_name);
	}
	closedir(files);
	assert_int_equal(n, 1);
}

static void remove_file(void)
{
	char path[512];

	find_file(path);
	assert_int_equal(unlink(path), 0);
}

static int write_kept(struct code_image *self)
{
	return kct_image_write_cache(self->image, false, 1, NULL, NULL, &self->error);
}

static void test_cold_and_warm(void **state)
{
	static const struct {
		const char *name;
		bool cache;
		bool cached; /* is expected to be */
		int written; /* by kct_image_write_cache() */
		bool more;   /* of the code */
	} rows[] = {
		{"without a cache", false, false, KCT_ERR_ARGUMENT, false},
		{"cold", true, false, 1, false},
		{"warm", true, true, 0, false},
		{"without a cache that is there", false, false, KCT_ERR_ARGUMENT, false},
		{"still warm", true, true, 0, false},
		{"other code with the same symbols", true, false, 1, true},
		{"that code, warm", true, true, 0, true},
		{"as before", true, false, 1, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_image self;
		struct kct_points *second;

		open_kept(&self, rows[i].cache ? directory : NULL, rows[i].more);
		CHECK_EQ(rows[i].name, kct_points_stats(self.points)->cached, rows[i].cached);
		check_found(rows[i].name, &self, rows[i].more);
		/* Others of the same image, which the file does not have yet. */
		assert_int_equal(kct_points_new(self.image, NULL, &second, &self.error), 0);
		CHECK_EQ(rows[i].name, kct_points_stats(second)->cached, rows[i].cache);
		kct_points_free(second);
		check_found(rows[i].name, &self, rows[i].more);
		CHECK_EQ(rows[i].name, write_kept(&self), rows[i].written);
		code_close(&self);
	}
	remove_file();
}

/** All symbols are written anew, and the points that only the old file has are among them. */
static void test_rewritten(void **state)
{
	struct code_image self;
	uint8_t code[CODE_BYTES];

	(void)state;
	open_kept(&self, directory, false);
	assert_int_equal(write_kept(&self), 1);
	code_close(&self);
	make_code(code, false);
	code_open_image(&self, EM_AARCH64, ELFCLASS64, ELFDATA2LSB, code, NULL, symbols);
	assert_int_equal(kct_image_set_cache(self.image, directory), 0);
	assert_int_equal(kct_image_write_cache(self.image, true, 1, NULL, NULL, &self.error), 1);
	code_close(&self);
	open_kept(&self, directory, false);
	assert_true(kct_points_stats(self.points)->cached);
	code_close(&self);
	remove_file();
}

/* Numbers of the block: point_bytes, n, n_tails, kinds, code_bytes, undecoded_bytes, undecoded_at; then three
 * a point, and a jump. */
enum {
	POINT_BYTES,
	N,
	N_TAILS,
	KINDS,
	CODE_BYTES_AT = KINDS + KCT_POINT_KINDS,
	UNDECODED,
	UNDECODED_AT,
	POINTS,
	TAILS = POINTS + 3 * 4,
	NUMBERS,
};

#define PC(i)	(POINTS + 3 * (i))
#define CALL(i) (POINTS + 3 * (i) + 1)
#define KIND(i) (POINTS + 3 * (i) + 2)

/* What may stand in a block whose sum is right. */
static const struct damage {
	const char *name;
	struct {
		size_t at;
		uint64_t value;
	} changes[2];	/* at 0: one change only, but for the first */
	size_t numbers; /* of the block; 0: all */
} damages[] = {
	{"points of another size", {{POINT_BYTES, 20}}, 0},
	{"a point less than there are", {{N, 3}}, 0},
	{"a point more", {{N, 5}}, 0},
	{"very many points", {{N, UINT64_MAX}}, 0},
	{"points whose bytes wrap around", {{N, UINT64_MAX / 24 + 2}}, 0},
	{"a point for the jumps", {{N, 3}, {N_TAILS, 4}}, 0},
	{"no jump", {{N_TAILS, 0}}, 0},
	{"very many jumps", {{N_TAILS, UINT64_MAX}}, 0},
	{"more of a kind", {{KINDS + KCT_POINT_PC, 4}}, 0},
	{"another kind", {{KIND(0), KCT_POINT_CMP1}}, 0},
	{"an unknown kind", {{KIND(0), KCT_POINT_KINDS}}, 0},
	{"a very large kind", {{KIND(3), UINT32_MAX}}, 0},
	{"not sorted", {{PC(0), CODE_BASE + 0x84}, {CALL(0), CODE_BASE + 0x80}}, 0},
	{"a point twice", {{PC(1), CODE_BASE + 0x14}, {CALL(1), CODE_BASE + 0x10}}, 0},
	{"calls not sorted", {{CALL(1), CODE_BASE + 0x10}}, 0},
	{"a call behind its return address", {{CALL(0), CODE_BASE + 0x18}}, 0},
	{"a call at its return address", {{CALL(0), CODE_BASE + 0x14}}, 0},
	{"a call far before its return address", {{PC(2), CODE_BASE + 0x80 + 65}}, 0},
	{"a point before the code", {{PC(0), CODE_BASE - 4}, {CALL(0), CODE_BASE - 8}}, 0},
	{"a call before the code", {{PC(0), CODE_BASE + 2}, {CALL(0), CODE_BASE - 2}}, 0},
	{"a point behind the code",
	 {{PC(3), CODE_BASE + CODE_BYTES + 8}, {CALL(3), CODE_BASE + CODE_BYTES + 4}},
	 0},
	{"a return address behind the code",
	 {{PC(3), CODE_BASE + CODE_BYTES + 2}, {CALL(3), CODE_BASE + CODE_BYTES - 2}},
	 0},
	{"a point in data", {{PC(3), DATA_BASE + 8}, {CALL(3), DATA_BASE + 4}}, 0},
	{"a point at the end of memory", {{PC(3), UINT64_MAX}, {CALL(3), UINT64_MAX - 4}}, 0},
	{"a jump in data", {{TAILS, DATA_BASE}}, 0},
	{"more code than the file has", {{CODE_BYTES_AT, UINT64_MAX}}, 0},
	{"more unknown bytes than code", {{UNDECODED, CODE_BYTES + 1}}, 0},
	{"an unknown byte in data", {{UNDECODED, 1}, {UNDECODED_AT, DATA_BASE}}, 0},
	{"empty", {{POINT_BYTES, 24}}, SIZE_MAX},
	{"cut in the counts", {{POINT_BYTES, 24}}, UNDECODED_AT},
	{"counts alone", {{POINT_BYTES, 24}}, POINTS},
	{"cut in the points", {{POINT_BYTES, 24}}, PC(2)},
	{"without the jump", {{POINT_BYTES, 24}}, TAILS},
};

static void apply(const struct damage *damage, uint64_t *numbers)
{
	for (size_t i = 0; i < 2; i++) {
		if (i == 0 || damage->changes[i].at)
			memcpy(&numbers[damage->changes[i].at], &damage->changes[i].value, 8);
	}
}

static void test_damaged_blocks(void **state)
{
	struct code_image self;
	uint64_t *block;
	size_t bytes;

	(void)state;
	open_kept(&self, NULL, false);
	assert_int_equal(kct_points_pack(self.points, (void **)&block, &bytes), 1);
	assert_int_equal(bytes, NUMBERS * sizeof(*block));
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		size_t n = damages[i].numbers == SIZE_MAX ? 0
			   : damages[i].numbers		  ? damages[i].numbers
							  : NUMBERS;
		uint64_t *copy = malloc(n * sizeof(*copy) + 1); /* a read behind it is seen */
		uint64_t whole[NUMBERS];
		struct kct_points points = *self.points;

		assert_non_null(copy);
		memcpy(whole, block, sizeof(whole));
		apply(&damages[i], whole);
		memcpy(copy, whole, n * sizeof(*copy));
		CHECK_EQ(damages[i].name, kct_points_unpack(&points, copy, n * sizeof(*copy)),
			 false);
		CHECK(damages[i].name, points.items == self.points->items && !points.kept);
		free(copy);
	}
	/* Not a multiple of a jump. */
	assert_false(kct_points_unpack(
		&(struct kct_points){.image = self.image, .code = self.points->code}, block,
		bytes - 1));
	free(block);
	code_close(&self);
}

/** Change the block in the file of the cache and make its sums right. */
static void damage_file(const struct damage *damage)
{
	struct kct_symfile_header header;
	struct kct_crc32c crc;
	char path[512];
	unsigned char file[8192];
	ssize_t bytes;
	int fd, found = 0;

	find_file(path);
	fd = open(path, O_RDWR);
	bytes = pread(fd, file, sizeof(file), 0);
	assert_in_range(bytes, sizeof(header), sizeof(file) - 1);
	memcpy(&header, file, sizeof(header));
	kct_crc32c_init(&crc);
	for (size_t i = 0; i < header.n_blocks; i++) {
		struct kct_symfile_entry *entry =
			(void *)(file + header.directory + i * sizeof(*entry));

		if (entry->type != KCT_SYMFILE_POINTS)
			continue;
		found++;
		apply(damage, (void *)(file + entry->offset));
		entry->sum = kct_crc32c(&crc, 0, file + entry->offset, (size_t)entry->bytes);
	}
	assert_int_equal(found, 1);
	header.directory_sum = kct_crc32c(&crc, 0, file + header.directory,
					  header.n_blocks * sizeof(struct kct_symfile_entry));
	header.header_sum =
		kct_crc32c(&crc, 0, &header, offsetof(struct kct_symfile_header, header_sum));
	memcpy(file, &header, sizeof(header));
	assert_int_equal(pwrite(fd, file, (size_t)bytes, 0), bytes);
	close(fd);
}

/** In a file of the cache: the points are found anew and the file is good again afterwards. */
static void test_damaged_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		struct code_image self;

		if (damages[i].numbers)
			continue;
		open_kept(&self, directory, false);
		write_kept(&self);
		code_close(&self);
		damage_file(&damages[i]);
		open_kept(&self, directory, false);
		CHECK_EQ(damages[i].name, kct_points_stats(self.points)->cached, false);
		check_found(damages[i].name, &self, false);
		CHECK(damages[i].name, kct_image_cache_problem(self.image));
		CHECK_EQ(damages[i].name, write_kept(&self), 1);
		code_close(&self);
		open_kept(&self, directory, false);
		CHECK_EQ(damages[i].name, kct_points_stats(self.points)->cached, true);
		CHECK(damages[i].name, !kct_image_cache_problem(self.image));
		code_close(&self);
	}
	remove_file();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cold_and_warm),
		cmocka_unit_test(test_rewritten),
		cmocka_unit_test(test_damaged_blocks),
		cmocka_unit_test(test_damaged_files),
	};
	int failed;

	if (!mkdtemp(directory))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(directory);
	return failed;
}
