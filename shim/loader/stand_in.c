/* shim/loader/stand_in.c - replaces the program's pointer to __libc_start_main. */
#include "shim/loader/stand_in.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "shim/kernel/sys.h"
#include "shim/loader/elfobject.h"

#include "shim/banned.h"

#if defined(__x86_64__)
#define IS_POINTER(type) ((type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_JUMP_SLOT)
#else
#define IS_POINTER(type) ((type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_JUMP_SLOT)
#endif

typedef int main_function(int, char **, char **);

void *stand_in_mark[5];
static int ends_with;
static void (*libc_exit)(int);
static int (*libc_at_exit)(void (*)(void *), void *, void *);

/* The loader's own function runs the destructors. */
static int instead(main_function *program, int argc, char **argv, void (*init)(void),
                   void (*fini)(void), void (*loader)(void), void *stack)
{
	if (loader)
		libc_at_exit((void (*)(void *))loader, NULL, NULL);
	libc_exit(ends_with);
	return 0;
}

static const void *entry(const struct elfobject *o, ElfW(Sxword) tag, size_t *number)
{
	for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == tag) {
			*number = d->d_un.d_val;
			return (const void *)(d->d_un.d_ptr < o->base ? d->d_un.d_ptr + o->base
			                                              : d->d_un.d_ptr);
		}
	*number = 0;
	return NULL;
}

/* The pointer among the relocations of a table, or NULL. */
static void **pointer_in(const struct elfobject *o, ElfW(Sxword) table, ElfW(Sxword) size)
{
	static const char name[] = "__libc_start_main";
	size_t n, unused;
	const ElfW(Rela) *r = entry(o, table, &unused);
	const ElfW(Sym) *symbols = entry(o, DT_SYMTAB, &unused);
	const char *strings = entry(o, DT_STRTAB, &unused);

	entry(o, size, &n);
	if (!r || !symbols || !strings)
		return NULL;
	for (n /= sizeof *r; n > 0; n--, r++)
		if (IS_POINTER(ELF64_R_TYPE(r->r_info)) &&
		    strcmp(strings + symbols[ELF64_R_SYM(r->r_info)].st_name, name) == 0)
			return (void **)(o->base + r->r_offset);
	return NULL;
}

/* The page of the pointer may be read-only by now. */
static int replace(void **at)
{
	uintptr_t size = getauxval(AT_PAGESZ), page = (uintptr_t)at & ~(size - 1);

	if (SYS3(SYS_mprotect, page, size, PROT_READ | PROT_WRITE) < 0)
		return -1;
	*at = (void *)instead;
	return 0;
}

void stand_in_leave(int status)
{
	static const char names[] = "exit\0__cxa_atexit";
	void *found[2] = {NULL, NULL}, **at;
	struct elfobject program;

	if (elfobject_at(&program, (const void *)getauxval(AT_ENTRY)) < 0)
		return;
	at = pointer_in(&program, DT_RELA, DT_RELASZ);
	if (!at)
		at = pointer_in(&program, DT_JMPREL, DT_PLTRELSZ);
	elfobject_next(names, 2, found);
	if (!at || !found[0] || !found[1] || replace(at) < 0)
		return;
	libc_exit = (void (*)(int))found[0];
	libc_at_exit = (int (*)(void (*)(void *), void *, void *))found[1];
	ends_with = status;
	__builtin_longjmp(stand_in_mark, 1);
}
