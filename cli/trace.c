/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "counter.h"
#include "message.h"
#include "progress.h"
#include "sections.h"
#include "trace.h"

#define BATCH 65536

/** Something odd: how much of it, and where first. */
struct oddity {
	uint64_t count;
	uint64_t first;
};

struct oddities {
	struct oddity lost[KCT_LOST_REASONS]; /* words */
	struct oddity unknown;
	struct oddity suspect; /* of the unknown */
	struct oddity invalid;
	struct oddity saturated;
	struct oddity tiny; /* PCs: another mode wrote into the area, or damage */
};

static void count_oddity(struct oddity *oddity, uint64_t index, uint64_t n)
{
	if (!oddity->count)
		oddity->first = index;
	oddity->count += n;
}

static void watch(struct oddities *odd, const struct kct_record *records, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct kct_record *record = &records[i];

		if (record->kind == KCT_RECORD_LOST)
			count_oddity(&odd->lost[record->lost.reason % KCT_LOST_REASONS],
				     record->index, record->words);
		if (record->kind == KCT_RECORD_UNKNOWN)
			count_oddity(&odd->unknown, record->index, 1);
		if ((record->kind == KCT_RECORD_PC || record->kind == KCT_RECORD_CMP) &&
		    kct_classify_pc(record->pc) == KCT_PC_TINY)
			count_oddity(&odd->tiny, record->index, 1);
		if (record->flags & KCT_RECORD_SUSPECT)
			count_oddity(&odd->suspect, record->index, 1);
		if (record->flags & KCT_RECORD_INVALID)
			count_oddity(&odd->invalid, record->index, 1);
		if (record->flags & KCT_RECORD_SATURATED)
			count_oddity(&odd->saturated, record->index, 1);
	}
}

/** What is said of an oddity. */
struct remark {
	const struct oddity *oddity;
	const char *noun;
	const char *what;
	const char *reason; /* "" or of a loss */
};

/** By place: the order in which a reader of the trace meets them. */
static int compare_remarks(const void *a, const void *b)
{
	const struct oddity *left = ((const struct remark *)a)->oddity;
	const struct oddity *right = ((const struct remark *)b)->oddity;

	return left->first < right->first ? -1 : left->first > right->first;
}

static int report(const struct input *input, const struct oddities *odd)
{
	struct remark remarks[KCT_LOST_REASONS + 3];
	int status = STATUS_FINE;
	size_t n = 0, i;

	if (odd->tiny.count && !input->is_doubted)
		warning("%s: word %llu: %llu PC%s too small for a kernel address: records of "
			"another mode between these, or damage",
			input->name, (unsigned long long)odd->tiny.first,
			(unsigned long long)odd->tiny.count,
			odd->tiny.count == 1 ? " is" : "s are");
	for (i = 0; i < KCT_LOST_REASONS; i++)
		remarks[n++] = (struct remark){&odd->lost[i], "word",
					       "lost: ", kct_lost_reason_text((unsigned)i)};
	remarks[n++] = (struct remark){&odd->unknown, "word", "of no known kind", ""};
	remarks[n++] = (struct remark){&odd->invalid, "EESUM record",
				       "ignored: the lowest point is above 0 or above the end, "
				       "or bits without a meaning are set",
				       ""};
	remarks[n++] =
		(struct remark){&odd->saturated, "EESUM record",
				"at the limit of -32768: the depth after it is not known", ""};
	qsort(remarks, n, sizeof(*remarks), compare_remarks);
	for (i = 0; i < n; i++) {
		const struct oddity *oddity = remarks[i].oddity;

		if (!oddity->count)
			continue;
		status = failure("%s: word %llu: %llu %s%s %s%s", input->name,
				 (unsigned long long)oddity->first,
				 (unsigned long long)oddity->count, remarks[i].noun,
				 oddity->count == 1 ? "" : "s", remarks[i].what, remarks[i].reason);
		if (oddity == &odd->unknown && odd->suspect.count)
			note("%s: some may be EESUM records of a kernel that packs them wrongly: "
			     "--eesum-quirk=sign-extended reads them",
			     input->name);
	}
	return status;
}

int trace_read(const struct input *input, const struct options *options, unsigned flags,
	       take_records take, void *context, struct kct_geometry *ret_geometry)
{
	unsigned decode = (options->strict ? KCT_DECODE_STRICT : 0) |
			  (options->sections ? KCT_DECODE_SECTIONS : 0) |
			  (flags & TRACE_RUNS ? KCT_DECODE_PC_RUNS : 0);
	struct kct_record *records = zeroed(struct kct_record, BATCH);
	struct oddities odd = {0};
	struct kct_geometry geometry;
	struct kct_decoder *decoder = NULL;
	struct kct_error error;
	int r, status = STATUS_FINE;
	size_t n;

	r = kct_decoder_new(&input->layout, input->data, input->bytes, decode, &decoder, &error);
	if (r >= 0) {
		kct_decoder_geometry(decoder, &geometry);
		if (ret_geometry)
			*ret_geometry = geometry;
		progress_start("decoding");
		while ((r = kct_decoder_batch(decoder, BATCH, records, &n, &error)) > 0) {
			watch(&odd, records, n);
			status = worst(status, take(context, records, n));
			if (status == STATUS_USAGE) { /* said why, or nobody reads any more */
				flags |= TRACE_SILENT;
				break;
			}
			progress_report(NULL, (size_t)kct_decoder_position(decoder),
					(size_t)geometry.used_words);
		}
		progress_clear();
	}
	if (r < 0)
		status = flags & TRACE_SILENT ? STATUS_PARTLY : failure_of(input->name, &error);
	if (!(flags & TRACE_SILENT))
		status = worst(status, report(input, &odd));
	kct_decoder_free(decoder);
	free(records);
	return status;
}

size_t record_pcs(const struct kct_record *record, uint64_t pcs[2])
{
	pcs[0] = record->pc;
	switch (record->kind) {
	case KCT_RECORD_ENTRY:
		pcs[1] = record->entry.caller;
		return record->entry.caller ? 2 : 1;
	case KCT_RECORD_PC:
	case KCT_RECORD_EXIT:
	case KCT_RECORD_CMP:
	case KCT_RECORD_MEMORY:
		return 1;
	default:
		return 0;
	}
}

/** The distinct PCs of the records up to a word. */
struct collection {
	struct counter counter;
	uint64_t last;
};

static int collect(void *context, const struct kct_record *records, size_t n)
{
	struct collection *collection = context;
	uint64_t pcs[2];
	size_t i, j, found;

	for (i = 0; i < n; i++) {
		if (records[i].index > collection->last)
			return STATUS_USAGE; /* enough */
		found = record_pcs(&records[i], pcs);
		for (j = 0; j < found; j++)
			counter_add(&collection->counter, pcs[j], 1);
	}
	return STATUS_FINE;
}

int trace_symbolize_until(const struct input *input, const struct options *options,
			  struct session *session, uint64_t last)
{
	const struct kct_symbol **symbols;
	struct collection collection = {.last = last};
	uint64_t *pcs;
	size_t n;
	int status;

	if (!session_has_symbols(session))
		return STATUS_FINE;
	status = session_use_slide(session, input->layout.slid);
	if (status != STATUS_FINE)
		return status;
	trace_read(input, options, TRACE_SILENT, collect, &collection, NULL);
	pcs = counter_keys(&collection.counter, &n);
	symbols = zeroed(const struct kct_symbol *, n);
	status = session_batch(session, pcs, n, symbols);
	free(symbols);
	free(pcs);
	counter_clear(&collection.counter);
	return status;
}

int trace_symbolize(const struct input *input, const struct options *options,
		    struct session *session)
{
	return trace_symbolize_until(input, options, session, UINT64_MAX);
}

/** What the batches of trace_walk() are fed to. */
struct walk {
	struct kct_stack *stack;
	take_step take;
	void *context;
	int code; /* error of the stack or of `take`, or TRACE_STOP */
};

static int walk_records(void *context, const struct kct_record *records, size_t n)
{
	struct walk *walk = context;
	struct kct_step step;
	size_t i;

	for (i = 0; i < n && walk->code == 0; i++) {
		walk->code = kct_stack_step(walk->stack, &records[i], &step);
		if (walk->code >= 0)
			walk->code = walk->take(walk->context, walk->stack, &records[i], &step);
	}
	return walk->code ? STATUS_USAGE : STATUS_FINE;
}

int report_too_deep(const struct input *input, uint64_t calls)
{
	if (!calls)
		return STATUS_FINE;
	return failure("%s: %llu call%s deeper than 16 million frames %s left out", input->name,
		       (unsigned long long)calls, calls == 1 ? "" : "s", calls == 1 ? "is" : "are");
}

int trace_walk(const struct input *input, const struct options *options, struct session *session,
	       unsigned flags, take_step take, void *context)
{
	struct kct_stack_options stack_options = {
		.size = sizeof(stack_options),
		.functions = session_functions(session),
		.keep_names = flags & TRACE_NAMES,
	};
	struct walk walk = {.take = take, .context = context};
	struct kct_stack_stats stats = {.size = sizeof(stats)};
	struct kct_sections *sections;
	struct kct_step step;
	int status;

	status = sections_find(input, options, session, flags & TRACE_SILENT, &stack_options,
			       &sections);
	/* A section can begin within a run. */
	if (sections)
		flags &= ~(unsigned)TRACE_RUNS;
	walk.code = kct_stack_new(&stack_options, &walk.stack);
	if (walk.code >= 0)
		status =
			worst(status, trace_read(input, options, flags, walk_records, &walk, NULL));
	if (walk.code == TRACE_STOP)
		status = STATUS_FINE;
	if (walk.code == 0)
		walk.code = kct_stack_finish(walk.stack, &step);
	if (walk.code == 0)
		walk.code = take(context, walk.stack, NULL, &step);
	if (walk.stack)
		kct_stack_stats(walk.stack, &stats);
	if (!(flags & TRACE_SILENT))
		status = worst(status, report_too_deep(input, stats.too_deep));
	kct_stack_free(walk.stack);
	kct_sections_free(sections);
	return walk.code < 0 ? failure_code(input->name, walk.code) : status;
}
