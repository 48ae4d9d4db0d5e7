/* tools/drivers/gcc_modules.c - the README section, names of modules, values of -fmodule-mapper=.
 * */
#include "tools/drivers/drivers.h"

#include <elf.h>
#include <string.h>

#include "shim/path.h"

#include "shim/banned.h"

static const char readme[] = ".gnu.c++.README";
static const char dated[] = "\0localtime: ";

/* A module is ELF of class 32 on all hosts. */
static int section_read(const unsigned char *data, size_t n, const Elf32_Ehdr *head, unsigned i,
                        Elf32_Shdr *out)
{
	uint64_t at = head->e_shoff + (uint64_t)i * sizeof *out;

	if (i >= head->e_shnum || at + sizeof *out > n)
		return -1;
	memcpy(out, data + at, sizeof *out);
	return (uint64_t)out->sh_offset + out->sh_size > n ? -1 : 0;
}

static int has_name(const unsigned char *data, const Elf32_Shdr *names, const Elf32_Shdr *s)
{
	return s->sh_name < names->sh_size && names->sh_size - s->sh_name >= sizeof readme &&
	       memcmp(data + names->sh_offset + s->sh_name, readme, sizeof readme) == 0;
}

int gcc_module_is_dated(const void *data, size_t n)
{
	Elf32_Ehdr head;
	Elf32_Shdr names, s;

	if (n < sizeof head || memcmp(data, ELFMAG, SELFMAG) != 0)
		return 0;
	memcpy(&head, data, sizeof head);
	if (head.e_ident[EI_CLASS] != ELFCLASS32 ||
	    section_read(data, n, &head, head.e_shstrndx, &names) < 0)
		return 0;
	for (unsigned i = 0; section_read(data, n, &head, i, &s) == 0; i++)
		if (has_name(data, &names, &s))
			return memmem((const char *)data + s.sh_offset, s.sh_size, dated,
			              sizeof dated - 1) != NULL;
	return 0;
}

int gcc_module_named(const char *path)
{
	return path_ends(path, ".gcm");
}

/* open_module_client() in gcc/cp/mapper-client.cc, gcc 11 to 15. '?' and ':' may end the name. */
int gcc_module_mapper_is_file(const char *value)
{
	return *value && !strchr("|<>=@", *value) && !strpbrk(value, "?: \t");
}
