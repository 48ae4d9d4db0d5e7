/* shim/real.c - the next definition of every hooked symbol. The only file that calls dlsym. */
#include "shim/real.h"

#include <dlfcn.h>
#include <string.h>

struct real real;

/* The answer goes through a volatile: with dlsym in tail position gcc -O2 jumps to it, the caller is
 * then whoever called us, and RTLD_NEXT answers for the wrong object: every process crashed at start.
 * scripts/check-symbols.sh looks at what came of it. */
void *real_late(const char *name)
{
	void *volatile answer = dlsym(RTLD_NEXT, name);

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
