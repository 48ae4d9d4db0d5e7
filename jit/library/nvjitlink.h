/* jit/library/nvjitlink.h - nvJitLink's rules, as jit/engine.c says. THREAD. */
#ifndef JIT_LIBRARY_NVJITLINK_H
#define JIT_LIBRARY_NVJITLINK_H

struct call;

int nvjitlink_create(struct call *c);
int nvjitlink_add(struct call *c);
int nvjitlink_compile(struct call *c);

#endif
