/* store/entry/blob.c - blob, version 1; little-endian, no padding
 *
 *   offset 0   7  magic      "RPRBLOB"
 *          7   1  version    1
 *          8   4  class      number from STORE_CLASSES
 *         12   4  flags      1 zstd, 2 signed
 *         16   8  entry      bytes of the sealed entry: head, payload and check, as above entry.c
 *         24   8  stored     bytes that follow, in all parts: the entry, or a shorter zstd frame
 *                            that holds it
 *         32   8  part name  random where there can be parts (stored above BLOB_PART), else zeros
 *         40  32  key        as in the entry
 *         72  32  digest     of the stored bytes: BLAKE2b-256 when signed, else as the key's
 *        104  32  public key Ed25519, of the signer; zeros when not signed
 *        136  64  signature  of the 136 bytes before; zeros when not signed
 *        200  stored bytes
 *
 * The version is that of the head: entries have their own. A digest is as above entry.c.
 *
 * Specimen: tests/data/blob-v1.bin, decoded by tests/unit/test_blob.c. */
#include "store/entry/blob.h"

#include <errno.h>

#include "shim/buf.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

enum { OFF_MAGIC = 0, OFF_VERSION = 7, OFF_CLASS = 8, OFF_FLAGS = 12, OFF_ENTRY = 16,
       OFF_STORED = 24,
       OFF_PART_NAME = 32, OFF_KEY = 40, OFF_DIGEST = 72, OFF_PUBLIC = 104, OFF_SIGNATURE = 136 };
#define BLOB_MAGIC "RPRBLOB"
_Static_assert(OFF_DIGEST == OFF_KEY + DIGEST_SIZE, "table above");
_Static_assert(OFF_PUBLIC == OFF_DIGEST + DIGEST_SIZE, "table above");
_Static_assert(OFF_SIGNATURE == OFF_PUBLIC + TRUST_PUBLIC, "table above");
_Static_assert(BLOB_HEAD == OFF_SIGNATURE + TRUST_SIGNATURE, "table above");

enum { FLAG_ZSTD = 1, FLAG_SIGNED = 2, FLAGS_KNOWN = 3 };

/* 500 MB/s, and a third fewer bytes: no job waits for publishing, and every node reads the
 * bytes. */
#define COMPRESS_LEVEL 3
/* Smaller blobs take one round trip in either form. The memory of a decompressor costs a process
 * more time than the saved packets: a tenth of a small hit. */
#define COMPRESS_FROM 8192
/* Of an entry that is read from a file. */
#define FILE_PIECE (128u << 10)

#define ENTRY_LEAST (ENTRY_HEAD + ENTRY_TAIL)

static int all_zero(const unsigned char *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return n == 0;
}

/* Reads and checks the lengths alone. */
static enum blob_status read_lengths(struct blob_head *h, const unsigned char *p, size_t n,
                                     uint64_t max_entry)
{
	h->flags = (unsigned)le_get(p + OFF_FLAGS, 4);
	h->entry_len = le_get(p + OFF_ENTRY, 8);
	h->stored = le_get(p + OFF_STORED, 8);
	memcpy(h->part_name, p + OFF_PART_NAME, BLOB_PART_NAME);
	if (h->flags & ~(unsigned)FLAGS_KNOWN || h->entry_len < ENTRY_LEAST || h->stored == 0 ||
	    (h->flags & FLAG_ZSTD ? h->stored >= h->entry_len : h->stored != h->entry_len))
		return BLOB_DAMAGED;
	if (h->entry_len > max_entry || h->entry_len > ENTRY_PAYLOAD_MAX + ENTRY_LEAST)
		return BLOB_TOO_LARGE;
	if (all_zero(h->part_name, BLOB_PART_NAME) != (h->stored <= BLOB_PART))
		return BLOB_DAMAGED;
	if (h->stored == n - BLOB_HEAD)
		h->parts = 1;
	else if (h->stored > BLOB_PART && n == BLOB_HEAD + BLOB_PART)
		h->parts = (unsigned)((h->stored + BLOB_PART - 1) / BLOB_PART);
	else
		return BLOB_DAMAGED;
	return BLOB_OK;
}

static enum blob_status check_signature(const struct blob_head *h, const unsigned char *p,
                                        const struct digest *key, const struct trust *t)
{
	if (h->flags & FLAG_SIGNED ? all_zero(p + OFF_PUBLIC, TRUST_PUBLIC)
	                           : !all_zero(p + OFF_PUBLIC, TRUST_PUBLIC + TRUST_SIGNATURE))
		return BLOB_DAMAGED;
	if (!t || t->count == 0)
		return BLOB_OK;
	if (!(h->flags & FLAG_SIGNED))
		return BLOB_UNSIGNED;
	/* With a key of the weaker digest, someone may have fed the signer a collision. */
	if (digest_algorithm(key) != DIGEST_BLAKE2B)
		return BLOB_DAMAGED;
	switch (trust_check(t, p, OFF_SIGNATURE, p + OFF_SIGNATURE, p + OFF_PUBLIC)) {
	case 1:
		return BLOB_OK;
	case 0:
		return BLOB_UNSIGNED;
	default:
		return BLOB_FORGED;
	}
}

static int stored_algorithm(unsigned flags, const struct digest *key)
{
	return flags & FLAG_SIGNED ? DIGEST_BLAKE2B : digest_algorithm(key);
}

static enum blob_status status_of_entry(enum entry_status st)
{
	return st == ENTRY_OK ? BLOB_OK : st == ENTRY_ABSENT ? BLOB_NEWER : BLOB_DAMAGED;
}

enum blob_status blob_head_read(struct blob_head *h, const void *value, size_t n,
                                enum store_class class, const struct digest *key,
                                uint64_t max_entry, const struct trust *t)
{
	const unsigned char *p = value;
	enum blob_status st;

	memset(h, 0, sizeof *h);
	if (n < OFF_CLASS || memcmp(p, BLOB_MAGIC, OFF_VERSION) != 0 || p[OFF_VERSION] == 0)
		return BLOB_DAMAGED;
	if (p[OFF_VERSION] > BLOB_VERSION)
		return BLOB_NEWER;
	if (n < BLOB_HEAD || le_get(p + OFF_CLASS, 4) != (uint64_t)class ||
	    memcmp(p + OFF_KEY, key->b, DIGEST_SIZE) != 0)
		return BLOB_DAMAGED;
	st = read_lengths(h, p, n, max_entry);
	return st == BLOB_OK ? check_signature(h, p, key, t) : st;
}

enum blob_status blob_head_alone(struct blob_head *h, const void *head, size_t n,
                                 enum store_class class, const struct digest *key,
                                 uint64_t max_entry, const struct trust *t)
{
	uint64_t stored = n < BLOB_HEAD ? 0 : le_get((const unsigned char *)head + OFF_STORED, 8);

	if (n >= BLOB_HEAD)
		n = BLOB_HEAD + (size_t)(stored < BLOB_PART ? stored : BLOB_PART);
	return blob_head_read(h, head, n, class, key, max_entry, t);
}

int blob_parts(struct blob_head *h, const void *value, size_t n)
{
	memset(h, 0, sizeof *h);
	return n >= BLOB_HEAD && memcmp(value, BLOB_MAGIC, OFF_VERSION) == 0 &&
	       read_lengths(h, value, n, UINT64_MAX) == BLOB_OK ? 0 : -1;
}

enum blob_status blob_open(struct entry *out, const struct blob_head *h, const void *head_value,
                           const void *stored, enum store_class class, const struct digest *key,
                           struct arena *a)
{
	const unsigned char *p = head_value, *bytes = stored;
	struct digest d;

	digest_of_as(stored_algorithm(h->flags, key), &d, stored, h->stored);
	if (memcmp(d.b, p + OFF_DIGEST, DIGEST_SIZE) != 0)
		return BLOB_DAMAGED;
	if (h->flags & FLAG_ZSTD) {
		unsigned char *room;

		if (!pack_holds(stored, h->stored, h->entry_len))
			return BLOB_DAMAGED;
		room = arena_alloc(a, h->entry_len);
		if (!room || unpack(room, h->entry_len, stored, h->stored, a) < 0)
			return BLOB_DAMAGED;
		bytes = room;
	}
	return status_of_entry(entry_parse(out, bytes, h->entry_len, class, key));
}

/* A piece of the entry. */
static int pass_on(void *ctx, const void *p, size_t n)
{
	struct blob_stream *s = ctx;
	size_t want = s->entry < BLOB_STREAM_FIRST ? BLOB_STREAM_FIRST - (size_t)s->entry : 0;

	if (n > s->head.entry_len - s->entry)
		return -EBADMSG;
	memcpy(s->first + (BLOB_STREAM_FIRST - want), p, n < want ? n : want);
	s->entry += n;
	return s->take(s->arg, p, n);
}

int blob_stream_begin(struct blob_stream *s, const struct blob_head *h, const void *head_value,
                      enum store_class class, const struct digest *key,
                      int (*take)(void *arg, const void *p, size_t n), void *arg,
                      struct arena *a)
{
	*s = (struct blob_stream){.head = *h, .class = class, .key = *key, .take = take,
	                          .arg = arg};
	memcpy(s->digest.b, (const unsigned char *)head_value + OFF_DIGEST, DIGEST_SIZE);
	digest_init_as(&s->sum, stored_algorithm(h->flags, key));
	return h->flags & FLAG_ZSTD
	       ? unpack_begin(&s->unpacker, pass_on, s, h->entry_len, UNPACK_WINDOW, a) : 0;
}

int blob_stream_add(struct blob_stream *s, const void *p, size_t n)
{
	s->stored += n;
	digest_add(&s->sum, p, n);
	return s->head.flags & FLAG_ZSTD ? unpack_add(&s->unpacker, p, n) : pass_on(s, p, n);
}

enum blob_status blob_stream_end(struct blob_stream *s)
{
	struct digest d;

	digest_final(&s->sum, &d);
	if (s->stored != s->head.stored || !digest_equal(&d, &s->digest) ||
	    s->entry != s->head.entry_len ||
	    (s->head.flags & FLAG_ZSTD && unpack_end(&s->unpacker) < 0))
		return BLOB_DAMAGED;
	return status_of_entry(entry_check_head(s->first, s->entry, s->class, &s->key));
}

/* What a new blob holds. */
struct content {
	enum store_class class;
	const struct digest *key;
	unsigned flags;
	uint64_t entry, stored; /* bytes */
	struct digest digest;   /* of the stored bytes */
};

/* 0; -1 with *fault: these entries cannot be signed. */
static int begin_content(struct content *c, enum store_class class, const struct digest *key,
                         uint64_t len, const struct trust *t, struct fault *fault)
{
	*c = (struct content){.class = class, .key = key, .entry = len + ENTRY_LEAST,
	                      .flags = t && t->signing ? FLAG_SIGNED : 0};
	return c->flags & FLAG_SIGNED && digest_algorithm(key) != DIGEST_BLAKE2B
	       ? fault_set(fault, EINVAL, "a key of this digest is not signed") : 0;
}

static int write_head(unsigned char head[BLOB_HEAD], const struct content *c,
                      const struct trust *t, struct fault *fault)
{
	memset(head, 0, BLOB_HEAD);
	memcpy(head + OFF_MAGIC, BLOB_MAGIC, OFF_VERSION);
	head[OFF_VERSION] = BLOB_VERSION;
	le_put(head + OFF_CLASS, c->class, 4);
	le_put(head + OFF_FLAGS, c->flags, 4);
	le_put(head + OFF_ENTRY, c->entry, 8);
	le_put(head + OFF_STORED, c->stored, 8);
	/* Zeros would mean that there are no parts; random bytes are zeros once in 2^64. */
	while (c->stored > BLOB_PART && all_zero(head + OFF_PART_NAME, BLOB_PART_NAME))
		if (SYS3(SYS_getrandom, head + OFF_PART_NAME, BLOB_PART_NAME, 0) != BLOB_PART_NAME)
			return fault_set(fault, EIO, "the system gives no random numbers");
	memcpy(head + OFF_KEY, c->key->b, DIGEST_SIZE);
	memcpy(head + OFF_DIGEST, c->digest.b, DIGEST_SIZE);
	if (c->flags & FLAG_SIGNED)
		trust_sign(t, head, OFF_SIGNATURE, head + OFF_SIGNATURE, head + OFF_PUBLIC);
	return 0;
}

int blob_make(unsigned char head[BLOB_HEAD], const unsigned char **stored, size_t *stored_len,
              enum store_class class, const struct digest *key, const void *payload, size_t len,
              const struct trust *t, struct arena *a, struct fault *fault)
{
	unsigned char *entry, *packed = NULL;
	struct content c;
	size_t n;

	if (begin_content(&c, class, key, len, t, fault) < 0)
		return -1;
	entry = len <= ENTRY_PAYLOAD_MAX ? arena_alloc(a, len + ENTRY_LEAST) : NULL;
	if (!entry)
		return fault_set(fault, ENOMEM, "no memory for an entry of %lu bytes",
		                 (unsigned long)len);
	if (len)
		memcpy(entry + ENTRY_HEAD, payload, len);
	entry_seal(entry, entry + ENTRY_HEAD + len, class, key, &(struct tmp_part){payload, len},
	           1);
	n = len + ENTRY_LEAST;
	*stored = entry;
	*stored_len = n;
	if (n >= COMPRESS_FROM)
		packed = pack(entry, n, COMPRESS_LEVEL, n - n / 8, stored_len, a);
	if (packed) {
		*stored = packed;
		c.flags |= FLAG_ZSTD;
	}
	c.stored = *stored_len;
	digest_of_as(stored_algorithm(c.flags, key), &c.digest, *stored, *stored_len);
	return write_head(head, &c, t, fault);
}

/* The compressed form of an entry, as it is written. */
struct frame {
	int fd;
	struct digest_state sum;
	uint64_t len, most; /* more does not pay */
};

static int take_frame(void *arg, const void *p, size_t n)
{
	struct frame *f = arg;
	ssize_t rc;

	f->len += n;
	if (f->len > f->most)
		return -E2BIG;
	digest_add(&f->sum, p, n);
	rc = sys_write_all(f->fd, p, n);
	return rc < 0 ? (int)rc : 0;
}

/* Reads the entry once: checks it, digests it as it would be stored, and packs it. *pays: the
 * frame is whole, and not too long; a full disk may cut it. 0 or -errno. */
static int read_entry(int fd, struct content *c, struct frame *frame, int *pays, struct arena *a)
{
	unsigned char *piece = arena_alloc(a, FILE_PIECE), tail[ENTRY_TAIL];
	uint64_t payload_end = c->entry - ENTRY_TAIL;
	struct digest_state check, sum;
	struct packer k;
	struct digest d;
	size_t n;

	if (!piece)
		return -ENOMEM;
	*pays = frame->fd >= 0 &&
	        packer_begin(&k, take_frame, frame, c->entry, COMPRESS_LEVEL, a) == 0;
	digest_init_as(&check, digest_algorithm(c->key));
	digest_init_as(&sum, stored_algorithm(c->flags, c->key));
	for (uint64_t at = 0; at < c->entry; at += n) {
		/* A piece ends where the payload does. */
		uint64_t end = at < payload_end ? payload_end : c->entry;

		n = end - at < FILE_PIECE ? (size_t)(end - at) : FILE_PIECE;
		if (sys_pread_all(fd, piece, n, (off_t)at) != (ssize_t)n ||
		    (at == 0 && entry_check_head(piece, c->entry, c->class, c->key) != ENTRY_OK))
			return -EBADMSG;
		if (at < payload_end)
			digest_add(&check, piece, n);
		else
			memcpy(tail, piece, ENTRY_TAIL);
		digest_add(&sum, piece, n);
		*pays = *pays && packer_add(&k, piece, n) == 0;
	}
	*pays = *pays && packer_end(&k) == 0;
	digest_final(&check, &d);
	digest_final(&sum, &c->digest);
	return memcmp(d.b, tail, ENTRY_TAIL) == 0 ? 0 : -EBADMSG;
}

int blob_make_file(struct blob_file *b, enum store_class class, const struct digest *key, int fd,
                   uint64_t len, int packed, const struct trust *t, struct arena *a,
                   struct fault *fault)
{
	struct content c;
	struct frame frame;
	int pays, rc;

	if (begin_content(&c, class, key, len, t, fault) < 0)
		return -1;
	frame = (struct frame){.fd = packed, .most = c.entry - c.entry / 8};
	digest_init_as(&frame.sum, stored_algorithm(c.flags, key));
	rc = read_entry(fd, &c, &frame, &pays, a);
	if (rc < 0)
		return fault_sys(fault, -rc, "pack an entry", NULL);
	if (pays) {
		c.flags |= FLAG_ZSTD;
		digest_final(&frame.sum, &c.digest);
	}
	b->fd = pays ? packed : fd;
	c.stored = b->stored = pays ? frame.len : c.entry;
	return write_head(b->head, &c, t, fault);
}

const char *blob_status_text(enum blob_status s)
{
	switch (s) {
	case BLOB_OK: return "good";
	case BLOB_NEWER: return "of a newer version";
	case BLOB_DAMAGED: return "damaged";
	case BLOB_UNSIGNED: return "not signed by a trusted key";
	case BLOB_FORGED: return "signature is wrong";
	case BLOB_TOO_LARGE: return "too large";
	}
	return "unknown";
}
