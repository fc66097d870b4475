/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <unistd.h>

#include "commands.h"
#include "message.h"
#include "progress.h"

static const struct command *const commands[] = {
	&command_info,	    &command_decode,  &command_tree,  &command_stacks,
	&command_symbolize, &command_convert, &command_index, &command_record,
	&command_points,    &command_cover,   &command_merge,
};

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

static void overview(struct output *out)
{
	size_t i;

	output_string(out,
		      "kcovtrace reads what KCOV recorded of a kernel: coverage points, calls, "
		      "comparisons and\nmemory accesses, and names them with the kernel's "
		      "debug information.\n\n"
		      "Usage: kcovtrace COMMAND [OPTION...] FILE...\n"
		      "       kcovtrace help COMMAND\n"
		      "       kcovtrace --help | --version\n\nCommands:\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		output_printf(out, "  %-10s  %s\n", commands[i]->name, commands[i]->summary);
	output_string(out, "  help        show the help of a command\n\n"
			   "FILE is a raw dump of a KCOV buffer, a .kct file or a list of PCs, "
			   "packed with gzip, zstd\nor xz or not, or - for standard input.\n\n"
			   "Exit status: 0 fine, 1 something could not be processed, 2 wrong "
			   "command line.\n");
}

static void command_help(struct output *out, const struct command *command)
{
	output_printf(out, "Usage: kcovtrace %s [OPTION...] %s\n\n%s\n\n%s", command->name,
		      command->arguments, command->summary, command->details);
	options_help(out, command);
}

/** Print a help text: of a command, or the overview if that is NULL. */
static int show_help(const struct command *command)
{
	static struct output out;

	output_open(&out, NULL);
	if (command)
		command_help(&out, command);
	else
		overview(&out);
	return output_close(&out);
}

static int show_version(void)
{
	static struct output out;

	output_open(&out, NULL);
	output_printf(&out, "kcovtrace %s\n", KCT_VERSION);
	if (strcmp(kct_version(), KCT_VERSION) != 0)
		output_printf(&out, "library %s\n", kct_version());
	return output_close(&out);
}

static bool wants_color(const struct options *options, const struct output *out)
{
	const char *refused = getenv("NO_COLOR");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return out->fd == STDOUT_FILENO && isatty(out->fd) && !(refused && *refused);
}

static int run(const struct command *command, int argc, char **argv)
{
	static struct output out;
	struct options options;
	int first = 0, status;

	switch (options_parse(command, argc, argv, &options, &first)) {
	case PARSED_HELP:
		options_clear(&options);
		return show_help(command);
	case PARSED_WRONG:
		options_clear(&options);
		return STATUS_USAGE;
	case PARSED_RUN:
		break;
	}
	message_quiet(options.quiet);
	progress_enable(!options.quiet && !options.no_progress);
	/* A program of the user's, which has our standard output. */
	if (command->runs_program) {
		status = command->run(&options, argv + first, (size_t)(argc - first), NULL);
		options_clear(&options);
		return status;
	}
	status = output_open(&out, options.output);
	if (status == STATUS_FINE) {
		out.color = wants_color(&options, &out);
		status = command->run(&options, argv + first, (size_t)(argc - first), &out);
		progress_clear();
		if (status == STATUS_USAGE)
			output_discard(&out);
		else
			status = worst(status, output_close(&out));
	}
	options_clear(&options);
	return status;
}

static int help_command(int argc, char **argv)
{
	const struct command *command;

	if (argc == 1 || (argc == 2 && (strcmp(argv[1], "help") == 0 || argv[1][0] == '-')))
		return show_help(NULL);
	command = find_command(argv[1]);
	if (!command || argc > 2)
		return usage_failure(NULL, "no command '%s'", argv[argc - 1]);
	return show_help(command);
}

int main(int argc, char **argv)
{
	const struct command *command;

	/* A reader that goes away is seen as EPIPE and ends the work quietly. */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2)
		return usage_failure(NULL, "no command given");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return show_help(NULL);
	if (strcmp(argv[1], "--version") == 0)
		return show_version();
	if (strcmp(argv[1], "help") == 0)
		return help_command(argc - 1, argv + 1);
	command = find_command(argv[1]);
	if (!command)
		return usage_failure(NULL, "no command '%s'", argv[1]);
	return run(command, argc - 1, argv + 1);
}
