/* tools/drivers/ptxas.c - the input and the outputs of ptxas. Its row says that it uses no names
 * except those in PTX; ptx.c reads the PTX. */
#include <elf.h>
#include <string.h>

#include "shim/list.h"
#include "tools/driver.h"
#include "tools/text/ptx.h"
#include "tools/text/ptx_source.h"

#include "shim/banned.h"

/* ptxas does not report a write that failed, and exits with 0. In a complete ELF file the sections
 * are the end. */
static enum output_flaw flaw(const void *data, size_t n, long pid)
{
	Elf64_Ehdr h;

	if (n < sizeof h)
		return FLAW_CUT;
	memcpy(&h, data, sizeof h);
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_shoff > n ||
	    (uint64_t)h.e_shnum * h.e_shentsize > n - h.e_shoff)
		return FLAW_CUT;
	return FLAW_NONE;
}

/* Only a machine without memory, or an output that cannot be made, lets ptxas fail otherwise. */
static int fails_by_input(int status, const char *text, size_t n)
{
	static const char of_machine[] =
		"emory alloc\0" "ut of memory\0" "llocation fail\0" "could not be opened\0";

	for (const char *word = of_machine; *word; word = LIST_NEXT(word))
		if (memmem(text, n, word, strlen(word)))
			return 0;
	return 1;
}

static int read_text(struct input_text *out, const struct input_text_request *r)
{
	if (ptx_canonical(out, r->text, r->n, r->names, r->work) < 0 ||
	    input_text_keep(out, r->arena) < 0)
		return -1;
	/* Any line table will do, so no name of a source is exchanged. */
	if (r->names == INPUT_TEXT_SLOPPY) {
		out->count = 0;
		return 0;
	}
	return ptx_add_sources(out, r->ask, r->arena);
}

const struct driver driver_ptxas = {
	.read_text = read_text,
	.flaw = flaw,
	.fails_by_input = fails_by_input,
	.files = FILES_PTXAS,
	.jobserver = JOBSERVER_ASKED,
	.output = "elf.o",
};
