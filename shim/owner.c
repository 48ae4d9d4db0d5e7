/* shim/owner.c - looks at the objects that the loader has loaded. */
#include "shim/owner.h"

#include <string.h>

#include "shim/elfobject.h"
#include "shim/link_list.h"

#include "shim/banned.h"

#define LIBC "libc.so.6"

static int is_glibc(void *ctx, const struct elfobject *o)
{
	(void)ctx;
	return strcmp(o->soname, LIBC) == 0;
}

int owner_is_glibc(void)
{
	struct elfobject o;

	if (link_list())
		return elfobject_loaded(LIBC, "gnu_get_libc_version") != NULL;
	return elfobject_find(&o, is_glibc, NULL) == 0;
}

int owner_is_sanitizer(void)
{
	const struct link_map *program = link_list();
	struct elfobject o = {.soname = ""};
	int begins_early = 0;

	for (const ElfW(Dyn) *d = program ? program->l_ld : NULL; d && d->d_tag != DT_NULL; d++)
		begins_early |= d->d_tag == DT_PREINIT_ARRAYSZ && d->d_un.d_val;
	if (!begins_early)
		return 0;
	o.base = program->l_addr;
	o.dynamic = program->l_ld;
	return elfobject_symbol(&o, "strlen") != NULL;
}
