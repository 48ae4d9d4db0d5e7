/* shim/loader/real.c - the next definition of every hooked symbol. */
#include "shim/loader/real.h"

#include "shim/loader/elfobject.h"

struct real real;
void *(*real_dlsym)(void *, const char *);

void real_find_dlsym(void)
{
	real_dlsym = (void *(*)(void *, const char *))real_late("dlsym");
}

void *real_late(const char *name)
{
	void *found = NULL;

	elfobject_next(name, 1, &found);
	return found;
}

/* musl has no second names since 1.2.4: its loader gives programs that ask for them the first ones.
 * Other hooks of such names do so themselves. */
static void large_names(void)
{
	if (!real.readdir64)
		real.readdir64 = (__typeof__(real.readdir64))real.readdir;
	if (!real.scandir64)
		real.scandir64 = (__typeof__(real.scandir64))real.scandir;
	if (!real.glob64)
		real.glob64 = (__typeof__(real.glob64))real.glob;
}

void real_resolve(void)
{
	static const char names[] = {
#define HOOK(family, ret, name, params) #name "\0"
#include "hooks/hooks.def"
#undef HOOK
	};

	elfobject_next(names, sizeof real / sizeof(void *), (void **)&real);
	large_names();
	if (!real_dlsym)
		real_find_dlsym();
}
