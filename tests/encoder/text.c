/* SPDX-License-Identifier: BSD-2-Clause */
/* Events and faults from text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder.h"

#define MAX_NUMBERS 6u

struct words {
	char name[16];
	uint64_t numbers[MAX_NUMBERS];
	size_t n;
};

static uint64_t number_of(const char *text, char **end)
{
	/* strtoull() takes a sign too, and base 0 also 0x. */
	return strtoull(text, end, 0);
}

/** 1, 0 if there is no word, -1. */
static int split(const char *line, struct words *words)
{
	int used = 0;
	char *end;

	*words = (struct words){.n = 0};
	if (sscanf(line, "%15s%n", words->name, &used) != 1 || words->name[0] == '#')
		return 0;
	for (line += used; words->n < MAX_NUMBERS; line = end) {
		uint64_t number;

		line += strspn(line, " \t\n");
		if (*line == '\0' || *line == '#')
			return 1;
		number = number_of(line, &end);
		if (end == line)
			return -1;
		words->numbers[words->n++] = number;
	}
	line += strspn(line, " \t\n");
	return *line == '\0' || *line == '#' ? 1 : -1;
}

static const struct {
	const char *name;
	enum enc_kind kind;
	size_t min, max; /* numbers */
} names[] = {
	{"pc", ENC_PC, 1, 1},	  {"cmp", ENC_CMP, 4, 4},      {"entry", ENC_ENTRY, 1, 2},
	{"exit", ENC_EXIT, 1, 1}, {"eesum", ENC_EESUM, 2, 2},  {"memory", ENC_MEMORY, 5, 6},
	{"wait", ENC_WAIT, 1, 1}, {"timeout", ENC_WAIT, 1, 1}, {"wake", ENC_WAKE, 1, 1},
	{"word", ENC_RAW, 1, 1},
};

static void fill(struct enc_event *event, const struct words *words)
{
	const uint64_t *numbers = words->numbers;

	event->pc = numbers[0];
	switch (event->kind) {
	case ENC_CMP:
		event->type = numbers[0];
		event->arg1 = numbers[1];
		event->arg2 = numbers[2];
		event->pc = numbers[3];
		break;
	case ENC_ENTRY:
		event->caller = numbers[1];
		break;
	case ENC_EESUM:
		event->pc = 0;
		event->delta = (int32_t)numbers[0];
		event->min = (int32_t)numbers[1];
		break;
	case ENC_MEMORY:
		event->addr = numbers[1];
		event->size = (uint32_t)numbers[2];
		event->flags = (uint32_t)numbers[3];
		event->time = numbers[4];
		event->value = numbers[5];
		break;
	case ENC_WAIT:
	case ENC_WAKE:
		event->pc = 0;
		event->bit = (uint16_t)numbers[0];
		event->timeout = strcmp(words->name, "timeout") == 0;
		break;
	default:
		break;
	}
}

int enc_parse_line(const char *line, struct enc_event *ret_event)
{
	struct words words;
	int result = split(line, &words);

	if (result <= 0)
		return result;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].name, words.name) != 0)
			continue;
		if (words.n < names[i].min || words.n > names[i].max)
			return -1;
		*ret_event = (struct enc_event){.kind = names[i].kind};
		fill(ret_event, &words);
		return 1;
	}
	return -1;
}

bool enc_parse_fault(const char *text, struct enc_fault *ret_fault)
{
	unsigned long long at, number, seed;
	struct enc_fault fault = {.kind = ENC_FAULTS};
	int used = 0;

	if (strcmp(text, "zero-last") == 0)
		fault.kind = ENC_ZERO_LAST;
	else if (strcmp(text, "stale-last") == 0)
		fault.kind = ENC_STALE_LAST;
	else if (sscanf(text, "count=%lli%n", (long long *)&number, &used) == 1 && !text[used])
		fault = (struct enc_fault){ENC_BAD_COUNT, 0, number, 0};
	else if (sscanf(text, "cut=%llu%n", &number, &used) == 1 && !text[used])
		fault = (struct enc_fault){ENC_CUT_TAIL, 0, number, 0};
	else if (sscanf(text, "mode=%llu:%llu%n", &at, &number, &used) == 2 && !text[used])
		fault = (struct enc_fault){ENC_WRONG_MODE, at, number, 0};
	else if (sscanf(text, "garbage=%llu:%llu:%llu%n", &at, &number, &seed, &used) == 3 &&
		 !text[used] && at > 0)
		fault = (struct enc_fault){ENC_GARBAGE, at, number, seed};
	*ret_fault = fault;
	return fault.kind != ENC_FAULTS;
}
