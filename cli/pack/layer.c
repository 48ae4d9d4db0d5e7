/* cli/pack/layer.c - writes a layer. The archive, after POSIX.1-1988 (ustar):
 *
 *   offset 0   100  name
 *        100    24  mode, owner, group: 7 octal digits and a NUL each
 *        124    12  size: 11 octal digits and a NUL
 *        136    12  time, likewise: 0
 *        148     8  sum of the head's bytes, where these 8 are blanks: 6 digits, NUL, blank
 *        156     1  '0' file, '5' directory
 *        257     8  "ustar", NUL, "00"
 *        512        the file, then zeros up to a multiple of 512
 *   last      1024  zeros */
#include "cli/pack/layer.h"

#include <errno.h>
#include <string.h>

#define BLOCK 512
#define OUT_SIZE (64u << 10)

static const unsigned char zeros[2 * BLOCK];

/* Packs what zlib has in its input, and writes what it gives. */
static void pack(struct layer *l, int flush)
{
	unsigned char out[OUT_SIZE];

	do {
		size_t n;

		l->z.next_out = out;
		l->z.avail_out = sizeof out;
		if (!l->error && deflate(&l->z, flush) == Z_STREAM_ERROR)
			l->error = EINVAL;
		if (l->error)
			return;
		n = sizeof out - l->z.avail_out;
		crypto_hash_sha256_update(&l->of_blob, out, n);
		l->size += n;
		if (n && fwrite(out, n, 1, l->file) != 1)
			l->error = errno;
	} while (l->z.avail_out == 0);
}

static void add(struct layer *l, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n && !l->error) {
		/* zlib counts in unsigned int. */
		unsigned some = n < 1u << 30 ? (unsigned)n : 1u << 30;

		crypto_hash_sha256_update(&l->of_tar, p, some);
		l->z.next_in = (unsigned char *)p;
		l->z.avail_in = some;
		pack(l, Z_NO_FLUSH);
		p += some;
		n -= some;
	}
}

static void add_head(struct layer *l, const char *name, unsigned mode, char type, uint64_t size)
{
	char head[BLOCK + 1] = {0};
	unsigned sum = 0;

	if (strlen(name) > LAYER_NAME) {
		l->error = ENAMETOOLONG;
		return;
	}
	memcpy(head, name, strlen(name));
	snprintf(head + 100, 8, "%07o", mode & 07777);
	memcpy(head + 108, "0000000\0000000000", 16);
	snprintf(head + 124, 12, "%011llo", (unsigned long long)size & 077777777777);
	memcpy(head + 136, "00000000000", 12);
	memset(head + 148, ' ', 8);
	head[156] = type;
	memcpy(head + 257, "ustar\00000", 8);
	for (int i = 0; i < BLOCK; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 7, "%06o", sum & 0777777);
	add(l, head, BLOCK);
}

void layer_begin(struct layer *l, FILE *file)
{
	*l = (struct layer){.file = file};
	crypto_hash_sha256_init(&l->of_tar);
	crypto_hash_sha256_init(&l->of_blob);
	/* 16 more: with gzip's head, whose time is then 0. Results are packed by zstd already, so
	 * more than the fastest level gains little. */
	if (deflateInit2(&l->z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		l->error = ENOMEM;
}

void layer_directory(struct layer *l, const char *name)
{
	add_head(l, name, 0755, '5', 0);
}

void layer_file(struct layer *l, const char *name, const struct tmp_part *parts, int count)
{
	uint64_t size = 0;

	for (int i = 0; i < count; i++)
		size += parts[i].len;
	add_head(l, name, 0644, '0', size);
	for (int i = 0; i < count; i++)
		add(l, parts[i].data, parts[i].len);
	add(l, zeros, (size_t)(-size % BLOCK));
}

int layer_end(struct layer *l)
{
	add(l, zeros, sizeof zeros);
	l->z.avail_in = 0;
	pack(l, Z_FINISH);
	deflateEnd(&l->z);
	crypto_hash_sha256_final(&l->of_tar, l->tar.b);
	crypto_hash_sha256_final(&l->of_blob, l->blob.b);
	if (!l->error)
		return 0;
	errno = l->error;
	return -1;
}
