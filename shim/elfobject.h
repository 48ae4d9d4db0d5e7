/* shim/elfobject.h - objects that are loaded in this process, and what they define.
 *
 * Read from the loader's own tables (dl_iterate_phdr, the dynamic section, DT_GNU_HASH), so that no dlsym is asked: whoever
 * wraps dlsym is not entered, and no answer depends on who asks. Of several versions of a name the
 * default one counts, else the first. Objects of another dlmopen namespace than ours are not seen.
 *
 * THREAD; takes the loader's lock for a moment, hence not in vfork children or signal handlers. Allocates nothing. */
#ifndef SHIM_ELFOBJECT_H
#define SHIM_ELFOBJECT_H

#include <stddef.h>
#include <stdint.h>

#define ELFOBJECT_BUILD_ID 32
struct elfobject {
	uintptr_t base;    /* what its addresses are relative to */
	const char *path;  /* the loader's, "" for the program; as long as the object is loaded */
	const char *soname;/* "" without */
	unsigned char build_id[ELFOBJECT_BUILD_ID];
	size_t build_id_len; /* 0 without */
	const void *dynamic; /* ElfW(Dyn) table */
};

/* The object that this address lies in. 0 or -1. */
int elfobject_at(struct elfobject *out, const void *address);
/* The first for which pick(ctx, object) is true, in the order in which the loader searches. 0 or -1. */
int elfobject_find(struct elfobject *out, int (*pick)(void *ctx, const struct elfobject *o), void *ctx);
/* Address of a defined dynamic symbol, NULL for none. */
void *elfobject_symbol(const struct elfobject *o, const char *name);
/* 1 when it is linked against that soname (DT_NEEDED). */
int elfobject_needs(const struct elfobject *o, const char *soname);
/* Calls each(ctx, name, version) for what it asks of other objects, version "" without one, until that is not 0: what it said. */
int elfobject_wants(const struct elfobject *o, int (*each)(void *ctx, const char *name, const char *version), void *ctx);
/* Grows with each object that is loaded or unloaded. */
uint64_t elfobject_changes(void);
/* Address of what the first object of that soname defines; NULL. Without the loader's lock: for a forked child. */
void *elfobject_loaded(const char *soname, const char *name);
/* Looks up count names, which stand one behind the other, each with its zero. to[i]: the
 * definition that dlsym(RTLD_NEXT) would give to this object; NULL: none. `to` is to hold NULLs
 * before. Only where no other thread runs: in the constructor, or earlier. */
void elfobject_next(const char *names, size_t count, void **to);

#endif
