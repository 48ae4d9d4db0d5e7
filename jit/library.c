/* jit/library.c - loaded builds of the libraries, each in a slot. */
#include <string.h>

#include "jit/jit.h"
#include "jit/linked.h"
#include "jit/state.h"
#include "shim/format.h"

#include "shim/banned.h"

static struct jit_library libraries[JIT_SLOTS];
static unsigned used;

static int begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* By the name that it has itself: copies lie under others. */
static int is_kind(enum jit_kind kind, const struct elfobject *o)
{
	return kind == JIT_NVRTC ? begins(o->soname, "libnvrtc.so") || begins(o->soname, "libnvrtc.alt.so")
	                         : begins(o->soname, "libnvJitLink.so");
}

static int release_of(const struct jit_library *l, const struct elfobject *o)
{
	int major = 0, minor = 0, (*version)(int *, int *);
	char name[64];

	if (l->kind == JIT_NVRTC) {
		version = (int (*)(int *, int *))elfobject_symbol(o, "nvrtcVersion");
		return version && version(&major, &minor) == 0 ? major * 100 + minor : 0;
	}
	/* It has the functions of every release of its major up to its own. */
	for (major = LINKED_MAJOR_FIRST; major < LINKED_MAJOR_FIRST + LINKED_MAJORS; major++) {
		for (minor = 0; minor < 100; minor++) {
			format_text(name, sizeof name, "__nvJitLinkCreate_%d_%d", major, minor);
			if (!elfobject_symbol(o, name))
				break;
		}
		if (minor)
			return major * 100 + minor - 1;
	}
	return 0;
}

static void describe(struct jit_library *l, const struct elfobject *o)
{
	char name[64];

	l->base = o->base;
	for (size_t i = 0; i < o->build_id_len; i++)
		format_text(l->build + 2 * i, 3, "%x%x", o->build_id[i] >> 4, o->build_id[i] & 15);
	format_text(l->name, sizeof l->name, "%s", o->soname);
	format_text(l->path, sizeof l->path, "%s", o->path);
	for (int i = 0; i < (l->kind == JIT_NVRTC ? (int)NVRTC_ENTRIES : (int)NVJITLINK_ENTRIES); i++) {
		format_text(name, sizeof name, "%s%s%s", l->kind == JIT_NVRTC ? "nvrtc" : *l->version ? "__nvJitLink" : "nvJitLink",
		            jit_entry_name(l->kind, i), l->version);
		l->real[i] = elfobject_symbol(o, name);
	}
	l->release = release_of(l, o);
}

/* Under the lock. A build that was closed and opened again has its slot again, wherever it lies now; one that is gone leaves
 * its slot to another of its place. */
static struct jit_library *slot_of(enum jit_kind kind, const char *version, const struct elfobject *o)
{
	struct jit_library fresh = {.kind = kind}, *l;

	format_text(fresh.version, sizeof fresh.version, "%s", version);
	for (unsigned i = 0; i < used; i++) {
		l = &libraries[i];
		if (l->kind == kind && l->base == o->base && strcmp(l->version, version) == 0) {
			fresh.slot = l->slot;
			describe(&fresh, o);
			if (strcmp(fresh.build, l->build) != 0 || strcmp(fresh.path, l->path) != 0)
				*l = fresh;
			return l;
		}
	}
	describe(&fresh, o);
	for (unsigned i = 0; i < used; i++) {
		struct elfobject there;

		l = &libraries[i];
		/* Of the loaded, none lies where it was. */
		if (elfobject_at(&there, (const void *)l->real[0]) < 0) {
			fresh.slot = l->slot;
			*l = fresh;
			return l;
		}
	}
	if (used == JIT_SLOTS)
		return NULL;
	fresh.slot = used;
	libraries[used] = fresh;
	return &libraries[used++];
}

static struct jit_library *known(enum jit_kind kind, const char *version, const void *code)
{
	for (unsigned i = 0; i < used; i++)
		for (int k = 0; k < JIT_ENTRIES_MAX; k++)
			if (libraries[i].real[k] == code && libraries[i].kind == kind && strcmp(libraries[i].version, version) == 0)
				return &libraries[i];
	return NULL;
}

struct jit_library *jit_slot(unsigned slot)
{
	return &libraries[slot];
}

/* --- public, in header order --- */

struct jit_library *jit_library_at(enum jit_kind kind, const char *version, const void *code)
{
	struct elfobject o;

	if (jit_forked)
		return known(kind, version, code);
	if (elfobject_at(&o, code) < 0 || !is_kind(kind, &o))
		return NULL;
	return jit_library_of(kind, version, &o);
}

struct jit_library *jit_library_of(enum jit_kind kind, const char *version, const struct elfobject *o)
{
	struct jit_library *l;

	jit_spin_take();
	l = slot_of(kind, version, o);
	jit_spin_release();
	return l;
}
