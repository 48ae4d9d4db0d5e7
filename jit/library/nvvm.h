/* jit/library/nvvm.h - libNVVM's rules, as jit/engine.c says. THREAD. */
#pragma once

struct call;

int nvvm_create(struct call *c);
int nvvm_add(struct call *c);
int nvvm_compile(struct call *c);
