/* shim/loader/object.h - facts about the object itself, set once by the constructor. */
#pragma once

/* Of every version (Makefile). */
#define OBJECT_SONAME "libreprise.so"

struct dl_phdr_info;
/* SIGNAL. Absolute path of libreprise.so as it was preloaded; "" in programs that link the code. */
const char *object_path(void);
/* SIGNAL. The file name of a library, relative if the loader found it so; NULL for the program, the
 * vdso and this object. */
const char *object_library(const struct dl_phdr_info *info);
/* Constructor only: finds the object. */
void object_locate(void);

/* Whose process this is: may the object act in it? Constructor only. */

/* 1: glibc's. An object is called libc.so.6. musl takes that name for its own, and has no such
 * object; so do layers that load glibc's programs with musl. Only glibc passes arguments to
 * constructors: of musl's, registers hold anything. */
int owner_is_glibc(void);
/* 1: a sanitizer's runtime is part of the program, which so has libc functions of its own and a
 * start before all constructors but ours. ThreadSanitizer's cannot be called before that start. */
int owner_is_sanitizer(void);
