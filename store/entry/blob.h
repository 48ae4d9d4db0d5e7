/* store/entry/blob.h - blob: a sealed entry as it is sent: compressed if that pays, signed if
 * configured.
 *
 * Layout: table above blob.c and docs/internals/formats.md. The signature covers the head before
 * it: class, key, format, the lengths, the part name and the stored bytes' digest (always
 * BLAKE2b-256 in signed blobs). So an entry cannot be replayed under another key, class or version,
 * nor downgraded. The signature is checked before anything is decompressed, and every length before
 * memory is taken.
 *
 * A blob with more than BLOB_PART stored bytes may be kept in parts. The first value holds the head
 * and the first BLOB_PART bytes; value i (1, 2 ...) holds the next ones, from i * BLOB_PART on. The
 * parts' keys have the same hash tag and contain the head's random part name, so that two writers
 * never mix (remote/remote.h). If the first value holds all bytes, there is one part. THREAD.
 * Parsing is fuzzed. */
#pragma once

#include "shim/arena.h"
#include "shim/pack.h"
#include "store/entry/entry.h"
#include "store/trust.h"

#define BLOB_VERSION 1
/* A GET or SET of this size keeps Redis busy for about a millisecond. */
#define BLOB_PART (1u << 20)
#define BLOB_HEAD 200
#define BLOB_PART_NAME 8

enum blob_status {
	BLOB_OK,
	BLOB_NEWER,    /* a later format: counts as absent */
	BLOB_DAMAGED,  /* truncated, wrong digest, key, class or lengths; or no memory */
	BLOB_UNSIGNED, /* trust is configured, and the signature is missing or by an unknown key */
	BLOB_FORGED,   /* a signature that does not verify */
	BLOB_TOO_LARGE /* larger than max_entry */
};

/* Head of a blob whose first value has been read. */
struct blob_head {
	uint64_t stored;    /* bytes after the head, in all parts */
	uint64_t entry_len; /* of the decompressed entry; at most the max_entry given */
	unsigned parts;     /* values in all, 1 for a small one */
	unsigned char part_name[BLOB_PART_NAME];
	unsigned flags;
};
/* value: first value of the blob, whole. Checks signature and lengths. t NULL: no signature is
 * needed. */
enum blob_status blob_head_read(struct blob_head *h, const void *value, size_t n,
                                enum store_class class, const struct digest *key,
                                uint64_t max_entry, const struct trust *t);
/* The same from the head alone, which is the first BLOB_HEAD of n bytes. The caller compares the
 * lengths. */
enum blob_status blob_head_alone(struct blob_head *h, const void *head, size_t n,
                                 enum store_class class, const struct digest *key,
                                 uint64_t max_entry, const struct trust *t);
/* For what moves blobs and checks none: the lengths and the part name of a first value. 0, or -1:
 * it is none. */
int blob_parts(struct blob_head *h, const void *value, size_t n);
/* Bytes in value i of h->parts, without the head in the first one. */
static inline uint64_t blob_part_len(const struct blob_head *h, unsigned i)
{
	return i + 1 < h->parts ? BLOB_PART : h->stored - (uint64_t)i * BLOB_PART;
}
/* stored: the h->stored bytes of all parts, joined. BLOB_OK: *out is a checked entry, in the arena
 * or in stored. */
enum blob_status blob_open(struct entry *out, const struct blob_head *h, const void *head_value,
                           const void *stored, enum store_class class, const struct digest *key,
                           struct arena *a);
/* A blob whose stored bytes come in pieces, after its head was read. take gets the entry in pieces,
 * and returns 0, or an error that ends it. What it took counts only if the end is BLOB_OK. The
 * entry's own digest is not checked: whoever reads the entry does.
 *
 *     blob_stream_begin(&s, &h, value, class, key, take, arg, arena);   // 0 or -ENOMEM
 *     blob_stream_add(&s, bytes, n);               // 0, or an error: no more is taken
 *     st = blob_stream_end(&s);
 */
#define BLOB_STREAM_FIRST 64
struct blob_stream {
	struct blob_head head;
	enum store_class class;
	struct digest key, digest;
	struct digest_state sum;
	struct unpacker unpacker; /* of a zstd frame */
	uint64_t stored, entry;   /* bytes so far */
	unsigned char first[BLOB_STREAM_FIRST]; /* of the entry, so far */
	int (*take)(void *arg, const void *p, size_t n);
	void *arg;
};
int blob_stream_begin(struct blob_stream *s, const struct blob_head *h, const void *head_value,
                      enum store_class class, const struct digest *key,
                      int (*take)(void *arg, const void *p, size_t n), void *arg,
                      struct arena *a);
int blob_stream_add(struct blob_stream *s, const void *p, size_t n);
enum blob_status blob_stream_end(struct blob_stream *s);
/* Makes a blob of an entry, which is sealed here: head, and *stored the bytes, in the arena. Signed
 * if t is given and signs. 0 or -1 with *fault. */
int blob_make(unsigned char head[BLOB_HEAD], const unsigned char **stored, size_t *stored_len,
              enum store_class class, const struct digest *key, const void *payload, size_t len,
              const struct trust *t, struct arena *a, struct fault *fault);
/* The same of an entry of `len` bytes of payload that lies in a file, from its first byte on:
 * memory holds a piece of it at a time. packed: an empty file for the compressed form; -1: none.
 * The entry stays as it is where that does not pay, or the disk has no room. Then b->stored bytes
 * of b->fd, one of the two files, from its first byte on, are the blob's. -1 also if the entry is
 * damaged. */
struct blob_file {
	unsigned char head[BLOB_HEAD];
	int fd;
	uint64_t stored;
};
int blob_make_file(struct blob_file *b, enum store_class class, const struct digest *key, int fd,
                   uint64_t len, int packed, const struct trust *t, struct arena *a,
                   struct fault *fault);
const char *blob_status_text(enum blob_status s);
