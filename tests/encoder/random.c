/* SPDX-License-Identifier: BSD-2-Clause */
/* Logical traces by a seed: calls that nest, with everything in them. */
#include <stdlib.h>

#include "encoder.h"

#define MAX_DEPTH 30u

struct story {
	uint64_t state;
	unsigned open[MAX_DEPTH]; /* functions; ENC_FUNCTIONS for untraced frames */
	size_t depth;
	uint64_t time;
};

static uint64_t pick(struct story *story, uint64_t n)
{
	story->state = story->state * 6364136223846793005u + 1442695040888963407u;
	return (story->state ^ story->state >> 32) % n;
}

/** The function that runs; the outermost one is called by code that is not traced. */
static unsigned running(const struct story *story)
{
	unsigned function = story->depth ? story->open[story->depth - 1] : ENC_FUNCTIONS;

	return function;
}

static struct enc_event call(struct story *story)
{
	unsigned to = (unsigned)pick(story, ENC_FUNCTIONS), from = running(story);

	story->open[story->depth++] = to;
	return (struct enc_event){
		.kind = ENC_ENTRY, .pc = ENC_AT(to, 0x10), .caller = ENC_AT(from, 0x80)};
}

static struct enc_event leave(struct story *story)
{
	unsigned from = running(story);

	story->depth--;
	if (from == ENC_FUNCTIONS)
		return (struct enc_event){.kind = ENC_EESUM, .delta = -1, .min = -1};
	return (struct enc_event){.kind = ENC_EXIT, .pc = ENC_AT(from, 0xf0)};
}

static struct enc_event compare(struct story *story)
{
	uint64_t type = pick(story, 8), size = 8u << (type >> 1), mask = UINT64_MAX >> (64 - size);

	return (struct enc_event){.kind = ENC_CMP,
				  .pc = ENC_AT(running(story), 0x60 + 4 * pick(story, 4)),
				  .type = type,
				  .arg1 = pick(story, UINT64_MAX) & mask,
				  .arg2 = pick(story, UINT64_MAX) & mask};
}

static struct enc_event access_memory(struct story *story)
{
	static const uint32_t flags[] = {0, 0x10, 0x60, 0x90, 0x110, 0x1f0};
	uint32_t chosen = flags[pick(story, 6)];

	return (struct enc_event){.kind = ENC_MEMORY,
				  .pc = ENC_AT(running(story), 0x50 + pick(story, 8)),
				  .addr = 0xff11000000277fc0u + 8 * pick(story, 100),
				  .size = (uint32_t)(1u << pick(story, 4)),
				  .flags = chosen,
				  .time = ++story->time,
				  .value = chosen & 0x100 ? pick(story, 1000) : 0};
}

static struct enc_event delay(struct story *story)
{
	bool wake = pick(story, 2);

	return (struct enc_event){.kind = wake ? ENC_WAKE : ENC_WAIT,
				  .bit = (uint16_t)pick(story, 65536),
				  .timeout = !wake && pick(story, 4) == 0};
}

static struct enc_event next_event(struct story *story)
{
	uint64_t action = pick(story, 32);

	if (action < 6 && story->depth < MAX_DEPTH)
		return call(story);
	if (action < 12 && story->depth)
		return leave(story);
	if (action == 12 && story->depth && story->depth < MAX_DEPTH) {
		story->open[story->depth++] = ENC_FUNCTIONS;
		return (struct enc_event){.kind = ENC_EESUM, .delta = 1};
	}
	if (action == 13)
		return (struct enc_event){.kind = ENC_EESUM};
	if (action == 14)
		return delay(story);
	if (action < 20)
		return compare(story);
	if (action < 25)
		return access_memory(story);
	return (struct enc_event){.kind = ENC_PC,
				  .pc = ENC_AT(running(story), 0x20 + 4 * pick(story, 12))};
}

struct enc_event *enc_random(uint64_t seed, size_t n)
{
	struct enc_event *events = calloc(n + 1, sizeof(*events));
	struct story story = {.state = seed * 0x9e3779b97f4a7c15u + 1};

	if (!events)
		abort();
	for (size_t i = 0; i < n; i++)
		events[i] = next_event(&story);
	return events;
}
