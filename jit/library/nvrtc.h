/* jit/library/nvrtc.h - NVRTC's rules, as jit/engine.c says. THREAD. */
#ifndef JIT_LIBRARY_NVRTC_H
#define JIT_LIBRARY_NVRTC_H

struct call;

int nvrtc_create(struct call *c);
int nvrtc_add(struct call *c);
int nvrtc_compile(struct call *c);

#endif
