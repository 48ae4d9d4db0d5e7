/* cli/pack/layer.h - layer of an image: a tar archive (ustar) below gzip, with the digests that an
 * image names it by.
 *
 *     struct layer l;
 *     layer_begin(&l, file);
 *     layer_directory(&l, "result/");
 *     layer_file(&l, "result/x", parts, count);
 *     if (layer_end(&l) < 0) ...            // errno of the first call that failed
 *
 * All times are 0, all owners root, so equal files make equal bytes. Names have at most LAYER_NAME
 * characters.
 *
 * It holds a seed store: the layer's root is a store (store/store.h): VERSION, then
 * <class>/<2 hex>/<62 hex>[.slot]. With REPRISE_SIGN_KEY a signature (cli/pack/seal.h) is its last
 * file. The order is that of the keys, so equal entries make equal bytes. TOOL. */
#pragma once

#include <sodium/crypto_hash_sha256.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include "cli/pack/pack_file.h"
#include "shim/digest.h"
#include "store/tmp.h"

#define LAYER_NAME 100

_Static_assert(crypto_hash_sha256_BYTES == DIGEST_SIZE, "digest_hex prints a SHA-256");

struct layer {
	FILE *file;
	z_stream z;
	crypto_hash_sha256_state of_tar, of_blob;
	int error; /* errno of the first call that failed */
	/* After layer_end. */
	struct digest tar, blob; /* SHA-256 of the archive, and of the file */
	uint64_t size;           /* of the file */
};

void layer_begin(struct layer *l, FILE *file);
void layer_directory(struct layer *l, const char *name);
void layer_file(struct layer *l, const char *name, const struct tmp_part *parts, int count);
/* Ends the archive; the file stays open. 0, or -1 with errno. */
int layer_end(struct layer *l);

/* For k->write: notes an entry in k->rows. */
int seed_note(struct pack *k, const struct entry *e);
/* Writes the noted entries. 0, or -1 after pack_failed. */
int seed_write(struct pack *k, struct layer *l);
