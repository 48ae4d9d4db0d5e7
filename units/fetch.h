/* units/fetch.h - the fetcher: brings entries from the remote store into the local one, for hosts.
 *
 * A training process has threads, a hundred gigabytes and a locked allocator: it must neither run hiredis nor fork a
 * resolver or a TLS tunnel. So it asks a process of Reprise's own, `reprise fetch`, one per store and remote
 * configuration of a node, over a unix socket <runtime>/fetch.<name>, SOCK_SEQPACKET, one fixed-size question and
 * answer (fetch.c). The fetcher only fills the local store; the host reads from there. It keeps its connection to Redis,
 * serves one question after another within the look-up's deadline, and leaves when nobody asked for FETCH_IDLE_S. Peers of another
 * uid are refused. Absences are remembered as remote/absent.h does. */
#ifndef UNITS_FETCH_H
#define UNITS_FETCH_H

#include "remote/remote.h"

#define FETCH_IDLE_S 60
enum fetch_answer { FETCH_FILLED, FETCH_ABSENT, FETCH_SKIPPED };
/* Host's side. THREAD; raw system calls only; no descriptor stays open. Starts a fetcher where none answers
 * (units/summon.h), and waits at most wait_ns for it all. class: STORE_UNIT, or STORE_SET with all parcels it names.
 * SKIPPED: no answer in time, *fault. */
enum fetch_answer fetch_ask(struct store *s, const struct settings *set, char *const envp[], enum store_class class,
                            const struct digest *key, int64_t wait_ns, struct arena *a, struct fault *fault);
/* The fetcher itself: until idle. 0; 1 when another serves already; -1 with *fault. TOOL. */
int fetch_serve(struct remote *r, int64_t idle_ns, struct fault *fault);

#endif
