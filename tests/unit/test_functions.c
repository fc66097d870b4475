/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "stack/functions.h"

struct answers {
	int result;
	size_t questions;
};

/** Functions of 16 bytes each. */
static int sixteen_bytes(void *context, uint64_t pc, uint64_t *ret_function)
{
	struct answers *answers = context;

	answers->questions++;
	*ret_function = pc / 16;
	return answers->result;
}

static struct kct_functions *new_functions(struct answers *answers)
{
	const struct kct_function_source source = {sixteen_bytes, answers};
	struct kct_functions *functions = NULL;

	assert_int_equal(kct_functions_new(&source, &functions), 0);
	return functions;
}

static void test_one_number_a_function(void **state)
{
	struct answers answers = {.result = 1};
	struct kct_functions *functions = new_functions(&answers);
	uint64_t numbers[100], number;

	(void)state;
	for (uint64_t pc = 16; pc < 16 + 1600; pc++) {
		assert_int_equal(kct_functions_number(functions, pc, &number), 0);
		if (pc % 16 == 0)
			numbers[pc / 16 - 1] = number;
		assert_int_equal(number, numbers[pc / 16 - 1]);
		assert_int_equal(functions->entries[number].identity, pc / 16);
	}
	assert_int_equal(functions->n_entries, 101);
	assert_int_equal(answers.questions, 1600);
	for (uint64_t pc = 16; pc < 16 + 1600; pc++) {
		assert_int_equal(kct_functions_number(functions, pc, &number), 0);
		assert_int_equal(kct_functions_recall(functions, pc), number);
	}
	assert_int_equal(answers.questions, 1600);
	assert_int_equal(kct_functions_recall(functions, 5000), 0);
	kct_functions_free(functions);
}

static void test_unknown_is_remembered_and_errors_are_not(void **state)
{
	static const struct {
		const char *name;
		int result, expected;
		uint64_t pc;
		size_t questions; /* for two look-ups */
		bool known;
	} rows[] = {
		{"known", 1, 0, 160, 1, true},
		{"not known", 0, 0, 160, 1, false},
		{"identity 0 is none", 1, 0, 3, 1, false},
		{"error", KCT_ERR_ELF, KCT_ERR_ELF, 160, 2, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct answers answers = {.result = rows[i].result};
		struct kct_functions *functions = new_functions(&answers);
		uint64_t number = 77;

		for (int j = 0; j < 2; j++)
			CHECK_EQ(rows[i].name, kct_functions_number(functions, rows[i].pc, &number),
				 rows[i].expected);
		CHECK_EQ(rows[i].name, answers.questions, rows[i].questions);
		CHECK_EQ(rows[i].name, number, rows[i].expected < 0 ? 77 : rows[i].known);
		kct_functions_free(functions);
	}
	kct_functions_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_number_a_function),
		cmocka_unit_test(test_unknown_is_remembered_and_errors_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
