/* SPDX-License-Identifier: BSD-2-Clause */
/* steps PROGRAM: run a program one instruction at a time and print the addresses of those in its own code that
 * ran, each once. The program must be linked at a fixed address below 16 MiB. */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ADDRESS (1u << 24)

static unsigned char ran[MAX_ADDRESS];

int main(int argc, char **argv)
{
	struct user_regs_struct registers;
	int status, signal = 0;
	pid_t child;

	if (argc != 2)
		return 2;
	child = fork();
	if (child == 0) {
		if (!freopen("/dev/null", "w", stdout) || ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
			_exit(99);
		execl(argv[1], argv[1], (char *)NULL);
		_exit(99);
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (ptrace(PTRACE_GETREGS, child, 0, &registers) < 0)
			return 1;
		if (registers.rip < MAX_ADDRESS)
			ran[registers.rip] = 1;
		signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (ptrace(PTRACE_SINGLESTEP, child, 0, signal) < 0)
			return 1;
	}
	for (unsigned i = 0; i < MAX_ADDRESS; i++) {
		if (ran[i])
			printf("%x\n", i);
	}
	return 0;
}
