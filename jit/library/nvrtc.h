/* jit/library/nvrtc.h - NVRTC's rules, as jit/engine.c says. THREAD. */
#pragma once

struct call;

int nvrtc_create(struct call *c);
int nvrtc_add(struct call *c);
int nvrtc_compile(struct call *c);
