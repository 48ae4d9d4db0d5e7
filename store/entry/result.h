/* store/entry/result.h - result: the files, streams and status of an action. Payload of
 * STORE_RESULT. Format: table above result.c and docs/internals/formats.md. Outputs are compressed
 * (zstd) where it pays. THREAD. */
#pragma once

#include <stdint.h>

#include "names/patch.h"
#include "store/tmp.h"

/* Decides which files are compressed in entries: outputs of actions and files of
 * units. One policy, one setting (REPRISE_COMPRESS). */

/* Copying a precompiled header of 150 MB takes half the time of decompressing it. */
#define COMPRESS_LARGE (32u << 20)
/* A hit needs 0.9 ms more for each megabyte that it decompresses. */
#define COMPRESS_SMALL (4u << 20)
/* AUTO: compresses files of COMPRESS_SMALL to COMPRESS_LARGE that zstd level 1 brings below 3/4.
 * Smaller files cost a hit more than they save; larger files are copied faster than they are
 * decompressed. In parcels, larger files are compressed as for TRANSFER. TRANSFER, for results that
 * go to a remote store and for parcels: compresses larger files at level 3. A node that fetches an
 * uncompressed file would write it a second time, into its local store. That costs more than some
 * hits that unpack. */
enum compress_mode { COMPRESS_NEVER, COMPRESS_AUTO, COMPRESS_ALWAYS, COMPRESS_TRANSFER };
/* How bytes are kept: the number in formats. */
enum packing { PACKING_NONE, PACKING_ZSTD };

/* Returns one zstd frame in the arena if compression pays, with its length in *packed; else
 * NULL. */
void *compress_bytes(const void *data, size_t n, enum compress_mode mode, size_t *packed,
                     struct arena *a);

#define RESULT_OUTPUTS_MAX 4096
#define RESULT_BYTES_MAX (1ull << 30) /* sum of outputs and streams */

/* Mode of a new output file under the umask of the start that is served. A file that is written in
 * place keeps its mode; EXEC adds the x bits, and EXACT and SET apply to any file. */
enum output_mode { MODE_PLAIN = 1, /* 0666 & ~umask */ MODE_EXEC = 2, /* 0777 & ~umask */
	           MODE_EXACT = 3, /* as recorded, whatever the umask, because the tool set it */
	           MODE_MADE = 4,  /* recorded & ~umask */
	           MODE_SET = 5    /* as MADE, but set by the tool */ };
struct result_output {
	const char *spec; /* path spec */
	size_t spec_len;
	unsigned char style;     /* enum write_style of tools/tool.h */
	unsigned char mode_kind; /* enum output_mode */
	unsigned mode;           /* permission bits as recorded; MADE, SET: before the umask */
	const unsigned char *data;
	size_t len;              /* uncompressed */
	const unsigned char *packed; /* decoded entries: compressed form or NULL */
	size_t packed_len;
	struct patch_list patches;
};
struct result_chunk {        /* streams, in the order of their chunks */
	unsigned char stream;    /* 1 or 2 */
	const unsigned char *data;
	size_t len;
	struct patch_list patches;
};
struct result {
	int exit_status;         /* 0-255 */
	uint64_t wall_ns;        /* of the recorded run */
	struct result_output *out;
	size_t out_count;
	struct result_chunk *chunk;
	size_t chunk_count;
	struct bound_name *name; /* names at record time; patches refer to them */
	size_t name_count;
};

/* mode: the value of REPRISE_COMPRESS. */
void result_encode(struct buf *out, const struct result *r, enum compress_mode mode);
/* The same as parts, for store_put_parts(): the bytes of a large output are not copied, and stay
 * the caller's. b receives the rest. */
#define RESULT_PARTS 3
void result_encode_parts(struct tmp_part parts[RESULT_PARTS], struct buf *b,
                         const struct result *r, enum compress_mode mode);
/* Encodes it for TRANSFER, into a file from `at` on: memory holds a piece of a large output at a
 * time. *len: the bytes. 0 or -errno. */
int result_pack_into(int fd, uint64_t at, const struct result *r, uint64_t *len, struct arena *a);
/* wall_ns from the first RESULT_FIRST bytes of a result. */
#define RESULT_FIRST 12
uint64_t result_wall_ns(const void *first);
/* 0 or -1. Nothing is decompressed yet: data is NULL if packed is set. */
int result_decode(struct result *r, const void *bytes, size_t n, struct arena *a);
/* Returns the bytes of an output, decompressed into the arena if needed. They are private to the
 * caller (patches may be applied in place). NULL if damaged, or if memory is refused. */
unsigned char *result_output_bytes(struct result_output *o, struct arena *a);
/* True for a large output that may be decompressed while it is written, since memory for it would
 * cost as much again. The entry's digest is already checked, so only nonsense from a writer is
 * detected too late. */
int result_output_streams(const struct result_output *o);

/* The bytes that a decoded result takes more if it is encoded as this node would have: outputs that
 * `mode` does not compress are unpacked. 0: it is so already. */
uint64_t result_unpacking(const struct result *r, enum compress_mode mode);
/* Encodes it so, and calls take for each piece, as unpack_to(). */
int result_unpack_to(int (*take)(void *arg, const void *p, size_t n), void *arg,
                     const struct result *r, enum compress_mode mode, struct arena *a);
