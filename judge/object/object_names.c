/* judge/object/object_names.c - keys a link by its objects without their generated names. */
#include "judge/object/object_names.h"

#include <string.h>

#include "names/name_shape.h"
#include "shim/kernel/sys.h"
#include "tools/driver.h"
#include "tools/object/build_id.h"
#include "tools/object/line_strings.h"
#include "tools/object/objects.h"

#include "shim/banned.h"

/* --- a link's programs, libraries and outputs --- */

#define FILE_MAX (256u << 20)

/* What objects_program() or objects_allow() says of a file; -1: it cannot be read. */
static int ask(const char *path, int program)
{
	int fd = path ? sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) : -1, rc = -1;
	struct arena work = ARENA_INIT;
	char head[OBJECTS_HEAD];
	struct statx st;
	void *bytes;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = sys_pread(fd, head, sizeof head, 0);
	if (!program && n > 0 && objects_shared(head, (size_t)n))
		rc = 0;
	else if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) == 0 &&
	         st.stx_size <= FILE_MAX && (bytes = arena_alloc(&work, st.stx_size + 1)) &&
	         sys_read_all(fd, bytes, st.stx_size) == (ssize_t)st.stx_size)
		rc = program ? objects_program(bytes, st.stx_size, path)
		             : objects_allow(bytes, st.stx_size) - 1;
	sys_close(fd);
	arena_free(&work);
	return rc;
}

/* 1: one program is the known linker, and no other one but its starter ran. */
static int linked_as_known(struct start *s, const struct candidate *c)
{
	int linkers = ask(s->call.exe, 1) == 1;

	for (size_t i = 0; i < c->count; i++) {
		const struct input *in = &c->v[i];
		int program = in->kind == INPUT_PROGRAM, rc;

		if (!program && !input_is_content(in->kind))
			continue;
		rc = ask(names_resolve(&s->names, in->spec, in->spec_len, &s->arena), program);
		if (rc < 0)
			return 0;
		linkers += rc;
	}
	return linkers == 1;
}

int judge_object_link(struct start *s, const struct candidate *c, const struct result *r)
{
	return s->cmd.flags & CMD_LINK && !driver_reach(s->row, &s->cmd, ROLE_CWD) &&
	       r->out_count == 1 && !r->chunk_count &&
	       build_id_holds(r->out[0].data, r->out[0].len) && linked_as_known(s, c);
}

int judge_object_order(const struct input_text *text, struct line_strings *lines, unsigned kind,
                       unsigned index)
{
	return lines && kind == NAME_KIND_TEXT && index + 1 == (unsigned)text->count;
}

int judge_object_lines(struct line_strings *lines, struct arena *arena, const struct result *r)
{
	const struct result_output *o = &r->out[0];
	char *copy = lines ? arena_memdup(arena, o->data, o->len) : NULL;
	int rc = copy ? line_strings_enter(lines, copy, o->len) : -1;

	/* Without a name no replay would enter the strings. */
	return rc > 0 || (rc == 0 && o->patches.count && memcmp(copy, o->data, o->len) == 0);
}

enum exchange judge_object_exchange(struct start *s, const struct patch_name *from,
                                    size_t from_count, const struct patch_name *to,
                                    const struct result_output *o, void *data)
{
	int differ = 0, moved = 0;

	for (size_t i = 0; i < from_count && s->cmd.flags & CMD_LINK; i++) {
		const struct patch_name *is = name_list_find(&s->all_names, from[i].kind,
		                                             from[i].index);

		if (from[i].kind != NAME_KIND_TEXT || !is || strcmp(is->text, from[i].text) == 0)
			continue;
		differ = 1;
		moved |= judge_object_order(s->text, s->lines, from[i].kind, from[i].index);
	}
	if (!differ)
		return EXCHANGE_NOT;
	if (patch_apply(data, o->len, o->patches.v, o->patches.count, from, from_count, to,
	                name_list_all(&s->all_names)) < 0 ||
	    (moved && line_strings_enter(s->lines, data, o->len) < 0))
		return EXCHANGE_FAILED;
	build_id_renew(data, o->len);
	return EXCHANGE_HERE;
}

#define BYTES_MAX (64u << 20) /* of all objects; a larger link is bound to its names */

struct reading {
	struct start *start;
	struct arena work;
	struct objects objects;
	int *object;      /* of each primary input; negative: none */
	struct names found;
	struct line_strings *lines; /* in the start's arena; NULL: their order stays in the key */
	char *room;       /* for one input */
	uint64_t room_size;
};

/* Reads an input into the room. 1; 0: a shared library, which is not read; -1: a failure. */
static int read_bytes(struct reading *r, const struct primary *p)
{
	int fd = sys_open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), rc = -1;
	uint64_t size = p->st.stx_size;
	char head[OBJECTS_HEAD];
	ssize_t n;

	if (fd < 0)
		return -1;
	n = sys_pread(fd, head, sizeof head, 0);
	if (n > 0 && objects_shared(head, (size_t)n)) {
		rc = 0;
	} else if (size <= BYTES_MAX) {
		if (size >= r->room_size) {
			r->room_size = size + 1;
			r->room = arena_alloc(&r->work, r->room_size);
		}
		if (r->room && sys_read_all(fd, r->room, size) == (ssize_t)size)
			rc = 1;
	}
	sys_close(fd);
	return rc;
}

/* Most objects hold no generated names. So this looks at one after the other, and keeps none. */
static int learn_names(struct reading *r)
{
	const struct primaries *p = &r->start->primaries;
	uint64_t sum = 0;

	r->found = r->start->names;
	r->found.arena = &r->work;
	r->found.count = 0;
	for (size_t i = 0; i < p->count; i++) {
		int rc = p->v[i].response ? 0 : read_bytes(r, &p->v[i]);

		sum += rc > 0 ? p->v[i].st.stx_size : 0;
		if (rc < 0 || sum > BYTES_MAX)
			return -1;
		if (!rc)
			continue;
		/* The order of names shall not depend on the order of strings. */
		objects_settle_order(r->room, p->v[i].st.stx_size, &r->found);
		if (objects_learn(r->room, p->v[i].st.stx_size, &r->found) < 0)
			return -1;
	}
	return r->found.count;
}

/* An object as it is. The order of its strings is settled when all objects are known. */
static int add_object(struct reading *r, uint64_t size)
{
	int object = objects_add(&r->objects, r->room, size);

	if (object >= 0 && r->lines && line_strings_add(r->lines, r->room, size) < 0)
		r->lines = NULL;
	return object;
}

/* The number of an object; -1: an input without names. -2: it is not known, or its bytes are no
 * longer those of the key. */
static int add_input(struct reading *r, const struct primary *p)
{
	struct digest now;
	int rc;

	r->room_size = 0;
	rc = p->response ? 0 : read_bytes(r, p);
	if (rc <= 0)
		return rc - 1;
	digest_of(&now, r->room, p->st.stx_size);
	return digest_equal(&now, &p->content) ? add_object(r, p->st.stx_size) : -2;
}

static int read_inputs(struct reading *r)
{
	const struct primaries *p = &r->start->primaries;

	r->object = arena_alloc(&r->work, (p->count + 1) * sizeof *r->object);
	for (size_t i = 0; i < p->count; i++) {
		if (!r->object)
			return -1;
		r->object[i] = add_input(r, &p->v[i]);
		if (r->object[i] < -1)
			return -1;
	}
	return 0;
}

#define ORDER "order of strings: "

/* The order of strings in the objects is one more name, which has no place in a result. A result
 * that cannot be computed for another order is bound to it. 1: there is such a name; 0 or -1. */
static int settle_orders(struct reading *r, struct input_text *out)
{
	struct start *s = r->start;
	char *text = arena_alloc(&s->arena, sizeof ORDER + r->objects.count);
	size_t len = sizeof ORDER - 1;
	int settled = 0;

	if (!r->lines)
		return 0;
	if (!text)
		return -1;
	memcpy(text, ORDER, len);
	for (size_t i = 0; i < r->objects.count; i++) {
		struct linked_object *v = &r->objects.v[i];
		int rc = objects_settle_order(v->bytes, v->n, &r->found);

		settled |= rc >= 0;
		text[len++] = "?ab"[rc + 1];
	}
	text[len] = '\0';
	if (!settled)
		return 0;
	out->names[out->count] = (struct patch_name){NAME_KIND_TEXT, (unsigned char)out->count,
	                                             text, len};
	out->count++;
	return 1;
}

/* Names that are no patches of a result stay in the key. */
static int list_names(const struct reading *r, struct input_text *out)
{
	for (int i = 0; i < r->found.count; i++) {
		const struct name *name = &r->found.v[i];
		char *text = arena_memdup(&r->start->arena, name->text, name->len);

		if (!text)
			return -1;
		if (name->len < NAME_VOLATILE_MIN || !name_is_plain(text))
			continue;
		out->names[out->count] = (struct patch_name){NAME_KIND_TEXT,
		                                             (unsigned char)out->count, text,
		                                             name->len};
		out->count++;
	}
	return out->count ? 0 : -1;
}

static int find_names(struct reading *r)
{
	struct start *s = r->start;
	struct input_text *names;
	size_t count;
	int settled;

	r->lines = arena_alloc(&s->arena, sizeof *r->lines);
	if (r->lines)
		*r->lines = (struct line_strings){.arena = &s->arena};
	if (learn_names(r) <= 0 || read_inputs(r) < 0)
		return 0;
	names = arena_alloc(&s->arena, sizeof *names);
	if (!names || list_names(r, names) < 0)
		return 0;
	count = (size_t)names->count;
	settled = settle_orders(r, names);
	if (settled < 0 || objects_find(&r->objects, names->names, count) < 0 ||
	    !objects_merge_alike(&r->objects, names->names))
		return 0;
	for (size_t i = 0; i < s->primaries.count; i++)
		if (r->object[i] >= 0)
			objects_blanked(&r->objects, (size_t)r->object[i], names->names,
			                &s->primaries.v[i].keyed);
	s->text = names;
	s->lines = settled ? r->lines : NULL;
	return 1;
}

int judge_object_names(struct start *s)
{
	struct reading r = {.start = s, .work = ARENA_INIT};
	int rc;

	/* Where any directory is accepted in debug information, results hold the recorded ones. */
	if (s->text || !(s->cmd.flags & CMD_LINK) ||
	    s->cmd.flags & (CMD_STDIN | CMD_DEBUG_ANYWHERE) || !s->primaries.count)
		return 0;
	r.objects.arena = &r.work;
	rc = find_names(&r);
	arena_free(&r.work);
	return rc;
}
