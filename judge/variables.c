/* judge/variables.c - digests of environments, and candidates compared without them. */
#include "judge/variables.h"

#include <string.h>

#include "judge/start.h"
#include "shim/sort.h"
#include "tools/varying.h"

#include "shim/banned.h"


/* Of candidates that differ in variables alone, so many stay: a few settings that alternate are no
 * miss, and one that changes in each run does not fill the manifest. */
#define ENVIRONMENTS_KEPT 4

struct variable {
	const char *text; /* NAME=xxxx */
	struct digest value;
};

/* Reprise's own variables, the preload (which the action key holds), and the shell's last word. */
static int never_counts(const char *name)
{
	return strncmp(name, "REPRISE_", 8) == 0 || strcmp(name, "LD_PRELOAD") == 0 ||
	       strcmp(name, "_") == 0;
}

static int counts(const char *spec, const char *name, const char *value)
{
	if (never_counts(name) || strcmp(spec, VARIABLES_NONE) == 0)
		return 0;
	if (strcmp(spec, VARIABLES_ALL) == 0)
		return 1;
	if (strcmp(spec, VARIABLES_MOST) != 0)
		return varying_matches(spec, name);
	/* PWD is an input as a spelling of the working directory. */
	return strcmp(name, "PWD") != 0 && !varying(name, value);
}

static int by_text(const void *x, const void *y)
{
	return strcmp(((const struct variable *)x)->text, ((const struct variable *)y)->text);
}

static int fill(struct start *s, struct variable *v, const char *name, const char *value)
{
	static const char hex[] = "0123456789abcdef";
	struct buf spec = BUF_INIT(&s->arena);
	char shown[5] = "";

	names_env(&s->names, value, tool_env_quotes(name), &spec);
	digest_of(&v->value, spec.data, spec.len);
	for (int i = 0; i < 4; i++)
		shown[i] = hex[v->value.b[i / 2] >> (i % 2 ? 0 : 4) & 15];
	v->text = arena_cat(&s->arena, name, "=", shown, NULL);
	return v->text && !spec.failed ? 0 : -1;
}

int judge_variables(struct start *s, const char *spec, struct variables *out)
{
	struct variable *v;
	struct digest_state state;
	const char **names;
	size_t n = 0;

	*out = (struct variables){.count = 0};
	while (s->envp[n])
		n++;
	v = arena_alloc(&s->arena, (n + 1) * sizeof *v);
	names = arena_alloc(&s->arena, (n + 1) * sizeof *names);
	if (!v || !names)
		return -1;
	for (size_t i = 0; s->envp[i]; i++) {
		const char *end = strchr(s->envp[i], '=');
		char *name = end ? arena_memdup(&s->arena, s->envp[i],
		                                (size_t)(end - s->envp[i])) : NULL;

		if (end && !name)
			return -1;
		if (!end || !counts(spec, name, end + 1))
			continue;
		if (fill(s, &v[out->count++], name, end + 1) < 0)
			return -1;
	}
	v = sort_stable(&s->arena, v, out->count, sizeof *v, by_text);
	if (!v && out->count)
		return -1;
	digest_init(&state);
	for (size_t i = 0; i < out->count; i++) {
		names[i] = v[i].text;
		digest_add(&state, v[i].text, strlen(v[i].text) + 1);
		digest_add(&state, v[i].value.b, DIGEST_SIZE);
	}
	digest_final(&state, &out->digest);
	out->name = names;
	return 0;
}

static const char *name_only(struct start *s, const char *text)
{
	const char *name = arena_memdup(&s->arena, text, strcspn(text, "="));

	return name ? name : "";
}

/* Names the first variable that only one of the two sorted lists has, or has with this value. */
static void say_difference(struct start *s, const struct input *was, const struct variables *is)
{
	size_t i = 0, k = 0;
	const char *x, *y;
	int d = 0;

	while (i < was->name_count && k < is->count &&
	       (d = strcmp(was->names[i], is->name[k])) == 0)
		i++, k++;
	x = i < was->name_count ? name_only(s, was->names[i]) : NULL;
	y = k < is->count ? name_only(s, is->name[k]) : NULL;
	if (!x && !y)
		start_detail(s, "a variable changed that a script may use");
	else if (x && y && strcmp(x, y) == 0)
		start_detail(s, "variable %s changed, which a script may use", x);
	else if (!y || (x && d < 0))
		start_detail(s, "variable %s is not set, which a script may use", x);
	else
		start_detail(s, "variable %s is new, which a script may use", y);
}

int judge_variables_hold(struct start *s, const struct input *in)
{
	struct variables now;

	if (judge_variables(s, in->spec, &now) < 0)
		return 0;
	if (digest_equal(&now.digest, &in->value))
		return 1;
	say_difference(s, in, &now);
	return 0;
}

static int is_variable(const struct input *in)
{
	return in->kind == INPUT_ENV || in->kind == INPUT_VARIABLES;
}

static int has_environment(const struct candidate *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == INPUT_VARIABLES)
			return 1;
	return 0;
}

static int same_input(const struct input *x, const struct input *y)
{
	return x->kind == y->kind && x->type == y->type && x->spec_len == y->spec_len &&
	       memcmp(x->spec, y->spec, x->spec_len) == 0 && digest_equal(&x->value, &y->value) &&
	       x->size == y->size && x->mtime_ns == y->mtime_ns;
}

static int same_names(const struct candidate *x, const struct candidate *y)
{
	if (x->name_count != y->name_count)
		return 0;
	for (size_t i = 0; i < x->name_count; i++) {
		const struct bound_name *a = &x->name[i], *b = &y->name[i];

		if (a->kind != b->kind || a->index != b->index || a->binding != b->binding ||
		    (a->kind != 'X' && (a->len != b->len || memcmp(a->text, b->text, a->len))))
			return 0;
	}
	return 1;
}

static int same_but_variables(const struct candidate *x, const struct candidate *y)
{
	size_t i = 0, k = 0;

	if (!same_names(x, y))
		return 0;
	for (;; i++, k++) {
		while (i < x->count && is_variable(&x->v[i]))
			i++;
		while (k < y->count && is_variable(&y->v[k]))
			k++;
		if (i == x->count || k == y->count)
			return i == x->count && k == y->count;
		if (!same_input(&x->v[i], &y->v[k]))
			return 0;
	}
}

int judge_variables_slot(struct start *s, const struct candidate *c)
{
	int64_t oldest = 0;
	int found = 0, at = -1;

	for (int slot = 0; has_environment(c) && slot < STORE_SLOTS; slot++) {
		struct candidate old;
		struct fault fault;
		struct entry e;
		enum entry_status status = store_get(&s->store, STORE_MANIFEST, &s->k1, slot, &e,
		                                     &s->arena, &fault);

		if (status == ENTRY_ABSENT)
			break;
		if (status != ENTRY_OK || candidate_decode(&old, e.payload, e.len, &s->arena) < 0)
			continue;
		if (digest_equal(&old.result, &c->result)) /* it takes its own slot */
			return -1;
		if (!has_environment(&old) || !same_but_variables(&old, c))
			continue;
		if (!found++ || old.made_at < oldest) {
			oldest = old.made_at;
			at = slot;
		}
	}
	return found >= ENVIRONMENTS_KEPT ? at : -1;
}
