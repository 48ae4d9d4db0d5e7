/* cli/explain/forget.c - `reprise forget`: drops what one action replays. */
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/explain/explain.h"
#include "keying/probe.h"
#include "remote/remote.h"
#include "shim/settings/job.h"
#include "store/entry/candidate.h"
#include "store/entry/result.h"
#include "store/job/events_read.h"

/* What `reprise forget` shows of a result before it drops it. */

static const char *owner_of(const char *path, char out[64])
{
	struct stat st;
	const struct passwd *pw = stat(path, &st) == 0 ? getpwuid(st.st_uid) : NULL;

	snprintf(out, 64, "%s", pw ? pw->pw_name : "?");
	return out;
}

/* The output's path, behind the byte that says what it is relative to. */
static void print_output(FILE *to, const struct result_output *o)
{
	cli_print_spec(to, o->spec + 1, o->spec_len - 1);
}

static void print_result(const struct result *r)
{
	if (!r) {
		puts("    its result is not in this store");
		return;
	}
	printf("    %.2f s, exit status %d", (double)r->wall_ns / 1e9, r->exit_status);
	for (size_t i = 0; i < r->out_count; i++) {
		char size[CLI_SIZE_TEXT];

		printf(", ");
		print_output(stdout, &r->out[i]);
		printf(" of %s", cli_size(size, r->out[i].len));
	}
	putchar('\n');
}

static struct json_object *object_of_output(const struct result_output *o)
{
	struct json_object *out = json_object_new_object();
	char *path = NULL;
	size_t n;
	FILE *to = open_memstream(&path, &n);

	if (to) {
		print_output(to, o);
		fclose(to);
	}
	json_text(out, "path", path ? path : "");
	json_number(out, "bytes", o->len);
	free(path);
	return out;
}

/* Without the result in this store, outputs is empty and the members below are missing. */
static void add_result(struct json_object *o, const struct result *r)
{
	struct json_object *outputs = json_object_new_array();

	json_flag(o, "result", r != NULL);
	json_object_object_add(o, "outputs", outputs);
	if (!r)
		return;
	json_seconds(o, "seconds", r->wall_ns);
	json_object_object_add(o, "exit_status", json_object_new_int(r->exit_status));
	for (size_t i = 0; i < r->out_count; i++)
		json_object_array_add(outputs, object_of_output(&r->out[i]));
}

/* Notes of proofs say why the others suffice. */
static size_t inputs_of(const struct candidate *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		n += c->v[i].kind != INPUT_PROOF;
	return n;
}

/* One candidate of the action, whose manifest entry is the file at path, and its result. list: an
 * array that gets an object; NULL: it is printed. */
static void forget_show(struct cli *c, struct store *s, const struct digest *key, const char *path,
                 const struct candidate *candidate, struct json_object *list)
{
	char hex[DIGEST_HEX + 1], owner[64], when[CLI_TIME_TEXT];
	struct json_object *o;
	struct fault ignored;
	struct entry e;
	struct result r;
	int64_t made_at = candidate_recorded_at(candidate) / 1000000000;
	int have = store_get(s, STORE_RESULT, &candidate->result, 0, &e, &c->arena, &ignored) ==
	                   ENTRY_OK &&
	           result_decode(&r, e.payload, e.len, &c->arena) == 0;

	digest_hex(key, hex);
	owner_of(path, owner);
	if (!list) {
		printf("%s\n    made by %s at %s, %zu inputs\n", hex, owner,
		       cli_time(when, made_at), inputs_of(candidate));
		print_result(have ? &r : NULL);
		return;
	}
	o = json_object_new_object();
	json_text(o, "key", hex);
	json_text(o, "owner", owner);
	json_number(o, "made_at", (uint64_t)made_at);
	json_number(o, "inputs", inputs_of(candidate));
	add_result(o, have ? &r : NULL);
	json_object_array_add(list, o);
}

/* The last recorded run of the action, or NULL. */
static const struct event *maker(const struct events *e, const struct digest *key)
{
	for (size_t i = e->count; i-- > 0;)
		if (e->v[i].kind == EVENT_ACTION && e->v[i].verdict == EVENT_MISS &&
		    digest_equal(&e->v[i].key, key))
			return &e->v[i];
	return NULL;
}

/* By whom the action was recorded, as the last event of a recorded run says. The answer is printed,
 * or added to the objects of list from `first` on. */
static void print_maker(const struct events *e, const struct digest *key, struct json_object *list,
                        size_t first)
{
	const struct event *x = maker(e, key);
	char when[CLI_TIME_TEXT];

	if (!x)
		return;
	for (size_t i = first; list && i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		json_text(o, "command", x->command);
		json_text(o, "host", x->host);
		json_number(o, "pid", (uint64_t)x->pid);
		json_number(o, "recorded_at", (uint64_t)(x->start / 1000000000));
	}
	if (list)
		return;
	fputs("    ", stdout);
	cli_print_safe(stdout, x->command, strlen(x->command), 256);
	fputs("\n    recorded on ", stdout);
	cli_print_safe(stdout, x->host, strlen(x->host), 64);
	printf(" by pid %d at %s\n", x->pid, cli_time(when, x->start / 1000000000));
}

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
	if (!w->yes && !isatty(STDIN_FILENO))
		return cli_failed(who, CLI_USAGE, "no terminal to ask on: pass --yes");
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
	struct wish w = {0};
	struct found f = {0};
	struct digest key;
	struct events e = {0};
	struct store s;
	const struct cli_option options[] = {
		{"remote", 'r', NULL, "Also in the remote store", &w.remote},
		{"yes", 'y', NULL, "Do not ask", &w.yes},
		{"json", 'j', NULL, "Print one JSON object (docs/json.md); needs --yes", &w.json},
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options, .operands = "OUTPUT | KEY", .operand = &w.what,
		.missing = "an output or a key",
		.text = "Drops a result that is suspect, after showing what it is, and when and by "
			"whom it was made. KEY is an action's key, as `reprise report --trace` has "
			"it. OUTPUT is a file that commands of the last jobs name "
			"(REPRISE_EVENTS). The next start runs for real."};

	cli_parse(argc, argv, &syntax);
	if (w.json && !w.yes)
		return cli_failed(argv[0], CLI_USAGE, "--json cannot ask: pass --yes");
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
			print_maker(&e, &f.key[i], list, first);
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
