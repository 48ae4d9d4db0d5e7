/* tools/ptxas.c - what ptxas leaves. That it takes no names but those in PTX says its row; PTX
 * is read in ptx.c. */
#include <elf.h>
#include <string.h>

#include "tools/driver.h"

#include "shim/banned.h"

/* It says nothing of a write that failed, and ends well. Of a whole ELF file the sections are
 * the end. */
static enum output_flaw flaw(const void *data, size_t n, long pid)
{
	Elf64_Ehdr h;

	(void)pid;
	if (n < sizeof h)
		return FLAW_CUT;
	memcpy(&h, data, sizeof h);
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_shoff > n ||
	    (uint64_t)h.e_shnum * h.e_shentsize > n - h.e_shoff)
		return FLAW_CUT;
	return FLAW_NONE;
}

const struct driver driver_ptxas = {.flaw = flaw, .output = "elf.o"};
