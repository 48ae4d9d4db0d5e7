/* units/scope/torch_build.c - finds libtorch_cpu.so, libtorch_npu.so and Python's tag among the
 * loaded objects. */
#include "units/scope/scope.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "shim/path.h"
#include "units/scope/rank.h"

#include "shim/banned.h"

#define BUILD_ID_MAX 64
#define VERSION_MAX (64u << 10) /* version.py has 300 bytes */
#define TAG_MAX 32
#define TAG_HEAD ".cpython-"

struct library {
	const char *path; /* in the arena; NULL: not loaded */
	unsigned char id[BUILD_ID_MAX];
	size_t id_len;
};
struct search {
	struct arena *arena;
	struct library cpu, npu;
	char tag[TAG_MAX];
};

/* Finds the build id in a segment of notes, each padded to 4. */
static void read_notes(struct library *l, const unsigned char *p, size_t n)
{
	while (n >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		size_t name, desc;

		memcpy(&note, p, sizeof note);
		p += sizeof note;
		n -= sizeof note;
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > n || desc > n - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(p, "GNU", 4) &&
		    note.n_descsz <= BUILD_ID_MAX) {
			l->id_len = note.n_descsz;
			memcpy(l->id, p + name, l->id_len);
			return;
		}
		p += name + desc;
		n -= name + desc;
	}
}

/* A tool that edits objects may leave a header that points anywhere. */
static int is_mapped(const struct dl_phdr_info *info, const ElfW(Phdr) *note)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_LOAD && h->p_flags & PF_R && note->p_vaddr >= h->p_vaddr &&
		    note->p_vaddr - h->p_vaddr <= h->p_filesz &&
		    note->p_memsz <= h->p_filesz - (note->p_vaddr - h->p_vaddr))
			return 1;
	}
	return 0;
}

static void keep(struct library *l, const struct dl_phdr_info *info, struct arena *a)
{
	if (l->path)
		return;
	l->path = arena_strdup(a, info->dlpi_name);
	for (int i = 0; i < info->dlpi_phnum && !l->id_len; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		/* Notes of another alignment are properties. */
		if (h->p_type == PT_NOTE && h->p_align <= 4 && is_mapped(info, h))
			read_notes(l, (const unsigned char *)(info->dlpi_addr + h->p_vaddr),
			           h->p_memsz);
	}
}

/* "_C.cpython-311-x86_64-linux-gnu.so": cpython-311 */
static void keep_tag(char tag[TAG_MAX], const char *base)
{
	const char *at = strstr(base, TAG_HEAD);
	size_t n = at ? strspn(at + sizeof TAG_HEAD - 1, "0123456789t") + sizeof TAG_HEAD - 2 : 0;

	if (!at || *tag || n >= TAG_MAX)
		return;
	memcpy(tag, at + 1, n);
	tag[n] = 0;
}

static int each_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct search *s = ctx;
	const char *base = info->dlpi_name ? path_base(info->dlpi_name) : "";

	if (strcmp(base, "libtorch_cpu.so") == 0)
		keep(&s->cpu, info, s->arena);
	else if (strcmp(base, "libtorch_npu.so") == 0)
		keep(&s->npu, info, s->arena);
	else
		keep_tag(s->tag, base);
	return 0;
}

/* 0, or -1: the library is in no package, or neither it nor the package tells its build. */
static int digest_build(struct digest *out, const struct library *l, struct arena *a)
{
	char *dir = l->path ? arena_memdup(a, l->path, path_dir_len(l->path)) : NULL;
	const char *file = dir && *dir ? arena_cat(a, dir, "/../version.py", NULL) : NULL;
	struct digest_state s;
	size_t n = 0;
	char *text = file ? text_read(file, VERSION_MAX, &n, a) : NULL;

	if (!text || !n || n == VERSION_MAX || !l->id_len)
		return -1;
	digest_init(&s);
	digest_add(&s, &l->id_len, sizeof l->id_len);
	digest_add(&s, l->id, l->id_len);
	digest_add(&s, text, n);
	digest_final(&s, out);
	return 0;
}

int torch_build_read(struct torch_build *t, struct arena *a, const char **why)
{
	struct search s = {.arena = a};

	memset(t, 0, sizeof *t);
	dl_iterate_phdr(each_object, &s);
	*why = s.cpu.path ? "torch does not say which build it is" : "torch is not loaded";
	if (digest_build(&t->torch, &s.cpu, a) < 0)
		return -1;
	t->npu = s.npu.path != NULL;
	if (t->npu && digest_build(&t->npu_build, &s.npu, a) < 0) {
		*why = "torch_npu does not say which build it is";
		return -1;
	}
	t->python = arena_strdup(a, s.tag);
	return t->python ? 0 : -1;
}
