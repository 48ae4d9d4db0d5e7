/* action/supervise.h - the parent process of a recorded tool: streams, signals, status.
 *
 * The caller knows the supervisor's pid. Through the supervisor it sees the tool's exit status or
 * signal, stop and continue, and resource usage. The supervisor waits for the child, so the child's
 * usage counts as its own. Constructor only. */
#pragma once

#include "judge/output/output.h"
#include "judge/wait/early.h"

struct action;
struct supervisor {
	struct action *a;
	pid_t child;
	int from[3];    /* 1, 2: our read ends; 0: the child's source on stdin; -1 none */
	int to[3];      /* the child's ends, before the fork */
	int pty[3];     /* 1: from[i] is a pty master */
	int signals;    /* signalfd */
	int keep[2];    /* our descriptors that stay open beside these: the lock or -1, the trace */
	struct early early;
	unsigned char old_mask[8]; /* kernel sigset */
	int masked, chld_ignored; /* state that restore_signals() must undo */
	struct capture capture;
	int waits[3];   /* a write to the real stream may wait for a reader */
	int own[3];     /* the real stream, a pipe, opened again: no write waits there; or -1 */
	int filled[3];  /* bytes of its last page, as far as we know */
	int full[3];    /* the real stream takes nothing now */
	int cut;        /* a reader left while the tool waited for it */
	unsigned interrupted; /* number of interrupted reads of the child's streams in a row */
	int stdin_left; /* the child did not read its source on standard input to the end */
	int ended;      /* the child has ended, and */
	int status;     /* its wait status */
	int asked_to_end; /* by a signal that was not ignored */
	int unheard;    /* in the child: its streams are not ours, so its text would be missed */
	int lost;       /* ended, but the status is made up: it could not be read */
};

/* Replaces stdout and stderr by pipes or ptys. Returns 0, or -errno with nothing left open. */
int supervise_prepare(struct supervisor *s, struct action *a);
/* Closes what supervise_prepare() opened, and restores the signals. */
void supervise_abandon(struct supervisor *s);
/* Forks. Returns 0 in the child: streams are in place, signals are as the caller left them, and no
 * descriptor of ours is open. Returns the pid in the parent, or -errno. */
pid_t supervise_fork(struct supervisor *s);
/* Relays until the child has ended and its streams are empty. */
void supervise_run(struct supervisor *s);
/* Ends this process as the child ended. Hands streams that processes still hold to a relay
 * process. */
_Noreturn void supervise_finish(struct supervisor *s);
