/* store/agent.h - a tool or a host asks the agent, which alone speaks to remote stores.
 *
 * One agent (agent/agent.c) serves a store, its remote settings and a node's network. It listens at
 * <runtime>/agent.<16 hex of version and settings>, SOCK_SEQPACKET. A client sends questions and
 * gets one answer each, of the sizes below, in native byte order. AGENT_FILL fills the local store,
 * for hosts. A tool checks what it accepts: small candidates follow the answer, and what is larger
 * waits in the inbox (store/inbox.h). The first that needs an agent starts it. A client waits for
 * one answer at most as long as it says. Without an answer there is no remote store for some
 * seconds, and nothing else changes.
 *
 * Only raw system calls; no thread, no handler, no SIGPIPE. THREAD; not in a vfork child. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings/settings.h"
#include "store/job/events.h"
#include "store/shared_page.h"
#include "store/queue/spool.h"

#define AGENT_IDLE_NS 60000000000ll
#define AGENT_MAGIC 0x31415052u /* "RPA1" */

enum agent_verb {
	/* UNIT; SET with all parcels that it names; MANIFEST with its newest candidates' results
	 * (of actions inside hosts: jit/). Into the local store. */
	AGENT_FILL = 1,
	/* Candidates from..from+AGENT_FIRST of the manifest under `key`. count, more, listed and
	 * length are set. */
	AGENT_CANDIDATES,
	AGENT_RESULT,        /* the result under `key`, into the inbox */
	AGENT_LEASE_TAKE,    /* of `key`; ms. FILLED: ours, with token; ABSENT: another's */
	AGENT_LEASE_RENEW,   /* token, ms */
	AGENT_PING,          /* FILLED: the remote store answers */
	/* No answer: what a start leaves. took_ns: what its action took, 0: unknown. token: a lease
	 * to release. flags: a record was queued; a wait for another node's result was in vain. */
	AGENT_DONE,
	/* Brings what the list under `key` names (store/job/job_used.h), `most` bytes of it, in the
	 * background. FILLED: it is at work (more is 1), or has ended; ABSENT: there is no list.
	 * count, listed: the entries and bytes so far; text: why not all came. */
	AGENT_PREFETCH,
	/* The breaker of the remote store with the number `from`. key: digest of the store's tag,
	 * ABSENT: the agent has other remotes. text: for people; count: it is open; more: nothing
	 * is published. */
	AGENT_BREAKER,
	AGENT_RETIRE, /* makes room for a new agent. FILLED */
};
enum { AGENT_SENDS = 1, AGENT_WAITED_IN_VAIN = 2, AGENT_ASKS_AGAIN = 4 };
/* Exit status of the agent's publisher, no other one of `reprise`: no store takes a put of this
 * user. */
#define AGENT_DENIED 9
/* Candidates that one question brings. */
#define AGENT_FIRST 4
/* Bytes of candidates that follow an answer, at most. */
#define AGENT_BYTES (48u << 10)

struct agent_question {
	uint32_t magic, verb, class, flags;
	struct digest key;
	uint64_t job;    /* whose budget it spends */
	uint64_t secrets; /* of the asker (agent_secrets) */
	uint32_t budget; /* kind of look-up (remote/remote.h) */
	uint32_t from, ms;
	/* The job and rank of the events of transfers; events_of "": there are no events. */
	char events_of[EVENTS_NAME_MAX + 1];
	int32_t rank;
	int64_t took_ns;
	uint64_t most;
	unsigned char token[SPOOL_TOKEN];
};
/* COMING, before another one: large bytes are on their way, for left_ms at most. */
enum agent_answer { AGENT_FILLED = 1, AGENT_ABSENT, AGENT_SKIPPED, AGENT_COMING };
struct agent_reply {
	uint32_t magic, answer;
	char text[120];    /* SKIPPED: why, for people */
	char refused[128]; /* why a blob was refused; "" */
	uint32_t count, more;
	/* The list's length, the rest of the lease (-1: unknown); whether this node sends what it
	 * makes; whether it waits for no leases for a while. */
	int64_t listed, left_ms;
	uint32_t sends, waits_off;
	/* RESULT, FILLED: the agent has just put it there, and its bytes are right. */
	uint32_t checked;
	/* Of the candidates: they follow the answer one after the other. 0: this one is in the
	 * inbox, where those of an answer take the slots from 0 on. */
	uint32_t length[AGENT_FIRST];
	unsigned char token[SPOOL_TOKEN];
};

/* Name of the socket below the store's runtime directory. It follows from the version of Reprise,
 * so no version asks another's agent. It also follows from the tag of the remote store
 * (remote/tag.c), which the caller has set, and from the other settings that an agent obeys. */
#define AGENT_NAME_SIZE 32
void agent_name(char out[AGENT_NAME_SIZE], const struct store *s, const struct settings *set);
/* Number of the passwords and tokens that only settings and variables hold. Where a store refuses
 * the agent's, one that is asked with others makes room for a new agent. They are not a part of the
 * name, which others may see. */
uint64_t agent_secrets(const struct settings *set, char *const envp[]);
/* A socket of that directory and name: bound and listening (serve), or connected. The descriptor,
 * above the standard streams and close-on-exec, or -errno. */
int agent_socket(const char *runtime_dir, const char *name, int serve);
/* The bytes, at most AGENT_BYTES, that one message over this socket may have after its first n. A
 * socket sends no message that is larger than its buffer, whose size net.core.wmem_default sets.
 * TOOL. */
size_t agent_room(int fd, size_t n);
/* 1: the peer is this user's own process, in a pid namespace that ours can see. */
int agent_peer_is_ours(int fd);

/* One client. agent_open connects to nothing; store, settings and envp stay by reference. Where no
 * agent answered a moment ago, no question is asked. */
struct agent {
	struct store *s;
	const struct settings *set;
	char *const *envp;
	struct arena *a;
	char name[AGENT_NAME_SIZE];
	int fd;                      /* -1: not connected */
	int silent;                  /* no agent answers this process */
	/* What followed the last answer to AGENT_CANDIDATES, in the arena. */
	unsigned char *bytes;
	size_t bytes_len;
};
void agent_open(struct agent *g, struct store *s, const struct settings *set, char *const envp[],
                struct arena *a);
/* Fills all but what a verb has of its own. */
void agent_question(struct agent_question *q, const struct agent *g, enum agent_verb verb,
                    enum store_class class, const struct digest *key);
/* One question, one answer. SKIPPED: no usable answer in wait_ns, *fault says why. AGENT_DONE: no
 * answer is waited for. FILLED says that it was sent; or that an agent begins, where all that is
 * told is in the spool. */
enum agent_answer agent_ask(struct agent *g, const struct agent_question *q, int64_t wait_ns,
                            struct agent_reply *out, struct fault *fault);
/* The wait for an answer: what the remote stores allow a look-up, and the settings a transfer, and
 * the start of an agent on a busy node. */
int64_t agent_patience(const struct agent *g, int transfers);
/* Before a fork, and at the end. */
void agent_close(struct agent *g);

/* AGENT_FILL, at most once in NEGATIVE_CACHE_S for a key. FILLED: the local store may hold more
 * than before. ABSENT: the local store holds all that any store has. SKIPPED: the remote store's
 * content is not known, *why may say why. Two processes may ask for one key at the same time. */
enum agent_answer agent_fill_once(struct store *s, const struct settings *set, char *const envp[],
                                  enum store_class class, const struct digest *key,
                                  struct arena *a, const char **why);
