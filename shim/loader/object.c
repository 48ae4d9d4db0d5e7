/* shim/loader/object.c - finds libreprise.so in the loader's table. */
#include "shim/loader/object.h"

#include <string.h>

#include "shim/loader/elfobject.h"
#include "shim/loader/link_list.h"
#include "shim/path.h"

#include "shim/banned.h"

/* --- owner --- */

#define LIBC "libc.so.6"

static int is_glibc(void *ctx, const struct elfobject *o)
{
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

static char path[PATH_SIZE];
/* `reprise doctor` searches the object's file for this text. */
static const char version[] __attribute__((used)) = "reprise-object " REPRISE_VERSION;

/* 1: the object that contains this code, under whatever name. */
static int is_ours(const struct dl_phdr_info *info)
{
	ElfW(Addr) here = (ElfW(Addr))(void *)path;

	/* A reference, or the linker leaves the text out. */
	__asm__ volatile("" : : "r"(version));
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && here >= info->dlpi_addr + p->p_vaddr &&
		    here < info->dlpi_addr + p->p_vaddr + p->p_memsz)
			return 1;
	}
	return 0;
}

const char *object_library(const struct dl_phdr_info *info)
{
	const char *name = info->dlpi_name;

	/* The program has no name, and the vdso ("linux-vdso.so.1") no file. */
	return name && *name && strncmp(name, "linux-", 6) != 0 && !is_ours(info) ? name : NULL;
}

/* A relative name could not be preloaded from another directory. */
static void take(const char *name)
{
	if (name && name[0] == '/' && strlen(name) < sizeof path)
		memcpy(path, name, strlen(name) + 1);
}

static int find_us(struct dl_phdr_info *info, size_t size, void *ctx)
{
	if (!is_ours(info))
		return 0;
	take(info->dlpi_name);
	return 1;
}

void object_locate(void)
{
	const struct link_map *m = link_list();

	while (m && m->l_ld != _DYNAMIC)
		m = m->l_next;
	/* Objects of other namespaces are not in the list. Not a tail call: the loader shows the
	 * namespace of its caller (scripts/check-symbols.sh). */
	if (m)
		take(m->l_name);
	else if (!dl_iterate_phdr(find_us, NULL))
		path[0] = '\0';
}

const char *object_path(void)
{
	return path;
}
