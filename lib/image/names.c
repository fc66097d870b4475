/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "image/names.h"

/* Words that gcc and clang put behind a dot when they copy or split a function. */
static const char *const clone_words[] = {
	"cold",	      "isra",  "constprop", "part",	   "llvm",    "lto_priv",
	"localalias", "clone", "__uniq",    "specialized", "memprof", "cfi_jt",
};

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool kct_name_is_label(const char *name)
{
	return name[0] == '\0' || name[0] == '$' || starts_with(name, ".L");
}

bool kct_name_is_decoration(const char *name)
{
	return starts_with(name, "__pfx_") || starts_with(name, "__cfi_");
}

/** Where the last component of name[0..length) begins (at its dot), or 0 if there is none. */
static size_t last_component(const char *name, size_t length)
{
	while (length > 1) {
		if (name[--length] == '.')
			return length;
	}
	return 0;
}

static bool is_number(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
	}
	return length > 0;
}

static bool is_clone_word(const char *text, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(clone_words); i++) {
		if (strlen(clone_words[i]) == length && memcmp(clone_words[i], text, length) == 0)
			return true;
	}
	return false;
}

size_t kct_base_name_length(const char *name)
{
	size_t length = strlen(name);

	for (;;) {
		size_t dot = last_component(name, length);
		size_t rest = length - dot - 1;

		if (dot == 0 ||
		    !(is_number(name + dot + 1, rest) || is_clone_word(name + dot + 1, rest)))
			return length;
		length = dot;
	}
}

size_t kct_name_cold_stem(const char *name)
{
	size_t length = strlen(name);
	size_t dot = last_component(name, length);

	if (dot != 0 && is_number(name + dot + 1, length - dot - 1)) {
		length = dot;
		dot = last_component(name, length);
	}
	if (dot == 0 || length - dot != strlen(".cold") || memcmp(name + dot, ".cold", 5) != 0)
		return 0;
	return dot;
}
