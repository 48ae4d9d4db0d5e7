/* agent/clients.h - the agent's clients, and what its loop (agent/dispatch.c) holds. TOOL. */
#pragma once

#include <poll.h>
#include <time.h>

#include "agent/dispatch.h"
#include "shim/kernel/sys.h"

#define CLIENTS_MAX 4096
#define JOBS_MAX 8192
/* A question that waits so long deserves another worker. Several look-ups in a data centre take
 * less on a busy node. */
#define GROW_NS 20000000ll
/* A store that lately gave candidates within NEAR_NS of their question is not what a question waits
 * for: the processors are busy, and another worker makes that worse. It waits longer, since the
 * store may have stopped. So is a store that had no time yet to be seen. */
#define GROW_NEAR_NS 100000000ll
#define NEAR_NS 2000000ll
#define NEAR_KNOWN_NS 1000000000ll
#define NEAR_UNSEEN_NS 200000000ll

struct client {
	int fd;      /* -1: free */
	int worker;  /* that answered last, and may still bring what comes next; -1 */
	int waits;   /* its question is not answered */
	int64_t since;
};
struct job {
	struct agent_question q;
	int client;  /* index; -1: no answer is wanted */
	int64_t since;
};
struct crew {
	pid_t pid;   /* 0: free */
	int fd, busy, answered;
	struct job job;
	/* answered: what it said; after it, what came of the result that it brought unasked. */
	struct agent_reply reply, outcome;
	struct digest brought; /* outcome.answer 0: none yet */
	unsigned char bytes[AGENT_BYTES]; /* that follow its answer */
	size_t bytes_len;
	int64_t since, coming; /* when large bytes will be here at the latest; 0: none come */
};

/* The publisher of the agent: `reprise publish --daemon`, a process of its own. */
/* How often it is looked whether something waits to be sent that no client told of. */
#define SENDING_LOOK_NS 5000000000ll
struct sending {
	pid_t pid;  /* of the publisher; 0: none runs */
	int wanted; /* 1: something waits */
	int64_t looked;
	int64_t later; /* no publisher is started before; 0 */
	int64_t denied_until; /* records that wait start none before; 0 */
};

struct loop {
	const struct dispatch *d;
	struct client client[CLIENTS_MAX];
	int clients; /* from here on all are free */
	struct crew crew[DISPATCH_WORKERS];
	struct job *job;
	size_t jobs;
	int listening, signals;
	unsigned busy;     /* workers that have a question */
	int denied;        /* a store refused this agent's user */
	int outdated;      /* and somebody asked with other secrets; or AGENT_RETIRE */
	struct sending sending;
	pid_t zombie;      /* that process 1 had at the last look; 0 */
	int64_t look_again;
	int64_t near_until; /* a store is taken to be near */
	int64_t grown;      /* when the last worker was forked; 0: none yet */
	int64_t used, swept, looked, full; /* full: no client could be accepted then; 0 */
	struct pollfd p[CLIENTS_MAX + DISPATCH_WORKERS + 2];
	int of[CLIENTS_MAX + DISPATCH_WORKERS + 2];
};

static inline int64_t loop_now_ns(void)
{
	struct timespec now;

	/* libc's, since it makes no system call, and nobody preloads a clock here. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Leases are each client's own; all other answers serve whoever asks the same. */
int question_is_same(const struct agent_question *a, const struct agent_question *b);
/* 1: this is client i's question for the result that its worker has brought. */
int client_knows(const struct loop *l, int i, const struct agent_question *q);
/* -1: none can be accepted any more. */
int clients_accept(struct loop *l);
/* Client i has sent something, or is gone. */
void client_hear(struct loop *l, int i);
/* bytes: what follows the answer; NULL where n is 0. */
void client_reply(struct loop *l, int i, const struct agent_reply *r, const void *bytes, size_t n);
/* client -1: nobody waits for this answer. */
void client_refuse(struct loop *l, int client, const char *why);
/* Clients that wait for what worker k brings wait longer. */
void client_say_coming(struct loop *l, int k, int client);
void client_drop(struct loop *l, int i);

/* Looks, at most once in SENDING_LOOK_NS and while none runs, for what an earlier job left: it
 * ended before its publisher, or found no server. */
void sending_look(struct sending *s, const struct dispatch *d);
/* Starts the publisher if it is wanted and none runs. */
void sending_start(struct sending *s, const struct dispatch *d);
/* 1: that process was the publisher, and has ended. If its status is not 0, another one is at work,
 * or none can be, so the next one is started only after SENDING_LOOK_NS. */
int sending_ended(struct sending *s, const struct dispatch *d, pid_t pid, int status);
