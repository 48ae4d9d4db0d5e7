/* jit/parallel_options.c - compiles that run at once with different options. */
#include "jit/parallel_options.h"

#include <string.h>

#include "jit/state.h"

#include "shim/banned.h"

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
