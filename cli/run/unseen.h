/* cli/run/unseen.h - processes of a job that run without the object. TOOL.
 *
 * A launcher, a static program or a cleared environment may lose LD_PRELOAD, and then the job's
 * compilers leave no event. While `reprise run` waits for such a job, it looks at the job's
 * processes in /proc: after 1 ms, 2 ms, 4 ms, and so on up to once a minute. It stops when a
 * compiler has left an event, or when a process is found that explains why none does. */
#ifndef CLI_RUN_UNSEEN_H
#define CLI_RUN_UNSEEN_H

#include <sys/types.h>

#include "cli/cli.h"

struct unseen {
	struct cli *c;
	int (*seen)(void *ctx); /* 1: a compiler has left an event */
	void *ctx;
	int wait_ms;            /* 0: no more looks */
	pid_t suspect;          /* a process of musl that had no object at the last look */
	char program[64];       /* that explains missing events; "": none was found */
	/* LOST: it runs without the object. TOOL: so does this compiler, and what started it is not
	 * known. LAUNCHER: it starts programs elsewhere. */
	enum { UNSEEN_LOST, UNSEEN_TOOL, UNSEEN_LAUNCHER } kind;
};

/* command: what the job's first process executes. */
void unseen_begin(struct unseen *u, struct cli *c, const char *command, int (*seen)(void *ctx),
                  void *ctx);
/* Looks at the process and all below it. */
void unseen_look(struct unseen *u, pid_t pid);

#endif
