/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "message.h"
#include "record/program.h"

extern char **environ;

/** What the child says when it cannot run the program; nothing if it can. */
struct report {
	bool is_exec; /* it was execve() that failed, with `failure`; else the library */
	int failure;
	struct kct_error error;
};

/** Why a file cannot be run: an errno, 0 if it looks as if it could. */
static int what_is_wrong(const char *path)
{
	struct stat there;

	if (stat(path, &there) < 0)
		return errno;
	return S_ISREG(there.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

/** Where a program lies, looked up before anything is traced; false if it is nowhere. */
static bool find_program(const char *name, char ret_path[PATH_MAX])
{
	const char *at = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(ret_path, PATH_MAX, "%s", name);
		return true;
	}
	at = at ? at : "/usr/local/bin:/usr/bin:/bin";
	for (;;) {
		size_t length = strcspn(at, ":");
		int n = snprintf(ret_path, PATH_MAX, "%.*s%s%s", (int)length, at, length ? "/" : "",
				 name);

		if (n < PATH_MAX && what_is_wrong(ret_path) == 0)
			return true;
		if (!at[length])
			return false;
		at += length + 1;
	}
}

/* From here to execve() the child is perhaps traced: only bare system calls. */

static void give_up(int report_fd, const struct report *report)
{
	ssize_t written = write(report_fd, report, sizeof(*report));

	_exit(written == (ssize_t)sizeof(*report) ? STATUS_PARTLY : STATUS_USAGE);
}

static void enable_or_give_up(const struct program_setup *setup, int report_fd)
{
	struct kct_capture_remote remote = {.common = setup->common_handle};
	struct report report = {0};

	if (setup->common &&
	    kct_capture_enable_remote(setup->common, setup->mode, &remote, &report.error) < 0)
		give_up(report_fd, &report);
	if (kct_capture_enable(setup->capture, setup->mode, &report.error) < 0)
		give_up(report_fd, &report);
}

static void become(const struct program_setup *setup, const char *path, int start_fd, int report_fd)
{
	struct report report = {.is_exec = true};
	char byte;

	watch_end(setup->watch);
	signal(SIGPIPE, SIG_DFL);
	if (setup->to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (setup->is_traced && read(start_fd, &byte, 1) != 1)
		_exit(STATUS_PARTLY); /* the recorder is gone */
	enable_or_give_up(setup, report_fd);
	if (setup->is_traced) {
		kill(getpid(), SIGSTOP);
		/* Two calls with nothing inside: what is in their traces is the tracing's own. */
		syscall(SYS_getpid);
		syscall(SYS_getppid);
	} else {
		kct_capture_reset(setup->capture, NULL);
	}
	execve(path, setup->argv, environ);
	report.failure = errno;
	give_up(report_fd, &report);
}

int program_start(const struct program_setup *setup, struct program *ret_program)
{
	int start[2] = {-1, -1}, report[2], wrong;
	char path[PATH_MAX];
	pid_t pid;

	if (!find_program(setup->argv[0], path))
		return failure("%s: there is no such program", setup->argv[0]);
	/* Before a trace is begun; what execve finds besides is told later. */
	wrong = what_is_wrong(path);
	if (wrong)
		return failure("%s: cannot run the program: %s", path, strerror(wrong));
	if (pipe2(report, O_CLOEXEC) < 0 || (setup->is_traced && pipe2(start, O_CLOEXEC) < 0))
		return failure("%s: %s", setup->argv[0], strerror(errno));
	pid = fork();
	if (pid < 0)
		return failure("%s: %s", setup->argv[0], strerror(errno));
	if (pid == 0) {
		close(report[0]);
		close(start[1]);
		become(setup, path, start[0], report[1]);
	}
	close(report[1]);
	close(start[0]);
	*ret_program = (struct program){.pid = pid, .start = start[1], .report = report[0]};
	return STATUS_FINE;
}

void program_release(struct program *program)
{
	ssize_t written = write(program->start, "", 1);

	(void)written; /* if it is gone, waiting for it says so */
	close(program->start);
	program->start = -1;
}

bool program_runs(struct program *program)
{
	struct report report;
	ssize_t n;

	do
		n = read(program->report, &report, sizeof(report));
	while (n < 0 && errno == EINTR);
	close(program->report);
	if (n != (ssize_t)sizeof(report))
		return true;
	if (report.is_exec)
		failure("cannot run the program: %s", strerror(report.failure));
	else
		failure_of("record", &report.error);
	return false;
}
