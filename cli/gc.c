/* cli/gc.c - `reprise gc` and `reprise clear`: what takes entries out of the store. */
#include <unistd.h>

#include "cli/cli.h"
#include "remote/dir/expire.h"
#include "store/eviction.h"
#include "store/inbox.h"

static struct json_object *report_of(const struct gc_report *r)
{
	struct json_object *o = json_report();

	json_number(o, "removed_entries", r->removed);
	json_number(o, "removed_bytes", r->removed_bytes);
	json_number(o, "left_over_files", r->litter);
	json_number(o, "entries", r->entries);
	json_number(o, "bytes", r->bytes);
	return o;
}

static void print_text(const struct gc_report *r)
{
	char size[CLI_SIZE_TEXT], removed[CLI_SIZE_TEXT];

	printf("removed %llu entries (%s) and %llu left-over files; %llu entries (%s) remain\n",
	       (unsigned long long)r->removed, cli_size(removed, r->removed_bytes),
	       (unsigned long long)r->litter, (unsigned long long)r->entries,
	       cli_size(size, r->bytes));
}

static void progress(void *ctx, unsigned done, unsigned all)
{
	cli_progress("%u of %u shards", done, all);
}

/* --- `reprise gc --remote` --- */

struct remote_gc {
	const char *older, *size;
	int on, json;
	struct gc_report sum;
	uint64_t refused;
};

static void add_up(void *ctx, const char *shown, const struct expired *done)
{
	struct remote_gc *g = ctx;
	const struct gc_report r = {done->entries, done->bytes, done->removed, done->removed_bytes,
	                            done->temporary};

	g->sum.removed += r.removed;
	g->sum.removed_bytes += r.removed_bytes;
	g->sum.litter += r.litter;
	g->sum.entries += r.entries;
	g->sum.bytes += r.bytes;
	g->refused += done->refused;
	if (g->json)
		return;
	cli_progress_end();
	printf("%s: ", shown);
	print_text(&r);
	if (done->refused)
		printf("%s: %llu files belong to others and were not removed\n", shown,
		       (unsigned long long)done->refused);
}

static void limits_of(struct cli *c, const struct remote_gc *g, struct expire_limits *limits,
                      const char *who)
{
	uint64_t age_ms = setting_number(&c->settings, SETTING_REDIS_TTL);

	limits->bytes = 0;
	cli_setting(who, "--older", SETTING_TIME, g->older, &age_ms);
	cli_setting(who, "--max-size", SETTING_SIZE, g->size, &limits->bytes);
	limits->age_s = age_ms / 1000;
	if (!limits->age_s && !limits->bytes)
		cli_wrong_usage(who, "REPRISE_REDIS_TTL is 0: pass --older or --max-size");
}

static int gc_remote(struct cli *c, struct remote_gc *g, const char *who)
{
	struct fault fault = {0, ""};
	struct expire_limits limits;
	int n;

	limits_of(c, g, &limits, who);
	n = expire_places(&c->settings, c->envp, &limits, add_up, progress, g, &c->arena, &fault);
	cli_progress_end();
	if (n < 0)
		return cli_failed(who, CLI_STORE, fault.text);
	if (n == 0)
		return cli_failed(who, CLI_USAGE,
		                  "REPRISE_REMOTE_URL names no directory (file://) that may be "
		                  "changed; other remote stores remove entries themselves");
	if (g->json) {
		struct json_object *o = report_of(&g->sum);

		json_number(o, "refused_entries", g->refused);
		return json_print(stdout, o);
	}
	return CLI_OK;
}

int cli_gc(struct cli *c, int argc, char **argv)
{
	struct store s;
	struct gc_report r = {0};
	struct remote_gc remote = {0};
	struct fault fault = {0, ""};
	const struct cli_option options[] = {
		{"remote", 'r', NULL,
		 "Clean the directories (file://) of REPRISE_REMOTE_URL instead", &remote.on},
		{"older", 'o', "AGE",
		 "With --remote: remove what was not used for so long, as 7d or 12h (default: "
		 "REPRISE_REDIS_TTL)", &remote.older},
		{"max-size", 's', "SIZE",
		 "With --remote: then remove the oldest entries until the rest has this size, as "
		 "500G", &remote.size},
		CLI_JSON(&remote.json),
		{0}};
	const struct cli_syntax syntax = {
		.options = options,
		.text = "Evicts the least recently used entries until the store is below "
			"REPRISE_MAX_SIZE, removes files that killed writers left, and measures "
			"the store's size. Jobs do this by themselves when the limit is exceeded, "
			"but never on a hit. Jobs never clean a shared directory (file://): run "
			"`reprise gc --remote` once a day, on one node."};

	cli_parse(argc, argv, &syntax);
	if (remote.on)
		return gc_remote(c, &remote, argv[0]);
	if (remote.older || remote.size)
		cli_wrong_usage(argv[0], "--older and --max-size need --remote");
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	int rc = gc_run(&s, 1, &r, progress, NULL, &fault);
	cli_progress_end();
	r.litter += inbox_sweep(&s, INBOX_KEEP_S, &c->arena);
	if (rc < 0)
		return cli_failed(argv[0], CLI_STORE, fault.text);
	if (remote.json)
		return json_print(stdout, report_of(&r));
	print_text(&r);
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
	r.removed += inbox_sweep(&s, INBOX_ALL, &c->arena);
	/* What they brought is gone: the next ones bring it again. */
	cli_ask_agents(c, &s, AGENT_RETIRE, 0, NULL, NULL);
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
