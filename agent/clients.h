/* agent/clients.h - the agent's clients, and what its loop (agent/dispatch.c) holds. TOOL. */
#ifndef AGENT_CLIENTS_H
#define AGENT_CLIENTS_H

#include <poll.h>

#include "agent/dispatch.h"
#include "agent/sending.h"
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
	struct agent_reply reply; /* answered: what it said */
	int64_t since, coming; /* when large bytes will be here at the latest; 0: none come */
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
	return sys_now_ns(CLOCK_MONOTONIC);
}

/* Leases are each client's own; all other answers serve whoever asks the same. */
int question_is_same(const struct agent_question *a, const struct agent_question *b);
/* -1: none can be accepted any more. */
int clients_accept(struct loop *l);
/* Client i has sent something, or is gone. */
void client_hear(struct loop *l, int i);
void client_reply(struct loop *l, int i, const struct agent_reply *r);
/* client -1: nobody waits for this answer. */
void client_refuse(struct loop *l, int client, const char *why);
/* Clients that wait for what worker k brings wait longer. */
void client_say_coming(struct loop *l, int k, int client);
void client_drop(struct loop *l, int i);

#endif
