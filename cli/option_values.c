/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "filter.h"
#include "option_values.h"

static const char *const format_names[] = {
#define FORMAT_NAME(name, text) [FORMAT_##name] = text,
	FORMAT_LIST(FORMAT_NAME)
#undef FORMAT_NAME
};

const char *format_name(enum format format)
{
	return format_names[format];
}

const char *parse_format(struct options *options, const char *value)
{
	unsigned format;

	for (format = 0; format < FORMATS; format++) {
		if (strcmp(value, format_names[format]) == 0 &&
		    options->command->formats & 1u << format) {
			options->format = format;
			return NULL;
		}
	}
	return "not a format of this command";
}

static const char *parse_decimal(const char *value, uint64_t *ret_number)
{
	char *end;

	if (*value < '0' || *value > '9')
		return "not a number";
	errno = 0;
	*ret_number = strtoull(value, &end, 10);
	return *end || errno ? "not a number" : NULL;
}

const char *parse_depth(struct options *options, const char *value)
{
	const char *wrong = parse_decimal(value, &options->depth);

	return wrong ? wrong : options->depth ? NULL : "at least one level must stay";
}

const char *parse_at(struct options *options, const char *value)
{
	options->has_at = true;
	return parse_decimal(value, &options->at);
}

const char *parse_segment(struct options *options, const char *value)
{
	options->has_segment = true;
	return parse_decimal(value, &options->segment);
}

const char *parse_kaslr(struct options *options, const char *value)
{
	options->has_kaslr = true;
	return kct_parse_address(value, strlen(value), &options->kaslr) < 0
		       ? "not a hexadecimal number"
		       : NULL;
}

/** The number of `value` in a list of names, -1 if it is none of them. */
static int choose(const char *value, const char *const *names, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (strcmp(value, names[i]) == 0)
			return i;
	}
	return -1;
}

const char *parse_color(struct options *options, const char *value)
{
	static const char *const names[] = {"auto", "always", "never"};
	int choice = choose(value, names, 3);

	if (choice < 0)
		return "auto, always or never";
	options->color = (enum color_choice)choice;
	return NULL;
}

const char *parse_pc_kind(struct options *options, const char *value)
{
	static const char *const names[] = {"return", "call"};
	int choice = choose(value, names, 2);

	if (choice < 0)
		return "return or call";
	options->pc_kind = choice ? KCT_PC_CALL : KCT_PC_RETURN;
	return NULL;
}

const char *parse_quirk(struct options *options, const char *value)
{
	static const char *const names[] = {"none", "sign-extended"};
	int choice = choose(value, names, 2);

	if (choice < 0)
		return "none or sign-extended";
	options->eesum_quirk = choice ? KCT_EESUM_SIGN_EXTENDED : KCT_EESUM_NONE;
	return NULL;
}

const char *parse_weight(struct options *options, const char *value)
{
	static const char *const names[] = {"records", "calls"};
	int choice = choose(value, names, 2);

	if (choice < 0)
		return "records or calls";
	options->weigh_calls = choice == 1;
	return NULL;
}

const char *parse_sort(struct options *options, const char *value)
{
	static const char *const names[] = {"name", "percent", "missed"};
	int choice = choose(value, names, 3);

	if (choice < 0)
		return "name, percent or missed";
	options->order = (enum cover_order)choice;
	return NULL;
}

const char *parse_target(struct options *options, const char *value)
{
	static const char *const names[] = {"kct", "raw", "pcs"};
	int choice = choose(value, names, 3);

	if (choice < 0)
		return "kct, raw or pcs";
	options->target = (enum target)choice;
	return NULL;
}

const char *parse_point_kinds(struct options *options, const char *value)
{
	while (value) {
		const char *comma = strchr(value, ',');
		size_t length = comma ? (size_t)(comma - value) : strlen(value);
		char name[32] = "";
		unsigned kind;

		if (length < sizeof(name))
			memcpy(name, value, length);
		if (kct_point_kind_parse(name, &kind) < 0)
			return "the kinds are pc, entry, exit, guard, cmp1 to cmp8, const_cmp1 to "
			       "const_cmp8 and switch";
		options->point_kinds |= 1u << kind;
		value = comma ? comma + 1 : NULL;
	}
	return NULL;
}

const char *parse_embed(struct options *options, const char *value)
{
	static const char *const names[] = {"functions", "pcs"};
	int choice = value ? choose(value, names, 2) : 0;

	if (choice < 0)
		return "functions or pcs";
	options->embed = choice ? EMBED_PCS : EMBED_FUNCTIONS;
	return NULL;
}

void options_append(struct value_list *list, const char *value)
{
	grow(&list->values, list->n, &list->max);
	list->values[list->n++] = value;
}

bool split_pair(const char *pair, size_t *ret_length, const char **ret_value)
{
	const char *equals = strchr(pair, '=');

	if (!equals || equals == pair)
		return false;
	*ret_length = (size_t)(equals - pair);
	*ret_value = equals + 1;
	return true;
}

static const char *append_pair(struct value_list *list, const char *value)
{
	const char *right;
	size_t length;

	if (!split_pair(value, &length, &right))
		return *value == '=' ? "nothing before the '='" : "no '=' in it";
	options_append(list, value);
	return NULL;
}

const char *parse_module(struct options *options, const char *value)
{
	return append_pair(&options->modules, value);
}

const char *parse_path_map(struct options *options, const char *value)
{
	return append_pair(&options->path_maps, value);
}

const char *parse_presets(struct options *options, const char *value)
{
	const char *at = value;

	while (at) {
		const char *comma = strchr(at, ',');
		size_t length = comma ? (size_t)(comma - at) : strlen(at);
		const char *name = filter_preset_name(at, length);

		if (!name)
			return "the presets are locking, rcu, kasan, memory and entry";
		options_append(&options->hide_presets, name);
		at = comma ? comma + 1 : NULL;
	}
	return NULL;
}

/** Another name for a layout but for what is no area. */
const char *parse_from(struct options *options, const char *value)
{
	options->from_xen = strcmp(value, "xen") == 0;
	if (!options->from_xen)
		options->layout = value;
	return NULL;
}
