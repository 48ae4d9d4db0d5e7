/* shim/real.c - the next definition of every hooked symbol. */
#include "shim/real.h"

#include <dlfcn.h>
#include <string.h>

#include "shim/elfobject.h"

struct real real;
void *(*real_dlsym)(void *, const char *);

void real_find_dlsym(void)
{
	real_dlsym = (void *(*)(void *, const char *))elfobject_next("dlsym");
}

/* The answer goes through a volatile: with dlsym in tail position gcc -O2 jumps to it, the caller is
 * then whoever called us, and RTLD_NEXT answers for the wrong object: every process crashed at start. */
void *real_late(const char *name)
{
	void *volatile answer;

	if (!real_dlsym)
		real_find_dlsym();
	answer = real_dlsym ? real_dlsym(RTLD_NEXT, name) : NULL;
	return answer;
}

/* A loop: a call written out for each would be 5 KB of code that every process of a job reads from memory once. */
void real_resolve(void)
{
	static const char names[] = {
#define HOOK(family, ret, name, params) #name "\0"
#include "hooks/hooks.def"
#undef HOOK
	};
	void **to = (void **)&real;

	for (const char *name = names; *name; name += strlen(name) + 1)
		*to++ = real_late(name);
}
