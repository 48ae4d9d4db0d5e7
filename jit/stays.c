/* jit/stays.c - options that stay behind.
 *
 * NVRTC 12.4 to 13.5 goes on with --restrict and --optimization-info of one compile in every later one of the process (12.1 does
 * not), nvJitLink 12.1 with -kernels-used and -variables-used: code that another process, which never gave them, must not
 * be given. tests/long/nvrtc_stays.py asks a library which options do. */
#include "jit/jit.h"

#include "shim/banned.h"

static unsigned given; /* bits of words; no build is told from another */
static const char words[][48] = {"restrict\0", "opt-info\0optimization-info\0", "kernels-used\0variables-used\0"};
#define COUNT (sizeof words / sizeof *words)
/* Of these it matters with what else they were given before. */
#define ADDS_UP (1u << 2)

static unsigned of(int n, const char *const *options)
{
	unsigned found = 0;

	for (int i = 0; i < n; i++)
		for (unsigned k = 0; options[i] && k < COUNT; k++)
			if (jit_mentions(options[i], words[k]))
				found |= 1u << k;
	return found;
}

void stays_note(int n, const char *const *options)
{
	unsigned found = of(n, options);

	if (found)
		__atomic_or_fetch(&given, found, __ATOMIC_RELAXED);
}

int stays_from_others(int n, const char *const *options)
{
	unsigned before = __atomic_load_n(&given, __ATOMIC_RELAXED);

	return before && (before & ~(of(n, options) & ~ADDS_UP)) != 0;
}

int stays_adds_up(int n, const char *const *options)
{
	return (of(n, options) & ADDS_UP) != 0;
}
