/* jit/linked.c - calls of objects that are linked against a library. */
#include <string.h>

#include "jit/jit.h"
#include "jit/linked.h"
#include "jit/state.h"
#include "shim/format.h"

#include "shim/banned.h"

/* What was found when the loader's list had changed so often. */
static struct known {
	uint64_t changes;
	struct jit_library *library;
} known[2][LINKED_MAJORS][LINKED_MINORS];

static const char soname[][sizeof "libnvJitLink.so."] = {[JIT_NVRTC] = "libnvrtc.so.", [JIT_NVJITLINK] = "libnvJitLink.so."};

static int is_named(void *ctx, const struct elfobject *o)
{
	return strcmp(o->soname, ctx) == 0;
}

/* The object that a reference to this soname means is the first that was loaded under it. */
static struct jit_library *find(enum jit_kind kind, const char *name, const char *version)
{
	struct elfobject o;

	if (elfobject_find(&o, is_named, (void *)name) < 0)
		return NULL;
	return jit_library_of(kind, version, &o);
}

/* Functions that know of no program. */
static int is_harmless(const char *name)
{
	static const char names[][32] = {"nvrtcVersion", "nvrtcGetErrorString", "nvrtcGetNumSupportedArchs", "nvrtcGetSupportedArchs",
	                                 "nvrtcGetPCHHeapSize", "nvrtcSetPCHHeapSize", "nvJitLinkVersion"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return 1;
	return 0;
}

/* "_13_5" and "libnvJitLink.so.13": ours. */
static int is_exported(const struct jit_library *l, const char *version, const char *node)
{
	char name[64], api[JIT_VERSION];

	for (int major = LINKED_MAJOR_FIRST; major < LINKED_MAJOR_FIRST + LINKED_MAJORS; major++) {
		format_text(name, sizeof name, "%s%d", soname[l->kind], major);
		if (strcmp(name, node) != 0)
			continue;
		if (l->kind == JIT_NVRTC)
			return 1;
		for (int minor = 0; minor < LINKED_MINORS; minor++) {
			format_text(api, sizeof api, "_%d_%d", major, minor);
			if (strcmp(api, version) == 0)
				return 1;
		}
	}
	return 0;
}

static int passes_us(void *ctx, const char *name, const char *node)
{
	struct jit_library *l = ctx;
	char version[JIT_VERSION];
	enum jit_kind kind;

	if (!jit_name_might(name) || is_harmless(name))
		return 0;
	if (jit_name(name, &kind, version) < 0)
		return strstr(name, l->kind == JIT_NVRTC ? "nvrtc" : "nvJitLink") != NULL;
	return kind == l->kind && !is_exported(l, version, node);
}

static int reaches_past(void *ctx, const struct elfobject *o)
{
	struct jit_library *l = ctx;

	return elfobject_needs(o, l->name) && elfobject_wants(o, passes_us, l);
}

/* --- public, in header order --- */

struct jit_linked jit_linked(enum jit_kind kind, int major, int minor, int entry)
{
	struct known *k = &known[kind][major - LINKED_MAJOR_FIRST][minor], seen;
	uint64_t changes = jit_forked ? 0 : elfobject_changes();
	char name[32], version[JIT_VERSION] = "", function[64];

	jit_spin_take();
	seen = *k;
	jit_spin_release();
	if (seen.library && (jit_forked || seen.changes == changes))
		return (struct jit_linked){seen.library, NULL};
	format_text(name, sizeof name, "%s%d", soname[kind], major);
	if (kind == JIT_NVJITLINK)
		format_text(version, sizeof version, "_%d_%d", major, minor);
	seen = (struct known){changes, jit_forked ? NULL : find(kind, name, version)};
	if (seen.library) {
		jit_spin_take();
		*k = seen;
		jit_spin_release();
		return (struct jit_linked){seen.library, NULL};
	}
	format_text(function, sizeof function, "%s%s%s", kind == JIT_NVRTC ? "nvrtc" : "__nvJitLink", jit_entry_name(kind, entry), version);
	return (struct jit_linked){NULL, elfobject_loaded(name, function)};
}

int jit_library_passed_by(struct jit_library *l)
{
	uint64_t changes;
	struct elfobject o;

	if (jit_forked)
		return l->passed_by;
	changes = elfobject_changes();
	if (l->changes != changes) {
		l->passed_by = elfobject_find(&o, reaches_past, l) == 0;
		l->changes = changes;
	}
	return l->passed_by;
}
