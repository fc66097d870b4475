/* SPDX-License-Identifier: BSD-2-Clause */
/** @file option_values.h What the values of options mean. */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "options.h"

/** Puts the value of an option into the options. Returns NULL, or what is wrong with it. */
typedef const char *option_parser(struct options *options, const char *value);

/** The parsers, named as the options are. */
extern option_parser parse_format, parse_depth, parse_at, parse_segment, parse_kaslr, parse_color,
	parse_pc_kind, parse_quirk, parse_weight, parse_sort, parse_target, parse_point_kinds,
	parse_embed, parse_module, parse_path_map, parse_presets, parse_from;

#endif
