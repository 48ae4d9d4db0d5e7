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
 * characters. TOOL. */
#ifndef CLI_PACK_LAYER_H
#define CLI_PACK_LAYER_H

#include <sodium/crypto_hash_sha256.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

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

#endif
