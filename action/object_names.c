/* action/object_names.c - keys a link by its objects without their generated names. */
#include "action/object_names.h"

#include "keying/name_shape.h"
#include "shim/sys.h"
#include "tools/objects.h"

#include "shim/banned.h"

#define BYTES_MAX (256u << 20) /* of all objects; a larger link is bound to its names */

struct reading {
	struct start *start;
	struct arena work;
	struct objects objects;
	int *object;      /* of each primary input; negative: none */
	struct names found;
	uint64_t left;    /* bytes that may still be read */
};

/* The number of an object; -1: an input without names. -2: it is not known, or its bytes are no
 * longer those of the key. */
static int read_input(struct reading *r, const struct primary *p)
{
	int fd = sys_open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), number = -2;
	uint64_t size = p->st.stx_size;
	char head[OBJECTS_HEAD], *bytes;
	struct digest now;
	ssize_t n;

	if (fd < 0)
		return -2;
	n = sys_pread(fd, head, sizeof head, 0);
	if (n > 0 && objects_shared(head, (size_t)n)) {
		number = -1;
	} else if (size <= r->left && (bytes = arena_alloc(&r->work, size + 1)) &&
	           sys_read_all(fd, bytes, size) == (ssize_t)size) {
		r->left -= size;
		digest_of(&now, bytes, size);
		if (digest_equal(&now, &p->content))
			number = objects_add(&r->objects, bytes, size);
	}
	sys_close(fd);
	return number;
}

static int read_inputs(struct reading *r)
{
	const struct primaries *p = &r->start->primaries;

	r->object = arena_alloc(&r->work, (p->count + 1) * sizeof *r->object);
	for (size_t i = 0; i < p->count; i++) {
		if (!r->object)
			return -1;
		r->object[i] = p->v[i].response ? -1 : read_input(r, &p->v[i]);
		if (r->object[i] < -1)
			return -1;
	}
	return r->objects.count ? 0 : -1;
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
		out->names[out->count] = (struct patch_name){'P', (unsigned char)out->count, text,
		                                             name->len};
		out->count++;
	}
	return out->count ? 0 : -1;
}

static int find_names(struct reading *r)
{
	struct start *s = r->start;
	struct input_text *names;

	if (read_inputs(r) < 0)
		return 0;
	r->found = s->names;
	r->found.arena = &r->work;
	r->found.count = 0;
	if (objects_learn(&r->objects, &r->found) < 0 || !r->found.count)
		return 0;
	names = arena_alloc(&s->arena, sizeof *names);
	if (!names || list_names(r, names) < 0 ||
	    objects_find(&r->objects, names->names, (size_t)names->count) < 0 ||
	    !objects_merge_alike(&r->objects, names->names))
		return 0;
	for (size_t i = 0; i < s->primaries.count; i++)
		if (r->object[i] >= 0)
			objects_blanked(&r->objects, (size_t)r->object[i], names->names,
			                &s->primaries.v[i].keyed);
	s->text = names;
	return 1;
}

int action_object_names(struct start *s)
{
	struct reading r = {.start = s, .work = ARENA_INIT, .left = BYTES_MAX};
	int rc;

	if (s->text || !(s->cmd.flags & CMD_LINK) || s->cmd.flags & CMD_STDIN ||
	    !s->primaries.count)
		return 0;
	r.objects.arena = &r.work;
	rc = find_names(&r);
	arena_free(&r.work);
	return rc;
}
