/* units/scope/native_file.h - adds files to the digests of scopes. A start of a framework asks for
 * the same programs again and again, as its workers do: their digests are in the node's memo.
 * THREAD. */
#pragma once

#include "shim/arena.h"
#include "shim/buf.h"
#include "shim/digest.h"

struct memo;
struct statx;

#define NATIVE_HEAD (256u << 10)
/* Texts and drivers of compilers count whole: cuda.h has 1.2 MB, gcc 1 MB. A clang that is linked
 * statically has a hundred, and a build id at its begin. */
#define NATIVE_WHOLE (4u << 20)
/* torch maps some hundred files, in some thousand lines of 150 bytes. */
#define NATIVE_MAPS_MAX (2u << 20)

struct native {
	struct arena *arena;
	char *const *envp;
	unsigned char *head; /* NATIVE_HEAD bytes */
	struct memo *memo;
	struct digest_state s;
	int64_t newest_ns; /* the latest ctime of what was read */
};

/* node_dir: where the memo is, NULL: there is none. 0, or -1 without memory. */
int native_begin(struct native *r, char *const envp[], const char *node_dir, struct arena *a);
void native_end(struct native *r);
/* Adds a digest of the file's size and its first `most` bytes. *n gets the number of bytes of a
 * script, which are in head up to NATIVE_HEAD, and 0 for another file; NULL: not asked. 0, or -1:
 * it is no regular file that can be read. */
int native_file(struct native *r, const char *path, size_t most, size_t *n);
/* Digits of a digest in a scope: half of them, since XXH3 fills only the first half, and 128 bits
 * of BLAKE2b are enough. */
#define SCOPE_HEX 32
/* Appends name and the first SCOPE_HEX digits. Pure. */
void scope_put(struct buf *b, const char *name, const struct digest *d);
/* Of a file or directory that counts: it is in r->newest_ns. Pure. */
void native_seen(struct native *r, const struct statx *st);
/* Ends the digest r->s, and appends it to b behind name (scope_put). */
void native_finish(struct native *r, struct buf *b, const char *name);
/* maps: the text of /proc/self/maps. The path of the next mapped file whose last component begins
 * so; *from: where to look. NULL: there is none. */
const char *native_mapped(struct native *r, const char *maps, const char **from, const char *head);
/* Adds each mapped file whose name begins so: its size and its first 256 KiB. Their number, or -1:
 * one cannot be read. */
int native_add_mapped(struct native *r, const char *maps, const char *head);
/* Adds the loaded libc. 0, or -1: it cannot be read. */
int native_libc(struct native *r, const char *maps);
/* Calls each(r, directory, what) for a list with colons, until one answers 1. An empty element is
 * the working directory. */
int native_each_of(struct native *r, const char *list, const void *what,
                   int (*each)(struct native *r, const char *dir, const void *what));

/* The part of a scope's text that nothing changes while the process runs. Static memory. */
struct native_kept {
	int state;
	char text[400];
};
/* 1: it was kept, and is appended to b. */
int native_has_kept(const struct native_kept *k, struct buf *b);
/* Keeps what b holds from this byte on. */
void native_keep(struct native_kept *k, const struct buf *b, size_t from);
