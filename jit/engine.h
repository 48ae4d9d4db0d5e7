/* jit/engine.h - a call of a library's function, served.
 *
 * What a function does follows from its role in jit/libraries.def. Roles of creation, inputs and
 * the compile are the library's own rules (jit/rules.h); all others are the same for every library:
 * a product, a log or a name comes from the store on a hit; a call that the stored answers do not
 * cover makes up for the compile first, and is answered by the library. */
#ifndef JIT_ENGINE_H
#define JIT_ENGINE_H

#include <stdint.h>

/* By the entry points alone. THREAD. word: eight. */
int engine_called(unsigned number, const uintptr_t *word);

#endif
