/* cli/pack/pack_file.c - functions that `reprise export` and `reprise import` share. */
#include "cli/pack/pack_file.h"

#include <errno.h>

#include "store/job/job_list.h"

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
