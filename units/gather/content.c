/* units/gather/content.c - reads headers and dynamic section of a shared object. */
#include "units/gather/gather.h"

#include <elf.h>
#include <sys/stat.h>

#include "shim/list.h"
#include "units/format/whole.h"

/* The sources that a pickle's code was made from, as conditions of its
 * member record.
 *
 * TorchAir's key covers neither the compiled method's body nor the functions that it calls. The
 * process imported the sources as they were when it began. If a source changed later or is missing,
 * its old content is not known, and the module is not carried. */

static enum gather_status add_source(struct gathering *g, struct member_condition *c,
                                     const char *path)
{
	struct arena bytes = ARENA_INIT;
	struct statx st;

	if (path[0] != '/')
		return gather_drop(g, "it was made from %s, which is not an absolute path", path);
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (fd < 0) {
		fault_sys(g->fault, -fd, "made from", path);
		return GATHER_DROPPED;
	}
	int rc = sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st);
	unsigned char *p = rc == 0 && S_ISREG(st.stx_mode) && st.stx_size <= MEMBER_SOURCE_MAX
	                   ? arena_alloc(&bytes, st.stx_size + 1) : NULL;
	ssize_t n = p ? sys_read_all(fd, p, st.stx_size + 1) : -1;
	sys_close(fd);
	if (n >= 0)
		digest_of(&c->content, p, (size_t)n);
	c->path = path;
	arena_free(&bytes);
	if (n < 0 || (uint64_t)n != st.stx_size)
		return gather_drop(g, "it was made from %s, which cannot be read", path);
	if (!member_is_imported(st.stx_ctime.tv_sec, g->o->began_at))
		return gather_drop(g,
		                   "it was made from %s, which may have changed since it was "
		                   "imported",
		                   path);
	return GATHER_KEPT;
}

enum gather_status gather_sources(struct gathering *g, struct member *m)
{
	const char *path[MEMBER_CONDITIONS_MAX];
	int n = pickle_sources(g->text, g->len, path, MEMBER_CONDITIONS_MAX, g->a);

	if (n < 0)
		return gather_drop(g, "it was made from too many sources");
	if (n == 0)
		return gather_drop(g, "it does not name the sources that it was made from");
	m->condition = arena_alloc(g->a, (size_t)n * sizeof *m->condition);
	if (!m->condition)
		return gather_drop(g, "no memory");
	for (int i = 0; i < n; i++) {
		enum gather_status status = add_source(g, &m->condition[i], path[i]);

		if (status != GATHER_KEPT)
			return status;
	}
	m->conditions = (unsigned)n;
	return GATHER_KEPT;
}

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
		if (!list_has(known, library))
			return "it needs a library that its scope does not name";
	}
	return NULL;
}
