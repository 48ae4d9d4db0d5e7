/* store/foreign.c - checks a candidate from another writer. */
#include "store/foreign.h"

#include <string.h>

#include "keying/probe.h"
#include "shim/path.h"

#include "shim/banned.h"

static int set_is_true(const struct input *in)
{
	struct digest_state state;
	struct digest d;

	digest_init(&state);
	for (size_t i = 0; i < in->name_count; i++)
		digest_add(&state, in->names[i], strlen(in->names[i]) + 1);
	digest_final(&state, &d);
	return digest_equal(&d, &in->value);
}

static int is_upward(const char *path)
{
	return strncmp(path, "..", 2) == 0 || strstr(path, "/..") != NULL;
}

const char *foreign_candidate(const struct digest *k1, const struct candidate *c)
{
	struct digest d;

	candidate_result_key(c, k1, &d);
	if (!digest_equal(&d, &c->result))
		return "it names a result of another action";
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == INPUT_ABSENT && !set_is_true(&c->v[i]))
			return "a set of absent names has another digest";
	return NULL;
}

int foreign_reads(unsigned kind)
{
	return input_reads(kind) != INPUT_READS_NOTHING;
}

/* Resolves ".." as text, to find paths that lead into these directories from anywhere. */
int foreign_special(const char *cwd, const char *path, struct arena *a)
{
	static const char *const roots[] = {"/dev", "/proc", "/sys"};
	char *full = *path == '/' ? arena_strdup(a, path) : arena_cat(a, cwd, "/", path, NULL);
	char *out = full, *in = full;

	if (!full)
		return 1;
	path_tidy(full);
	while (*in) {
		size_t n = 1 + strcspn(in + 1, "/");

		if (n == 3 && memcmp(in, "/..", 3) == 0) {
			while (out > full && *--out != '/')
				;
		} else {
			memmove(out, in, n);
			out += n;
		}
		in += n;
	}
	*out = '\0';
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		if (path_below(full, roots[i]))
			return 1;
	return 0;
}

const char *foreign_fetched(const struct digest *k1, const struct candidate *c, struct arena *a)
{
	const char *why = foreign_candidate(k1, c);

	for (size_t i = 0; i < c->count && !why; i++) {
		const struct input *in = &c->v[i];
		size_t n = strcspn(in->spec, "\x01");
		char *path;

		if (!foreign_reads(in->kind))
			continue;
		path = arena_memdup(a, in->spec + 1, n ? n - 1 : 0);
		/* A name stands for a directory of the start; no path may lead out of it. A
		 * relative path starts in an unknown directory: if it can leave that directory, it
		 * is judged as if it began at the root. */
		if (!path ||
		    ((in->spec[0] == 'A' || is_upward(path)) && foreign_special("/", path, a)) ||
		    (in->spec[n] && strstr(in->spec + n, "/..")))
			why = "an input in a special file system, or read in a way that Reprise "
			      "does not see";
	}
	return why;
}
