/* shim/owner.h - whose process this is: may the object act in it? Constructor only. */
#ifndef SHIM_OWNER_H
#define SHIM_OWNER_H

/* 1: glibc's. An object is called libc.so.6. musl takes that name for its own, and has no such
 * object; so do layers that load glibc's programs with musl. Only glibc passes arguments to
 * constructors: of musl's, registers hold anything. */
int owner_is_glibc(void);
/* 1: clang linked ThreadSanitizer into the program. Its copies of libc's functions, which the
 * object would call, cannot be called before the sanitizer's own start. */
int owner_is_thread_sanitizer(void);

#endif
