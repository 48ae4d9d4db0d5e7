/* shim/loader/elfobject.c - objects that are loaded in this process, and the symbols that they
 * define. */
#include "shim/loader/elfobject.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "shim/loader/link_list.h"

#include "shim/banned.h"

/* glibc relocates the pointers of a writable dynamic section; musl does not, nor are the vdso's
 * relocated. */
static const void *pointer(const struct elfobject *o, ElfW(Addr) value)
{
	return (const void *)(value < o->base ? value + o->base : value);
}

static size_t number(const struct elfobject *o, ElfW(Sxword) tag)
{
	for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == tag)
			return d->d_un.d_val;
	return 0;
}

static const void *entry(const struct elfobject *o, ElfW(Sxword) tag)
{
	size_t value = number(o, tag);

	return value ? pointer(o, value) : NULL;
}

static void read_note(struct elfobject *o, const unsigned char *p, size_t n)
{
	while (n >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)p;
		size_t name = (note->n_namesz + 3u) & ~3u, desc = (note->n_descsz + 3u) & ~3u;

		if (name > n || desc > n || sizeof *note + name + desc > n)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp(p + sizeof *note, "GNU", 4) == 0 && note->n_descsz <= sizeof o->build_id)
			{
			memcpy(o->build_id, p + sizeof *note + name, note->n_descsz);
			o->build_id_len = note->n_descsz;
			return;
		}
		p += sizeof *note + name + desc;
		n -= sizeof *note + name + desc;
	}
}

static void read_soname(struct elfobject *o)
{
	const char *strings = entry(o, DT_STRTAB);

	for (const ElfW(Dyn) *d = o->dynamic; strings && d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_SONAME)
			o->soname = strings + d->d_un.d_val;
}

static void describe(struct elfobject *o, const struct dl_phdr_info *info)
{
	*o = (struct elfobject){.base = info->dlpi_addr,
	                        .path = info->dlpi_name ? info->dlpi_name : "", .soname = ""};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_LOAD && o->end < info->dlpi_addr + h->p_vaddr + h->p_memsz)
			o->end = info->dlpi_addr + h->p_vaddr + h->p_memsz;
		if (h->p_type == PT_DYNAMIC)
			o->dynamic = (const void *)(info->dlpi_addr + h->p_vaddr);
		else if (h->p_type == PT_NOTE && !o->build_id_len)
			read_note(o, (const void *)(info->dlpi_addr + h->p_vaddr), h->p_memsz);
	}
	read_soname(o);
}

static int covers(const struct dl_phdr_info *info, const void *address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_LOAD && (uintptr_t)address - (info->dlpi_addr + h->p_vaddr) <
		    h->p_memsz)
			return 1;
	}
	return 0;
}

struct search {
	struct elfobject *out;
	const void *address;
	int (*pick)(void *, const struct elfobject *);
	void *ctx;
	const char *name;
	void *found;
	int behind; /* we have been passed in the list */
	uint64_t changes;
};

static int at(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct search *s = ctx;

	if (!covers(info, s->address))
		return 0;
	describe(s->out, info);
	return 1;
}

static int picked(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct search *s = ctx;

	describe(s->out, info);
	return s->pick(s->ctx, s->out) != 0;
}

static int count_changes(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct search *s = ctx;

	s->changes = (uint64_t)info->dlpi_adds + (uint64_t)info->dlpi_subs;
	return 1;
}

static int next(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct search *s = ctx;
	struct elfobject o;

	describe(&o, info);
	if (!s->behind) {
		s->behind = o.dynamic == _DYNAMIC;
		return 0;
	}
	s->found = elfobject_symbol(&o, s->name);
	return s->found != NULL;
}

/* Not a tail call, as in every object: the loader's answer depends on the caller
 * (scripts/check-symbols.sh). */
static int iterate(int (*each)(struct dl_phdr_info *, size_t, void *), struct search *s)
{
	volatile int rc = dl_iterate_phdr(each, s);

	return rc;
}

/* *behind: the byte after the name's NUL. */
static uint32_t gnu_hash(const char *name, const char **behind)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	*behind = name + 1;
	return h;
}

/* Not strcmp: the first call of AddressSanitizer's strcmp calls dlsym. */
static int same(const char *x, const char *y)
{
	while (*x && *x == *y)
		x++, y++;
	return *x == *y;
}

/* The symbol tables of an object. */
struct names {
	uintptr_t base;
	/* DT_GNU_HASH; DT_HASH, the only table in libraries of old tools */
	const uint32_t *gnu, *old;
	const ElfW(Sym) *symbols;
	const char *strings;
	const ElfW(Versym) *versions;
};

static struct names names_of(const struct elfobject *o)
{
	struct names n = {.base = o->base};

	for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++) {
		const void *p = pointer(o, d->d_un.d_ptr);

		switch (d->d_tag) {
		case DT_GNU_HASH: n.gnu = p; break;
		case DT_HASH: n.old = p; break;
		case DT_SYMTAB: n.symbols = p; break;
		case DT_STRTAB: n.strings = p; break;
		case DT_VERSYM: n.versions = p; break;
		default: break;
		}
	}
	if (!n.symbols || !n.strings)
		n.gnu = n.old = NULL;
	return n;
}

/* Calls the resolver of an indirect function, such as libc's time(), and returns the chosen
 * function. Arguments are those that the loader passes. */
static uintptr_t chosen(uintptr_t resolver)
{
#if defined(__aarch64__)
	const uint64_t features[3] = {sizeof features, getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};

	return ((uintptr_t(*)(uint64_t, const uint64_t *))resolver)(features[1] | 1ull << 62,
	                                                            features);
#else
	return ((uintptr_t(*)(void))resolver)();
#endif
}

/* 1: the symbol defines this name. hidden: in a version that is not the default. */
static int defines(const struct names *n, uint32_t i, const char *name, int hidden)
{
	const ElfW(Sym) *s = &n->symbols[i];
	unsigned type = ELF64_ST_TYPE(s->st_info);

	return s->st_shndx != SHN_UNDEF && same(n->strings + s->st_name, name) &&
	       (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC) &&
	       (n->versions ? n->versions[i] >> 15 : 0) == hidden;
}

static void *address_of(const struct names *n, uint32_t i)
{
	const ElfW(Sym) *s = &n->symbols[i];
	uintptr_t at = n->base + s->st_value;

	return (void *)(ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC ? chosen(at) : at);
}

/* Layout of DT_GNU_HASH: four words, the Bloom filter, buckets, chains whose last hash is odd. */
static uint32_t by_gnu_hash(const struct names *n, const char *name, uint32_t hash, int hidden)
{
	const uint32_t *head = n->gnu, *buckets, *chain;
	const ElfW(Addr) *bloom = (const void *)(head + 4);
	enum { BITS = 8 * sizeof *bloom };
	uint32_t i;

	if (!head[0] || !head[2])
		return 0;
	buckets = (const void *)(bloom + head[2]);
	chain = buckets + head[0];
	if (!(bloom[hash / BITS % head[2]] >> hash % BITS &
	      bloom[hash / BITS % head[2]] >> (hash >> head[3]) % BITS & 1))
		return 0;
	i = buckets[hash % head[0]];
	if (i < head[1])
		return 0;
	for (;; i++) {
		uint32_t h = chain[i - head[1]];

		if ((h | 1) == (hash | 1) && defines(n, i, name, hidden))
			return i;
		if (h & 1)
			return 0;
	}
}

/* Layout of DT_HASH: two counts, buckets, chains; the second count is that of the symbols. */
static uint32_t by_old_hash(const struct names *n, const char *name, int hidden)
{
	for (uint32_t i = 1; n->old && i < n->old[1]; i++)
		if (defines(n, i, name, hidden))
			return i;
	return 0;
}

/* Finds the default version of a name, else a version that is kept for old programs. */
static void *look_up(const struct names *n, const char *name, uint32_t hash)
{
	for (int hidden = 0; hidden <= 1; hidden++) {
		uint32_t i = n->gnu ? by_gnu_hash(n, name, hash, hidden)
		                    : by_old_hash(n, name, hidden);

		if (i)
			return address_of(n, i);
	}
	return NULL;
}

/* --- public, in header order --- */

int elfobject_at(struct elfobject *out, const void *address)
{
	struct search s = {.out = out, .address = address};

	return iterate(at, &s) ? 0 : -1;
}

int elfobject_find(struct elfobject *out, int (*pick)(void *ctx, const struct elfobject *o),
                   void *ctx)
{
	struct search s = {.out = out, .pick = pick, .ctx = ctx};

	return iterate(picked, &s) ? 0 : -1;
}

void *elfobject_symbol(const struct elfobject *o, const char *name)
{
	const struct names n = names_of(o);
	const char *behind;

	return look_up(&n, name, gnu_hash(name, &behind));
}

/* DT_GNU_HASH lists the defined symbols: each bucket's chain ends with an odd hash. */
int elfobject_shares(const struct elfobject *o, const struct elfobject *other)
{
	const struct names n = names_of(o), others = names_of(other);
	const uint32_t *head = n.gnu, *buckets, *chain;

	if (!head)
		return 1;
	buckets = (const void *)((const ElfW(Addr) *)(const void *)(head + 4) + head[2]);
	chain = buckets + head[0];
	for (uint32_t bucket = 0; bucket < head[0]; bucket++) {
		uint32_t i = buckets[bucket];

		for (; i >= head[1]; i++) {
			const char *name = n.strings + n.symbols[i].st_name, *behind;

			if (look_up(&others, name, gnu_hash(name, &behind)))
				return 1;
			if (chain[i - head[1]] & 1)
				break;
		}
	}
	return 0;
}

int elfobject_needs(const struct elfobject *o, const char *soname)
{
	const char *strings = entry(o, DT_STRTAB);

	for (const ElfW(Dyn) *d = o->dynamic; strings && d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED && strcmp(strings + d->d_un.d_val, soname) == 0)
			return 1;
	return 0;
}

/* Layout of DT_VERNEED: a record for each needed object, with a list of the versions needed from
 * it. */
static const char *version_of(const struct elfobject *o, uint32_t symbol)
{
	const ElfW(Versym) *of = entry(o, DT_VERSYM);
	const unsigned char *at = entry(o, DT_VERNEED);
	const char *strings = entry(o, DT_STRTAB);

	for (size_t i = number(o, DT_VERNEEDNUM); of && at && i > 0; i--) {
		const ElfW(Verneed) *need = (const void *)at;
		const unsigned char *one = at + need->vn_aux;

		for (size_t k = need->vn_cnt; k > 0; k--) {
			const ElfW(Vernaux) *aux = (const void *)one;

			if ((aux->vna_other & 0x7fff) == (of[symbol] & 0x7fff))
				return strings + aux->vna_name;
			one += aux->vna_next;
		}
		at += need->vn_next;
	}
	return "";
}

/* Walks the relocations: every needed symbol has one, and no table lists the needed symbols. */
int elfobject_wants(const struct elfobject *o,
                    int (*each)(void *ctx, const char *name, const char *version), void *ctx)
{
	static const ElfW(Sxword) tables[][2] = {{DT_JMPREL, DT_PLTRELSZ}, {DT_RELA, DT_RELASZ}};
	const ElfW(Sym) *symbols = entry(o, DT_SYMTAB);
	const char *strings = entry(o, DT_STRTAB);
	int rc = 0;

	for (size_t t = 0; symbols && strings && t < 2; t++) {
		const ElfW(Rela) *r = entry(o, tables[t][0]);

		for (size_t n = r ? number(o, tables[t][1]) / sizeof *r : 0; rc == 0 && n > 0; n--,
		     r++) {
			uint32_t symbol = ELF64_R_SYM(r->r_info);

			if (symbol && symbols[symbol].st_shndx == SHN_UNDEF)
				rc = each(ctx, strings + symbols[symbol].st_name,
				          version_of(o, symbol));
		}
	}
	return rc;
}

uint64_t elfobject_changes(void)
{
	struct search s = {0};

	iterate(count_changes, &s);
	return s.changes;
}

void *elfobject_loaded(const char *soname, const char *name)
{
	void *found = NULL;

	for (const struct link_map *m = link_list(); m && !found; m = m->l_next) {
		struct elfobject o = {.base = m->l_addr, .dynamic = m->l_ld, .soname = ""};

		read_soname(&o);
		if (same(o.soname, soname))
			found = elfobject_symbol(&o, name);
	}
	return found;
}

int elfobject_precedes(const char *soname)
{
	for (const struct link_map *m = link_list(); m && m->l_ld != _DYNAMIC; m = m->l_next) {
		struct elfobject o = {.base = m->l_addr, .dynamic = m->l_ld, .soname = ""};

		read_soname(&o);
		if (same(o.soname, soname))
			return 1;
	}
	return 0;
}

/* The list also contains the kernel's own object (vdso), which has functions with libc's names. */
static int is_kernels(const struct link_map *m)
{
	return (uintptr_t)m->l_addr == getauxval(AT_SYSINFO_EHDR);
}

static int all_found(void *const *to, size_t count)
{
	while (count && to[count - 1])
		count--;
	return count == 0;
}

/* Searches the objects after us in the list; the first definition wins. What is loaded later comes
 * behind libc: a search that ends there sees nothing that another thread unloads. */
static int fill_from(const struct link_map *m, const char *names, size_t count, void **to)
{
	while (m && m->l_ld != _DYNAMIC)
		m = m->l_next;
	if (!m)
		return 0;
	while (!all_found(to, count) && (m = m->l_next) != NULL) {
		const struct elfobject o = {.base = m->l_addr, .dynamic = m->l_ld};
		const struct names n = names_of(&o);
		const char *name = names, *behind;

		for (size_t i = 0; i < count && !is_kernels(m); i++, name = behind) {
			uint32_t hash = gnu_hash(name, &behind);

			if (!to[i])
				to[i] = look_up(&n, name, hash);
		}
	}
	return 1;
}

void elfobject_next(const char *names, size_t count, void **to)
{
	if (fill_from(link_list(), names, count, to))
		return;
	for (size_t i = 0; i < count; i++) {
		struct search s = {.name = names};

		iterate(next, &s);
		to[i] = s.found;
		gnu_hash(names, &names);
	}
}
