/* shim/loader/link_list.c - finds the loader's list by the program's own headers. */
#include "shim/loader/link_list.h"

#include <elf.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "shim/banned.h"

const struct link_map *link_list(void)
{
	const ElfW(Phdr) *h = (const void *)getauxval(AT_PHDR);
	size_t n = getauxval(AT_PHNUM);
	const ElfW(Dyn) *d = NULL;
	uintptr_t base = 0;
	int known = 0; /* the base is */

	for (size_t i = 0; h && i < n; i++)
		if (h[i].p_type == PT_PHDR) {
			base = (uintptr_t)h - h[i].p_vaddr;
			known = 1;
		}
	/* Without that header, as in musl's loader when a user calls it, only a base of 0 shows. */
	for (size_t i = 0; h && !known && i < n; i++)
		known = h[i].p_type == PT_LOAD &&
		        (uintptr_t)h - h[i].p_vaddr < h[i].p_memsz;
	for (size_t i = 0; h && known && i < n; i++)
		if (h[i].p_type == PT_DYNAMIC)
			d = (const void *)(base + h[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_DEBUG && d->d_un.d_ptr)
			return ((const struct r_debug *)d->d_un.d_ptr)->r_map;
	return NULL;
}
