/* cli/forget.c - `reprise forget`: drops what one action replays. */
#include <argp.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/explain_groups.h"
#include "cli/forget_show.h"
#include "cli/json.h"
#include "cli/open_store.h"
#include "cli/print.h"
#include "remote/remote.h"
#include "shim/job.h"
#include "shim/path.h"
#include "store/candidate.h"
#include "store/events_read.h"

/* Actions that one output's name may lead to. */
#define KEYS_MAX 64

struct wish {
	const char *what;
	int remote, yes, json;
};
struct found {
	struct digest key[KEYS_MAX];
	int count;
	unsigned candidates;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct wish *w = state->input;

	switch (key) {
	case 'r': w->remote = 1; return 0;
	case 'y': w->yes = 1; return 0;
	case 'j': w->json = 1; return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "too many arguments");
		w->what = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "an output or a key is missing");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void add_key(struct found *f, const struct digest *key)
{
	for (int i = 0; i < f->count; i++)
		if (digest_equal(&f->key[i], key))
			return;
	if (f->count < KEYS_MAX)
		f->key[f->count++] = *key;
}

/* The actions whose commands name the file. */
static void find_keys(struct found *f, const struct events *e, const char *file)
{
	static const struct digest none;

	for (size_t i = 0; i < e->count; i++)
		if (e->v[i].kind == EVENT_ACTION && !digest_equal(&e->v[i].key, &none) &&
		    explain_names(e->v[i].command, file))
			add_key(f, &e->v[i].key);
}

/* Shows what the store holds under the key (list: forget_show()); with drop removes it. */
static int each_candidate(struct cli *c, struct store *s, const struct digest *key,
                          struct json_object *list, int drop)
{
	char path[PATH_SIZE];
	struct fault ignored;
	struct candidate candidate;
	struct entry e;
	int found = 0;

	for (int slot = 0; slot < STORE_SLOTS; slot++) {
		if (store_get(s, STORE_MANIFEST, key, slot, &e, &c->arena, &ignored) != ENTRY_OK ||
		    candidate_decode(&candidate, e.payload, e.len, &c->arena) < 0)
			continue;
		found++;
		store_path(path, sizeof path, s->dir, STORE_MANIFEST, key, slot);
		if (!drop) {
			forget_show(c, s, key, path, &candidate, list);
			continue;
		}
		unlink(path);
		store_path(path, sizeof path, s->dir, STORE_RESULT, &candidate.result, 0);
		unlink(path);
	}
	return found;
}

/* In the remote store: the manifest, and the results that its candidates name. */
static int forget_remote(struct cli *c, struct store *s, const struct found *f, const char *who)
{
	const char *job = settings_job(&c->settings, c->envp, &c->arena, NULL);
	struct fault fault = {0, ""};
	struct remote r;
	int rc = remote_open(&r, &c->settings, c->envp, job, s, &c->arena, &fault);

	if (rc == 0 && !r.on) {
		fault_set(&fault, ENOENT, "no remote store is configured");
		rc = -1;
	}
	for (int i = 0; rc == 0 && i < f->count; i++) {
		struct entry e[REMOTE_CANDIDATES];
		struct candidate candidate;
		unsigned count = 0;
		int more = 0;

		r.ask_again = 1;
		if (remote_candidates(&r, STORE_MANIFEST, &f->key[i], 0, e, REMOTE_CANDIDATES,
		                      &count, &more, &fault) == REMOTE_SKIPPED)
			rc = -1;
		for (unsigned k = 0; k < count && rc == 0; k++)
			if (candidate_decode(&candidate, e[k].payload, e[k].len, &c->arena) == 0)
				rc = remote_remove(&r, STORE_RESULT, &candidate.result, &fault);
		if (rc == 0)
			rc = remote_remove(&r, STORE_MANIFEST, &f->key[i], &fault);
	}
	if (rc)
		fprintf(stderr, "%s: the remote store: %s\n", who, fault.text);
	remote_close(&r);
	return rc ? CLI_STORE : CLI_OK;
}

/* Removes the entries that were found. list: what was shown of them, or NULL. */
static int forget(struct cli *c, struct store *s, const struct wish *w, struct found *f,
                  struct json_object *list, const char *who)
{
	struct json_object *o;
	int removed = 0, status;

	fflush(stdout);
	if (!w->yes && !isatty(STDIN_FILENO)) {
		fprintf(stderr, "%s: no terminal to ask on: pass --yes\n", who);
		return CLI_USAGE;
	}
	if (!w->yes && !cli_confirmed("Forget %s?", f->candidates == 1 ? "it" : "them"))
		return CLI_FINDING;
	for (int i = 0; i < f->count; i++)
		removed += each_candidate(c, s, &f->key[i], NULL, 1);
	if (!list)
		printf("forgot %d result%s\n", removed, removed == 1 ? "" : "s");
	status = w->remote ? forget_remote(c, s, f, who) : CLI_OK;
	if (!list)
		return status;
	o = json_report();
	json_object_object_add(o, "results", json_object_get(list));
	json_number(o, "removed_results", (uint64_t)removed);
	json_flag(o, "remote", w->remote && status == CLI_OK);
	return json_print(stdout, o) == CLI_OK ? status : CLI_FINDING;
}

int cli_forget(struct cli *c, int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"remote", 'r', NULL, 0, "Also in the remote store", 0},
		{"yes", 'y', NULL, 0, "Do not ask", 0},
		{"json", 'j', NULL, 0, "Print one JSON object (docs/json.md); needs --yes", 0},
		{0},
	};
	struct argp argp = {options, parse, "OUTPUT | KEY",
	                    "Drops a result that is suspect, after showing what it is, and when "
	                    "and by whom it was made. KEY is an action's key, as `reprise report "
	                    "--trace` has it. OUTPUT is a file that commands of the last jobs name "
	                    "(REPRISE_EVENTS). The next start runs for real.", NULL, NULL, NULL};
	struct wish w = {0};
	struct found f = {0};
	struct digest key;
	struct events e = {0};
	struct store s;

	argp_parse(&argp, argc, argv, 0, NULL, &w);
	if (w.json && !w.yes) {
		fprintf(stderr, "%s: --json cannot ask: pass --yes\n", argv[0]);
		return CLI_USAGE;
	}
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	events_read(&e, &s, NULL, &c->arena);
	if (digest_parse(&key, w.what) == 0)
		add_key(&f, &key);
	else
		find_keys(&f, &e, w.what);
	struct json_object *list = w.json ? json_object_new_array() : NULL;
	for (int i = 0; i < f.count; i++) {
		size_t first = list ? json_object_array_length(list) : 0;
		int n = each_candidate(c, &s, &f.key[i], list, 0);

		if (n)
			forget_show_maker(&e, &f.key[i], list, first);
		f.candidates += (unsigned)n;
	}
	if (!f.candidates && !(w.remote && f.count)) {
		fprintf(stderr, "%s: nothing in %s is known of %s\n", argv[0], s.dir, w.what);
		status = CLI_FINDING;
	} else {
		status = forget(c, &s, &w, &f, list, argv[0]);
	}
	json_object_put(list);
	return status;
}
