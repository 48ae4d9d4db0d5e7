/* units/scope/native_scope.h - what a module in C that this process compiles for itself is made
 * for.
 *
 * Triton compiles C for the host and loads it: the functions of a driver, and launchers of kernels.
 * Its key covers the source, and since 3.8 names of directories. It does not cover what the object
 * depends on: libc, Python, Triton's headers, the compiler and libcuda. They are the scope:
 *
 *   machine=x86_64 libc=<hex> python=<hex> triton=<hex> compiler=<hex> libcuda=<hex or none>
 *
 * A library counts by its size and its first NATIVE_HEAD bytes. There an ELF object has its build
 * id, its symbols and their versions, which is all that a linker takes from a library.
 *   libc, python, triton  the loaded objects; also the program, Triton's __init__.py, which holds
 *                         the version, and the headers of its drivers
 *   compiler              units/scope/native_compiler.h
 *   libcuda               all that Triton may link: in TRITON_LIBCUDA_PATH, else where the
 *                         loader's cache has libcuda.so.1, else in LD_LIBRARY_PATH
 *
 * Reads /proc/self/maps, since the loader's lock may be held for ever in a process made by fork.
 * THREAD; not in a vfork child. */
#ifndef UNITS_SCOPE_NATIVE_SCOPE_H
#define UNITS_SCOPE_NATIVE_SCOPE_H

#include "shim/arena.h"
#include "shim/buf.h"

/* Appends the text. 0, or -1 with *why: Triton is not loaded, a file cannot be read, or
 * the compiler is not judged. */
int native_scope(struct buf *b, char *const envp[], struct arena *a, const char **why);

#endif
