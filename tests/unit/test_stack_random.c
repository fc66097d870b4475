/* SPDX-License-Identifier: BSD-2-Clause */
/* Random calls with fixed seeds: the records of a known tree must give that tree again. */
#include "stack_tree.h"

#include "base/macros.h"

enum { MAX_RECORDS = 3000, MAX_DEPTH = 40 };

/** What the generator did, and what must come out. */
struct story {
	uint64_t random;
	struct kct_record records[MAX_RECORDS];
	uint64_t top[MAX_RECORDS]; /* index of the innermost open call after each; 0 none */
	size_t n_records;
	struct kct_call calls[MAX_RECORDS];
	size_t n_calls;
	uint64_t open[MAX_DEPTH];
	size_t n_open;
	uint64_t outside;
	uint64_t index;
};

static uint64_t pick(struct story *story, uint64_t n)
{
	story->random ^= story->random << 13;
	story->random ^= story->random >> 7;
	story->random ^= story->random << 17;
	return story->random % n;
}

static void add_record(struct story *story, struct kct_record record)
{
	uint64_t call = story->n_open ? story->open[story->n_open - 1] : KCT_NO_CALL;

	record.index = story->index;
	story->index += record.words;
	story->top[story->n_records] = call == KCT_NO_CALL ? 0 : story->calls[call].index;
	story->records[story->n_records++] = record;
}

static struct kct_call *open_call(struct story *story, enum kct_call_kind kind)
{
	struct kct_call *call = &story->calls[story->n_calls];

	*call = (struct kct_call){
		.parent = story->n_open ? story->open[story->n_open - 1] : KCT_NO_CALL,
		.index = story->index,
		.end_index = KCT_NOWHERE,
		.end = KCT_END_UNFINISHED,
		.kind = (uint8_t)kind,
	};
	story->open[story->n_open++] = story->n_calls++;
	return call;
}

static struct kct_call *innermost(struct story *story)
{
	return story->n_open ? &story->calls[story->open[story->n_open - 1]] : NULL;
}

static char function_of_call(const struct kct_call *call)
{
	return call && call->pc ? letter(call->pc) : 'Z';
}

/** `Z` and above are never entered: code that is not traced. */
static void tell_call(struct story *story, bool untraced_callers)
{
	bool via = untraced_callers && pick(story, 6) == 0;
	char from = via ? 'Z' : function_of_call(innermost(story));
	char to = (char)('A' + pick(story, 20));
	struct kct_record record = CALL(0, from, to);
	bool is_root = story->n_open == 0;
	struct kct_call *call;

	for (size_t i = 0; i < story->n_open && !untraced_callers; i++) {
		if (function_of_call(&story->calls[story->open[i]]) == to)
			return; /* no recursion in this kind of story */
	}
	call = open_call(story, KCT_CALL_CALLED);
	call->pc = record.pc;
	call->caller = record.entry.caller;
	call->records = 1;
	call->confidence = from == 'Z' && !is_root ? KCT_EDGE_VIA_UNTRACED : KCT_EDGE_VERIFIED;
	add_record(story, record);
}

static void tell_return(struct story *story)
{
	struct kct_call *call = innermost(story);

	if (!call)
		return;
	call->records++;
	story->n_open--;
	if (call->kind == KCT_CALL_UNTRACED) {
		call->end = KCT_END_UNTRACED;
		add_record(story, (struct kct_record)EESUM(0, -1, -1));
	} else {
		call->end = KCT_END_CLOSED;
		call->end_index = story->index;
		add_record(story, (struct kct_record)EXIT(0, function_of_call(call)));
	}
}

static void tell_untraced(struct story *story)
{
	struct kct_call *call = innermost(story);

	if (call)
		call->records++;
	else
		story->outside++;
	open_call(story, KCT_CALL_UNTRACED)->confidence = KCT_EDGE_UNCHECKED;
	add_record(story, (struct kct_record)EESUM(0, 1, 0));
}

static void tell_point(struct story *story)
{
	char function = function_of_call(innermost(story));
	const struct kct_record choices[] = {PC(0, function), PCS(0, function, 3),
					     MEMORY(0, function), WAIT(0), EESUM(0, 0, 0)};
	struct kct_record record = choices[pick(story, ARRAY_SIZE(choices))];

	if (innermost(story))
		innermost(story)->records += record.count;
	else
		story->outside += record.count;
	add_record(story, record);
}

static struct story *tell(uint64_t seed, bool untraced)
{
	struct story *story = calloc(1, sizeof(*story));

	assert_non_null(story);
	story->random = seed * 0x9e3779b97f4a7c15 + 1;
	story->index = 1;
	for (int i = 0; i < MAX_RECORDS; i++) {
		uint64_t action = pick(story, 20);

		if (action < 6 && story->n_open < MAX_DEPTH)
			tell_call(story, untraced);
		else if (action < 12)
			tell_return(story);
		else if (action == 12 && untraced && story->n_open < MAX_DEPTH)
			tell_untraced(story);
		else
			tell_point(story);
	}
	return story;
}

static void check_same_calls(const struct story *story, const struct kct_calltree *tree)
{
	size_t n;
	const struct kct_call *calls = kct_calltree_nodes(tree, &n);

	assert_int_equal(n, story->n_calls);
	assert_int_equal(kct_calltree_outside(tree), story->outside);
	for (size_t i = 0; i < n; i++) {
		const struct kct_call *is = &calls[i], *should = &story->calls[i];

		assert_true(is->parent == should->parent);
		assert_true(is->pc == should->pc && is->caller == should->caller);
		assert_true(is->index == should->index && is->end_index == should->end_index);
		assert_int_equal(is->records, should->records);
		assert_int_equal(is->repeats, 1);
		assert_int_equal(is->kind, should->kind);
		assert_int_equal(is->end, should->end);
		assert_int_equal(is->confidence, should->confidence);
	}
}

static void test_tree_of_the_calls_that_were_made(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct story *story = tell(seed, true);
		struct kct_stack *stack = new_stack(true, 0, true);
		struct kct_calltree *tree = new_tree(0);
		struct kct_profile *profile = new_profile();

		build(stack, tree, profile, story->records, story->n_records);
		assert_int_equal(stats_of(stack).depth, story->n_open);
		finish(stack, tree);
		check_same_calls(story, tree);
		assert_int_equal(stats_of(stack).skipped, 0);
		assert_int_equal(stats_of(stack).underflows, 0);
		assert_int_equal(stats_of(stack).outside, story->outside);
		assert_int_equal(profile_records(profile), stats_of(stack).records);
		kct_profile_free(profile);
		kct_calltree_free(tree);
		kct_stack_free(stack);
		free(story);
	}
}

/** Records and number of the calls of each function. */
static void totals(const struct kct_call *calls, size_t n, uint64_t (*records)[256],
		   uint64_t (*times)[256])
{
	memset(records, 0, sizeof(*records));
	memset(times, 0, sizeof(*times));
	for (size_t i = 0; i < n; i++) {
		(*records)[(unsigned char)letter(calls[i].pc)] += calls[i].records;
		(*times)[(unsigned char)letter(calls[i].pc)] +=
			calls[i].repeats ? calls[i].repeats : 1;
	}
}

static void test_folding_keeps_totals(void **state)
{
	uint64_t records[256], times[256], folded_records[256], folded_times[256];
	size_t n, folds = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct story *story = tell(seed, false);
		struct kct_stack *stack = new_stack(true, 0, false);
		struct kct_calltree *tree = new_tree(KCT_CALLTREE_FOLD);
		const struct kct_call *calls;

		/* Two functions only: many equal calls in a row. */
		for (size_t i = 0; i < story->n_records; i++) {
			if (story->records[i].kind == KCT_RECORD_ENTRY)
				story->records[i].pc =
					AT('A' + story->records[i].pc / 4096 % 2, 16);
		}
		for (size_t i = 0; i < story->n_calls; i++)
			story->calls[i].pc = AT('A' + story->calls[i].pc / 4096 % 2, 16);
		kct_stack_free(stack);
		stack = new_stack(false, 0, false);
		build(stack, tree, NULL, story->records, story->n_records);
		finish(stack, tree);
		calls = kct_calltree_nodes(tree, &n);
		folds += story->n_calls - n;
		totals(story->calls, story->n_calls, &records, &times);
		totals(calls, n, &folded_records, &folded_times);
		assert_memory_equal(records, folded_records, sizeof(records));
		assert_memory_equal(times, folded_times, sizeof(times));
		kct_calltree_free(tree);
		kct_stack_free(stack);
		free(story);
	}
	assert_true(folds > 100);
}

/* The state after a part of a trace is that after the same records of the whole. */
static void test_state_at_each_record(void **state)
{
	(void)state;
	for (uint64_t seed = 21; seed <= 25; seed++) {
		struct story *story = tell(seed, true);
		struct kct_stack *stack = new_stack(true, 0, true);
		struct kct_step step;
		size_t n;

		for (size_t i = 0; i < story->n_records; i++) {
			const struct kct_frame *frames;

			assert_int_equal(kct_stack_step(stack, &story->records[i], &step), 0);
			frames = kct_stack_frames(stack, &n);
			assert_true((n ? frames[n - 1].index : 0) == story->top[i]);
		}
		kct_stack_free(stack);
		free(story);
	}
}

static void check_fed_in_batches(struct story *story, bool symbols, bool names)
{
	struct kct_stack *one = new_stack(symbols, 7, names), *other = new_stack(symbols, 7, names);
	struct kct_stack_stats stats, other_stats;
	size_t n, n_other;
	const struct kct_frame *frames, *others;
	struct kct_step step;

	for (size_t at = 0, batch; at < story->n_records; at += batch) {
		batch = kct_min_u64(1 + pick(story, 50), story->n_records - at);
		assert_int_equal(kct_stack_feed(one, story->records + at, batch), 0);
		for (size_t i = at; i < at + batch; i++)
			assert_int_equal(kct_stack_step(other, &story->records[i], &step), 0);
		stats = stats_of(one);
		other_stats = stats_of(other);
		assert_memory_equal(&stats, &other_stats, sizeof(stats));
		frames = kct_stack_frames(one, &n);
		others = kct_stack_frames(other, &n_other);
		assert_int_equal(n, n_other);
		if (n > 0)
			assert_memory_equal(frames, others, n * sizeof(*frames));
	}
	kct_stack_free(one);
	kct_stack_free(other);
}

/** Records without sense: any order, any function. */
static void shuffle(struct story *story)
{
	for (size_t i = story->n_records; i-- > 1;) {
		size_t with = pick(story, i);
		struct kct_record record = story->records[i];

		story->records[i] = story->records[with];
		story->records[with] = record;
		if (pick(story, 20) == 0)
			story->records[i] = (struct kct_record)LOST(0, 1, 0);
		else if (pick(story, 20) == 0)
			story->records[i] = (struct kct_record)EESUM(0, (int)pick(story, 9) - 4,
								     (int)pick(story, 6) - 4);
	}
}

static void test_feed_is_step(void **state)
{
	(void)state;
	for (uint64_t seed = 31; seed <= 40; seed++) {
		struct story *story = tell(seed, true);

		for (int form = 0; form < 8; form++) {
			if (form == 4)
				shuffle(story);
			check_fed_in_batches(story, form & 1, form & 2);
		}
		free(story);
	}
}

/* Any order of records: no weight is lost in any view. */
static void test_weights_add_up_for_any_records(void **state)
{
	(void)state;
	for (uint64_t seed = 41; seed <= 60; seed++) {
		struct story *story = tell(seed, true);
		struct kct_stack *stack = new_stack(seed % 2, seed % 3 ? 0 : 5, true);
		struct kct_calltree *flat = new_tree(0), *folded = new_tree(KCT_CALLTREE_FOLD);
		struct kct_profile *profile = new_profile();
		uint64_t expected = 0;

		shuffle(story);
		for (size_t i = 0; i < story->n_records; i++) {
			const struct kct_record *record = &story->records[i];
			struct kct_step step;

			expected += record->kind == KCT_RECORD_LOST ? 0 : record->count;
			assert_int_equal(kct_stack_step(stack, record, &step), 0);
			assert_int_equal(kct_calltree_add(flat, stack, record, &step), 0);
			assert_int_equal(kct_calltree_add(folded, stack, record, &step), 0);
			assert_int_equal(kct_profile_add(profile, stack, record, &step), 0);
			if (i % 100 == 0)
				assert_int_equal(tree_records(folded), expected);
		}
		assert_int_equal(stats_of(stack).records, expected);
		assert_int_equal(tree_records(flat), expected);
		assert_int_equal(tree_records(folded), expected);
		assert_int_equal(profile_records(profile), expected);
		kct_profile_free(profile);
		kct_calltree_free(folded);
		kct_calltree_free(flat);
		kct_stack_free(stack);
		free(story);
	}
}

/** Number of the call that a record opens or closes (EXIT, by its end); KCT_NO_CALL for others. */
static uint64_t call_at(const struct story *story, const struct kct_record *record)
{
	for (size_t i = 0; i < story->n_calls; i++) {
		if (story->calls[i].index == record->index ||
		    story->calls[i].end_index == record->index)
			return i;
	}
	return KCT_NO_CALL;
}

/* One missing record: with symbols the next call or return that can tell puts it right. */
static void check_heals_without(const struct story *story, size_t missing)
{
	struct kct_stack *stack = new_stack(true, 0, false);
	uint64_t hurt = call_at(story, &story->records[missing]);
	bool was_exit = story->records[missing].kind == KCT_RECORD_EXIT, sure = true;
	uint64_t hurt_index = story->calls[hurt].index;
	struct kct_step step;
	size_t n;

	for (size_t i = 0; i < story->n_records; i++) {
		const struct kct_record *record = &story->records[i];
		const struct kct_frame *frames;

		if (i == missing) {
			sure = !was_exit;
			continue;
		}
		assert_int_equal(kct_stack_step(stack, record, &step), 0);
		if (record->kind == KCT_RECORD_ENTRY || record->kind == KCT_RECORD_EXIT)
			sure = true;
		frames = kct_stack_frames(stack, &n);
		/* A call that was not entered is missing, nothing else. */
		if (!sure || (i > missing && story->top[i] == hurt_index))
			continue;
		assert_true((n ? frames[n - 1].index : 0) == story->top[i]);
	}
	kct_stack_free(stack);
}

static void test_one_missing_record_heals(void **state)
{
	struct story *story = tell(77, false);
	size_t tried = 0;

	(void)state;
	for (size_t i = 0; i < story->n_records; i += 7) {
		uint64_t call = call_at(story, &story->records[i]);

		/* No later record tells of the end of a root: its caller is not traced. */
		if (call == KCT_NO_CALL || story->calls[call].parent == KCT_NO_CALL)
			continue;
		check_heals_without(story, i);
		tried++;
	}
	assert_true(tried > 100);
	free(story);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree_of_the_calls_that_were_made),
		cmocka_unit_test(test_folding_keeps_totals),
		cmocka_unit_test(test_state_at_each_record),
		cmocka_unit_test(test_feed_is_step),
		cmocka_unit_test(test_weights_add_up_for_any_records),
		cmocka_unit_test(test_one_missing_record_heals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
