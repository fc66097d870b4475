/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * child WHAT [ARGUMENT]: a program to be recorded. The calls to look for are those of getpriority(),
 * which nothing else makes, for processes that cannot be, each with a number of its own.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Above all process IDs. */
#define NOBODY 0x7f000000

static char *self;

static void mark(long number)
{
	syscall(SYS_getpriority, PRIO_PROCESS, NOBODY + number);
}

static void *in_thread(void *number)
{
	mark((long)number);
	return NULL;
}

static void threads(void)
{
	pthread_t threads[4];
	long i;

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, in_thread, (void *)(10 + i));
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	mark(1);
}

static void forks(void)
{
	long i;

	for (i = 0; i < 3; i++) {
		if (fork() == 0) {
			mark(20 + i);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	mark(1);
}

static void run_vfork(void)
{
	if (vfork() == 0) {
		execl(self, self, "mark", "30", NULL);
		_exit(1);
	}
	wait(NULL);
	mark(1);
}

static void *execs(void *unused)
{
	mark(40);
	execl(self, self, "mark", "41", NULL);
	return unused;
}

static void exec_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, execs, NULL);
	pause();
}

static void on_signal(int number)
{
	mark(50 + (number == SIGUSR1));
}

static void signals(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	mark(1);
}

/** A child that stops itself and is continued. */
static void stops(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		raise(SIGSTOP);
		mark(60);
		_exit(0);
	}
	waitpid(child, &status, WUNTRACED);
	if (!WIFSTOPPED(status))
		_exit(99);
	kill(child, SIGCONT);
	waitpid(child, &status, 0);
	mark(WIFEXITED(status) ? 61 : 62);
}

/** A program without descriptors, in a thread that begins while a signal is pending. */
static void closes(void)
{
	close_range(3, ~0u, 0);
	if (fork() == 0) {
		mark(70);
		_exit(0);
	}
	wait(NULL);
	mark(close(3) == 0 ? 72 : 71); /* nothing may be left open in the program */
}

static void loop(void)
{
	for (;;) {
		if (fork() == 0) {
			mark(80);
			_exit(0);
		}
		wait(NULL);
	}
}

static void ignore_signals(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

static void wait_for_signal(void)
{
	puts("ready");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{"threads", threads},	   {"forks", forks},	 {"vfork", run_vfork},
		{"exec", exec_in_thread},  {"signals", signals}, {"stops", stops},
		{"closes", closes},	   {"loop", loop},	 {"ignore", ignore_signals},
		{"wait", wait_for_signal},
	};
	const char *what = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 0;
	size_t i;

	self = argv[0];
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcmp(what, parts[i].name) == 0)
			parts[i].run();
	}
	if (strcmp(what, "mark") == 0)
		mark(number);
	if (strcmp(what, "die") == 0)
		raise(number);
	return strcmp(what, "exit") == 0 ? number : 0;
}
