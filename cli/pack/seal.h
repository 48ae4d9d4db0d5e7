/* cli/pack/seal.h - signature of a seed store: the file "signature", three lines of text:
 *
 *   reprise-seed-1
 *   public key, 64 hex digits
 *   signature, 128 hex digits
 *
 * It signs the first line and a BLAKE2b-256 of the entries' files: of each, in the order of names,
 * the name, a NUL and the file's BLAKE2b-256. So no file can be changed, added or left out.
 * A look-up in a seed store reads no signature; `reprise verify --seed` does. TOOL. */
#pragma once

#include "store/entry/entry.h"
#include "store/trust.h"

#define SEAL_NAME "signature"
/* Of a name below the store's directory, with NUL: the longest is a manifest's in a slot. */
#define SEAL_PATH 100

/* The file of an entry: head, payload, tail. */
struct entry_file {
	unsigned char head[ENTRY_HEAD], tail[ENTRY_TAIL];
	struct tmp_part part[3];
};
void entry_file(struct entry_file *out, const struct entry *e);

struct seal_file {
	char name[SEAL_PATH];
	struct digest digest;
};
struct seal {
	struct arena *arena;
	struct seal_file *v;
	size_t count, cap;
};
/* 0, or -1: no memory. */
int seal_add(struct seal *s, const char *name, const struct entry_file *f);
#define SEAL_TEXT 256
/* The text of the file, with NUL. */
void seal_sign(struct seal *s, const struct trust *t, char text[SEAL_TEXT]);
/* NULL: the store at dir, whose entries were added, has the signature of a trusted key; or what is
 * wrong. */
const char *seal_check(struct seal *s, const struct trust *t, const char *dir);
