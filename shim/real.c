/* shim/real.c - the next definition of every hooked symbol. The only file that calls dlsym. */
#include "shim/real.h"

#include <dlfcn.h>

struct real real;

/* The answer goes through a volatile: with dlsym in tail position gcc -O2 jumps to it, the caller is
 * then whoever called us, and RTLD_NEXT answers for the wrong object: every process crashed at start.
 * scripts/check-symbols.sh looks at what came of it. */
void *real_late(const char *name)
{
	void *volatile answer = dlsym(RTLD_NEXT, name);

	return answer;
}

void real_resolve(void)
{
#define HOOK(family, ret, name, params) real.name = real_late(#name);
#include "hooks/hooks.def"
#undef HOOK
}
