/* cli/gc.c - `reprise gc` and `reprise clear`: what takes entries out of the store. */
#include <unistd.h>

#include "cli/cli.h"
#include "store/eviction.h"
#include "store/inbox.h"

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
	r.litter += inbox_sweep(&s, INBOX_KEEP_S, &c->arena);
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

static void show_progress(uint64_t removed)
{
	cli_progress("%llu entries removed", (unsigned long long)removed);
}

int cli_clear(struct cli *c, int argc, char **argv)
{
	struct store s;
	struct gc_report r = {0};
	struct fault fault = {0, ""};
	char size[CLI_SIZE_TEXT];
	int yes = 0, json = 0;
	const struct cli_option options[] = {
		{"yes", 'y', NULL, "Do not ask", &yes},
		CLI_JSON(&json),
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options,
		.text = "Removes every entry of the store; the directory and the counters stay. If "
			"Reprise uses another store than the settings name, nothing is removed and "
			"the exit status is 3. Jobs that use the store meanwhile compile again."};

	cli_parse(argc, argv, &syntax);
	if (!yes && !isatty(STDIN_FILENO))
		return cli_failed(argv[0], CLI_USAGE, "no terminal to ask on: pass --yes");
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	/* cli_open_store has already said that this is not the store that the settings name. */
	if (s.passed)
		return CLI_STORE;
	if (!yes && !cli_confirmed("Remove every entry of %s?", s.dir))
		return CLI_FINDING;
	int rc = gc_clear(&s, &r, show_progress, &fault);
	cli_progress_end();
	inbox_sweep(&s, INBOX_ALL, &c->arena);
	if (rc < 0)
		return cli_failed(argv[0], CLI_STORE, fault.text);
	if (json) {
		struct json_object *o = json_report();

		json_number(o, "removed_entries", r.removed);
		json_number(o, "removed_bytes", r.removed_bytes);
		return json_print(stdout, o);
	}
	printf("removed %llu entries (%s)\n", (unsigned long long)r.removed,
	       cli_size(size, r.removed_bytes));
	return CLI_OK;
}
