/* cli/pack/seed.c - writes a seed store into a layer. */
#include "cli/pack/seed.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/pack/seal.h"
#include "store/dirs.h"
#include "store/job/job_list.h"

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
