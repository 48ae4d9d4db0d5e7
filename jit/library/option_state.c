/* jit/library/option_state.c - options that affect later compiles of the process. */
#include "jit/library/option_state.h"

#include <string.h>

#include "jit/jit.h"
#include "jit/symbols.h"

#include "shim/banned.h"

/* --- parallel options --- */

/* For all libraries together. Used under the lock. */
static struct {
	unsigned running;
	uint64_t mixed; /* times that options differed */
	struct digest options;
} now;

uint64_t parallel_options_begin(const struct program *p)
{
	struct digest_state s;
	struct digest d;
	uint64_t mixed;

	digest_init_as(&s, DIGEST_XXH3);
	for (int i = 0; i < p->option_count; i++)
		digest_add(&s, p->options[i], strlen(p->options[i]) + 1);
	digest_final(&s, &d);
	jit_spin_take();
	mixed = now.mixed;
	if (!now.running++)
		now.options = d;
	else if (!digest_equal(&now.options, &d))
		now.mixed++;
	jit_spin_release();
	return mixed;
}

int parallel_options_end(uint64_t begun)
{
	int alone;

	jit_spin_take();
	now.running--;
	alone = now.mixed == begun;
	jit_spin_release();
	return alone;
}

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
