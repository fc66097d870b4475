/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sys/wait.h>

#include "record/watch.h"
#include "util.h"

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

static void watched_signals(sigset_t *set)
{
	size_t i;

	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (i = 0; i < ARRAY_SIZE(ending_signals); i++)
		sigaddset(set, ending_signals[i]);
}

void watch_begin(struct watch *watch)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t set;

	*watch = (struct watch){0};
	/* Whoever ignores it hears of no child. */
	sigaction(SIGCHLD, &action, &watch->child);
	/* A stop on a terminal is for the program; a tracer that sleeps would hold it. */
	action.sa_handler = SIG_IGN;
	sigaction(SIGTSTP, &action, &watch->stop);
	watched_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &watch->mask);
}

void watch_end(const struct watch *watch)
{
	sigaction(SIGCHLD, &watch->child, NULL);
	sigaction(SIGTSTP, &watch->stop, NULL);
	sigprocmask(SIG_SETMASK, &watch->mask, NULL);
}

enum watched watch_next(struct watch *watch, pid_t *ret_pid, int *ret_status)
{
	siginfo_t info;
	sigset_t set;

	watched_signals(&set);
	for (;;) {
		pid_t pid = waitpid(-1, ret_status, WNOHANG | __WALL);

		if (pid > 0) {
			*ret_pid = pid;
			return WATCH_STATUS;
		}
		if (pid < 0 && errno == ECHILD)
			return WATCH_ALONE;
		if (sigwaitinfo(&set, &info) < 0 || info.si_signo == SIGCHLD)
			continue;
		if (++watch->asked > 1)
			return WATCH_GIVE_UP;
		/* A terminal sends its signals to the program, too; a process only to us. */
		if (watch->program && info.si_code <= 0)
			kill(watch->program, info.si_signo);
	}
}
