/* judge/name/names_proof.c - proves that the result of a preprocessor run does not show its
 * generated names.
 *
 * The preprocessor can do four things with the name of a directory that argv gave it. It can spell
 * the name, open files below the directory, compare a path that begins with the name, and compare
 * files. It cannot count or cut the name: a string is no operand of #if, and a name before a '/'
 * becomes no identifier. So two runs that differ only in such names leave the same bytes if these
 * conditions hold:
 *
 *   spelled     no output and no stream holds a name;
 *   opened      the run opens only sources below the directory. argv names them, and their content
 *               is keyed. A path that was absent there must be absent under the next start's name.
 *               It must be absent under this name too, since a source may have spelled the path;
 *   compared    sources hold neither #line nor line markers, and the command maps no prefixes. No
 *               path begins with another generated name, which might be the next start's own;
 *   file by file  `#pragma once` takes files of equal content and time for one: no input equals a
 *               source.
 *
 * docs/internals/names.md, "Preprocessed text". */
#include "judge/name/name.h"

#include <string.h>

#include "judge/start.h"
#include "names/name_shape.h"
#include "shim/buf.h"
#include "shim/kernel/realpath.h"
#include "shim/kernel/sys.h"
#include "tools/text/line_marks.h"

#include "shim/banned.h"

/* Sources are smaller. With a larger file the names bind. */
#define SOURCE_MAX (16u << 20)

static int has_name(const struct buf *spec)
{
	for (size_t i = 0; i + 1 < spec->len; i++)
		if (spec->data[i] == NAMES_MARK && spec->data[++i] != NAMES_MARK)
			return 1;
	return spec->failed;
}

/* 1: a slash follows every name of the spec, so every name is a directory. */
static int only_directories(const struct buf *spec)
{
	for (size_t i = 0; i + 1 < spec->len; i++)
		if (spec->data[i] == NAMES_MARK && spec->data[i + 1] == NAMES_MARK)
			i++;
		else if (spec->data[i] == NAMES_MARK &&
		         (i + 3 >= spec->len || spec->data[i + 3] != '/'))
			return 0;
	return !spec->failed;
}

/* 1: only sources and outputs hold names, and no variable of the key does. */
static int places_fit(struct start *s)
{
	for (int i = 0; i < s->cmd.count; i++) {
		const struct cmdline_arg *arg = &s->cmd.v[i];
		struct buf spec = BUF_INIT(&s->arena);

		names_arg(&s->names, arg->text, 0, &spec);
		if (has_name(&spec) && ((arg->role != ARG_INPUT && arg->role != ARG_OUTPUT) ||
		                        arg->text[0] != '/' || !only_directories(&spec)))
			return 0;
	}
	for (const char *name = s->row->env; *name; name += strlen(name) + 1) {
		const char *value = invocation_env(&s->call, name);
		struct buf spec = BUF_INIT(&s->arena);

		if (value)
			names_env(&s->names, value, tool_env_quotes(name), &spec);
		if (has_name(&spec))
			return 0;
	}
	return 1;
}

/* A chunk is one read of a pipe, so a name may span two chunks. DEL is the first byte of a program:
 * see is_program(). */
static int spelled(const struct name_list *names, struct arena *arena, const struct result *r)
{
	for (size_t i = 0; i < r->out_count; i++)
		if (name_list_occurs(names, r->out[i].data, r->out[i].len) ||
		    (r->out[i].len && memchr(r->out[i].data, 0x7f, r->out[i].len)))
			return 1;
	for (int stream = 1; stream <= 2; stream++) {
		struct buf text = BUF_INIT(arena);

		for (size_t i = 0; i < r->chunk_count; i++)
			if (r->chunk[i].stream == stream)
				buf_add(&text, r->chunk[i].data, r->chunk[i].len);
		if (text.failed || name_list_occurs(names, text.data, text.len) ||
		    (text.len && memchr(text.data, 0x7f, text.len)))
			return 1;
	}
	return 0;
}

/* The place of a name in argv: the path component before it. NULL: there is none, or several
 * differ. */
struct place {
	const char *parent;
	size_t len;
};
struct names_proof {
	struct start *start;
	struct candidate *c;
	struct place place[NAMES_VOLATILE_MAX];
	char *text; /* room for a source */
};

static const char *component_before(const char *path, const char *at, size_t *len)
{
	const char *end = at;

	while (end > path && end[-1] == '/')
		end--;
	for (at = end; at > path && at[-1] != '/'; at--)
		;
	*len = (size_t)(end - at);
	return at;
}

static void find_place(struct names_proof *u, int name)
{
	const struct name *v = &u->start->names.v[name];
	struct place *p = &u->place[name];

	for (int i = 0; i < u->start->cmd.count; i++) {
		const char *text = u->start->cmd.v[i].text, *at = text;

		for (; (at = strstr(at, v->text)); at++) {
			size_t len;
			const char *parent = component_before(text, at, &len);

			if (p->len && (p->len != len || memcmp(p->parent, parent, len) != 0)) {
				p->parent = NULL;
				return;
			}
			*p = (struct place){parent, len};
		}
	}
	if (p->parent && name_is_volatile(p->parent, name_token(p->parent, p->len)))
		p->parent = NULL;
}

/* 1: the path begins with a generated name that is not this start's and may be the next start's.
 * Such a name is as long as a name of this start and lies in a directory with the same last
 * component. How the path was reached does not matter. */
static int foreign_name(const struct names_proof *u, const char *path)
{
	for (const char *at = path; *at;) {
		size_t n, token, len;

		at += strspn(at, "/");
		n = strcspn(at, "/");
		token = name_token(at, n);
		if (token && name_is_volatile(at, token) &&
		    !name_list_occurs(&u->start->all_names, at, token)) {
			const char *parent = component_before(path, at, &len);

			for (int i = 0; i < u->start->names.count; i++)
				if (u->start->names.v[i].len == token &&
				    (!u->place[i].parent || (u->place[i].len == len &&
				                             memcmp(u->place[i].parent, parent,
				                                    len) == 0)))
					return 1;
		}
		at += n;
	}
	return 0;
}

/* The same test on the path of an open file, after links are followed. */
static int foreign_file(const struct names_proof *u, int fd)
{
	char path[PATH_SIZE];

	return fdpath(path, sizeof path, fd) <= 0 || foreign_name(u, path);
}

/* 1: a program, ours or a pass: it is loaded and not preprocessed. If a source included it, its
 * first byte would stand in the output. */
static int is_program(const char *head, ssize_t n)
{
	return n >= 4 && memcmp(head, "\177ELF", 4) == 0;
}

static int source_marks(struct names_proof *u, const char *path)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), found = 1;
	char head[4];
	ssize_t n;

	if (fd < 0)
		return 1;
	if (!u->text)
		u->text = arena_alloc(&u->start->arena, SOURCE_MAX);
	if (is_program(head, sys_pread(fd, head, sizeof head, 0)))
		found = 0;
	else if (u->text && !foreign_file(u, fd) &&
	         (n = sys_read_all(fd, u->text, SOURCE_MAX)) >= 0 &&
	         n < (ssize_t)SOURCE_MAX)
		found = line_marks_in(u->text, (size_t)n);
	sys_close(fd);
	return found;
}

static int sources_differ(const struct primaries *p)
{
	for (size_t i = 0; i < p->count; i++)
		for (size_t k = 0; k < i; k++)
			if (digest_equal(&p->v[i].content, &p->v[k].content))
				return 0;
	return 1;
}

/* Adds a path that was absent below a name, with the name spelled out. */
static int add_literal(struct names_proof *u, const struct input *in, const char *path)
{
	struct buf spec = BUF_INIT(&u->start->arena);
	struct candidate *c = u->c;
	size_t n = strlen(path);

	if (memchr(path, NAMES_MARK, n))
		return -1;
	buf_u8(&spec, SPEC_ABSOLUTE);
	buf_add(&spec, path, n + 1);
	if (spec.failed)
		return -1;
	c->v[c->count] = *in;
	c->v[c->count].spec = (const char *)spec.data;
	c->v[c->count++].spec_len = n + 1;
	return 0;
}

/* named: the directory's spec has a generated name. */
static int absent_fits(struct names_proof *u, const struct input *in, const char *dir, int named)
{
	int fd = sys_open(dir, O_PATH | O_CLOEXEC, 0), foreign = fd >= 0 && foreign_file(u, fd);

	if (fd >= 0)
		sys_close(fd);
	for (size_t i = 0; i < in->name_count && !foreign; i++) {
		const char *path = arena_cat(&u->start->arena, dir, "/", in->names[i], NULL);

		foreign = !path || foreign_name(u, path);
	}
	return !foreign && (!named || add_literal(u, in, dir) == 0);
}

static int content_fits(struct names_proof *u, const struct input *in, const char *path)
{
	return !primaries_hold(&u->start->primaries, &in->value) && !source_marks(u, path);
}

/* 1: equal files without a name. content_fits() has checked that no source is among them. */
static int duplicates_fit(const struct input *in)
{
	for (size_t i = 0; i < in->name_count; i++)
		if (strchr(in->names[i], NAMES_MARK))
			return 0;
	return 1;
}

static int variable_fits(struct names_proof *u, const struct input *in)
{
	const char *value = invocation_env(&u->start->call, in->spec);

	return !value || !name_list_occurs(&u->start->all_names, value, strlen(value));
}

static int text_fits(struct names_proof *u, const struct input *in)
{
	return !name_list_occurs(&u->start->all_names, in->text, in->text_len);
}

static int input_fits(struct names_proof *u, const struct input *in)
{
	struct start *s = u->start;
	struct buf spec = BUF_INIT(&s->arena);
	const char *path = NULL;
	int named;

	buf_add(&spec, in->spec, in->spec_len);
	named = has_name(&spec);
	if (input_is_path(in->kind)) {
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		if (!path || foreign_name(u, path) || !text_fits(u, in))
			return 0;
	}
	switch (in->kind) {
#define INPUT(kind, number, spec, fields, reads, holds, tell, fits, ...) \
	case number: \
		return fits;
#include "judge/inputs.def"
#undef INPUT
	default:
		return 0;
	}
}

static int names_fit(struct names_proof *u, const struct result *r)
{
	struct start *s = u->start;

	if (!places_fit(s) || spelled(&s->all_names, &s->arena, r) ||
	    !sources_differ(&s->primaries))
		return 0;
	for (size_t i = 0; i < s->all_names.count; i++)
		if (s->all_names.v[i].kind != NAME_KIND_TEMP)
			return 0;
	for (int i = 0; i < s->names.count; i++)
		find_place(u, i);
	for (size_t i = 0; i < s->primaries.count; i++)
		if (source_marks(u, s->primaries.v[i].path))
			return 0;
	return 1;
}

int judge_names_proven(struct start *s, struct candidate *c, const struct result *r)
{
	struct names_proof u = {.start = s, .c = c};
	size_t before = c->count;
	struct input *v;

	if (!(s->cmd.flags & CMD_PLAIN_CPP) || s->all_names.count == 0 ||
	    2 * before > CANDIDATE_INPUTS_MAX ||
	    !names_fit(&u, r))
		return 0;
	/* Each input adds at most one literal path. */
	v = arena_alloc(&s->arena, (2 * before + 1) * sizeof *v);
	if (!v)
		return 0;
	memcpy(v, c->v, before * sizeof *v);
	c->v = v;
	for (size_t i = 0; i < before; i++)
		if (!input_fits(&u, &c->v[i])) {
			c->count = before;
			return 0;
		}
	return 1;
}
