/* cli/pack/pack_write.c - writes a pack. */
#include "cli/pack/pack_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/pack/part.h"

static int write_record(struct pack *k, unsigned tag, unsigned class, uint64_t n,
                        const struct digest *key)
{
	unsigned char head[PACK_RECORD] = {0};

	le_put(head, tag, 4);
	le_put(head + 4, class, 4);
	le_put(head + 8, n, 8);
	if (key)
		memcpy(head + 16, key->b, DIGEST_SIZE);
	return fwrite(head, sizeof head, 1, k->file) == 1 ? 0 : pack_failed(k);
}

static int is_stream(const struct pack *k)
{
	return strcmp(k->path, "-") == 0;
}

static int open_part(struct pack *k)
{
	mode_t mask = umask(0);
	struct stat st;
	int fd;

	umask(mask);
	if (stat(k->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
		return -1;
	}
	part_begin();
	part_hold();
	k->part = arena_cat(&k->c->arena, k->path, ".XXXXXX", NULL);
	fd = k->part ? mkostemp(k->part, O_CLOEXEC) : -1;
	if (fd >= 0)
		part_add(k->part);
	part_release();
	if (fd < 0)
		return -1;
	k->file = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
	return k->file ? 0 : -1;
}

static int close_part(struct pack *k)
{
	if ((fflush(k->file) != 0 || fsync(fileno(k->file)) < 0) && !k->failed)
		pack_failed(k);
	if (fclose(k->file) != 0 && !k->failed)
		pack_failed(k);
	if (k->failed || rename(k->part, k->path) < 0)
		return pack_failed(k);
	part_keep();
	return 0;
}

int pack_write_begin(struct pack *k)
{
	if (is_stream(k))
		k->file = stdout;
	else if (open_part(k) < 0)
		return pack_failed(k);
	return fwrite(pack_magic, sizeof pack_magic, 1, k->file) == 1 ? 0 : pack_failed(k);
}

int pack_write_entry(struct pack *k, const struct entry *e)
{
	unsigned char head[BLOB_HEAD];
	const unsigned char *stored;
	struct fault fault;
	size_t n;

	if (blob_make(head, &stored, &n, e->class, &e->key, e->payload, e->len, &k->trust, &k->work,
	              &fault) < 0) {
		pack_refuse(k, "left out", &e->key, fault.text);
		return 0;
	}
	if (write_record(k, PACK_ENTRY, e->class, BLOB_HEAD + n, &e->key) < 0)
		return -1;
	if (fwrite(head, BLOB_HEAD, 1, k->file) != 1 || fwrite(stored, n, 1, k->file) != 1)
		return pack_failed(k);
	k->entries++;
	k->bytes += n;
	return 0;
}

int pack_write_end(struct pack *k)
{
	if (!k->failed)
		write_record(k, PACK_END, 0, k->entries, NULL);
	if (!is_stream(k) && k->file)
		close_part(k);
	else if (is_stream(k) && !k->failed && fflush(stdout) != 0)
		pack_failed(k);
	if (k->failed)
		part_drop();
	return k->failed ? -1 : 0;
}
