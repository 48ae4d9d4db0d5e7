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

int owner_is_thread_sanitizer(void)
{
	const struct link_map *program = link_list();
	struct elfobject o = {.soname = ""};

	if (!program)
		return 0;
	o.base = program->l_addr;
	o.dynamic = program->l_ld;
	return elfobject_symbol(&o, "__tsan_init") != NULL;
}
