/* judge/object/object_link.c - looks at the programs, libraries and outputs of a link. */
#include "judge/object/object_link.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "tools/driver.h"
#include "tools/object/build_id.h"
#include "tools/object/line_strings.h"
#include "tools/object/objects.h"

#include "shim/banned.h"

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
