/* agent/worker.h - a process that answers questions, one at a time, with blocking calls.
 *
 * The agent forks workers as it needs them. Each has its own connections, so a store that hangs
 * holds one worker and never the agent. They share breakers and remembered absences
 * (remote_memory_make). After a failure of a store, or where keys cannot be read, a worker
 * reads the files of passwords and keys again. Passwords in variables are those of the agent's
 * start: where a store refuses the user, the agent makes room for one with others. TOOL. */
#pragma once

#include <sys/types.h>

#include "shim/settings/settings.h"
#include "store/agent.h"

/* ANSWER: for the client, with the bytes that follow it. READY: the worker waits for the next
 * question. Between the two it may bring the result that the client will ask for next. BROUGHT: the
 * answer to that question, about `key`. DENIED: in place of READY; a store refused the user.
 * COMING: reply.left_ms may pass until the answer, or until BROUGHT. */
enum worker_says { WORKER_ANSWER = 1, WORKER_BROUGHT, WORKER_READY, WORKER_DENIED, WORKER_COMING };
struct worker_message {
	uint32_t says;
	struct digest key;
	struct agent_reply reply;
};

struct worker_terms {
	struct store *store;
	const struct settings *set;
	char **envp;
	struct arena *arena;
};
/* Forks a worker. *fd: the agent's end of a socket pair, SOCK_SEQPACKET: a struct agent_question
 * goes in, messages come out. The pid, or -1. */
pid_t worker_start(const struct worker_terms *t, int *fd);
