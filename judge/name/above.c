/* judge/name/above.c - looks for a directory above a base, and for the end of the base's name. */
#include "judge/name/name.h"

#include <string.h>

#include "keying/probe.h"
#include "names/bases.h"
#include "names/name_shape.h"
#include "shim/ascii.h"
#include "shim/path.h"
#include "tools/cmdline/language.h"

#include "shim/banned.h"

static int is_base(const struct patch_name *name)
{
	return name_is_base(name->kind) && name->len > 1 && name->text[0] == '/';
}

/* 1: dir[0..len) is a directory in which the base lies, at any depth. */
static int is_above(const char *dir, size_t len, const struct patch_name *base)
{
	while (len && dir[len - 1] == '/')
		len--;
	return len < base->len && base->text[len] == '/' && memcmp(dir, base->text, len) == 0;
}

static uint64_t above_of(const struct name_list *l, const char *dir, size_t len)
{
	uint64_t found = 0;

	for (size_t i = 0; i < l->count && i < NAMES_MOST; i++)
		if (is_base(&l->v[i]) && is_above(dir, len, &l->v[i]))
			found |= 1ull << i;
	return found;
}

/* 1: text[0..at) is the beginning of an argument up to a flag's value: "-I". */
static int ends_flag(const char *text, size_t at)
{
	size_t i = 0;

	while (i < at && text[i] == '-')
		i++;
	while (i && i < at && (text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z')
		i++;
	return at && i == at;
}

static int is_name_byte(int c)
{
	return ascii_alnum(c) || c >= 0x80 || (c && strchr("_-.+", c));
}

/* 1: the slash at p lies inside a path: a component precedes it, and a slash precedes the
 * component. The last "/tmp" of "/x/tmp" is no directory above anything. */
static int is_inside(const char *words, const char *p)
{
	const char *component = p;

	while (component > words && is_name_byte((unsigned char)component[-1]))
		component--;
	return component < p && component > words && component[-1] == '/';
}

#define ENDS ":,;=\"' )" /* what may come behind a path in an argument */

/* 1: the path ends here, but for slashes and "/.". */
static int ends_path(const char *p)
{
	while (*p == '/')
		p += p[1] == '.' && (!p[2] || strchr("/" ENDS, p[2])) ? 2 : 1;
	return !*p || strchr(ENDS, *p);
}

/* 1: at p, a slash of tidy words, stands a directory above the base. */
static int is_above_at(const char *words, const char *p, const struct patch_name *base)
{
	if (is_inside(words, p))
		return 0;
	for (size_t len = 1; len < base->len; len++)
		if (base->text[len] == '/' && strncmp(p, base->text, len) == 0 &&
		    ends_path(p + len))
			return 1;
	/* "/" itself */
	return ends_path(p) && (p == words || strchr(ENDS, p[-1]) ||
	                        ends_flag(words, (size_t)(p - words)));
}

/* Each slash of a word may begin a path: after a flag's letters, "=", a comma. */
static uint64_t above_in_words(const struct name_list *names, struct arena *arena,
                               const char *given)
{
	char *words = given && strchr(given, '/') ? arena_strdup(arena, given) : NULL;
	uint64_t found = 0;

	if (!words)
		return given && strchr(given, '/') ? ~0ull : 0;
	path_tidy(words);
	for (const char *p = words; (p = strchr(p, '/')) != NULL; p++)
		for (size_t i = 0; i < names->count && i < NAMES_MOST; i++)
			if (is_base(&names->v[i]) && is_above_at(words, p, &names->v[i]))
				found |= 1ull << i;
	return found;
}

static uint64_t above_input(struct start *s, const struct input *in)
{
	const char *path;
	size_t len;

	if (in->kind == INPUT_ENV)
		return above_in_words(&s->all_names, &s->arena, invocation_env(&s->call, in->spec));
	if (!input_is_content(in->kind) && in->kind != INPUT_SOURCE && in->kind != INPUT_ABSENT)
		return 0;
	path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
	if (!path)
		return ~0ull;
	/* An INPUT_ABSENT says the directory. Nothing is searched in "/" unless an argument says
	 * so. */
	len = in->kind == INPUT_ABSENT ? strlen(path) : path_dir_len(path);
	return path[0] == '/' && len > 1 ? above_of(&s->all_names, path, len) : 0;
}

/* A compiler also searches directories below its own prefix, which is mostly /usr. */
static uint64_t above_program(const struct name_list *names, const struct invocation *call)
{
	size_t len = call->exe ? path_dir_len(call->exe) : 0;
	uint64_t found = 0;

	while (len && call->exe[len - 1] != '/')
		len--;
	for (size_t i = 0; i < names->count && i < NAMES_MOST; i++)
		if (is_base(&names->v[i]) &&
		    (strncmp(names->v[i].text, "/usr/", 5) == 0 ||
		     (len > 1 && strncmp(names->v[i].text, call->exe, len) == 0)))
			found |= 1ull << i;
	return found;
}

/* 1: the text has the base's last component as a word. slash: a slash has to follow. */
static int has_component(const char *text, size_t n, const struct patch_name *base, int slash)
{
	const char *name = path_base(base->text), *end = text + n;
	size_t len = strlen(name);

	for (const char *p = text; (p = memmem(p, (size_t)(end - p), name, len)) != NULL; p++) {
		const char *after = p + len;

		if (p > text && is_name_byte((unsigned char)p[-1]) &&
		    !ends_flag(text, (size_t)(p - text)))
			continue;
		if (after < end ? *after == '/' || (!slash && !is_name_byte((unsigned char)*after))
		                : !slash)
			return 1;
	}
	return 0;
}

/* 1: no text puts the last component of the base together. */
static int is_generated(const struct patch_name *base)
{
	const char *name = path_base(base->text);

	return base->kind == NAME_KIND_TRIED &&
	       name_is_volatile(name, name_token(name, strlen(name)));
}

/* 1: the text has a path in the first directory above the base, or that directory itself. As a
 * string of its own, as in P_tmpdir, it is no beginning of a path. */
static int names_above(const char *text, size_t n, const struct patch_name *base)
{
	const char *end = text + n, *slash = memchr(base->text + 1, '/', base->len - 1);
	size_t len = slash ? (size_t)(slash - base->text) : 0;

	for (const char *p = text; len && (p = memmem(p, (size_t)(end - p), base->text, len)); p++)
		if (p + len == end || !(is_name_byte((unsigned char)p[len]) ||
		                        (p[len] == '"' && p > text && p[-1] == '"')))
			return 1;
	return 0;
}

/* --- public, in header order --- */

uint64_t judge_above(struct start *s, const struct candidate *c)
{
	uint64_t found = above_program(&s->all_names, &s->call);

	for (int i = 1; i < s->cmd.count; i++)
		found |= above_in_words(&s->all_names, &s->arena, s->cmd.v[i].text);
	for (const char *name = s->row->env; *name; name += strlen(name) + 1)
		found |= above_in_words(&s->all_names, &s->arena, invocation_env(&s->call, name));
	for (size_t i = 0; i < s->primaries.count; i++)
		if (s->primaries.v[i].path[0] == '/')
			found |= above_of(&s->all_names, s->primaries.v[i].path,
			                  path_dir_len(s->primaries.v[i].path));
	for (size_t i = 0; i < c->count; i++)
		found |= above_input(s, &c->v[i]);
	return found;
}

uint64_t judge_above_arguments(struct start *s)
{
	const struct name_list *names = &s->all_names;
	uint64_t found = 0;

	for (int i = 1; i < s->cmd.count; i++) {
		struct buf spec = BUF_INIT(&s->arena);

		names_arg(&s->names, s->cmd.v[i].text, 0, &spec);
		for (size_t k = 0; k < names->count && k < NAMES_MOST; k++)
			if (is_base(&names->v[k]) &&
			    (spec.failed || has_component((const char *)spec.data, spec.len,
			                                  &names->v[k], 0)))
				found |= 1ull << k;
	}
	return found;
}

uint64_t judge_above_text(const struct name_list *names, const struct cmdline *cmd,
                          uint64_t *above, uint64_t *named, const char *text, size_t n)
{
	int link = (cmd->flags & CMD_LINK) != 0, computes = -1;
	uint64_t found = 0;

	for (size_t k = 0; k < names->count && k < NAMES_MOST; k++) {
		const struct patch_name *base = &names->v[k];

		if (!is_base(base))
			continue;
		if ((link || !is_generated(base)) && names_above(text, n, base))
			*(link ? above : named) |= 1ull << k;
		if (!link && !(*above >> k & 1))
			continue;
		if (computes < 0)
			computes = !link && computed_files(text, n);
		if ((computes && !is_generated(base)) || has_component(text, n, base, !link))
			found |= 1ull << k;
	}
	return found;
}

/* Compares the letters of inputs' paths. */

/* 1: the path of the spec begins with the letters of dir, and the spec does not say so by the
 * directory's name. */
static int begins(struct names *names, struct arena *arena, const struct input *in, const char *dir,
                  unsigned kind)
{
	const char named[] = {SPEC_ABSOLUTE, NAMES_MARK, NAME_KIND_BASE, (char)('0' + kind)};
	const char *path = in->spec_len > 1 ? in->spec + 1 : "";

	if (in->spec_len < 2 || in->spec[0] != SPEC_ABSOLUTE ||
	    (in->spec_len >= sizeof named && memcmp(in->spec, named, sizeof named) == 0))
		return 0;
	if (memchr(path, NAMES_MARK, in->spec_len - 1))
		path = names_resolve(names, in->spec, in->spec_len, arena);
	return !path || strncmp(path, dir, strlen(dir)) == 0;
}

int judge_alone(struct names *names, struct arena *arena, const struct candidate *c, unsigned kind)
{
	const char *dir = name_is_mapped(kind) || kind == NAME_KIND_DIRECTORY
	                          ? names_base(names, (int)kind) : NULL;

	for (size_t i = 0; dir && i < c->count; i++)
		if (begins(names, arena, &c->v[i], dir, kind) ||
		    (c->v[i].kind == INPUT_REALPATH &&
		     strncmp(c->v[i].text, dir, strlen(dir)) == 0))
			return 0;
	return 1;
}
