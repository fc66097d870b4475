/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "message.h"
#include "record/machine.h"
#include "record/program.h"
#include "record/recorder.h"
#include "record/remote.h"

#define DEFAULT_PATH "kcovtrace.kct"

/** One run of the command. */
struct run {
	const struct options *options;
	char **argv;
	const char *path; /* for messages */
	int fd;
	bool owns_file; /* it is the file of `path` */
	bool is_new;	/* which was not there */
	struct recorder recorder;
	struct remotes remotes;
	struct watch watch;
	struct program program;
	int wait_status; /* of the program */
	bool has_ended;
};

/**
 * Written in place and block by block: what is there is whole, whatever happens. An older trace stays as
 * it is until there is something to write.
 */
static int open_trace(struct run *run)
{
	const char *path = run->options->output;
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;

	run->path = path ? path : DEFAULT_PATH;
	if (path && strcmp(path, "-") == 0) {
		run->path = "standard output";
		run->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (isatty(STDOUT_FILENO))
			return usage_failure("record", "the trace is binary: give -o FILE");
	} else {
		run->fd = open(run->path, flags | O_EXCL, 0666);
		run->is_new = run->fd >= 0;
		run->owns_file = true;
		if (!run->is_new)
			run->fd = open(run->path, flags, 0666);
	}
	return run->fd < 0 ? failure("%s: %s", run->path, strerror(errno)) : STATUS_FINE;
}

/** A word of the command as a shell takes it, so that words can be told apart. */
static void add_word(char **at, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_^";

	if (*word && !word[strspn(word, plain)]) {
		*at = stpcpy(*at, word);
		return;
	}
	*(*at)++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			*at = stpcpy(*at, "'\\'");
		*(*at)++ = *word;
	}
	*(*at)++ = '\'';
}

static int write_command(struct run *run, struct kct_error *error)
{
	size_t bytes = 1;
	char *text, *at;
	int result, i;

	for (i = 0; run->argv[i]; i++)
		bytes += 4 * strlen(run->argv[i]) + 3;
	text = at = zeroed(char, bytes);
	for (i = 0; run->argv[i]; i++) {
		if (i)
			*at++ = ' ';
		add_word(&at, run->argv[i]);
	}
	*at = '\0';
	result = kct_trace_writer_text(run->recorder.writer, KCT_META_COMMAND, text, error);
	free(text);
	return result;
}

/** Make the writer and write what is known of the machine; of struct recorder. */
static int begin_trace(void *context)
{
	struct run *run = context;
	struct kct_trace_writer_options options = {.size = sizeof(options),
						   .tool = "kcovtrace " KCT_VERSION};
	struct kct_error error;
	struct stat there;

	/* Standard output may be a file to append to. */
	if (run->owns_file && fstat(run->fd, &there) == 0 && S_ISREG(there.st_mode) &&
	    ftruncate(run->fd, 0) < 0)
		return failure("%s: %s", run->path, strerror(errno));
	if (kct_trace_writer_new(run->fd, &options, &run->recorder.writer, &error) < 0 ||
	    write_command(run, &error) < 0 ||
	    machine_write(run->recorder.writer, run->options->sysroot, &error) < 0)
		return failure_of(run->path, &error);
	return STATUS_FINE;
}

/** Under ptrace: every thread that is to be recorded, and all of its system calls. */
static int trace(struct run *run)
{
	struct recorder *recorder = &run->recorder;
	struct tracer tracer = {
		.watch = &run->watch,
		.events = &recorder_events,
		.context = recorder,
		.calls = run->options->syscalls,
		.program = run->program.pid,
	};
	int result = tracer_begin(&tracer, run->options->follow);

	if (result < 0) {
		kill(run->program.pid, SIGKILL);
		return failure("the program cannot be traced with ptrace: %s; leave --follow and "
			       "--syscalls out, or run as root",
			       strerror(-result));
	}
	recorder->is_learning = run->options->syscalls;
	program_release(&run->program);
	tracer_run(&tracer);
	tracer_end(&tracer);
	run->has_ended = tracer.has_ended;
	run->wait_status = tracer.status;
	return program_runs(&run->program) ? STATUS_FINE : STATUS_PARTLY;
}

/** The program alone, without another process's eye on it. */
static int wait_for_program(struct run *run)
{
	struct recorded *first = run->recorder.first;
	enum watched watched;
	pid_t pid = 0;
	int status = 0;
	bool runs = program_runs(&run->program);

	recorder_name(first); /* later it is gone */
	while ((watched = watch_next(&run->watch, &pid, &status)) != WATCH_ALONE) {
		if (watched == WATCH_GIVE_UP) {
			kill(run->program.pid, SIGKILL);
		} else if (!WIFSTOPPED(status)) {
			run->has_ended = true;
			run->wait_status = status;
		}
	}
	if (!runs)
		return STATUS_PARTLY;
	run->recorder.first = NULL;
	recorder_finish(&run->recorder, first);
	return STATUS_FINE;
}

static int run_program(struct run *run)
{
	const struct options *options = run->options;
	const struct remote_handle *common = remotes_common(&run->remotes);
	struct program_setup setup = {
		.argv = run->argv,
		.watch = &run->watch,
		.mode = options->mode,
		.common = common ? common->capture : NULL,
		.common_handle = common ? common->handle : 0,
		.is_traced = options->follow || options->syscalls,
		.to_stderr = options->output && strcmp(options->output, "-") == 0,
	};
	int status = recorder_open_capture(&run->recorder, &setup.capture);

	if (status != STATUS_FINE)
		return status;
	status = program_start(&setup, &run->program);
	if (status != STATUS_FINE) {
		kct_capture_free(setup.capture);
		return status;
	}
	run->watch.program = run->program.pid;
	run->recorder.first =
		recorder_add(&run->recorder, setup.capture, run->program.pid, run->program.pid);
	return setup.is_traced ? trace(run) : wait_for_program(run);
}

/** The status of the program, as a shell gives it. */
static int status_of(const struct run *run)
{
	if (!run->has_ended)
		return STATUS_PARTLY;
	return WIFSIGNALED(run->wait_status) ? 128 + WTERMSIG(run->wait_status)
					     : WEXITSTATUS(run->wait_status);
}

static int record(struct run *run)
{
	int status = remotes_begin(&run->remotes, &run->recorder);

	if (status == STATUS_FINE)
		status = run_program(run);
	/* A program that did nothing has a trace, too. */
	if (status == STATUS_FINE && !run->recorder.writer)
		status = begin_trace(run);
	remotes_end(&run->remotes, status == STATUS_FINE ? &run->recorder : NULL);
	if (status != STATUS_FINE)
		return status;
	recorder_summary(&run->recorder, run->path);
	return run->recorder.write_failed ? STATUS_PARTLY : status_of(run);
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	struct run run = {.options = options, .argv = arguments, .recorder.options = options};
	int status;

	(void)out; /* the trace is not written through it */
	if (!n)
		return usage_failure("record", "no program given");
	run.recorder.begin = begin_trace;
	run.recorder.context = &run;
	status = open_trace(&run);
	if (status != STATUS_FINE)
		return status;
	watch_begin(&run.watch);
	status = record(&run);
	watch_end(&run.watch);
	if (!run.recorder.writer && run.is_new)
		unlink(run.path);
	kct_trace_writer_free(run.recorder.writer);
	recorder_clear(&run.recorder);
	if (close(run.fd) < 0)
		status = failure("%s: %s", run.path, strerror(errno));
	return status;
}

const struct command command_record = {
	.name = "record",
	.arguments = "[--] PROGRAM [ARGUMENT...]",
	.summary = "run a program under KCOV and write what the kernel did for it",
	.details =
		"The trace is a .kct file with what the other commands need to know of the kernel "
		"and its\nmodules. One segment is the coverage of one thread, or of one system "
		"call with --syscalls.\nEach is written as soon as it is finished, so that a trace "
		"that is cut off is whole up to\nthere. An interrupt (Ctrl-C) ends the program, a "
		"second one kills it; what was recorded is kept.\n\n"
		"The exit status is that of the program, 128 and the signal that killed it, or 1 "
		"if\n"
		"it was not recorded.\n",
	.takes = TAKES_RECORD,
	.formats = 0,
	.runs_program = true,
	.run = run,
};
