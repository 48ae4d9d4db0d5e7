/* cli/program.c - reads the head of a program's file. */
#include "cli/program.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

const char *program_unserved(const char *path)
{
	union {
		Elf64_Ehdr h;
		unsigned char b[4096];
	} head;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC), interpreter = 0;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		n = -1;
	else
		n = pread(fd, &head, sizeof head, 0);
	if (fd >= 0)
		close(fd);
	if (n < 4)
		return "it cannot be read";
	if (memcmp(head.b, "#!", 2) == 0)
		return PROGRAM_IS_SCRIPT;
	if (memcmp(head.b, ELFMAG, SELFMAG) != 0 || (size_t)n < sizeof head.h)
		return "not a program of this system";
	if (head.h.e_ident[EI_CLASS] != ELFCLASS64)
		return "a 32-bit program";
	if ((st.st_mode & (S_ISUID | S_ISGID)) ||
	    getxattr(path, "security.capability", NULL, 0) > 0)
		return "set-user-id or with capabilities: the loader ignores LD_PRELOAD";
	for (unsigned i = 0; i < head.h.e_phnum; i++) {
		size_t at = head.h.e_phoff + (size_t)i * sizeof(Elf64_Phdr);
		Elf64_Phdr p;

		if (at + sizeof p > (size_t)n)
			return NULL; /* an unusual layout: assume that it is served */
		memcpy(&p, head.b + at, sizeof p);
		interpreter |= p.p_type == PT_INTERP;
	}
	return interpreter ? NULL : "statically linked: nothing can be preloaded into it";
}
