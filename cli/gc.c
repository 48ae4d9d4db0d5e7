/* cli/gc.c - `reprise gc`. */
#include "cli/cli.h"
#include "store/eviction.h"

static int print_json(const struct gc_report *r)
{
	struct json_object *o = json_report();

	json_number(o, "removed_entries", r->removed);
	json_number(o, "removed_bytes", r->removed_bytes);
	json_number(o, "left_over_files", r->litter);
	json_number(o, "entries", r->entries);
	json_number(o, "bytes", r->bytes);
	return json_print(stdout, o);
}

static void progress(void *ctx, unsigned done, unsigned all)
{
	cli_progress("%u of %u shards", done, all);
}

int cli_gc(struct cli *c, int argc, char **argv)
{
	int json = 0;
	struct store s;
	struct gc_report r = {0};
	struct fault fault = {0, ""};
	char size[CLI_SIZE_TEXT], removed[CLI_SIZE_TEXT];
	const struct cli_option options[] = {CLI_JSON(&json), {0}};
	const struct cli_syntax syntax = {
		.options = options,
		.text = "Evicts the least recently used entries until the store is below "
			"REPRISE_MAX_SIZE, removes files that killed writers left, and measures "
			"the store's size. Jobs do this by themselves when the limit is exceeded, "
			"but never on a hit."};

	cli_parse(argc, argv, &syntax);
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	int rc = gc_run(&s, 1, &r, progress, NULL, &fault);
	cli_progress_end();
	if (rc < 0)
		return cli_failed(argv[0], CLI_STORE, fault.text);
	if (json)
		return print_json(&r);
	printf("removed %llu entries (%s) and %llu left-over files; %llu entries (%s) remain\n",
	       (unsigned long long)r.removed, cli_size(removed, r.removed_bytes),
	       (unsigned long long)r.litter, (unsigned long long)r.entries,
	       cli_size(size, r.bytes));
	return CLI_OK;
}
