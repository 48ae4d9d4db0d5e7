/* shim/loader/foreign.c - reads the head, the program headers and the dynamic section of a program.
 * */
#include "shim/loader/foreign.h"

#include <elf.h>
#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"

#include "shim/banned.h"

#if defined(__x86_64__)
#define LOADER "ld-linux-x86-64.so.2"
#else
#define LOADER "ld-linux-aarch64.so.1"
#endif
/* Of a usual program these bytes hold all program headers. */
#define HEAD_SIZE 1024
/* The kernel reads that much of a script's first line. */
#define SCRIPT_LINE 255
/* Files of one start: the kernel follows five scripts. */
#define SCRIPTS_MAX 6
#define INTERPRETER_SIZE 128
#define HEADERS_MAX 64
/* Entries of the dynamic section that are read at once, which is all of a usual program, and at
 * most. */
#define DYNAMIC_CHUNK 48
#define DYNAMIC_MAX 576
#define LIBRARY_NAME 48

/* One program: its file, and the addresses that its dynamic section speaks of. */
struct program {
	int fd;
	Elf64_Ehdr head;
	Elf64_Phdr dynamic, interpreter;
	Elf64_Addr strings; /* address of the names */
	uint64_t names_at;  /* their place in the file, 0: unknown */
	Elf64_Dyn some[DYNAMIC_CHUNK];
	size_t first, count; /* which entries these are */
};

static int read_at(int fd, void *to, size_t n, uint64_t at)
{
	return sys_pread(fd, to, n, (off_t)at) == (ssize_t)n ? 0 : -1;
}

/* Header i. Most are in the bytes that were read first. */
static int header(const struct program *p, const void *bytes, size_t n, unsigned i, Elf64_Phdr *h)
{
	uint64_t at = p->head.e_phoff + i * sizeof *h;

	if (at <= n && n - at >= sizeof *h) {
		memcpy(h, (const char *)bytes + at, sizeof *h);
		return 0;
	}
	return read_at(p->fd, h, sizeof *h, at);
}

static void read_headers(struct program *p, const void *bytes, size_t n)
{
	Elf64_Phdr h;

	for (unsigned i = 0; i < p->head.e_phnum && i < HEADERS_MAX; i++) {
		if (header(p, bytes, n, i, &h) < 0)
			return;
		if (h.p_type == PT_INTERP)
			p->interpreter = h;
		else if (h.p_type == PT_DYNAMIC)
			p->dynamic = h;
	}
}

/* Finds the place of the names: the segment that holds their address. */
static void find_names(struct program *p, const void *bytes, size_t n)
{
	Elf64_Phdr h;

	for (unsigned i = 0; p->strings && i < p->head.e_phnum && i < HEADERS_MAX; i++) {
		if (header(p, bytes, n, i, &h) < 0)
			return;
		if (h.p_type == PT_LOAD && p->strings >= h.p_vaddr &&
		    p->strings - h.p_vaddr < h.p_filesz) {
			p->names_at = p->strings - h.p_vaddr + h.p_offset;
			return;
		}
	}
}

static int names_sanitizer(const struct program *p, uint64_t at)
{
	char name[LIBRARY_NAME];
	ssize_t n = sys_pread(p->fd, name, sizeof name - 1, (off_t)(p->names_at + at));

	if (n <= 0)
		return 0;
	name[n] = '\0';
	return foreign_is_sanitizer(name);
}

/* Entry i of the dynamic section; NULL: it cannot be read. */
static const Elf64_Dyn *entry(struct program *p, size_t i)
{
	size_t all = p->dynamic.p_filesz / sizeof *p->some, from = i - i % DYNAMIC_CHUNK;

	if (i >= all || i >= DYNAMIC_MAX)
		return NULL;
	if (from != p->first || !p->count) {
		p->first = from;
		p->count = all - from < DYNAMIC_CHUNK ? all - from : DYNAMIC_CHUNK;
		if (read_at(p->fd, p->some, p->count * sizeof *p->some,
		            p->dynamic.p_offset + from * sizeof *p->some) < 0)
			return NULL;
	}
	return &p->some[i - from];
}

/* The dynamic section, once for the address of the names, and once for the needed libraries. */
static int walk_dynamic(struct program *p, int needed)
{
	const Elf64_Dyn *d;

	for (size_t i = 0; (d = entry(p, i)) && d->d_tag != DT_NULL; i++) {
		if (d->d_tag == DT_STRTAB)
			p->strings = d->d_un.d_ptr;
		if (needed && d->d_tag == DT_NEEDED && names_sanitizer(p, d->d_un.d_val))
			return 1;
	}
	return 0;
}

static enum foreign judge(struct program *p, const void *bytes, size_t n)
{
	char name[INTERPRETER_SIZE];
	ssize_t got;

	if (n < sizeof p->head)
		return FOREIGN_NONE;
	memcpy(&p->head, bytes, sizeof p->head);
	if (p->head.e_ident[EI_CLASS] != ELFCLASS64 || p->head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    p->head.e_phentsize != sizeof(Elf64_Phdr))
		return FOREIGN_CLASS;
	read_headers(p, bytes, n);
	if (!p->interpreter.p_filesz)
		return FOREIGN_NONE; /* a static program, which ignores the list */
	got = sys_pread(p->fd, name,
	                p->interpreter.p_filesz < sizeof name ? p->interpreter.p_filesz
	                                                      : sizeof name - 1,
	                (off_t)p->interpreter.p_offset);
	name[got > 0 ? got : 0] = '\0';
	if (name[0] && strcmp(path_base(name), LOADER) != 0)
		return FOREIGN_LIBC;
	walk_dynamic(p, 0);
	find_names(p, bytes, n);
	return p->names_at && walk_dynamic(p, 1) ? FOREIGN_SANITIZER : FOREIGN_NONE;
}

/* The path in a script's first line, in place; NULL: it has none. */
static const char *interpreter_of(char *line)
{
	char *path = line + 2;

	path += strspn(path, " \t");
	path[strcspn(path, " \t\n")] = '\0';
	return path[0] == '/' ? path : NULL;
}

/* --- public, in header order --- */

enum foreign foreign_program(const char *path)
{
	char bytes[HEAD_SIZE];
	enum foreign is = FOREIGN_NONE;

	for (int depth = 0; path && depth < SCRIPTS_MAX; depth++) {
		struct program p = {0};
		ssize_t n;

		/* A program may be executable but not readable. */
		p.fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
		if (p.fd < 0)
			return FOREIGN_NONE;
		n = sys_pread(p.fd, bytes, sizeof bytes, 0);
		path = NULL;
		if (n > 2 && bytes[0] == '#' && bytes[1] == '!') {
			bytes[n < SCRIPT_LINE ? n : SCRIPT_LINE] = '\0';
			path = interpreter_of(bytes);
		} else if (n > SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0) {
			is = judge(&p, bytes, (size_t)n);
		}
		sys_close(p.fd);
	}
	return is;
}

/* gcc's libasan.so.8; clang's libclang_rt.asan-x86_64.so, libclang_rt.asan.so. UBSan's runtime may
 * be loaded at any place. */
int foreign_is_sanitizer(const char *name)
{
	static const char kinds[][9] = {"asan", "hwasan", "tsan", "lsan", "msan", "dfsan", "nsan",
	                                "rtsan", "memprof"};

	if (strncmp(name, "lib", 3) != 0)
		return 0;
	name += strncmp(name, "libclang_rt.", 12) == 0 ? 12 : 3;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t n = strlen(kinds[i]);

		if (strncmp(name, kinds[i], n) == 0 && name[n] && strchr(".-_", name[n]))
			return 1;
	}
	return 0;
}
