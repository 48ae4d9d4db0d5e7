/* jit/state.c - state that all of jit/ shares. */
#include "jit/jit.h"

#include <unistd.h>

/* shim/banned.h refuses environ: the only use is here. */
char *const *jit_environment(void)
{
	return environ;
}

#include "shim/banned.h"

int jit_on;
int jit_forked;
int jit_spin;

void jit_after_fork(void)
{
	jit_spin = 0;
	jit_forked = 1;
}
