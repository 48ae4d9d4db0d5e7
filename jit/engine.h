/* jit/engine.h - a call of a library's function, served.
 *
 * What a function does follows from its role in jit/libraries.def. For creation, inputs and the
 * compile the library has rules of its own (jit/engine.c). All other roles are the same for every
 * library. On a hit a product, a log or a name comes from the store. If the stored answers do not
 * cover a call, the engine first compiles for real, and the library answers. */
#ifndef JIT_ENGINE_H
#define JIT_ENGINE_H

#include <stdint.h>

/* By the entry points alone. THREAD. word: eight. */
int engine_called(unsigned number, const uintptr_t *word);

#endif
