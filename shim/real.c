/* shim/real.c - the next definition of every hooked symbol. */
#include "shim/real.h"

#include "shim/elfobject.h"

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

void real_resolve(void)
{
	static const char names[] = {
#define HOOK(family, ret, name, params) #name "\0"
#include "hooks/hooks.def"
#undef HOOK
	};

	elfobject_next(names, sizeof real / sizeof(void *), (void **)&real);
	if (!real_dlsym)
		real_find_dlsym();
}
