/* tools/ptxas.c - the outputs of ptxas. Its row says that it uses no names except those in PTX;
 * ptx.c reads the PTX. */
#include <elf.h>
#include <string.h>

#include "tools/driver.h"

#include "shim/banned.h"

/* ptxas does not report a write that failed, and exits with 0. In a complete ELF file the sections
 * are the end. */
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

const struct driver driver_ptxas = {
	.flaw = flaw,
	.files = FILES_PTXAS,
	.jobserver = JOBSERVER_ASKED,
	.output = "elf.o",
};
