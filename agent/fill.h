/* agent/fill.h - copies entries of the remote store into the local store and the inbox. TOOL. */
#pragma once

#include "remote/remote.h"
#include "store/agent.h"
#include "store/inbox.h"

/* remote->arena is the memory of one question. */
struct filler {
	struct store *store, *inbox;
	struct remote *remote;
	const struct settings *set;
	unsigned entries; /* that came, and their bytes, added up */
	uint64_t bytes;
	uint64_t room; /* bytes that unpacked outputs may add (fill_ahead) */
	int checked;   /* fill_result has just put the result there, and knows that it is right */
};
/* AGENT_FILL: SKIPPED with *fault. */
enum agent_answer fill_local(struct filler *f, enum store_class class, const struct digest *key,
                             struct fault *fault);
/* AGENT_CANDIDATES: into the first `room` of these bytes, of which *len are then filled, or into
 * the inbox. Sets count, more, listed and length of *out. newest: K2 of the first one. */
enum agent_answer fill_candidates(struct filler *f, const struct digest *k1, unsigned from,
                                  struct agent_reply *out, unsigned char bytes[AGENT_BYTES],
                                  size_t room, size_t *len, struct digest *newest,
                                  struct fault *fault);
/* 1: the local store has it already. */
int fill_has_result(const struct filler *f, const struct digest *k2);
/* AGENT_RESULT */
enum agent_answer fill_result(struct filler *f, const struct digest *k2, struct fault *fault);
/* What fill_ahead will ask for, at most 2. Returns their number. */
unsigned fill_ahead_reads(const struct filler *f, enum store_class class, const struct digest *key,
                          const struct digest *result, struct remote_read out[2]);
/* AGENT_PREFETCH: what one record of a job's list names, unless the node has it. An action comes
 * into the inbox, unpacked as far as REPRISE_COMPRESS leaves outputs as they are and f->room
 * allows; a unit or a set comes into the local store. ABSENT: nothing had to come. */
enum agent_answer fill_ahead(struct filler *f, enum store_class class, const struct digest *key,
                             const struct digest *result, struct fault *fault);
