/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"

#define FIRST_AFTER_MS 500
#define AGAIN_AFTER_MS 100

static bool enabled;
static const char *work;
static long long next_ms;
static bool shown;

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

void progress_enable(bool enable)
{
	enabled = enable && isatty(STDERR_FILENO);
}

void progress_start(const char *what)
{
	work = what;
	next_ms = enabled ? now_ms() + FIRST_AFTER_MS : 0;
}

int progress_report(void *context, size_t done, size_t total)
{
	long long now;

	(void)context;
	if (!enabled || !work)
		return 0;
	now = now_ms();
	if (now < next_ms)
		return 0;
	next_ms = now + AGAIN_AFTER_MS;
	shown = true;
	fprintf(stderr, "\r\033[Kkcovtrace: %s: %zu of %zu", work, done, total);
	return 0;
}

void progress_clear(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
