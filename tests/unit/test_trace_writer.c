/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing .kct files: the bytes, appending, pipes, writers that are killed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace_blocks.h"

static const struct kct_trace_writer_options options = {
	.size = sizeof(options), .capture_id = 0x77, .tool = "test"};

/** The path of a new empty file; unlink() and free() it. */
static char *temporary(void)
{
	char *path = strdup("/tmp/kct-writer-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return path;
}

static struct bytes read_whole(int fd)
{
	struct bytes bytes = {0};
	char room[4096];
	ssize_t got;

	while ((got = read(fd, room, sizeof(room))) > 0)
		bytes_add(&bytes, room, (size_t)got);
	assert_int_equal(got, 0);
	return bytes;
}

static struct bytes read_path(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct bytes bytes;

	assert_true(fd >= 0);
	bytes = read_whole(fd);
	close(fd);
	return bytes;
}

static struct kct_trace_writer *append_to(const char *path)
{
	struct kct_trace_writer *writer = NULL;
	struct kct_error error;

	if (kct_trace_writer_append(path, &options, &writer, &error) < 0)
		fail_msg("%s", error.text);
	return writer;
}

static const uint64_t words[] = {2, TEXT(0x100), TEXT(0x200)};

/** A segment of mode PC with a thread ID. */
static struct kct_trace_segment small_segment(uint32_t thread)
{
	struct kct_trace_segment segment = {
		.size = sizeof(segment),
		.fields = KCT_SEGMENT_THREAD,
		.thread = thread,
		.layout = area_layout("linux-pc"),
		.data = words,
		.bytes = sizeof(words),
	};

	return segment;
}

/** Bytes as the document says. On a big-endian machine the other order is right. */
static enum kct_endian native(void)
{
	const uint16_t one = 1;
	unsigned char first;

	memcpy(&first, &one, 1);
	return first ? KCT_ENDIAN_LITTLE : KCT_ENDIAN_BIG;
}

/** What the writer is given and what must be in the file: no two fields are alike. */
static const unsigned char odd_area[] = "twenty-one raw bytes";

static struct kct_trace_segment given_segment(void)
{
	struct kct_trace_segment segment = {
		.size = sizeof(segment),
		.fields = KCT_SEGMENT_KNOWN_FIELDS,
		.process = 5,
		.thread = 6,
		.name = "1234567",
		.overflow = KCT_OVERFLOW_YES,
		.syscall = 7,
		.result = -8,
		.arguments = {1, 2, 3, 4, 5, 6},
		.remote_handle = 9,
		.begin = 10,
		.end = 11,
		.data = odd_area,
		.bytes = 21,
		.layout = area_layout("linux-mem,entry-words=1,memory-words=7,endian=big,slid=yes,"
				      "capacity=99"),
	};

	segment.layout.eesum_quirk = KCT_EESUM_SIGN_EXTENDED;
	return segment;
}

static const struct segment_plan expected_segment = {
	.fields = 0x7f,
	.mode = KCT_MODE_MEMORY,
	.word_bytes = 8,
	.area_endian = 1,
	.eesum_quirk = 1,
	.layout_flags = 1,
	.entry_words = 1,
	.memory_words = 7,
	.overflow = 1,
	.capacity_words = 99,
	.process = 5,
	.thread = 6,
	.syscall = 7,
	.result = (uint64_t)-8,
	.arguments = {1, 2, 3, 4, 5, 6},
	.remote = 9,
	.begin = 10,
	.end = 11,
	.name = "1234567",
	.data = odd_area,
	.bytes = 21,
};

static void test_bytes_of_a_segment(void **state)
{
	struct block_plan meta = {.type = TYPE_META, .capture = 0x77, .endian = native()};
	struct block_plan block = {.type = TYPE_SEGMENT, .capture = 0x77, .endian = native()};
	struct kct_trace_segment segment = given_segment();
	struct kct_trace_writer *writer;
	struct bytes expected = {0}, written, body;
	char *path = temporary();

	(void)state;
	body = meta_body(native(), 1, "tool", "test", 4);
	block_add(&expected, &meta, &body);
	body = segment_body(native(), &expected_segment);
	block_add(&expected, &block, &body);
	writer = append_to(path);
	assert_int_equal(kct_trace_writer_segment(writer, &segment, NULL), 0);
	assert_int_equal(kct_trace_writer_sync(writer, NULL), 0);
	kct_trace_writer_free(writer);
	written = read_path(path);
	assert_int_equal(written.n, expected.n);
	assert_memory_equal(written.data, expected.data, expected.n);
	free(written.data);
	free(expected.data);
	unlink(path);
	free(path);
}

/** Names and values of every length: strings with their end, filled up. */
static void test_bytes_of_metadata(void **state)
{
	static const char text[] = "0123456789";
	uint64_t numbers[] = {1, UINT64_MAX};
	struct block_plan plan = {.type = TYPE_META, .capture = 0x77, .endian = native()};
	struct bytes expected = {0}, written, body;
	struct kct_trace_writer *writer;
	char *path = temporary();

	(void)state;
	body = meta_body(native(), 1, "tool", "test", 4);
	block_add(&expected, &plan, &body);
	writer = append_to(path);
	for (size_t length = 0; length < 9; length++) {
		char name[16];

		snprintf(name, sizeof(name), "x-%.*s", (int)length, text);
		assert_int_equal(kct_trace_writer_text(writer, name, text + length, NULL), 0);
		body = meta_body(native(), 1, name, text + length, 10 - length);
		block_add(&expected, &plan, &body);
		assert_int_equal(kct_trace_writer_bytes(writer, name, text, length, NULL), 0);
		body = meta_body(native(), 3, name, text, length);
		block_add(&expected, &plan, &body);
	}
	assert_int_equal(kct_trace_writer_numbers(writer, "n", numbers, 2, NULL), 0);
	body = meta_body(native(), 2, "n", numbers, 16);
	block_add(&expected, &plan, &body);
	kct_trace_writer_free(writer);
	written = read_path(path);
	assert_int_equal(written.n, expected.n);
	assert_memory_equal(written.data, expected.data, expected.n);
	free(written.data);
	free(expected.data);
	unlink(path);
	free(path);
}

/** What a writer refuses leaves no byte. */
static void test_refused(void **state)
{
	static const struct {
		const char *name;
		size_t size, bytes;
		uint32_t fields;
		uint32_t word_bytes;
		int code;
	} rows[] = {
		{"fine", sizeof(struct kct_trace_segment), 8, 0, 8, 0},
		{"no size", 0, 8, 0, 8, KCT_ERR_ARGUMENT},
		{"too small", sizeof(struct kct_trace_segment) - 8, 8, 0, 8, KCT_ERR_ARGUMENT},
		{"no data", sizeof(struct kct_trace_segment), 0, 0, 8, KCT_ERR_ARGUMENT},
		{"unknown field", sizeof(struct kct_trace_segment), 8, 0x80, 8, KCT_ERR_ARGUMENT},
		{"odd words", sizeof(struct kct_trace_segment), 8, 0, 5, KCT_ERR_LAYOUT},
	};
	struct kct_trace_writer *writer;
	char *path = temporary();
	struct kct_error error;
	struct bytes written;
	size_t before;

	(void)state;
	writer = append_to(path);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kct_trace_segment segment = small_segment(1);

		written = read_path(path);
		before = written.n;
		free(written.data);
		segment.size = rows[i].size;
		segment.bytes = rows[i].bytes;
		segment.fields = rows[i].fields;
		segment.layout.word_bytes = rows[i].word_bytes;
		CHECK_EQ(rows[i].name, kct_trace_writer_segment(writer, &segment, &error),
			 rows[i].code);
		written = read_path(path);
		CHECK_EQ(rows[i].name, written.n > before, rows[i].code == 0);
		free(written.data);
	}
	assert_int_equal(kct_trace_writer_text(writer, NULL, "a", &error), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_trace_writer_text(writer, "a", NULL, &error), KCT_ERR_ARGUMENT);
	kct_trace_writer_free(writer);
	kct_trace_writer_free(NULL);
	assert_int_equal(kct_trace_writer_new(-1, NULL, &writer, &error), KCT_ERR_ARGUMENT);
	unlink(path);
	free(path);
}

/** Appending to what a dead writer left: everything whole is there, aligned. */
static void test_append(void **state)
{
	struct kct_trace_segment segment = small_segment(2), read = {.size = sizeof(read)};
	struct bytes first = {0};
	char *path = temporary();

	(void)state;
	add_pcs(&first, 9, 1, 0x100, 3);
	for (size_t cut = 0; cut <= first.n; cut++) {
		struct kct_trace_writer *writer = NULL;
		struct kct_tracefile *file;
		struct kct_error error;
		FILE *stream = fopen(path, "wb");
		bool whole = cut == first.n;
		const uint64_t *pcs;
		size_t n;
		int result;

		assert_int_equal(fwrite(first.data, 1, cut, stream), cut);
		fclose(stream);
		result = kct_trace_writer_append(path, &options, &writer, &error);
		if (cut && cut < 8) { /* perhaps a file of something else: not touched */
			assert_int_equal(result, KCT_ERR_SYNTAX);
			continue;
		}
		assert_int_equal(result, 0);
		assert_int_equal(kct_trace_writer_segment(writer, &segment, &error), 0);
		kct_trace_writer_free(writer);
		assert_int_equal(kct_tracefile_open(path, &file, &error), 0);
		assert_int_equal(kct_tracefile_segments(file), whole + 1);
		assert_int_equal(kct_tracefile_segment(file, whole, &read, &error), 0);
		assert_int_equal(read.thread, 2);
		/* It can be used where it lies. */
		assert_int_equal(kct_pc_view(&read.layout, read.data, read.bytes, &pcs, &n, NULL),
				 0);
		assert_true(n == 2 && pcs[1] == TEXT(0x200));
		assert_int_equal(stats_of(file).damaged, !whole && cut > 0);
		kct_tracefile_free(file);
	}
	free(first.data);
	unlink(path);
	free(path);
}

/** Files that are no .kct are left alone. */
static void test_append_refused(void **state)
{
	static const struct {
		const char *name, *content;
		size_t n;
	} rows[] = {
		{"text", "some text of the user\n", 22},
		/* A gzip member by hand: one stored block with the four bytes of `text`. */
		{"packed",
		 "\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x04\0\xfb\xfftext\xc4\x3e\x75\xcc\x04\0\0\0",
		 27},
	};
	char *path = temporary();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kct_trace_writer *writer;
		struct kct_error error;
		FILE *stream = fopen(path, "wb");
		struct bytes after;
		int result;

		assert_int_equal(fwrite(rows[i].content, 1, rows[i].n, stream), rows[i].n);
		fclose(stream);
		result = kct_trace_writer_append(path, NULL, &writer, &error);
		CHECK(rows[i].name, result < 0);
		after = read_path(path);
		CHECK_EQ(rows[i].name, after.n, rows[i].n);
		CHECK(rows[i].name, memcmp(after.data, rows[i].content, rows[i].n) == 0);
		free(after.data);
	}
	unlink(path);
	free(path);
}

/** A caller of a later version: what is not known must not be set. */
static void test_larger_structs(void **state)
{
	struct {
		struct kct_trace_segment segment;
		uint64_t later;
	} larger = {.segment = small_segment(1)};
	struct {
		struct kct_trace_writer_options options;
		uint64_t later;
	} larger_options = {.options = options};
	struct kct_trace_writer *writer;
	char *path = temporary();

	(void)state;
	larger.segment.size = sizeof(larger);
	larger_options.options.size = sizeof(larger_options);
	assert_int_equal(kct_trace_writer_append(path, &larger_options.options, &writer, NULL), 0);
	assert_int_equal(kct_trace_writer_segment(writer, &larger.segment, NULL), 0);
	larger.later = 1;
	assert_int_equal(kct_trace_writer_segment(writer, &larger.segment, NULL), KCT_ERR_ARGUMENT);
	kct_trace_writer_free(writer);
	larger_options.later = 1;
	assert_int_equal(kct_trace_writer_append(path, &larger_options.options, &writer, NULL),
			 KCT_ERR_ARGUMENT);
	unlink(path);
	free(path);
}

/** Two processes append to one file at once: each block stays in one piece. */
static void test_shared(void **state)
{
	const uint32_t n = 300;
	struct kct_tracefile *file;
	char *path = temporary();
	pid_t children[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0) {
			struct kct_trace_writer *writer;
			int result = kct_trace_writer_append(path, NULL, &writer, NULL);

			for (uint32_t k = 0; k < n && result == 0; k++) {
				struct kct_trace_segment segment = small_segment(i * n + k);

				result = kct_trace_writer_segment(writer, &segment, NULL);
			}
			_exit(result != 0);
		}
	}
	for (int i = 0; i < 2; i++) {
		int status;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(kct_tracefile_open(path, &file, NULL), 0);
	assert_int_equal(kct_tracefile_segments(file), 2 * n);
	assert_int_equal(stats_of(file).captures, 2);
	assert_int_equal(stats_of(file).damaged + stats_of(file).tail_bytes, 0);
	kct_tracefile_free(file);
	unlink(path);
	free(path);
}

static void *drain(void *argument)
{
	struct bytes *bytes = argument;
	int fd = (int)bytes->n;

	*bytes = read_whole(fd);
	return NULL;
}

/** A pipe, with blocks larger than it holds, blocking or not. */
static void test_pipe(void **state)
{
	const size_t n = 40000;
	uint64_t *many = calloc(n + 1, sizeof(*many));

	(void)state;
	assert_non_null(many);
	many[0] = n;
	for (size_t i = 1; i <= n; i++)
		many[i] = TEXT(i);
	for (int flags = 0; flags <= O_NONBLOCK; flags += O_NONBLOCK) {
		struct kct_trace_segment segment = small_segment(3), read = {.size = sizeof(read)};
		struct kct_trace_writer *writer;
		struct kct_tracefile *file;
		struct bytes bytes = {0};
		pthread_t reader;
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		assert_int_equal(fcntl(ends[1], F_SETFL, flags), 0);
		bytes.n = (size_t)ends[0];
		assert_int_equal(pthread_create(&reader, NULL, drain, &bytes), 0);
		assert_int_equal(kct_trace_writer_new(ends[1], &options, &writer, NULL), 0);
		segment.data = many;
		segment.bytes = (n + 1) * sizeof(*many);
		assert_int_equal(kct_trace_writer_segment(writer, &segment, NULL), 0);
		assert_int_equal(kct_trace_writer_sync(writer, NULL), 0);
		kct_trace_writer_free(writer);
		close(ends[1]); /* the descriptor is ours */
		pthread_join(reader, NULL);
		close(ends[0]);
		file = open_bytes(&bytes);
		assert_int_equal(kct_tracefile_segment(file, 0, &read, NULL), 0);
		assert_int_equal(read.bytes, segment.bytes);
		assert_memory_equal(read.data, many, segment.bytes);
		kct_tracefile_free(file);
		free(bytes.data);
	}
	free(many);
}

/** A write that fails is told, with its errno. */
static void test_full(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct kct_trace_writer *writer = NULL;
	struct kct_error error;

	(void)state;
	if (fd < 0)
		SKIP("there is no /dev/full");
	assert_int_equal(kct_trace_writer_new(fd, NULL, &writer, &error), KCT_ERR_IO);
	assert_int_equal(error.sys_errno, ENOSPC);
	assert_null(writer);
	close(fd);
}

/** Two writers without an ID are two captures, with the name of the library. */
static void test_random_captures(void **state)
{
	struct kct_meta meta = {.size = sizeof(meta)};
	struct kct_trace_writer *writer;
	struct kct_tracefile *file;
	char *path = temporary();

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kct_trace_writer_append(path, NULL, &writer, NULL), 0);
		kct_trace_writer_free(writer);
	}
	assert_int_equal(kct_tracefile_open(path, &file, NULL), 0);
	assert_int_equal(stats_of(file).captures, 2);
	assert_int_equal(kct_tracefile_find_meta(file, 1, KCT_META_TOOL, KCT_META_TEXT, &meta), 0);
	assert_true(strncmp(meta.data, "libkcovtrace ", 13) == 0);
	kct_tracefile_free(file);
	unlink(path);
	free(path);
}

/** Write segments with threads 1, 2, ... and tell of each that is done, until killed. */
static void write_until_killed(const char *path, int told)
{
	struct kct_trace_writer *writer;
	static uint64_t area[600];

	if (kct_trace_writer_append(path, NULL, &writer, NULL) < 0)
		_exit(1);
	for (uint32_t thread = 1;; thread++) {
		struct kct_trace_segment segment = small_segment(thread);

		area[0] = thread % 599;
		segment.data = area;
		segment.bytes = (1 + thread % 599) * sizeof(area[0]);
		if (kct_trace_writer_segment(writer, &segment, NULL) < 0 ||
		    write(told, &thread, sizeof(thread)) != sizeof(thread))
			_exit(1);
	}
}

/** Kill a writer after a while; what it had told to be written is in the file. */
static uint32_t kill_writer(const char *path, long nanoseconds)
{
	const struct timespec wait_time = {.tv_nsec = nanoseconds};
	uint32_t thread, last = 0;
	int told[2];
	pid_t child;

	assert_int_equal(pipe(told), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(told[0]);
		write_until_killed(path, told[1]);
	}
	close(told[1]);
	assert_int_equal(read(told[0], &last, sizeof(last)), sizeof(last));
	nanosleep(&wait_time, NULL);
	kill(child, SIGKILL);
	while (read(told[0], &thread, sizeof(thread)) == sizeof(thread))
		last = thread;
	close(told[0]);
	waitpid(child, NULL, 0);
	return last;
}

static void test_killed(void **state)
{
	unsigned seed = 12345;

	(void)state;
	for (int round = 0; round < 20; round++) {
		char *path = temporary();
		struct kct_tracefile *file;
		uint32_t last, found;

		seed = seed * 1103515245 + 12345;
		last = kill_writer(path, seed / 65536 % 32768 * 100);
		assert_int_equal(kct_tracefile_open(path, &file, NULL), 0);
		found = (uint32_t)kct_tracefile_segments(file);
		/* One more may have been written before it could be told. */
		assert_true(found >= last && found <= last + 1);
		assert_int_equal(stats_of(file).damaged, 0);
		for (uint32_t i = 0; i < found; i++) {
			struct kct_trace_segment segment = {.size = sizeof(segment)};

			assert_int_equal(kct_tracefile_segment(file, i, &segment, NULL), 0);
			assert_int_equal(segment.thread, i + 1);
			assert_int_equal(segment.bytes, (1 + (i + 1) % 599) * 8);
		}
		kct_tracefile_free(file);
		unlink(path);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_of_a_segment),
		cmocka_unit_test(test_bytes_of_metadata),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_append_refused),
		cmocka_unit_test(test_larger_structs),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_random_captures),
		cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
