/* SPDX-License-Identifier: BSD-2-Clause */
/** @file commands.h The commands, one a file cmd_<name>.c; main.c has the table. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

extern const struct command command_info;
extern const struct command command_decode;
extern const struct command command_tree;
extern const struct command command_stacks;
extern const struct command command_symbolize;
extern const struct command command_convert;
extern const struct command command_index;
extern const struct command command_record;
extern const struct command command_points;
extern const struct command command_cover;
extern const struct command command_merge;

#endif
