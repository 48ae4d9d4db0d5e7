/* hooks/preloaded.c - finds the libraries that others preload, and what they replace. */
#include "hooks/preloaded.h"

#include "shim/kernel/sys.h"
#include "shim/list.h"
#include "shim/loader/elfobject.h"
#include "shim/loader/object.h"
#include "shim/path.h"
#include "shim/settings/settings.h"

/* More libraries are not looked at: what they ask counts as the tool's. */
#define LIBRARIES_MOST 8

#define BIT(family) (1u << PRELOADED_##family)
static const unsigned chance = BIT(clock) | BIT(random);
/* By these it reads or finds a configuration, or asks another process. */
static const unsigned counts = BIT(open) | BIT(stdio) | BIT(stat) | BIT(xstat) | BIT(probe) |
                               BIT(dir) | BIT(socket);

struct library {
	struct elfobject object;
	unsigned replaces;  /* families of which it defines a function */
	/* It replaces no function of any other library, and none that it needs shapes a process. */
	int apart;
};

int preloaded_others;
static struct library libraries[LIBRARIES_MOST];
static char *const *arguments;
/* Threads whose last hooked call came from such a library, each at the place of its number. Fewer
 * threads of a compiler run at once. */
#define THREADS 256
static int passing[THREADS];

static unsigned families_of(const struct elfobject *o)
{
	unsigned found = 0;

#define HOOK(family, ret, name, params) \
	if (!(found & BIT(family)) && elfobject_symbol(o, #name)) \
		found |= BIT(family);
#include "hooks/hooks.def"
#undef HOOK
	return found;
}

/* What an entry of LD_PRELOAD names. The loader may have found it in another directory. */
struct entry {
	const char *text;
	size_t len;
};

static int is_entry(void *ctx, const struct elfobject *o)
{
	const struct entry *e = ctx;
	const char *base = path_base(o->path);

	if (!*o->path || strcmp(o->path, object_path()) == 0)
		return 0;
	if (strlen(o->path) == e->len && memcmp(o->path, e->text, e->len) == 0)
		return 1;
	return !memchr(e->text, '/', e->len) && strlen(base) == e->len &&
	       memcmp(base, e->text, e->len) == 0;
}

static int needs(void *ctx, const struct elfobject *o)
{
	const struct library *l = ctx;

	return o->base != l->object.base &&
	       (elfobject_needs(o, *l->object.soname ? l->object.soname
	                                            : path_base(l->object.path)));
}

static int defines_too(void *ctx, const struct elfobject *o)
{
	const struct library *l = ctx;

	return o->base != l->object.base && elfobject_shares(&l->object, o);
}

/* By these a constructor may shape what the tool does: by its environment, directory or limits. */
static int shapes(void *ctx, const char *name, const char *version)
{
	static const char shaping[] =
		"setenv\0putenv\0unsetenv\0clearenv\0environ\0_environ\0__environ\0chdir\0fchdir\0"
		"chroot\0umask\0setrlimit\0setrlimit64\0prlimit\0prlimit64\0dup\0dup2\0dup3\0";

	return list_has(shaping, name);
}

static void add(const struct entry *e)
{
	struct library *l = &libraries[preloaded_others];
	struct elfobject other;

	if (preloaded_others == LIBRARIES_MOST ||
	    elfobject_find(&l->object, is_entry, (void *)e) < 0 ||
	    elfobject_find(&other, needs, l) == 0)
		return;
	l->replaces = families_of(&l->object);
	l->apart = !l->replaces && !elfobject_wants(&l->object, shapes, NULL) &&
	           elfobject_find(&other, defines_too, l) < 0;
	preloaded_others++;
}

void preloaded_begin(char *const argv[], char *const envp[])
{
	const char *list = env_get(envp, "LD_PRELOAD");

	arguments = argv;
	while (list && *list) {
		struct entry e = {list, strcspn(list, ": ")};

		if (e.len)
			add(&e);
		list += e.len;
		list += strspn(list, ": ");
	}
}

static int asks_for_itself(const struct library *l, enum preloaded_family family)
{
	if (l->apart)
		return !(counts >> family & 1);
	if (chance >> family & 1)
		return !(l->replaces & chance);
	return family == PRELOADED_LOG && !(l->replaces & BIT(stdio));
}

int preloaded_asks(const void *caller, enum preloaded_family family)
{
	int thread = (int)sys_gettid(), *place = &passing[(unsigned)thread % THREADS];

	for (int i = 0; i < preloaded_others; i++) {
		const struct library *l = &libraries[i];
		int itself;

		if (!elfobject_covers(&l->object, caller))
			continue;
		itself = asks_for_itself(l, family);
		__atomic_store_n(place, itself ? 0 : thread, __ATOMIC_RELAXED);
		return itself;
	}
	__atomic_store_n(place, 0, __ATOMIC_RELAXED);
	return 0;
}

/* 1: the argument holds the path, or the path is an operand's name with something behind it. */
static int is_named(const char *argument, const char *path)
{
	const char *dot;
	size_t n;

	if (strstr(argument, path))
		return 1;
	dot = strrchr(path_base(argument), '.');
	n = dot ? (size_t)(dot - argument) : strlen(argument);
	return n && argument[0] != '-' && strncmp(argument, path, n) == 0 &&
	       (path[n] == '.' || path[n] == '-');
}

int preloaded_may_make(const char *path)
{
	int thread = (int)sys_gettid();

	if (__atomic_load_n(&passing[(unsigned)thread % THREADS], __ATOMIC_RELAXED) != thread)
		return 0;
	for (char *const *a = arguments + 1; arguments[0] && *a; a++)
		if (is_named(*a, path))
			return 0;
	return 1;
}
