/* SPDX-License-Identifier: BSD-2-Clause */
/** @file coverage_fixture.h Coverage of one or two of the images of coverage_image.h, and what it says as text. */
#ifndef KCT_TESTS_COVERAGE_FIXTURE_H
#define KCT_TESTS_COVERAGE_FIXTURE_H

#include <kcovtrace/coverage.h>
#include <kcovtrace/symbolizer.h>

#include "base/macros.h"

#include "coverage_image.h"

/* Return address of point `i` of the first image. */
#define P(i) (BASE + 4 + AT_##i)
enum { AT_0 = F, AT_1 = F + 8, AT_2 = F + 0x18, AT_3 = G, AT_4 = N_AT };

#define BASE   UINT64_C(0x10000)
#define SECOND UINT64_C(0x50000) /* of another image */
#define TEXT   1024

static const uint8_t build_id[] = {0xaa, 0x11, 0x22, 0x33};

/* Images, a symbolizer with them, their points. */
struct fixture {
	struct elf_bytes files[2];
	struct kct_image *images[2];
	struct kct_points *points[2];
	struct kct_symbolizer *symbolizer;
	struct kct_coverage *coverage;
	size_t n;
	struct kct_error error;
};

static inline void open_images(struct fixture *self, size_t n)
{
	static const char *const names[] = {"vmlinux", "second"};

	*self = (struct fixture){.n = n};
	assert_int_equal(kct_symbolizer_new(&self->symbolizer), 0);
	for (size_t i = 0; i < n; i++) {
		self->files[i] = coverage_make(i ? SECOND : BASE, build_id);
		assert_int_equal(kct_image_open_memory(self->files[i].data, self->files[i].n,
						       names[i], &self->images[i], NULL),
				 0);
		assert_int_equal(kct_points_new(self->images[i], NULL, &self->points[i], NULL), 0);
		assert_int_equal(
			kct_symbolizer_add_image(self->symbolizer, self->images[i], names[i], NULL),
			0);
	}
}

/** With the points of the first `n` images. */
static inline void begin(struct fixture *self, const struct kct_coverage_options *options, size_t n)
{
	assert_int_equal(kct_coverage_new(self->symbolizer, options, &self->coverage), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(kct_coverage_add_points(self->coverage, self->points[i], NULL), 0);
}

static inline void close_images(struct fixture *self)
{
	kct_coverage_free(self->coverage);
	kct_symbolizer_free(self->symbolizer);
	for (size_t i = 0; i < self->n; i++) {
		kct_points_free(self->points[i]);
		kct_image_free(self->images[i]);
		free(self->files[i].data);
	}
}

/* PCs of a set, up to one of 0 records. */
struct hit {
	uint64_t pc;
	uint64_t records;
};

static inline struct kct_pc_set *make_set(enum kct_pc_kind kind, const struct kct_pc_origin *origin,
					  const struct hit *hits)
{
	static const struct kct_pc_origin recorded = {.image = "", .section = ""};
	struct kct_pc_set *set;
	size_t part;

	assert_int_equal(kct_pc_set_new(kind, &set), 0);
	assert_int_equal(kct_pc_set_part(set, origin ? origin : &recorded, &part), 0);
	for (; hits->records; hits++)
		assert_int_equal(kct_pc_set_add(set, part, hits->pc, hits->records), 0);
	kct_pc_set_add_traces(set, 1);
	return set;
}

static inline int add_hits(struct fixture *self, enum kct_pc_kind kind,
			   const struct kct_pc_origin *origin, const struct hit *hits, bool force)
{
	struct kct_pc_set *set = make_set(kind, origin, hits);
	int result = kct_coverage_add_set(self->coverage, set, force, &self->error);

	kct_pc_set_free(set);
	return result;
}

static inline void put(char text[TEXT], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline void put(char text[TEXT], const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, TEXT - used, format, args);
	va_end(args);
}

/** All lines: "a.c: 10h2 11m", with h hit, i implied, m missed, u unknown, ~ partly, and records. */
static inline void put_files(const struct kct_coverage *coverage, char text[TEXT])
{
	size_t n;
	const struct kct_coverage_file *files = kct_coverage_files(coverage, &n);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		put(text, "%s%s:", i ? " " : "", files[i].path);
		for (size_t j = 0; j < files[i].n_lines; j++) {
			const struct kct_coverage_line *line = &files[i].lines[j];
			char state = "umih"[line->state];

			put(text, " %u%c%s", line->line, state, line->partly ? "~" : "");
			if (line->records)
				put(text, "%llu", (unsigned long long)line->records);
		}
	}
}

/** All functions: "f 1/3 r3 e2", hit of points, records, entries. */
static inline void put_functions(const struct kct_coverage *coverage, char text[TEXT])
{
	size_t n;
	const struct kct_coverage_function *functions = kct_coverage_functions(coverage, &n);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		put(text, "%s%s %u/%u r%llu e%llu", i ? ", " : "", functions[i].name,
		    functions[i].hit, functions[i].points, (unsigned long long)functions[i].records,
		    (unsigned long long)functions[i].entries);
}

#endif
