/* remote/values.h - what look-ups (remote/fetch.c) and puts (remote/put.c) share: names of values, how they are read
 * and judged. As remote/remote.h: only where no other thread runs. */
#ifndef REMOTE_VALUES_H
#define REMOTE_VALUES_H

#include "remote/remote.h"
#include "shim/format.h"

/* Parts under way at once: bounds memory beside the result's own. */
#define REMOTE_WINDOW 4
#define REMOTE_DIGITS 24

/* A number as an argument: out. */
static inline char *remote_number(char out[REMOTE_DIGITS], uint64_t v)
{
	format_text(out, REMOTE_DIGITS, "%lu", (unsigned long)v);
	return out;
}
/* Name of part i of the blob under key; its length. */
size_t remote_part_key(char out[REMOTE_KEY_MAX], const char *key, const struct blob_head *h, unsigned i);
/* The letter of a class in names. */
char remote_kind(enum store_class class);
/* For a transfer of that many bytes, begun at start. */
int64_t remote_transfer_deadline(const struct remote *r, int64_t start, uint64_t bytes);
/* The first error among the replies as a status, with *fault. */
enum wire_status remote_judge(const struct wire *w, struct fault *fault);
enum breaker_outcome remote_outcome(enum wire_status s);

/* LRANGE of a manifest or set with its LLEN. OK: reply 0 is an array, or the error WRONGTYPE. */
enum wire_status remote_list(struct remote *r, enum store_class class, const struct digest *k1, unsigned from,
                             unsigned max, int64_t deadline, struct wire **w, struct fault *fault);
/* One value that is a whole blob, as a checked entry that outlives it. Whatever becomes of it, what it may have taken of
 * memory goes off *room, which is enough for it. */
enum blob_status remote_value(struct remote *r, struct entry *out, const redisReply *value, enum store_class class,
                              const struct digest *key, uint64_t *room);

#endif
