/* units/gather_native.c - reads headers and dynamic section of a shared object. */
#include "units/gather_native.h"

#include <elf.h>
#include <string.h>

#include "units/whole.h"

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif
static const char cut[] = "it is no whole ELF object";

/* libc's own libraries, and the one that the scope names. NUL after each. */
static const char known[] =
	"libcuda.so.1\0libc.so.6\0libm.so.6\0libdl.so.2\0libpthread.so.0\0librt.so.1\0"
	"ld-linux-x86-64.so.2\0ld-linux-aarch64.so.1\0";

struct object {
	const unsigned char *p;
	size_t n;
	Elf64_Ehdr h;
};

static Elf64_Phdr segment(const struct object *o, unsigned i)
{
	Elf64_Phdr s;

	memcpy(&s, o->p + o->h.e_phoff + i * sizeof s, sizeof s);
	return s;
}

/* 1: a shared object for this machine, whose segments and sections lie in the file. */
static int is_whole(struct object *o)
{
	if (!whole_elf(o->p, o->n) || o->p[EI_DATA] != ELFDATA2LSB)
		return 0;
	memcpy(&o->h, o->p, sizeof o->h);
	return o->h.e_type == ET_DYN && o->h.e_machine == MACHINE && o->h.e_shnum;
}

/* The segment of this type; 0 where there is none. */
static int find_segment(const struct object *o, unsigned type, Elf64_Phdr *out)
{
	for (unsigned i = 0; i < o->h.e_phnum; i++) {
		*out = segment(o, i);
		if (out->p_type == type)
			return 1;
	}
	return 0;
}

/* The string at this address and offset, which ends in the file; NULL. */
static const char *string(const struct object *o, uint64_t table, uint64_t offset)
{
	for (unsigned i = 0; i < o->h.e_phnum; i++) {
		Elf64_Phdr s = segment(o, i);
		uint64_t at = table - s.p_vaddr + offset;

		if (s.p_type == PT_LOAD && table >= s.p_vaddr && offset < s.p_filesz &&
		    at < s.p_filesz &&
		    memchr(o->p + s.p_offset + at, 0, s.p_filesz - at))
			return (const char *)o->p + s.p_offset + at;
	}
	return NULL;
}

static int is_known(const char *library)
{
	for (const char *k = known; *k; k += strlen(k) + 1)
		if (strcmp(k, library) == 0)
			return 1;
	return 0;
}

/* The entry at this place of the dynamic section. */
static Elf64_Dyn entry(const struct object *o, const Elf64_Phdr *dynamic, size_t i)
{
	Elf64_Dyn d = {0};

	if ((i + 1) * sizeof d <= dynamic->p_filesz)
		memcpy(&d, o->p + dynamic->p_offset + i * sizeof d, sizeof d);
	return d;
}

const char *native_refusal(const void *bytes, size_t n)
{
	struct object o = {.p = bytes, .n = n};
	Elf64_Phdr dynamic;
	Elf64_Dyn d;
	uint64_t strings = 0;

	if (!is_whole(&o) || !find_segment(&o, PT_DYNAMIC, &dynamic))
		return cut;
	for (size_t i = 0; (d = entry(&o, &dynamic, i)).d_tag != DT_NULL; i++)
		if (d.d_tag == DT_STRTAB)
			strings = d.d_un.d_ptr;
	for (size_t i = 0; (d = entry(&o, &dynamic, i)).d_tag != DT_NULL; i++) {
		const char *library = NULL;

		if (d.d_tag == DT_RPATH || d.d_tag == DT_RUNPATH)
			return "it names directories in which its libraries are searched";
		if (d.d_tag != DT_NEEDED)
			continue;
		library = string(&o, strings, d.d_un.d_val);
		if (!library)
			return cut;
		if (!is_known(library))
			return "it needs a library that its scope does not name";
	}
	return NULL;
}
