/* remote/ask.h - a host asks the fetcher to copy an entry from the remote store into the local one.
 *
 * A training process has threads, a hundred gigabytes and a locked allocator: it must neither run
 * hiredis nor fork a resolver or a TLS tunnel. So it asks `reprise fetch` (cli/fetch.c), one
 * process for each store and remote settings of a node. They speak over <runtime>/fetch.<16 hex of
 * the settings>, SOCK_SEQPACKET: one question, one answer, of the sizes below, in native byte
 * order. The fetcher fills the local store, and the host reads from there. The fetcher keeps its
 * connection to Redis. It ends when no question came for ASK_IDLE_NS or the remote store failed.
 * The next fetcher reads the password again. */
#ifndef REMOTE_ASK_H
#define REMOTE_ASK_H

#include <stdint.h>

#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings/settings.h"
#include "store/job/events.h"
#include "store/negative_cache.h"

#define ASK_IDLE_NS 60000000000ll
#define ASK_MAGIC 0x33465052u /* "RPF3" */
struct ask_question {
	/* class: enum store_class. UNIT; SET with all parcels that it names; MANIFEST with its
	 * newest candidates' results (of actions inside hosts: jit/) */
	uint32_t magic, class;
	struct digest key;
	uint64_t job; /* whose budget it spends: remote_job_number */
	/* The job and rank of the events of transfers; events_of "": there are no events. */
	char events_of[EVENTS_NAME_MAX + 1];
	int32_t rank;
};
enum ask_answer { ASK_FILLED = 1, ASK_ABSENT, ASK_SKIPPED };
struct ask_reply {
	uint32_t magic, answer;
	char text[120]; /* SKIPPED: why, for people */
};

/* Name of the socket below the store's runtime directory. It follows from the tag of the remote
 * store (remote/tag.c), which the caller has set, and from the other settings that a fetcher obeys.
 * THREAD. */
#define ASK_NAME_SIZE 32
void ask_name(char out[ASK_NAME_SIZE], const struct store *s, const struct settings *set);
/* A socket of that directory and name: bound and listening (serve), or connected. The descriptor,
 * above the standard streams and close-on-exec, or -errno. THREAD. */
int ask_socket(const char *runtime_dir, const char *name, int serve);

/* Host's side. Makes raw system calls only; no descriptor stays open. Starts a fetcher if none
 * answers, and takes at most wait_ns in all. SKIPPED: no usable answer in time, *fault says why.
 * THREAD; not in a vfork child. */
enum ask_answer ask(struct store *s, const struct settings *set, char *const envp[],
                    enum store_class class,
                    const struct digest *key, int64_t wait_ns, struct arena *a,
                    struct fault *fault);

/* Asks the fetcher at most once in NEGATIVE_CACHE_S for a key. */

/* As ask(), at most once in NEGATIVE_CACHE_S for a key, and not while no fetcher answers. asked:
 * the node's record of questions, from ask_memory. FILLED: the local store may hold more than
 * before. ABSENT: the local store holds all that any store has. SKIPPED: the remote store's content
 * is not known, *why may say why. Two processes may ask for one key at the same time. THREAD. */
void ask_memory(struct negative_cache *asked, const struct store *s, struct arena *a);
enum ask_answer ask_once(struct store *s, const struct settings *set, char *const envp[],
                         const struct negative_cache *asked,
                         enum store_class class, const struct digest *key, struct arena *a,
                         const char **why);

#endif
