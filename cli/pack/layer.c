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
#include <stdlib.h>
#include <string.h>

#include "cli/pack/seal.h"
#include "store/dirs.h"
#include "store/job/job_list.h"

#define BLOCK 512
#define OUT_SIZE (64u << 10)

static const unsigned char zeros[2 * BLOCK];

/* Packs what zlib has in its input, and writes what it gives. */
static void pack_more(struct layer *l, int flush)
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
		pack_more(l, Z_NO_FLUSH);
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
	pack_more(l, Z_FINISH);
	deflateEnd(&l->z);
	crypto_hash_sha256_final(&l->of_tar, l->tar.b);
	crypto_hash_sha256_final(&l->of_blob, l->blob.b);
	if (!l->error)
		return 0;
	errno = l->error;
	return -1;
}

/* --- seed store --- */

int seed_note(struct pack *k, const struct entry *e)
{
	int named = e->class == STORE_MANIFEST || e->class == STORE_SET;
	struct job_list_record r;

	memset(&r, 0, sizeof r); /* compared whole */
	r.class = e->class;
	r.key = e->key;
	if (k->trust.signing && digest_algorithm(&e->key) != DIGEST_BLAKE2B) {
		pack_refuse(k, "left out", &e->key, "a key of this digest is not signed");
		return 0;
	}
	if (named && e->len < DIGEST_SIZE)
		return 0;
	if (named)
		memcpy(r.result.b, e->payload, DIGEST_SIZE);
	buf_add(&k->rows, &r, sizeof r);
	if (!k->rows.failed)
		return 0;
	errno = ENOMEM;
	return pack_failed(k);
}

/* By the directories of the store, then by key, then by result. */
static int order(const void *x, const void *y)
{
	return memcmp(x, y, sizeof(struct job_list_record));
}

/* Adds a directory, unless the last file has made it. */
static void add_directory(struct layer *l, char last[SEAL_PATH], const char *name)
{
	for (const char *end = name; (end = strchr(end, '/')) != NULL; end++) {
		char part[SEAL_PATH];
		size_t n = (size_t)(end - name) + 1;

		if (strncmp(last, name, n) == 0)
			continue;
		memcpy(part, name, n);
		part[n] = '\0';
		layer_directory(l, part);
	}
	strcpy(last, name);
}

/* 0; -1: no memory. */
static int add_entry(struct pack *k, struct layer *l, struct seal *seal, char last[SEAL_PATH],
                     const struct entry *e, int slot)
{
	char path[SEAL_PATH + 1];
	struct entry_file f;

	/* Without a directory the name begins with a slash. */
	if (store_path(path, sizeof path, "", e->class, &e->key, slot) >= sizeof path)
		return 0;
	add_directory(l, last, path + 1);
	entry_file(&f, e);
	layer_file(l, path + 1, f.part, 3);
	k->entries++;
	for (int i = 0; i < 3; i++)
		k->bytes += f.part[i].len;
	return k->trust.signing ? seal_add(seal, path + 1, &f) : 0;
}

static void add_signature(struct pack *k, struct layer *l, struct seal *seal)
{
	char text[SEAL_TEXT];

	seal_sign(seal, &k->trust, text);
	layer_file(l, SEAL_NAME, &(struct tmp_part){text, strlen(text)}, 1);
}

int seed_write(struct pack *k, struct layer *l)
{
	struct job_list_record *v = (struct job_list_record *)k->rows.data;
	size_t n = k->rows.len / sizeof *v;
	struct seal seal = {.arena = &k->c->arena};
	char version[32], last[SEAL_PATH] = "";
	struct entry e;
	int slot = 0;

	snprintf(version, sizeof version, "reprise %d\n", STORE_LAYOUT);
	layer_file(l, "VERSION", &(struct tmp_part){version, strlen(version)}, 1);
	if (n)
		qsort(v, n, sizeof *v, order);
	for (size_t i = 0; i < n && !k->failed && !l->error; i++) {
		if (i && order(&v[i], &v[i - 1]) == 0)
			continue;
		if (!i || v[i].class != v[i - 1].class || !digest_equal(&v[i].key, &v[i - 1].key))
			slot = 0;
		if (slot == STORE_SLOTS || pack_find(k, &v[i], &e) < 0)
			k->gone++;
		else if (add_entry(k, l, &seal, last, &e, slot++) < 0)
			l->error = ENOMEM;
		arena_free(&k->work);
		cli_progress("%zu of %zu, %llu MiB", i + 1, n, k->bytes >> 20);
	}
	cli_progress_end();
	if (k->trust.signing && !k->failed)
		add_signature(k, l, &seal);
	return k->failed ? -1 : 0;
}
