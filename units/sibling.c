/* units/sibling.c - kernels of other devices of this host. */
#include "units/sibling.h"

#include <string.h>

#include "shim/format.h"
#include "shim/path.h"
#include "shim/sys.h"
#include "store/walk.h"
#include "units/lay.h"
#include "units/maker.h"
#include "units/scope.h"
#include "units/tally.h"

#include "shim/banned.h"

static int is_device(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

static int try_sibling(void *ctx, int dirfd, const char *path, const char *name)
{
	struct sibling *s = ctx;
	struct fault ignored;
	const char *from;

	(void)dirfd;
	(void)path;
	if (!is_device(name) || strcmp(name, s->own) == 0)
		return 0;
	s->others = 1;
	from = arena_cat(&s->b->arena, s->devices, "/", name, "/", s->kernel, NULL);
	return from && sys_access(from, F_OK) == 0 &&
	       lay_sibling(from, s->b->unit, s->b->u.member, &s->b->arena, &ignored) == LAY_LAID;
}

/* Its index is what comes last. */
static int is_made(void *ctx, const char *device)
{
	struct sibling *s = ctx;
	char index[PATH_SIZE];
	size_t n = format_text(index, sizeof index, "%s/%s/%s/%s", s->devices, device, s->kernel, s->b->u.member);

	return n < sizeof index && sys_access(index, F_OK) == 0;
}

/* --- public, in header order --- */

void sibling_find(struct sibling *s, struct bring *b)
{
	char *root = arena_memdup(&b->arena, b->path, b->u.root_len);
	size_t n = root ? path_dir_len(root) : 0;

	*s = (struct sibling){.b = b};
	if (!(b->row->traits & TRAIT_PER_DEVICE) || n == 0 || !is_device(path_base(root)))
		return;
	s->kernel = arena_memdup(&b->arena, b->path + b->u.root_len + 1, b->u.unit_len - b->u.root_len - 1);
	s->own = arena_strdup(&b->arena, path_base(root));
	root[n] = '\0';
	if (s->kernel && s->own && strcmp(path_base(root), unit_name(b->u.class)) == 0)
		s->devices = root;
}

int sibling_copy(struct sibling *s)
{
	if (!s->devices || walk_names(s->devices, try_sibling, s) != 1)
		return 0;
	tally_brought(&s->b->store, s->b->u.class, 0);
	return 1;
}

int sibling_wait(struct sibling *s)
{
	struct unit_rank me;
	struct digest kernel;
	const char *name;

	if (!s->devices || !s->b->u.member)
		return 0;
	/* Where there is one device nobody waits, and nothing is claimed. */
	unit_rank_read(&me, s->b->envp);
	if (me.local_world < 2 && !s->others)
		return 0;
	name = arena_cat(&s->b->arena, s->devices, "/", s->kernel, "/", s->b->u.member, NULL);
	if (!name)
		return 0;
	digest_name(&kernel, name, strlen(name));
	return maker_turn(s->b->store.runtime_dir, &kernel, s->own, is_made, s);
}
