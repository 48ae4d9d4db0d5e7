/* jit/library/nvjitlink.h - nvJitLink's rules, as jit/engine.c says. THREAD. */
#pragma once

struct call;

int nvjitlink_create(struct call *c);
int nvjitlink_add(struct call *c);
int nvjitlink_compile(struct call *c);
