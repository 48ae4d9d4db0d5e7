/* store/job/counters.h - counters of all processes of the user and store.
 *
 * <runtime>/counters is one fallocated page, mapped and changed by atomic additions. `reprise
 * stats` and gc add it to <dir>/stats. That has one text file a host, so that hosts with the store
 * on NFS do not race. Without a runtime directory nothing is counted. THREAD; the mapping survives
 * fork. */
#pragma once

#include <stdint.h>

#include "shim/reason.h"
#include "store/store.h"
#include "units/units.def"

/* id, JSON key, help. Append only. Reasons have their own counters, "reason_<name>"; so have the
 * classes of units/units.def: "packed_<name>", "brought_<name>". */
#define COUNTERS(X)                                                                                \
	X(HITS_LOCAL, "hits_local", "actions replayed from the local store")                       \
	X(MISSES, "misses", "actions that ran for real and were recorded")                         \
	X(BYPASSES, "bypasses", "starts and compiles that ran without Reprise")                    \
	X(UNSTORED, "unstored", "recorded runs that were not stored")                              \
	X(ERRORS, "errors", "failures inside Reprise; the real tool ran")                          \
	X(SAVED_NS, "saved_ns", "recorded wall time less replay time, nanoseconds")                \
	X(STORED_BYTES, "stored_bytes", "bytes written to the store")                              \
	X(REPLAYED_BYTES, "replayed_bytes", "bytes of outputs replayed")                           \
	X(CORRUPT, "corrupt", "damaged entries removed")                                           \
	X(EVICTED, "evicted", "entries removed to stay below the size limit")                      \
	X(WAITS, "waits", "waits for the same compile in another process")                         \
	X(WAITED_NS, "waited_ns", "time spent in these waits, nanoseconds")                        \
	X(VERIFIED, "verified", "hits that were run for real and compared")                        \
	X(STORE_SIZE, "store_size", "bytes in the store, as far as counted")                       \
	X(HITS_REMOTE, "hits_remote", "actions replayed from the remote store")                    \
	X(REMOTE_ASKED, "remote_asked", "look-ups sent to the remote store")                       \
	X(REMOTE_ABSENT, "remote_absent", "look-ups that found nothing there")                     \
	X(REMOTE_WAIT_NS, "remote_wait_ns", "time spent in look-ups, nanoseconds")                 \
	X(REMOTE_BYTES_IN, "remote_bytes_in", "bytes received from the remote store")              \
	X(REMOTE_BYTES_OUT, "remote_bytes_out", "bytes sent to the remote store")                  \
	X(REMOTE_TIMEOUTS, "remote_timeouts", "operations that timed out")                         \
	X(BREAKER_OPENINGS, "breaker_openings",                                                    \
	  "times the breaker paused use of the remote store")                                      \
	X(REFUSED_ENTRIES, "refused_entries",                                                      \
	  "remote entries refused: damaged, unsigned or forged")                                   \
	X(PUBLISHED, "published", "entries sent to the remote store and acknowledged")             \
	X(SPOOL_DROPPED, "spool_dropped", "entries not published: the spool was full or broken")   \
	X(LEASES_TAKEN, "leases_taken", "compiles and joins that this node did for all nodes")     \
	X(LEASE_WAITS, "lease_waits", "waits for another node's compile")                          \
	X(LEASE_WAITED_NS, "lease_waited_ns", "time spent in these waits, nanoseconds")            \
	X(UNITS_OFFERED, "units_offered", "files that jobs completed in frameworks' caches")       \
	X(UNITS_PACKED, "units_packed", "of these, put into the store")                            \
	X(UNITS_KNOWN, "units_known", "of these, already in the store")                            \
	X(UNITS_DROPPED, "units_dropped",                                                          \
	  "of these, not stored: changed since, incomplete, or the queue was full")                \
	X(UNITS_BYTES, "units_bytes", "bytes packed")                                              \
	X(UNITS_THERE, "units_there", "units not sent: the remote store had them")                 \
	X(UNITS_MISSED, "units_missed", "units that jobs looked for and no store had")             \
	X(UNITS_BROUGHT, "units_brought", "units and members placed where jobs looked for them")   \
	X(UNITS_BROUGHT_BYTES, "units_brought_bytes", "bytes of placed units")                     \
	X(UNITS_WAIT_NS, "units_wait_ns",                                                          \
	  "time that jobs spent in look-ups of units, nanoseconds")                                \
	X(NVRTC_HITS, "nvrtc_hits", "of the hits, compiles of NVRTC inside a process")             \
	X(NVRTC_MISSES, "nvrtc_misses", "of the misses")                                           \
	X(NVJITLINK_HITS, "nvjitlink_hits", "of the hits, links of nvJitLink inside a process")    \
	X(NVJITLINK_MISSES, "nvjitlink_misses", "of the misses")                                   \
	X(UNITS_OFF, "units_off",                                                                  \
	  "classes that are off in a process that looked for them, by process and cause")          \
	X(NVVM_HITS, "nvvm_hits", "of the hits, compiles of libNVVM inside a process")             \
	X(NVVM_MISSES, "nvvm_misses", "of the misses")                                             \
	X(UNITS_LOCAL, "units_local",                                                              \
	  "units not sent: their key is of one process, so no other one asks for them")
enum counter {
#define X(id, key, help) COUNTER_##id,
	COUNTERS(X)
#undef X
	COUNTER_PLAIN, /* the classes' follow: of each "packed", "brought" */
	COUNTER_BEFORE_CLASSES = COUNTER_PLAIN - 1,
#define ROW(id, ...) COUNTER_PACKED_##id, COUNTER_BROUGHT_##id,
	UNIT_CLASSES(ROW)
#undef ROW
	COUNTER_COUNT
};
#define COUNTERS_ALL (COUNTER_COUNT + 64) /* then one for each reason, at COUNTER_COUNT + reason */
_Static_assert(REASON_COUNT <= 64, "reasons fit the counters' page");

/* Gives the page back, for a process that opens stores only for a moment. */
void counters_close(struct store *s);
void counters_add(struct store *s, enum counter c, int64_t n);
/* Also adds to the counter of the reason's group; REASON_NONE does nothing. */
void counters_reason(struct store *s, enum reason r);
/* Adds up the page and the stats files. out: COUNTERS_ALL values. 0 or -1. */
int counters_read(struct store *s, int64_t out[COUNTERS_ALL], struct fault *fault);
/* Sets all counters but STORE_SIZE to zero. */
int counters_zero(struct store *s, struct fault *fault);
/* Moves the page into <dir>/stats/<host>. */
int counters_fold(struct store *s, struct fault *fault);
const char *counter_key(enum counter c);
const char *counter_help(enum counter c);

/* For gc: a word of the page that is no counter, to be changed atomically; NULL without a page. */
enum counter_word { COUNTER_WORD_CURSOR, COUNTER_WORD_PUT, COUNTER_WORD_EVENTS /* bytes here */ };
int64_t *counters_word(struct store *s, enum counter_word w);
/* The current STORE_SIZE, 0 without a page. */
int64_t counters_size(struct store *s);
/* For store/job/events.h: the slots of jobs, COUNTERS_JOBS_BYTES; NULL without a page. */
#define COUNTERS_JOBS_BYTES 8192
unsigned char *counters_jobs(struct store *s);
