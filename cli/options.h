/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file options.h
 * All options of all commands: one table, from which parsing and help come.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <kcovtrace/kcovtrace.h>

#include "output.h"
#include "util.h"

/** X(NAME, "name") */
#define FORMAT_LIST(X)            \
	X(TEXT, "text")           \
	X(JSON, "json")           \
	X(CSV, "csv")             \
	X(FOLDED, "folded")       \
	X(ADDR2LINE, "addr2line") \
	X(LCOV, "lcov")           \
	X(SANCOV, "sancov")       \
	X(DRCOV, "drcov")         \
	X(PCS, "pcs")             \
	X(HTML, "html")

enum format {
#define FORMAT_ENUM(name, text) FORMAT_##name,
	FORMAT_LIST(FORMAT_ENUM)
#undef FORMAT_ENUM
		FORMATS
};

/** Which options a command takes, as a set. */
enum option_group {
	TAKES_OUTPUT = 1 << 0,	/**< every command */
	TAKES_LAYOUT = 1 << 1,	/**< what reads traces */
	TAKES_SYMBOLS = 1 << 2, /**< what names addresses */
	TAKES_FILTERS = 1 << 3, /**< what shows functions */
	TAKES_DEPTH = 1 << 4,	/**< what shows calls */
	TAKES_INLINES = 1 << 5, /**< what shows inline frames */
	TAKES_STACKS = 1 << 6,	/**< `stacks` alone */
	TAKES_TARGET = 1 << 7,	/**< `convert` alone */
	TAKES_RECORD = 1 << 8,	/**< `record` alone */
	TAKES_INDEX = 1 << 9,	/**< `index` alone */
	TAKES_IMAGE = 1 << 10,	/**< what looks at an image without a trace */
	TAKES_KINDS = 1 << 11,	/**< `points` alone */
	TAKES_COVER = 1 << 12,	/**< `cover` alone */
	TAKES_SETS = 1 << 13,	/**< what reads sets of PCs too; no options */
	TAKES_CALLS = 1 << 14,	/**< what builds stacks */
};

/** What `convert` writes. */
enum target { TARGET_KCT, TARGET_RAW, TARGET_PCS };

/** Which symbols `convert` puts into the file. */
enum embed_choice { EMBED_NONE, EMBED_FUNCTIONS, EMBED_PCS };

/** What `cover` sorts by. */
enum cover_order { ORDER_NAME, ORDER_PERCENT, ORDER_MISSED };

enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/** A growing list of option values, which are owned by argv. */
struct value_list {
	const char **values;
	size_t n, max;
};

/** The values of the options, as given. */
struct options {
	const struct command *command;
	enum format format;
	const char *output;
	enum color_choice color;
	bool quiet;
	bool no_progress;

	const char *layout; /**< NULL: guess */
	bool has_segment;
	uint64_t segment;
	bool strict;
	bool force;
	enum kct_eesum_quirk eesum_quirk;
	bool sections; /**< stacks start anew in the middle */

	const char *vmlinux;
	const char *module_dir;
	struct value_list modules; /**< NAME=FILE */
	const char *module_sections;
	const char *proc_modules;
	const char *kallsyms;
	bool has_kaslr;
	uint64_t kaslr;
	enum kct_pc_kind pc_kind;
	struct value_list path_maps; /**< OLD=NEW */
	bool strip_build_dir;
	bool no_cache;
	const char *cache_directory; /**< NULL: the usual one */
	bool check;		     /**< look at the cache, do not write it */
	struct value_list debug_dirs;
	bool debuginfod;

	struct value_list functions;
	struct value_list files;
	struct value_list module_names;
	struct value_list hides;
	struct value_list prunes;
	struct value_list hide_presets; /**< names, checked */

	uint64_t depth; /**< levels; 0 = all */
	bool no_inlines;

	bool has_at;
	uint64_t at;
	const char *at_function;
	bool each;
	bool weigh_calls;
	bool mark_inlines;

	enum target target;
	enum embed_choice embed;
	bool from_xen;
	const char *output_dir;

	enum kct_mode mode;
	uint64_t area_words; /**< 0: as many as the library thinks */
	bool follow;
	bool syscalls;
	struct value_list remotes; /**< handles, checked */
	const char *device;	   /**< NULL: where it usually is */
	const char *sysroot;	   /**< NULL: / */

	unsigned point_kinds; /**< set of 1 << enum kct_point_kind; 0 = all */

	struct value_list others; /**< --diff */
	enum cover_order order;
	bool lcov2;
	bool inline_calls;
};

/** One command of the program. */
struct command {
	const char *name;
	const char *arguments; /**< for the usage line */
	const char *summary;   /**< one line */
	const char *details;   /**< for its help */
	unsigned takes;	       /**< set of enum option_group */
	unsigned formats;      /**< set of 1 << enum format; the first one is the default */
	/** The arguments are another program's: options end before them, and results are not
	 *  written to `out`. */
	bool runs_program;
	/** Do it: `n` arguments that are no options. Returns an enum status. */
	int (*run)(const struct options *options, char **arguments, size_t n, struct output *out);
};

/** What parsing found. */
enum parsed { PARSED_RUN, PARSED_HELP, PARSED_WRONG };

/**
 * Parse the options of a command from `argv` (argv[0] is the command's name).
 * `*ret_first` is the index of the first argument that is no option; the
 * options may stand anywhere. After PARSED_WRONG a message has been printed.
 */
enum parsed options_parse(const struct command *command, int argc, char **argv,
			  struct options *options, int *ret_first);

/** Free the lists. */
void options_clear(struct options *options);

/** The options that a command takes, as help text. */
void options_help(struct output *out, const struct command *command);

/** Name of a format. */
const char *format_name(enum format format);

/** Append to a list of values. */
void options_append(struct value_list *list, const char *value);

/** Split `NAME=VALUE`; false without `=` or with an empty name. `*ret_length` is the name's. */
bool split_pair(const char *pair, size_t *ret_length, const char **ret_value);

#endif
