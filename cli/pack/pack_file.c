/* cli/pack/pack_file.c - functions that `reprise export` and `reprise import` share. */
#include "cli/pack/pack_file.h"

#include <errno.h>

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

void pack_sum_up(struct pack *k, FILE *to, const char *word)
{
	char size[CLI_SIZE_TEXT];

	if (k->json) {
		struct json_object *o = json_report();

		json_text(o, "pack", k->path);
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
	putc('\n', to);
}
