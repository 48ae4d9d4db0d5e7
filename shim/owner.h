/* shim/owner.h - whose process this is: may the object act in it? Constructor only. */
#ifndef SHIM_OWNER_H
#define SHIM_OWNER_H

/* 1: glibc's. An object is called libc.so.6. musl takes that name for its own, and has no such
 * object; so do layers that load glibc's programs with musl. Only glibc passes arguments to
 * constructors: of musl's, registers hold anything. */
int owner_is_glibc(void);
/* 1: a sanitizer's runtime is part of the program, which so has libc functions of its own and a
 * start before all constructors but ours. ThreadSanitizer's cannot be called before that start. */
int owner_is_sanitizer(void);

#endif
