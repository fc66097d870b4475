/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "decode/foreign.h"

/* What a format's first lines are looked for in. */
#define FRONT_BYTES 4096u

/** Text that is not NUL-terminated. */
struct text {
	const char *at;
	size_t n;
};

static bool contains(struct text text, const char *what)
{
	return memmem(text.at, text.n, what, strlen(what)) != NULL;
}

static bool begins(struct text text, const char *what)
{
	size_t n = strlen(what);

	return text.n >= n && memcmp(text.at, what, n) == 0;
}

/** Cut the first line off, without its newline. False if the last line has no end: it may be cut. */
static bool next_line(struct text *text, struct text *ret_line)
{
	const char *end = memchr(text->at, '\n', text->n);

	if (!end)
		return false;
	*ret_line = (struct text){text->at, (size_t)(end - text->at)};
	text->n -= ret_line->n + 1;
	text->at = end + 1;
	return true;
}

static bool is_callgrind(struct text text)
{
	bool has_events = false, has_header = false;
	struct text line;

	if (begins(text, "# callgrind format"))
		return true;
	while (next_line(&text, &line)) {
		has_events |= begins(line, "events:");
		has_header |= begins(line, "version:") || begins(line, "creator:") ||
			      begins(line, "positions:") || begins(line, "fn=");
	}
	return has_events && has_header;
}

/** `root;...;leaf COUNT`. */
static bool is_folded_line(struct text line, bool *frames)
{
	size_t digits = 0;

	while (digits < line.n && line.at[line.n - 1 - digits] >= '0' &&
	       line.at[line.n - 1 - digits] <= '9')
		digits++;
	if (digits == 0 || line.n < digits + 2 || line.at[line.n - 1 - digits] != ' ')
		return false;
	*frames |= memchr(line.at, ';', line.n - digits) != NULL;
	return true;
}

static bool is_folded(struct text text)
{
	bool frames = false;
	struct text line;

	while (next_line(&text, &line)) {
		if (!is_folded_line(line, &frames))
			return false;
	}
	return frames;
}

static struct text skip_blanks(struct text text)
{
	while (text.n && strchr(" \t\r\n", *text.at)) {
		text.at++;
		text.n--;
	}
	return text;
}

static bool is_speedscope(struct text text)
{
	return begins(skip_blanks(text), "{") &&
	       contains(text, "speedscope.app/file-format-schema");
}

static bool is_chrome_trace(struct text text)
{
	struct text front = skip_blanks(text);

	if (begins(front, "{"))
		return contains(text, "\"traceEvents\"");
	return begins(front, "[") && contains(text, "\"ph\"") && contains(text, "\"name\"");
}

static bool is_cobertura(struct text text)
{
	return begins(skip_blanks(text), "<?xml") && contains(text, "<coverage") &&
	       contains(text, "line-rate=");
}

/** coverage.json of the program kcov: its writer for JSON. */
static bool is_kcov_report(struct text text)
{
	return begins(skip_blanks(text), "{") && contains(text, "\"percent_covered\"") &&
	       contains(text, "\"covered_lines\"") && contains(text, "\"total_lines\"");
}

enum kct_foreign_text kct_foreign_text(const void *data, size_t bytes)
{
	static bool (*const tests[])(struct text text) = {
		[KCT_TEXT_CALLGRIND] = is_callgrind, [KCT_TEXT_SPEEDSCOPE] = is_speedscope,
		[KCT_TEXT_CHROME] = is_chrome_trace, [KCT_TEXT_FOLDED] = is_folded,
		[KCT_TEXT_COBERTURA] = is_cobertura, [KCT_TEXT_KCOV] = is_kcov_report,
	};
	struct text text = {data, (size_t)kct_min_u64(bytes, FRONT_BYTES)};

	for (int i = 0; i < KCT_TEXT_OTHER; i++) {
		if (tests[i](text))
			return (enum kct_foreign_text)i;
	}
	return KCT_TEXT_OTHER;
}
