/* shim/loader/elfobject.h - objects that are loaded in this process, and the symbols that they
 * define.
 *
 * Reads the loader's own tables (dl_iterate_phdr, the dynamic section, DT_GNU_HASH) and never calls
 * dlsym. So no wrapper of dlsym is entered, and no answer depends on the caller. If a name has
 * several versions, the default version is used, else the first version. Objects of other dlmopen
 * namespaces are not seen.
 *
 * THREAD; takes the loader's lock for a moment, so it must not run in vfork children or signal
 * handlers. Allocates nothing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ELFOBJECT_BUILD_ID 32
struct elfobject {
	uintptr_t base;    /* base of its addresses */
	/* the loader's string, "" for the program; valid while the object is loaded */
	const char *path;
	const char *soname;/* "" if there is none */
	unsigned char build_id[ELFOBJECT_BUILD_ID];
	size_t build_id_len; /* 0 if there is none */
	const void *dynamic; /* ElfW(Dyn) table */
	uintptr_t end;     /* of its addresses */
};

/* Finds the object that contains this address. 0 or -1. */
int elfobject_at(struct elfobject *out, const void *address);
/* Finds the first object for which pick(ctx, object) is true, in the loader's search order. 0 or
 * -1. */
int elfobject_find(struct elfobject *out, int (*pick)(void *ctx, const struct elfobject *o),
                   void *ctx);
/* Address of a defined dynamic symbol, NULL for none. */
void *elfobject_symbol(const struct elfobject *o, const char *name);
/* 1: a function that it defines is also defined by the other object, so one replaces the other.
 * Also 1 if its symbols cannot be listed. */
int elfobject_shares(const struct elfobject *o, const struct elfobject *other);
/* CHILD. 1: the address lies in it. */
static inline int elfobject_covers(const struct elfobject *o, const void *address)
{
	return (uintptr_t)address >= o->base && (uintptr_t)address < o->end;
}
/* 1 if it is linked against that soname (DT_NEEDED). */
int elfobject_needs(const struct elfobject *o, const char *soname);
/* Calls each(ctx, name, version) for the symbols that the object needs from other objects; version
 * is "" for a symbol without one. Stops when each returns a value other than 0, and returns that
 * value. */
int elfobject_wants(const struct elfobject *o,
                    int (*each)(void *ctx, const char *name, const char *version), void *ctx);
/* A count that grows with each object that is loaded or unloaded. */
uint64_t elfobject_changes(void);
/* Address of the symbol in the first object of that soname; NULL. Does not take the loader's lock:
 * for a forked child. */
void *elfobject_loaded(const char *soname, const char *name);
/* 1: an object of that soname precedes this one in the loader's search order. Does not take the
 * loader's lock. */
int elfobject_precedes(const char *soname);
/* Looks up count names, which follow each other in memory, each with its NUL. to[i]: the definition
 * that dlsym(RTLD_NEXT) would return to this object; NULL: none. `to` must hold NULLs before. Only
 * where no other thread runs, in the constructor or earlier, unless objects that were loaded at the
 * start have all names: the search goes no further. */
void elfobject_next(const char *names, size_t count, void **to);
