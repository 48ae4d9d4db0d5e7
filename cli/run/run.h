/* cli/run/run.h - how a job is started and ends. TOOL. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "store/agent.h"

/* --- job_child.c: a job that is a child of `reprise run` --- */

/* True if `reprise run` must wait for the job's end. There are four reasons: `reprise run` says
 * what the job saved (unless quiet), publishes the job's results, packs the files that the job
 * wrote last (packs), or is process 1. Where a service manager expects the job in this
 * process, it never waits. */
int cli_waits_for_job(struct cli *c, int packs, int quiet);
/* 1: at its end `reprise run` sends what the job made to a remote store. */
int cli_publishes(struct cli *c);
struct job_ahead;
/* Runs argv[0] as a child that gets our signals; process 1 also waits for processes that it
 * inherits. Then packs and publishes, and says what was saved and what is left unless quiet. Ends
 * as the child did, also by its signal. Returns the errno of an exec that failed. */
int cli_supervise(struct cli *c, char **argv, const struct job_ahead *h, int quiet);

/* --- job_ahead.c: entries ahead of the job --- */

struct job_ahead {
	struct digest key; /* of the list (store/job/job_used.h) */
	int asks;          /* the agent is to bring what the last job used */
	int leaves;        /* this job leaves a list */
	int drops;         /* nobody asked for the list in the store */
	uint64_t mark;     /* where this job begins in it */
};
/* Before cli_launch(): decides, and turns the job's list on. wish: the name of --job, or NULL. */
void job_ahead_begin(struct job_ahead *h, struct cli *c, const char *wish, char *const argv[],
                     int publishes);
/* After it: has the agent begin. */
void job_ahead_start(struct job_ahead *h, struct cli *c);
/* After the job, and after all is published: puts the list into the remote store, if that one
 * answers. */
void job_ahead_end(const struct job_ahead *h, struct cli *c, int answers, int quiet);
/* AGENT_PREFETCH, for a job of that name. */
enum agent_answer job_ahead_ask(struct cli *c, struct store *s, const struct digest *key,
                            const char *job, struct agent_reply *out, struct fault *fault);

/* --- launch.c: the environment of a job --- */

/* Appends the object to LD_PRELOAD and sets REPRISE_JOB, for the program that is started next. job:
 * the job's name, with a list for `reprise export --job`; NULL: the job keeps its name. command:
 * the program, or NULL. Returns 0; 1 if the object is of another architecture, or if the program
 * cannot run with it: it is then not used, which is said unless quiet; -1 after a message. */
int cli_launch(struct cli *c, const char *who, const char *job, const char *command, int quiet);

/* 1: a name as cli_launch() gives jobs that have none. */
int cli_launch_made_name(const char *job);

/* JAX's compilation cache for a job: `reprise run --jax`. */

/* Sets the variables of JAX's compilation cache that the user has not set. who: begins messages.
 * 0, or -1 with errno. A directory that cannot be used is reported, and leaves the cache off. */
int cli_launch_jax(const char *who, int quiet);

/* --- preload.c: objects of Reprise among those that are preloaded --- */

#define PRELOAD_VERSION 64
/* The version of an object's file. 0, or -1: it is no object of Reprise. */
int preload_version(const char *library, char out[PRELOAD_VERSION]);
/* Where LD_PRELOAD and /etc/ld.so.preload list another build than ours, says which of them serves
 * and which step back. The caller frees the text. NULL: there is no other one. ours is appended to
 * LD_PRELOAD, as reprise-run does, if it is not listed. */
char *preload_several(const char *ours);

/* Where the object is. */

/* Finds libreprise.so from the place of this program, as an absolute path that
 * LD_PRELOAD can hold. 0, or -1 after a message (no message if who is NULL). */
int cli_find_library(char *out, size_t cap, const char *who);

/* Whether the loader preloads the object into a program. */

/* Says why it would not; NULL if it would. */
const char *program_unserved(const char *path);
/* What it says of a script: its interpreter decides. */
#define PROGRAM_IS_SCRIPT "a script"

/* --- unseen.c: processes of a job that run without the object.
 *
 * A launcher, a static program or a cleared environment may lose LD_PRELOAD, and then the job's
 * compilers leave no event. While `reprise run` waits for such a job, it looks at the job's
 * processes in /proc: after 1 ms, 2 ms, 4 ms, and so on up to once a minute. It stops when a
 * compiler has left an event, or when a process is found that explains why none does. */

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
/* The path of a process's program, or "". 0, or -1: it is gone, or another user's. */
int cli_program_of(pid_t pid, char out[PATH_SIZE]);
/* Looks at the process and all below it. */
void unseen_look(struct unseen *u, pid_t pid);
