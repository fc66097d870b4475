/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "record/remote.h"
#include "record/values.h"

const char *record_parse_mode(struct options *options, const char *value)
{
	static const struct {
		const char *name;
		enum kct_mode mode;
	} modes[] = {
		{"pc", KCT_MODE_PC},	  {"cmp", KCT_MODE_CMP},       {"ext", KCT_MODE_EXT},
		{"mem", KCT_MODE_MEMORY}, {"unique", KCT_MODE_UNIQUE},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strcmp(value, modes[i].name) == 0) {
			options->mode = modes[i].mode;
			return NULL;
		}
	}
	return "pc, cmp, ext, mem or unique";
}

const char *record_parse_size(struct options *options, const char *value)
{
	static const char wrong[] = "a number of words, such as 65536, 64K or 1M";
	uint64_t words, unit = 1;
	char *end;

	errno = 0;
	words = strtoull(value, &end, 10);
	if (*end == 'K' || *end == 'k')
		unit = 1024;
	else if (*end == 'M' || *end == 'm')
		unit = 1024 * 1024;
	if (*value < '0' || *value > '9' || errno || end[unit != 1])
		return wrong;
	/* Far above what a kernel takes, which the library says better. */
	if (words > UINT64_MAX / 2 / unit)
		return "too many words";
	options->area_words = words * unit;
	return words ? NULL : wrong;
}

const char *record_parse_remote(struct options *options, const char *value)
{
	uint64_t handle;
	const char *wrong = remote_parse(value, &handle);

	if (!wrong)
		options_append(&options->remotes, value);
	return wrong;
}
