/* cli/forget_show.c - a result and who made it, as text or as JSON. */
#include "cli/forget_show.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/print.h"
#include "keying/probe.h"
#include "store/result.h"

static void print_time(int64_t s)
{
	char when[64];
	time_t t = (time_t)s;
	struct tm tm;

	strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", localtime_r(&t, &tm));
	fputs(when, stdout);
}

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

void forget_show(struct cli *c, struct store *s, const struct digest *key, const char *path,
                 const struct candidate *candidate, struct json_object *list)
{
	char hex[DIGEST_HEX + 1], owner[64];
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
		printf("%s\n    made by %s at ", hex, owner);
		print_time(made_at);
		printf(", %zu inputs\n", inputs_of(candidate));
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

void forget_show_maker(const struct events *e, const struct digest *key, struct json_object *list,
                       size_t first)
{
	const struct event *x = maker(e, key);

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
	printf(" by pid %d at ", x->pid);
	print_time(x->start / 1000000000);
	putchar('\n');
}
