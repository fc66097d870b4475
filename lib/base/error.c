/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

const char *kct_strerror(int code)
{
	if (code >= 0)
		return "success";
	switch (code) {
#define KCT_ERROR_CASE(name, value, text) \
	case KCT_ERR_##name:              \
		return text;
		KCT_ERROR_LIST(KCT_ERROR_CASE)
#undef KCT_ERROR_CASE
	default:
		return "unknown error";
	}
}

const char *kct_error_name(int code)
{
	if (code >= 0)
		return "KCT_OK";
	switch (code) {
#define KCT_ERROR_CASE(name, value, text) \
	case KCT_ERR_##name:              \
		return "KCT_ERR_" #name;
		KCT_ERROR_LIST(KCT_ERROR_CASE)
#undef KCT_ERROR_CASE
	default:
		return "KCT_ERR_UNKNOWN";
	}
}

/** Set all fields but the text. */
static void error_init(struct kct_error *error, int code, int sys_errno, uint64_t offset)
{
	error->code = code;
	error->sys_errno = sys_errno;
	error->offset = offset;
	error->word_index = KCT_NOWHERE;
	error->word = 0;
}

void kct_clean_text(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
	}
}

static void error_text(struct kct_error *error, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void error_text(struct kct_error *error, const char *format, va_list args)
{
	vsnprintf(error->text, sizeof(error->text), format, args);
	kct_clean_text(error->text);
}

int kct_fail(struct kct_error *error, int code, const char *format, ...)
{
	va_list args;

	if (!error)
		return code;
	error_init(error, code, 0, KCT_NOWHERE);
	va_start(args, format);
	error_text(error, format, args);
	va_end(args);
	return code;
}

int kct_fail_at(struct kct_error *error, int code, uint64_t offset, const char *format, ...)
{
	va_list args;

	if (!error)
		return code;
	error_init(error, code, 0, offset);
	va_start(args, format);
	error_text(error, format, args);
	va_end(args);
	return code;
}

int kct_fail_errno(struct kct_error *error, const char *format, ...)
{
	int saved = errno;
	size_t used;
	va_list args;
	char room[96];

	if (!error)
		return KCT_ERR_IO;
	error_init(error, KCT_ERR_IO, saved, KCT_NOWHERE);
	va_start(args, format);
	error_text(error, format, args);
	va_end(args);
	used = strlen(error->text);
	/* The GNU form of strerror_r(): it returns the text, which need not be in the room. */
	snprintf(error->text + used, sizeof(error->text) - used, ": %s",
		 strerror_r(saved, room, sizeof(room)));
	return KCT_ERR_IO;
}

int kct_fail_code(struct kct_error *error, int code)
{
	return kct_fail(error, code, "%s", kct_strerror(code));
}
