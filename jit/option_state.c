/* jit/option_state.c - options that affect later compiles of the process. */
#include "jit/option_state.h"

#include <stddef.h>

#include "jit/names.h"

#include "shim/banned.h"

/* Words of one bit each. One set for all builds: what one build was given counts for the others as
 * well. */
static const char words[][48] = {"restrict\0", "opt-info\0optimization-info\0",
                                 "kernels-used\0variables-used\0"};
#define COUNT (sizeof words / sizeof *words)
/* An option of this word is added to the earlier ones of its kind. */
#define ADDS_UP (1u << 2)
static unsigned given;

static unsigned bits_of(int n, const char *const *options)
{
	unsigned found = 0;

	for (int i = 0; i < n; i++)
		for (unsigned k = 0; options[i] && k < COUNT; k++)
			if (names_mention(options[i], words[k]))
				found |= 1u << k;
	return found;
}

void option_state_note(int n, const char *const *options)
{
	unsigned found = bits_of(n, options);

	if (found)
		__atomic_or_fetch(&given, found, __ATOMIC_RELAXED);
}

int option_state_affects(int n, const char *const *options)
{
	unsigned before = __atomic_load_n(&given, __ATOMIC_RELAXED);

	return before && (before & ~(bits_of(n, options) & ~ADDS_UP)) != 0;
}

int option_state_adds_up(int n, const char *const *options)
{
	return (bits_of(n, options) & ADDS_UP) != 0;
}
