/* hooks/caller.c - walks the stack to the object that asks, by the unwinder that the tool itself
 * has loaded: this object has none. */
#include "hooks/caller.h"

#include <link.h>
#include <string.h>
#include <unwind.h>

#include "shim/kernel/exe.h"
#include "shim/loader/elfobject.h"
#include "shim/path.h"

/* From std's random bytes up to a macro's code there were up to 6 frames (1.63, debug). */
#define FRAMES_MOST 64

int caller_matters;

/* Objects of the program's start. None is ever unloaded, and the loader lists them first. */
static unsigned objects;
static __typeof__(_Unwind_Backtrace) *backtrace;
static __typeof__(_Unwind_GetIP) *frame_address;

struct walk {
	struct caller caller;
	int frames;
};
struct place {
	uintptr_t at;
	unsigned n, object; /* object: its place in the loader's list + 1 */
	const char *path;
};

static int holds(const struct dl_phdr_info *info, uintptr_t at)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_LOAD && at - (info->dlpi_addr + h->p_vaddr) < h->p_memsz)
			return 1;
	}
	return 0;
}

static int find(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct place *p = ctx;

	p->n++;
	if (!holds(info, p->at))
		return 0;
	p->object = p->n;
	p->path = info->dlpi_name;
	return 1;
}

static int count(struct dl_phdr_info *info, size_t size, void *ctx)
{
	++*(unsigned *)ctx;
	return 0;
}

/* rustc 1.63 shares the standard library with the macros that it loads. rustc 1.95 and its macros
 * hold a copy each. */
static int is_std(const struct place *p)
{
	static const char name[] = "libstd-";

	return p->object <= objects &&
	       strncmp(path_base(p->path), name, sizeof name - 1) == 0;
}

/* This object, and libc: they pass a call on. */
static int passes_on(const struct place *p)
{
	static const char name[] = "libc.so";
	struct place own = {.at = (uintptr_t)&caller_begin};

	if (strncmp(path_base(p->path), name, sizeof name - 1) == 0)
		return p->object <= objects;
	dl_iterate_phdr(find, &own);
	return p->object == own.object;
}

static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *ctx)
{
	struct walk *w = ctx;
	/* a call may be a function's last instruction */
	struct place p = {.at = (uintptr_t)frame_address(context) - 1};

	dl_iterate_phdr(find, &p);
	if (!p.object)
		return _URC_END_OF_STACK;
	if (is_std(&p))
		w->caller.shared = 1;
	else if (!passes_on(&p)) {
		w->caller.guest = p.object > objects ? p.path : "";
		return _URC_END_OF_STACK;
	}
	return ++w->frames < FRAMES_MOST ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void caller_begin(void)
{
	static const char names[] = "_Unwind_Backtrace\0_Unwind_GetIP";
	void *found[2] = {NULL, NULL};
	char exe[PATH_SIZE];

	if (exe_path(exe, sizeof exe) <= 0 || !chance_by_caller(path_base(exe)))
		return;
	elfobject_next(names, 2, found);
	backtrace = (__typeof__(backtrace))found[0];
	frame_address = (__typeof__(frame_address))found[1];
	objects = 0;
	dl_iterate_phdr(count, &objects);
	caller_matters = 1;
}

struct caller caller_find(void)
{
	struct walk w = {.caller.guest = "?"};
	int saved = errno;

	if (backtrace && frame_address)
		backtrace(frame, &w);
	errno = saved;
	return w.caller;
}

/* Records that a tool asks for time or random bytes. */

/* Threads keep the numbers for their hash tables. Macros run on another thread than the first. */
static const char *shared_seed(const char *what, const struct caller *c)
{
	if (!c->shared || strcmp(what, CHANCE_SEED) != 0)
		return what;
	return *c->guest || sys_gettid() != sys_getpid() ? CHANCE_SHARED_SEED : what;
}

static int is_recorded(enum chance_kind kind, const char *what)
{
	struct caller c = caller_find();
	const char *as = shared_seed(what, &c);

	if (!*c.guest && as == what)
		return 0;
	trace_text(TRACE_CHANCE, 0, as, c.guest, kind);
	return 1;
}

void chance_event(enum chance_kind kind, const char *what, int *told)
{
	if ((caller_matters && is_recorded(kind, what)) || __atomic_load_n(told, __ATOMIC_RELAXED))
		return;
	trace_text(TRACE_CHANCE, 0, what, "", kind);
	__atomic_store_n(told, 1, __ATOMIC_RELEASE);
}

void chance_opened(const char *path)
{
	is_recorded(CHANCE_RANDOM, path);
}
