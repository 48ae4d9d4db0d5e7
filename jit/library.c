/* jit/library.c - builds of the libraries that are loaded in this process. */
#include "jit/library.h"

#include <locale.h>
#include <string.h>

#include "jit/call.h"
#include "jit/jit.h"
#include "shim/arena.h"
#include "shim/format.h"

#include "shim/banned.h"

/* --- entry points --- */

/* By number. */
static struct jit_library *owner[ENTRY_POINTS];

/* The first of count numbers in a row that no library has, or -1. */
static int free_numbers(int count)
{
	for (int n = 0, run = 0; n < ENTRY_POINTS; n++) {
		run = owner[n] ? 0 : run + 1;
		if (run == count)
			return n - count + 1;
	}
	return -1;
}

/* --- public, in header order --- */

int entry_points_number(struct jit_library *l, int entry)
{
	int count = libraries_count(l->id), first;

	jit_spin_take();
	if (l->first_number < 0) {
		l->first_number = free_numbers(count);
		for (int i = 0; i < count && l->first_number >= 0; i++)
			__atomic_store_n(&owner[l->first_number + i], l, __ATOMIC_RELEASE);
	}
	first = l->first_number;
	jit_spin_release();
	return first < 0 ? -1 : first + entry - libraries_first(l->id);
}

void entry_points_release(struct jit_library *l)
{
	for (int i = 0; i < libraries_count(l->id) && l->first_number >= 0; i++)
		__atomic_store_n(&owner[l->first_number + i], NULL, __ATOMIC_RELEASE);
	l->first_number = -1;
}

struct jit_library *entry_points_find(unsigned number, int *entry)
{
	struct jit_library *l = __atomic_load_n(&owner[number], __ATOMIC_ACQUIRE);

	if (l)
		*entry = libraries_first(l->id) + (int)number - l->first_number;
	return l;
}

/* Majors of nvJitLink's versioned names that are looked for. */
#define MAJOR_FIRST 12
#define MAJOR_LAST 13

/* All under the lock. */
static struct jit_library *libraries; /* newest first */
static struct arena memory;           /* of the records; never freed */
static struct jit_library fresh;      /* too large for the smallest stack of a thread */

static int release_by_function(const struct jit_library *l, const struct elfobject *o)
{
	int (*version)(int *, int *) =
		(int (*)(int *, int *))elfobject_symbol(o, libraries_release(l->id));
	int major = 0, minor = 0;

	return version && version(&major, &minor) == 0 ? major * 100 + minor : 0;
}

/* The library has the functions of every release of its major up to its own. */
static int release_by_names(const struct jit_library *l, const struct elfobject *o)
{
	char name[NAMES_SYMBOL], version[JIT_VERSION];

	for (int major = MAJOR_FIRST; major <= MAJOR_LAST; major++) {
		int minor = 0;

		for (; minor < 100; minor++) {
			format_text(version, sizeof version, "_%d_%d", major, minor);
			names_symbol(name, libraries_first(l->id), version);
			if (!elfobject_symbol(o, name))
				break;
		}
		if (minor)
			return major * 100 + minor - 1;
	}
	return 0;
}

static int release_of(const struct jit_library *l, const struct elfobject *o)
{
	if (*libraries_release(l->id))
		return release_by_function(l, o);
	return *libraries_linked(l->id) ? release_by_names(l, o) : 0;
}

static void describe(struct jit_library *l, enum jit_id id, const char *version,
                     const struct elfobject *o)
{
	memset(l, 0, sizeof *l);
	l->id = id;
	l->first_number = -1;
	format_text(l->version, sizeof l->version, "%s", version);
	l->base = o->base;
	for (size_t i = 0; i < o->build_id_len; i++)
		format_text(l->build + 2 * i, 3, "%x%x", o->build_id[i] >> 4, o->build_id[i] & 15);
	format_text(l->name, sizeof l->name, "%s", o->soname);
	format_text(l->path, sizeof l->path, "%s", o->path);
}

static int is_setlocale(void *ctx, const char *name, const char *version)
{
	(void)ctx;
	(void)version;
	return strcmp(name, "setlocale") == 0;
}

static void find_functions(struct jit_library *l, const struct elfobject *o)
{
	char name[NAMES_SYMBOL];

	for (int i = 0; i < libraries_count(l->id); i++) {
		names_symbol(name, libraries_first(l->id) + i, l->version);
		l->real[i] = elfobject_symbol(o, name);
	}
	l->release = release_of(l, o);
	l->sets_locale = elfobject_wants(o, is_setlocale, NULL);
}

static int is_closed(const struct jit_library *l)
{
	struct elfobject there;

	return elfobject_at(&there, (const void *)l->real[0]) < 0;
}

static struct jit_library *replaced(struct jit_library *l, const struct elfobject *o)
{
	struct jit_library *next = l->next;

	entry_points_release(l);
	find_functions(&fresh, o);
	*l = fresh;
	l->next = next;
	return l;
}

/* Under the lock. */
static struct jit_library *record_of(enum jit_id id, const char *version, const struct elfobject *o)
{
	struct jit_library *l;

	describe(&fresh, id, version, o);
	for (l = libraries; l; l = l->next)
		if (l->id == id && l->base == o->base && strcmp(l->version, version) == 0)
			return strcmp(fresh.build, l->build) != 0 ||
			                       strcmp(fresh.path, l->path) != 0
				       ? replaced(l, o)
				       : l;
	for (l = libraries; l; l = l->next)
		if (is_closed(l))
			return replaced(l, o);
	l = arena_alloc_aligned(&memory, sizeof *l, _Alignof(struct jit_library));
	if (!l)
		return NULL;
	find_functions(&fresh, o);
	*l = fresh;
	l->next = libraries;
	libraries = l;
	return l;
}

static struct jit_library *known(enum jit_id id, const char *version, const void *code)
{
	for (struct jit_library *l = libraries; l; l = l->next)
		for (int i = 0; i < JIT_ENTRIES_MAX; i++)
			if (l->real[i] == code && l->id == id && strcmp(l->version, version) == 0)
				return l;
	return NULL;
}

/* --- public, in header order --- */

struct jit_library *library_at(enum jit_id id, const char *version, const void *code)
{
	struct elfobject o;

	if (jit_forked)
		return known(id, version, code);
	if (elfobject_at(&o, code) < 0 || !libraries_is(id, o.soname))
		return NULL;
	return library_of(id, version, &o);
}

struct jit_library *library_of(enum jit_id id, const char *version, const struct elfobject *o)
{
	struct jit_library *l;

	if (call_prepare() < 0)
		return NULL;
	jit_spin_take();
	l = record_of(id, version, o);
	jit_spin_release();
	return l;
}

struct jit_library *library_unseen(int entry, const char *version, void *code)
{
	enum jit_id id = entry_library(entry);
	int at = entry - libraries_first(id);
	struct jit_library *l;

	if (call_prepare() < 0)
		return NULL;
	jit_spin_take();
	for (l = libraries; l; l = l->next)
		if (l->unseen && l->id == id && strcmp(l->version, version) == 0 &&
		    (!l->real[at] || l->real[at] == code))
			break;
	if (!l && (l = arena_alloc_aligned(&memory, sizeof *l, _Alignof(struct jit_library)))) {
		l->id = id;
		l->unseen = 1;
		l->first_number = -1;
		format_text(l->version, sizeof l->version, "%s", version);
		format_text(l->name, sizeof l->name, "%s", libraries_label(id));
		l->next = libraries;
		libraries = l;
	}
	if (l)
		l->real[at] = code;
	jit_spin_release();
	return l;
}

/* NVRTC 12.1 compiles with the numbers of the C locale, which it leaves set. libc takes no lock for
 * the name. */
int library_changes_locale(const struct jit_library *l)
{
	const char *now = l->sets_locale ? setlocale(LC_NUMERIC, NULL) : "C";

	return !now || strcmp(now, "C") != 0;
}
