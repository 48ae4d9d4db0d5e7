/* store/job/event_record.h - event, version 2: what one start, unit or transfer of a job did.
 *
 * Little-endian, of fixed length, no padding. A text is cut to its field and filled with NUL.
 *
 *   offset 0   4      magic    "RPV" and the version, 2
 *          4   1      kind     enum event_kind
 *          5   1      verdict  enum event_verdict
 *          6   1      source   enum event_source
 *          7   1      bits: 1 a step of another action, such as cicc below nvcc
 *          8   8      start    ns since 1970
 *         16   8      duration ns, from the start to the event's end
 *         24   8      spent    ns of these in Reprise: look-ups, waits, recording
 *         32   8      waited   ns of these in waits for other processes and nodes
 *         40   8      worth    ns that the replayed work took when it was recorded
 *         48   8      bytes    of outputs replayed or stored, or transferred
 *         56   4      pid
 *         60   4      rank     as the launcher numbered the process; EVENT_NO_RANK: it did not
 *         64  32      key      of the action or unit
 *         96  24      tool     or the unit's class, or the remote store
 *        120  32      reason   its name in shim/reason.def; empty for a hit
 *        152 232      command  the start's arguments, shortened; a unit's path
 *        384 116      detail   what differed; of a job's command, the job's name
 *        500   4      proofs   of an action's hit: bit n, it rests on proof n (proofs/proofs.def).
 *                              Earlier builds wrote the end of detail here, which is 0 for a hit
 *        504   8      recorded_at  of a hit: when its work began as it was recorded, ns since 1970;
 *                              0: not known
 *
 * The node is that of the file (store/job/events.h). Readers skip records of other versions. What a
 * job saved is computed from the intervals of its events (cli/report/report.h). THREAD. */
#pragma once

#include <stdint.h>

#include "shim/digest.h"

#define EVENT_BYTES 512
#define EVENT_NO_RANK (-1)

enum event_kind {
	EVENT_ACTION, /* a tool that was started */
	EVENT_INSIDE, /* a compile inside a process */
	EVENT_UNIT,   /* of a framework's cache */
	EVENT_TRANSFER,
	EVENT_KINDS,
	EVENT_JOB = EVENT_KINDS /* a command under reprise-run; in no figure */
};
enum event_verdict {
	EVENT_HIT,    /* replayed, or laid; a transfer that was made */
	EVENT_MISS,
	EVENT_BYPASS,
	EVENT_UNSTORED,
	EVENT_ERROR,
	EVENT_STORED, /* packed */
	EVENT_VERDICTS
};
/* Where a hit came from. */
enum event_source {
	EVENT_NOWHERE,
	EVENT_LOCAL,
	EVENT_REMOTE,
	EVENT_WAITED, /* local, after another process had made it */
	EVENT_AHEAD,  /* a transfer ahead of the job: its key is that of the hit that uses it */
	EVENT_SOURCES
};

struct event {
	enum event_kind kind;
	enum event_verdict verdict;
	enum event_source source;
	int64_t start, duration, spent, waited, worth, recorded_at;
	uint64_t bytes;
	int pid, rank;
	unsigned proofs;   /* bits of enum proof, of a hit alone */
	int step;          /* its parent action is an event of the job, too */
	struct digest key;
	const char *tool, *reason, *command, *detail; /* NULL: empty */
	/* not in the record: of the file that holds it (store/job/events_read.h) */
	const char *host;
};
/* The texts of a decoded event. */
struct event_texts {
	char tool[25], reason[33], command[233], detail[117];
};

void event_encode(unsigned char out[EVENT_BYTES], const struct event *e);
/* 0: *e is filled, its texts lie in *t. -1: another version, or not an event. */
int event_decode(struct event *e, struct event_texts *t, const unsigned char in[EVENT_BYTES]);
/* By their names: "action", "hit", "local". */
const char *event_kind_name(enum event_kind kind);
const char *event_verdict_name(enum event_verdict verdict);
const char *event_source_name(enum event_source source);
