/* units/device_copy.c - copies a kernel from another device's directory. */
#include "units/device_copy.h"

#include <string.h>

#include "shim/format.h"
#include "shim/path.h"
#include "shim/sys.h"
#include "store/walk.h"
#include "units/lay.h"
#include "units/claim.h"
#include "units/scope.h"
#include "units/unit_event.h"

#include "shim/banned.h"

static int is_device(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

static int try_device(void *ctx, int dirfd, const char *path, const char *name)
{
	struct device_copy *s = ctx;
	struct fault ignored;
	const char *from;

	(void)dirfd;
	(void)path;
	if (!is_device(name) || strcmp(name, s->own) == 0)
		return 0;
	s->others = 1;
	from = arena_cat(&s->lookup->arena, s->devices, "/", name, "/", s->kernel, NULL);
	return from && sys_access(from, F_OK) == 0 &&
	       lay_copy(from, s->lookup->unit, s->lookup->u.member, &s->lookup->arena,
	                &ignored) == LAY_LAID;
}

/* 1: the kernel is complete in that device's directory: its index is written last. */
static int is_made(void *ctx, const char *device)
{
	struct device_copy *s = ctx;
	char index[PATH_SIZE];
	size_t n = format_text(index, sizeof index, "%s/%s/%s/%s", s->devices, device, s->kernel,
	                       s->lookup->u.member);

	return n < sizeof index && sys_access(index, F_OK) == 0;
}

/* --- public, in header order --- */

void device_copy_find(struct device_copy *s, struct unit_lookup *l)
{
	char *root = arena_memdup(&l->arena, l->path, l->u.root_len);
	size_t n = root ? path_dir_len(root) : 0;

	*s = (struct device_copy){.lookup = l};
	if (!(l->row->traits & TRAIT_PER_DEVICE) || n == 0 || !is_device(path_base(root)))
		return;
	s->kernel = arena_memdup(&l->arena, l->path + l->u.root_len + 1,
	                         l->u.unit_len - l->u.root_len - 1);
	s->own = arena_strdup(&l->arena, path_base(root));
	root[n] = '\0';
	if (s->kernel && s->own && strcmp(path_base(root), unit_name(l->u.class)) == 0)
		s->devices = root;
}

int device_copy_make(struct device_copy *s)
{
	if (!s->devices || walk_names(s->devices, try_device, s) != 1)
		return 0;
	unit_event_brought(s->lookup, 0);
	return 1;
}

int device_copy_wait(struct device_copy *s)
{
	struct rank me;
	struct digest kernel;
	const char *name;

	if (!s->devices || !s->lookup->u.member)
		return 0;
	/* With one device no process waits, and no kernel is claimed. */
	rank_read(&me, s->lookup->envp);
	if (me.local_world < 2 && !s->others)
		return 0;
	name = arena_cat(&s->lookup->arena, s->devices, "/", s->kernel, "/", s->lookup->u.member,
	                 NULL);
	if (!name)
		return 0;
	digest_name(&kernel, name, strlen(name));
	return claim_or_wait(s->lookup->store.runtime_dir, &kernel, s->own, is_made, s);
}
