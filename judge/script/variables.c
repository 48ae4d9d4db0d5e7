/* judge/script/variables.c - digests of environments. */
#include "judge/script/variables.h"

#include <string.h>

#include "names/name_shape.h"
#include "shim/path.h"
#include "shim/sort.h"
#include "tools/script/script.h"

#include "shim/banned.h"

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

static int counts(const struct tool_row *row, const char *spec, const char *name,
                  const char *value)
{
	/* PWD is an input as a spelling of the working directory. */
	if (strcmp(spec, VARIABLES_ALL) == 0)
		return !tool_env_ignored(row, name) && strcmp(name, "PWD") != 0;
	if (never_counts(name) || strcmp(spec, VARIABLES_NONE) == 0)
		return 0;
	if (strcmp(spec, VARIABLES_MOST) != 0)
		return varying_matches(spec, name);
	return strcmp(name, "PWD") != 0 && !varying(name, value);
}

static int by_text(const void *x, const void *y)
{
	return strcmp(((const struct variable *)x)->text, ((const struct variable *)y)->text);
}

/* exact: with the names in the value as they are. */
static int fill(struct names *names, struct arena *arena, struct variable *v, const char *name,
                const char *value, int exact)
{
	static const char hex[] = "0123456789abcdef";
	struct buf spec = BUF_INIT(arena);
	char shown[5] = "";

	if (exact)
		buf_str(&spec, value);
	else
		names_env(names, value, tool_env_quotes(name), &spec);
	digest_of(&v->value, spec.data, spec.len);
	for (int i = 0; i < 4; i++)
		shown[i] = hex[v->value.b[i / 2] >> (i % 2 ? 0 : 4) & 15];
	v->text = arena_cat(arena, name, "=", shown, NULL);
	return v->text && !spec.failed ? 0 : -1;
}

int judge_variables(struct start *s, const char *spec, struct variables *out)
{
	struct variable *v;
	struct digest_state state;
	const char **names;
	size_t n = 0;

	*out = (struct variables){.count = 0};
	while (s->call.envp[n])
		n++;
	v = arena_alloc(&s->arena, (n + 1) * sizeof *v);
	names = arena_alloc(&s->arena, (n + 1) * sizeof *names);
	if (!v || !names)
		return -1;
	for (size_t i = 0; s->call.envp[i]; i++) {
		const char *end = strchr(s->call.envp[i], '=');
		char *name = end ? arena_memdup(&s->arena, s->call.envp[i],
		                                (size_t)(end - s->call.envp[i])) : NULL;

		if (end && !name)
			return -1;
		if (!end || !counts(s->row, spec, name, end + 1))
			continue;
		if (fill(&s->names, &s->arena, &v[out->count++], name, end + 1,
		         strcmp(spec, VARIABLES_ALL) == 0) < 0)
			return -1;
	}
	v = sort_stable(&s->arena, v, out->count, sizeof *v, by_text);
	if (!v && out->count)
		return -1;
	digest_init(&state);
	/* A program whose owner vouches for it may ask for the mask, too. */
	if (strcmp(spec, VARIABLES_MOST) == 0)
		digest_add(&state, &s->call.umask, sizeof s->call.umask);
	for (size_t i = 0; i < out->count; i++) {
		names[i] = v[i].text;
		digest_add(&state, v[i].text, strlen(v[i].text) + 1);
		digest_add(&state, v[i].value.b, DIGEST_SIZE);
	}
	digest_final(&state, &out->digest);
	out->name = names;
	return 0;
}

static const char *name_only(struct arena *arena, const char *text)
{
	const char *name = arena_memdup(arena, text, strcspn(text, "="));

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
	x = i < was->name_count ? name_only(&s->arena, was->names[i]) : NULL;
	y = k < is->count ? name_only(&s->arena, is->name[k]) : NULL;
	if (!x && !y)
		start_detail(s, "the umask changed, which a script or macro may use");
	else if (x && y && strcmp(x, y) == 0)
		start_detail(s, "variable %s changed, which a script or macro may use", x);
	else if (!y || (x && d < 0))
		start_detail(s, "variable %s is not set, which a script or macro may use", x);
	else
		start_detail(s, "variable %s is new, which a script or macro may use", y);
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

void collect_variables(struct collect *k, const char *spec)
{
	struct input *in = collect_input(k, INPUT_VARIABLES);
	struct variables v;

	if (!in)
		return;
	if (judge_variables(k->start, spec, &v) < 0) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	in->spec = spec;
	in->spec_len = strlen(spec);
	in->value = v.digest;
	in->names = v.name;
	in->name_count = v.count;
}
