/* units/ask.h - a host asks the fetcher: bring an entry from the remote store into the local one.
 *
 * A training process has threads, a hundred gigabytes and a locked allocator: it must neither run hiredis nor fork a
 * resolver or a TLS tunnel. So it asks a process of Reprise's own, `reprise fetch` (cli/fetch.c), one per store and
 * remote settings of a node, over <runtime>/fetch.<16 hex of the settings>, SOCK_SEQPACKET: one question, one answer, of the
 * sizes below, native byte order (both ends are of one node). The fetcher only fills the local store; the host
 * reads from there. It keeps its connection to Redis and leaves when nobody asked for ASK_IDLE_NS, or when the remote
 * failed: its successor reads the password anew. */
#ifndef UNITS_ASK_H
#define UNITS_ASK_H

#include <stdint.h>

#include "remote/negative_cache.h"
#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings.h"
#include "store/store.h"

#define ASK_IDLE_NS 60000000000ll
#define ASK_MAGIC 0x32465052u /* "RPF2" */
struct ask_question {
	uint32_t magic, class; /* enum store_class: UNIT, or SET with all parcels that it names; MANIFEST with its newest
	                        * candidates' results (of actions inside hosts: jit/) */
	struct digest key;
	uint64_t job; /* whose budget it spends: breaker_job */
};
enum ask_answer { ASK_FILLED = 1, ASK_ABSENT, ASK_SKIPPED };
struct ask_reply {
	uint32_t magic, answer;
	char text[120]; /* SKIPPED: why, for people */
};

/* Name of the socket below the store's runtime directory, by its remote's tag (remote/tag.h; asked for before, as ask
 * does) and the settings that a fetcher obeys beyond that. THREAD. */
#define ASK_NAME_SIZE 32
void ask_name(char out[ASK_NAME_SIZE], const struct store *s, const struct settings *set);
/* A socket of that directory and name: bound and listening (serve), or connected. The descriptor, above the standard
 * streams, close-on-exec, or -errno. THREAD. */
int ask_socket(const char *runtime_dir, const char *name, int serve);

/* Host's side. Raw system calls only; no descriptor stays open. Starts a fetcher where none answers, and waits at most
 * wait_ns for it all. SKIPPED: no answer in time or none of use, *fault says why. THREAD; not in a vfork child. */
enum ask_answer ask(struct store *s, const struct settings *set, char *const envp[], enum store_class class,
                    const struct digest *key, int64_t wait_ns, struct arena *a, struct fault *fault);

/* units/ask_once.c: the same once in NEGATIVE_CACHE_S for a key, and for none while no fetcher answers. asked: that memory of the
 * node, from ask_memory. FILLED: the local store may hold more than it did. ABSENT: it holds what there is. SKIPPED: what there is
 * is not known, *why may say why. Who asks while another does asks as well: its answer counts for both. THREAD. */
void ask_memory(struct negative_cache *asked, const struct store *s, struct arena *a);
enum ask_answer ask_once(struct store *s, const struct settings *set, char *const envp[], const struct negative_cache *asked,
                         enum store_class class, const struct digest *key, struct arena *a, const char **why);

#endif
