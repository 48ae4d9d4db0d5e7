/* jit/library/nvvm.h - libNVVM's rules, as jit/engine.c says. THREAD. */
#ifndef JIT_LIBRARY_NVVM_H
#define JIT_LIBRARY_NVVM_H

struct call;

int nvvm_create(struct call *c);
int nvvm_add(struct call *c);
int nvvm_compile(struct call *c);

#endif
