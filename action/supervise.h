/* action/supervise.h - the parent of a recorded tool: streams, signals, status.
 *
 * The caller knows the supervisor's pid and sees through it the tool's end: exit status or signal, stop
 * and continue, resource usage (the child is waited for, so its usage is ours). Constructor only. */
#ifndef ACTION_SUPERVISE_H
#define ACTION_SUPERVISE_H

#include "action/action.h"
#include "judge/outputs.h"

struct supervisor {
	struct action *a;
	pid_t child;
	int from[3];    /* 1, 2: our read ends; 0: the standard input that the child reads as a source; -1 none */
	int to[3];      /* the child's ends, before the fork */
	int pty[3];     /* 1: from[i] is a pty master */
	int signals;    /* signalfd */
	int keep[2];    /* descriptors of ours that stay open beside these (of locks), or -1 */
	unsigned char old_mask[8]; /* kernel sigset */
	int masked, chld_ignored; /* what restore_signals has to undo */
	struct capture capture;
	unsigned interrupted; /* reads of the child's streams, one after the other */
	int stdin_left; /* the child did not read its source on standard input to the end */
	int ended;      /* the child has, and */
	int status;     /* wait status */
	int asked_to_end; /* by a signal that was not ignored */
	int unheard;    /* in the child: its streams are not ours, what it says would be missed */
	int lost;       /* ended, and it is made up: how the child ended could not be learnt */
};

/* Pipes or ptys in place of stdout and stderr. 0 or -errno, nothing left open. */
int supervise_prepare(struct supervisor *s, struct action *a);
void supervise_abandon(struct supervisor *s);
/* Forks. 0 in the child, streams in place, signals as the caller left them, none of our descriptors
 * open; the pid in the parent; -errno. */
pid_t supervise_fork(struct supervisor *s);
/* Relays until the child has ended and its streams are drained. */
void supervise_run(struct supervisor *s);
/* Ends this process as the child ended; hands streams that are still held over to a relay process. */
_Noreturn void supervise_finish(struct supervisor *s);

#endif
