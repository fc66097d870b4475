/* SPDX-License-Identifier: BSD-2-Clause */
#include <getopt.h>

#include "message.h"
#include "option_values.h"
#include "record/values.h"

enum option_kind { FLAG, STRING, LIST, PARSE };

struct option_row {
	const char *name;
	char letter; /* 0: none */
	const char *value;
	unsigned group;
	enum option_kind kind;
	size_t field;	      /* FLAG, STRING, LIST: offset in struct options */
	option_parser *parse; /* of PARSE */
	const char *help;
};

#define FIELD(name) offsetof(struct options, name)

static const struct option_row rows[] = {
	{"layout", 'l', "NAME[,KEY=VALUE...]", TAKES_LAYOUT, STRING, FIELD(layout), NULL,
	 "how a raw file is laid out: a preset (below), auto, or pcs for a list of\n"
	 "addresses; keys word=4|8 endian=little|big entry-words= memory-words=\n"
	 "bitmap-words= capacity= slid=yes|no. Without it a guess is made and shown"},
	{"segment", 0, "N", TAKES_LAYOUT, PARSE, 0, parse_segment,
	 "of files with segments take number N alone; the first is 0"},
	{"strict", 0, NULL, TAKES_LAYOUT, FLAG, FIELD(strict), NULL,
	 "stop at the first odd record"},
	{"force", 0, NULL, TAKES_LAYOUT, FLAG, FIELD(force), NULL,
	 "the layout, or the kernel, is right: go on where a sanity check refuses"},
	{"eesum-quirk", 0, "none|sign-extended", TAKES_LAYOUT, PARSE, 0, parse_quirk,
	 "read EESUM words of a kernel that sign-extends them"},
	{"sections", 0, NULL, TAKES_CALLS, FLAG, FIELD(sections), NULL,
	 "remote coverage, or traces put one behind the other: find where the stack starts\n"
	 "anew; needs symbols"},
	{"vmlinux", 'k', "FILE", TAKES_SYMBOLS, STRING, FIELD(vmlinux), NULL,
	 "the kernel image, with DWARF for lines and inline frames"},
	{"modules", 'm', "DIR", TAKES_SYMBOLS, STRING, FIELD(module_dir), NULL,
	 "where NAME.ko of the modules that were loaded lie (packed or not), there or in a\n"
	 "directory below, such as /lib/modules/RELEASE"},
	{"module", 0, "NAME=FILE", TAKES_SYMBOLS, PARSE, 0, parse_module,
	 "the object file of one module; repeatable"},
	{"module-sections", 0, "FILE", TAKES_SYMBOLS | TAKES_IMAGE, STRING, FIELD(module_sections),
	 NULL, "where the modules were: lines MODULE SECTION ADDRESS"},
	{"proc-modules", 0, "FILE", TAKES_SYMBOLS | TAKES_IMAGE, STRING, FIELD(proc_modules), NULL,
	 "a copy of /proc/modules; without --module-sections, places are computed from it"},
	{"kallsyms", 0, "FILE", TAKES_SYMBOLS, STRING, FIELD(kallsyms), NULL,
	 "a copy of /proc/kallsyms, for what no image knows; also gives the KASLR\n"
	 "offset if there is a vmlinux and no --kaslr"},
	{"kaslr", 0, "OFFSET", TAKES_SYMBOLS, PARSE, 0, parse_kaslr,
	 "KASLR offset of the traced kernel, hexadecimal"},
	{"debug-dir", 0, "DIR", TAKES_SYMBOLS | TAKES_IMAGE, LIST, FIELD(debug_dirs), NULL,
	 "where else than /usr/lib/debug separate debug files are; repeatable"},
	{"debuginfod", 0, NULL, TAKES_SYMBOLS | TAKES_IMAGE, FLAG, FIELD(debuginfod), NULL,
	 "ask the servers in DEBUGINFOD_URLS for debug files"},
	{"pc-kind", 0, "return|call", TAKES_SYMBOLS, PARSE, 0, parse_pc_kind,
	 "return: look up the byte before an address, as records want it (default);\n"
	 "call: look up the address itself"},
	{"path-map", 0, "OLD=NEW", TAKES_SYMBOLS | TAKES_IMAGE, PARSE, 0, parse_path_map,
	 "rewrite the front of source paths; repeatable"},
	{"strip-build-dir", 0, NULL, TAKES_SYMBOLS | TAKES_IMAGE, FLAG, FIELD(strip_build_dir),
	 NULL, "drop the compilation directory from source paths"},
	{"cache-dir", 0, "DIR", TAKES_SYMBOLS | TAKES_INDEX | TAKES_IMAGE, STRING,
	 FIELD(cache_directory), NULL,
	 "where symbols are kept for the next run (default\n"
	 "$XDG_CACHE_HOME/kcovtrace/symbols or ~/.cache/kcovtrace/symbols)"},
	{"no-cache", 0, NULL, TAKES_SYMBOLS | TAKES_IMAGE, FLAG, FIELD(no_cache), NULL,
	 "neither use nor keep symbols of an earlier run"},
	{"check", 0, NULL, TAKES_INDEX, FLAG, FIELD(check), NULL,
	 "only see whether all symbols of the image are there and good"},
	{"function", 0, "GLOB", TAKES_FILTERS | TAKES_IMAGE, LIST, FIELD(functions), NULL,
	 "keep functions of this name, inlined ones too (with their callers and callees\n"
	 "in views of calls); `NAME[MODULE]` is one of a module; repeatable"},
	{"file", 0, "GLOB", TAKES_FILTERS | TAKES_IMAGE, LIST, FIELD(files), NULL,
	 "the same by source file; `*` also matches `/`"},
	{"module-name", 0, "GLOB", TAKES_FILTERS, LIST, FIELD(module_names), NULL,
	 "the same by module; the kernel itself is `vmlinux`"},
	{"hide", 0, "GLOB", TAKES_FILTERS, LIST, FIELD(hides), NULL,
	 "leave functions out, but keep what they call; repeatable. Their records go to\n"
	 "the caller, or are left out where each record has a line"},
	{"prune", 0, "GLOB", TAKES_FILTERS, LIST, FIELD(prunes), NULL,
	 "leave functions out with all that they call; repeatable"},
	{"hide-preset", 0, "NAME[,NAME...]", TAKES_FILTERS, PARSE, 0, parse_presets,
	 "hide well-known noise: locking, rcu, kasan, memory, entry"},
	{"depth", 0, "N", TAKES_DEPTH, PARSE, 0, parse_depth,
	 "show N levels of calls; records of deeper calls count for the last level, or\n"
	 "are left out where each record has a line"},
	{"no-inlines", 0, NULL, TAKES_INLINES, FLAG, FIELD(no_inlines), NULL,
	 "leave inline frames out, for filters too"},
	{"at", 0, "INDEX", TAKES_STACKS, PARSE, 0, parse_at,
	 "the stack of the record that holds this word"},
	{"at-function", 0, "GLOB", TAKES_STACKS, STRING, FIELD(at_function), NULL,
	 "a stack for each entry of a matching function"},
	{"each", 0, NULL, TAKES_STACKS, FLAG, FIELD(each), NULL, "a stack for each record"},
	{"weight", 0, "records|calls", TAKES_STACKS, PARSE, 0, parse_weight,
	 "what a stack's weight counts (default records)"},
	{"mark-inlines", 0, NULL, TAKES_STACKS, FLAG, FIELD(mark_inlines), NULL,
	 "put _[i] behind the names of inline frames"},
	{"kind", 0, "KIND[,KIND...]", TAKES_KINDS, PARSE, 0, parse_point_kinds,
	 "points of these kinds alone: pc, entry, exit, guard, cmp1, cmp2, cmp4, cmp8,\n"
	 "const_cmp1, const_cmp2, const_cmp4, const_cmp8, switch"},
	{"to", 0, "kct|raw|pcs", TAKES_TARGET, PARSE, 0, parse_target,
	 "what to write: a file with segments (default), the bytes of one area, or the\n"
	 "addresses of its coverage points, one a line"},
	{"from", 0, "xen|LAYOUT", TAKES_TARGET, PARSE, 0, parse_from,
	 "what the files are: xen for what `xencov read` gives, else as -l"},
	{"output-dir", 0, "DIR", TAKES_TARGET, STRING, FIELD(output_dir), NULL,
	 "--from xen: the .gcda files of the hypervisor go below this folder"},
	{"mode", 0, "pc|cmp|ext|mem|unique", TAKES_RECORD, PARSE, 0, record_parse_mode,
	 "what to record: coverage points (default), comparisons, calls (ext), calls and\n"
	 "memory accesses (mem), or each coverage point once (unique); the last three need a\n"
	 "patched kernel"},
	{"size", 's', "WORDS", TAKES_RECORD, PARSE, 0, record_parse_size,
	 "words of a thread's buffer, also as 512K or 4M (default 256K)"},
	{"follow", 0, NULL, TAKES_RECORD, FLAG, FIELD(follow), NULL,
	 "record all threads and child processes, too (ptrace)"},
	{"syscalls", 0, NULL, TAKES_RECORD, FLAG, FIELD(syscalls), NULL,
	 "a segment for each system call, with its arguments and result (ptrace)"},
	{"remote", 0, "HANDLE", TAKES_RECORD, PARSE, 0, record_parse_remote,
	 "record kernel code that runs elsewhere for a handle, too: usb:BUS,\n"
	 "common:NUMBER or a number; repeatable"},
	{"output", 'o', "FILE", TAKES_RECORD, STRING, FIELD(output), NULL,
	 "write here (default kcovtrace.kct), from the beginning on; with - to standard\n"
	 "output, and the program's standard output is then standard error"},
	{"device", 0, "FILE", TAKES_RECORD, STRING, FIELD(device), NULL,
	 "KCOV's device (default " KCT_CAPTURE_DEVICE ")"},
	{"sysroot", 0, "DIR", TAKES_RECORD, STRING, FIELD(sysroot), NULL,
	 "read /proc and /sys of the machine below this directory"},
	{"embed-symbols", 0, "[=functions|pcs]", TAKES_TARGET, PARSE, 0, parse_embed,
	 "put the symbols of the functions in the traces into the file, or of their\n"
	 "addresses alone, so that it can be read without the kernel image"},
	{"diff", 0, "OTHER", TAKES_COVER, LIST, FIELD(others), NULL,
	 "show what the files and this one do not share; repeatable, all OTHERs count\n"
	 "together (text, json and html)"},
	{"depth", 0, "N", TAKES_COVER, PARSE, 0, parse_depth, "text: show N levels of directories"},
	{"sort", 0, "name|percent|missed", TAKES_COVER, PARSE, 0, parse_sort,
	 "text: order of what lies in a directory: by name (default), by the part of the\n"
	 "points that was hit, or by the number of points that were missed"},
	{"inline-calls", 0, NULL, TAKES_COVER, FLAG, FIELD(inline_calls), NULL,
	 "a line that calls an inlined function takes the state of what was inlined"},
	{"lcov2", 0, NULL, TAKES_COVER, FLAG, FIELD(lcov2), NULL,
	 "lcov: write functions as lcov 2.2 and later do, which lcov 1 cannot read"},
	{"format", 'f', "NAME", TAKES_OUTPUT, PARSE, 0, parse_format, NULL},
	{"output", 'o', "FILE", TAKES_OUTPUT, STRING, FIELD(output), NULL,
	 "write here; the file appears when it is complete. Pipes, devices and\n"
	 "/dev/stdout are written to directly"},
	{"color", 0, "auto|always|never", TAKES_OUTPUT, PARSE, 0, parse_color,
	 "colours; auto: on a terminal, unless NO_COLOR is set"},
	{"no-progress", 0, NULL, TAKES_OUTPUT, FLAG, FIELD(no_progress), NULL, "no progress line"},
	{"quiet", 'q', NULL, TAKES_OUTPUT | TAKES_RECORD, FLAG, FIELD(quiet), NULL,
	 "no notes, no warnings, no progress line"},
};

static bool takes(const struct command *command, const struct option_row *row)
{
	if (row->parse == parse_format && !command->formats)
		return false;
	return row->group & command->takes;
}

/* Beyond any letter, so that both fit in what getopt_long() returns. */
#define ROW_BASE    0x1000
#define HELP_OPTION 0x2000

/** A value in brackets may be left out. */
static int argument_of(const struct option_row *row)
{
	if (!row->value)
		return no_argument;
	return row->value[0] == '[' ? optional_argument : required_argument;
}

/** What getopt_long() needs, for the options that a command takes. */
static void build_getopt(const struct command *command, struct option *longs, char *shorts)
{
	size_t i;

	if (command->runs_program)
		*shorts++ = '+'; /* the program has options, too */
	*shorts++ = ':';	 /* tell a missing value from an unknown option */
	*shorts++ = 'h';
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!takes(command, &rows[i]))
			continue;
		*longs++ = (struct option){rows[i].name, argument_of(&rows[i]), NULL,
					   ROW_BASE + (int)i};
		if (!rows[i].letter)
			continue;
		*shorts++ = rows[i].letter;
		if (rows[i].value)
			*shorts++ = ':';
	}
	*longs++ = (struct option){"help", no_argument, NULL, HELP_OPTION};
	*longs = (struct option){0};
	*shorts = '\0';
}

static const struct option_row *row_of(int got)
{
	size_t i;

	if (got >= ROW_BASE)
		return &rows[got - ROW_BASE];
	for (i = 0; rows[i].letter != got; i++)
		;
	return &rows[i];
}

/** Store the value of one option. Returns NULL, or what is wrong. */
static const char *take(struct options *options, const struct option_row *row, const char *value)
{
	char *field = (char *)options + row->field;

	switch (row->kind) {
	case FLAG:
		*(bool *)(void *)field = true;
		return NULL;
	case STRING:
		*(const char **)(void *)field = value;
		return NULL;
	case LIST:
		options_append((struct value_list *)(void *)field, value);
		return NULL;
	case PARSE:
		break;
	}
	return row->parse(options, value);
}

static enum format default_format(const struct command *command)
{
	enum format format = 0;

	while (command->formats && !(command->formats & 1u << format))
		format++;
	return format;
}

enum parsed options_parse(const struct command *command, int argc, char **argv,
			  struct options *options, int *ret_first)
{
	struct option longs[ARRAY_SIZE(rows) + 2];
	char shorts[2 * ARRAY_SIZE(rows) + 4];
	const char *wrong;
	int got;

	*options = (struct options){.command = command, .format = default_format(command)};
	build_getopt(command, longs, shorts);
	opterr = 0;
	optind = 0;
	while ((got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (got == 'h' || got == HELP_OPTION)
			return PARSED_HELP;
		if (got == ':') {
			usage_failure(command->name, "option '%s' needs a value", argv[optind - 1]);
			return PARSED_WRONG;
		}
		if (got == '?') {
			if (optopt && optopt < ROW_BASE)
				usage_failure(command->name, "unknown option '-%c'", optopt);
			else
				usage_failure(command->name, "unknown option '%s'",
					      argv[optind - 1]);
			return PARSED_WRONG;
		}
		wrong = take(options, row_of(got), optarg);
		if (wrong) {
			usage_failure(command->name, "--%s '%s': %s", row_of(got)->name, optarg,
				      wrong);
			return PARSED_WRONG;
		}
	}
	*ret_first = optind;
	return PARSED_RUN;
}

void options_clear(struct options *options)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].kind == LIST)
			free(((struct value_list *)(void *)((char *)options + rows[i].field))
				     ->values);
	}
	free(options->modules.values);
	free(options->path_maps.values);
	free(options->hide_presets.values);
	free(options->remotes.values);
}

/** The text of an option: `  -l, --layout NAME`, then the help lines below each other. */
static void help_row(struct output *out, const struct option_row *row)
{
	const char *help = row->help;

	output_string(out, "  ");
	if (row->letter)
		output_printf(out, "-%c, ", row->letter);
	output_printf(out, "--%s%s%s\n", row->name,
		      argument_of(row) == required_argument ? " " : "",
		      row->value ? row->value : "");
	while (help) {
		const char *end = strchr(help, '\n');

		output_printf(out, "        %.*s\n", (int)(end ? end - help : (long)strlen(help)),
			      help);
		help = end ? end + 1 : NULL;
	}
}

static void help_formats(struct output *out, const struct command *command)
{
	unsigned format;
	const char *between = "        ";

	for (format = 0; format < FORMATS; format++) {
		if (!(command->formats & 1u << format))
			continue;
		output_printf(out, "%s%s", between, format_name(format));
		between = ", ";
	}
	output_string(out, " (the first is the default)\n");
}

static void help_presets(struct output *out)
{
	const char *name;
	size_t i;

	output_string(out, "\nLayout presets:\n ");
	for (i = 0; (name = kct_layout_preset_name(i)); i++)
		output_printf(out, "%s %s", i && i % 6 == 0 ? "\n " : "", name);
	output_char(out, '\n');
}

void options_help(struct output *out, const struct command *command)
{
	size_t i;

	output_string(out, "\nOptions:\n");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!takes(command, &rows[i]))
			continue;
		help_row(out, &rows[i]);
		if (rows[i].parse == parse_format)
			help_formats(out, command);
	}
	output_string(out, "  -h, --help\n        this text\n");
	if (command->takes & TAKES_LAYOUT)
		help_presets(out);
}
