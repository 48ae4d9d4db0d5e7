/* cli/pack/pack_file.c - functions that `reprise export` and `reprise import` share. */
#include "cli/pack/pack_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/job/job_list.h"

/* --- what an export that fails has written so far --- */

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDS (sizeof ends / sizeof *ends)

static const char *volatile parts[PARTS_MOST];
static volatile sig_atomic_t count;
static sigset_t before;

static void drop_and_end(int sig)
{
	part_drop();
	signal(sig, SIG_DFL);
	raise(sig);
}

void part_begin(void)
{
	for (size_t i = 0; i < ENDS; i++)
		if (signal(ends[i], drop_and_end) == SIG_IGN)
			signal(ends[i], SIG_IGN);
}

void part_hold(void)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < ENDS; i++)
		sigaddset(&held, ends[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
}

void part_release(void)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void part_add(const char *path)
{
	if (count < PARTS_MOST) {
		parts[count] = path;
		count++;
	}
}

void part_drop(void)
{
	int error = errno;

	for (int i = count; i-- > 0;)
		if (unlink(parts[i]) < 0)
			rmdir(parts[i]);
	count = 0;
	errno = error;
}

void part_keep(void)
{
	count = 0;
}

const char pack_magic[8] = "RPPACK1\n";

int pack_begin(struct pack *k, struct cli *c, const char *who)
{
	struct fault fault;
	int status = cli_open_store(c, &k->store, who);

	if (!k->job)
		k->store.seeds[0] = NULL;
	k->c = c;
	k->who = who;
	if (status == CLI_OK && trust_load(&k->trust, &c->settings, &c->arena, &fault) < 0)
		status = cli_failed(who, CLI_STORE, fault.text);
	return status;
}

int pack_failed(struct pack *k)
{
	if (!k->failed)
		k->error = errno;
	k->failed = 1;
	return -1;
}

void pack_refuse(struct pack *k, const char *what, const struct digest *key, const char *why)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(key, hex);
	if (k->refused++ < PACK_TOLD_MAX) {
		cli_progress_end();
		fprintf(stderr, "%s: %s %s: %s\n", k->who, what, hex, why);
	}
}

int pack_find(struct pack *k, const struct job_list_record *r, struct entry *e)
{
	int named = r->class == STORE_MANIFEST || r->class == STORE_SET;
	enum entry_status st = ENTRY_OK;
	struct fault ignored;

	for (int slot = 0; slot >= 0; slot = named ? store_next_slot(&k->store, slot, st) : -1) {
		st = store_get(&k->store, r->class, &r->key, slot, e, &k->work, &ignored);
		if (st == ENTRY_OK &&
		    (!named || (e->len >= DIGEST_SIZE &&
		                memcmp(e->payload, r->result.b, DIGEST_SIZE) == 0)))
			return 0;
	}
	return -1;
}

void pack_sum_up(struct pack *k, FILE *to, const char *word)
{
	char size[CLI_SIZE_TEXT];

	if (k->json) {
		struct json_object *o = json_report();

		json_text(o, k->image ? "image" : "pack", k->path);
		if (*k->digest)
			json_text(o, "digest", k->digest);
		json_number(o, "entries", k->entries);
		json_number(o, "bytes", k->bytes);
		json_number(o, "already_there", k->known);
		json_number(o, "refused", k->refused);
		json_print(to, o);
		return;
	}
	fprintf(to, "%llu entries (%s) %s %s", k->entries, cli_size(size, k->bytes), word,
	        strcmp(k->path, "-") == 0 ? "the stream" : k->path);
	if (k->known)
		fprintf(to, ", %llu already there", k->known);
	if (k->refused)
		fprintf(to, ", %llu refused", k->refused);
	if (*k->digest)
		fprintf(to, ", %s", k->digest);
	putc('\n', to);
}

/* --- writing --- */

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
