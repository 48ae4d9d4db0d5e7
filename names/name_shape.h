/* names/name_shape.h - the shapes of generated names. Pure. THREAD. */
#pragma once

#include <stddef.h>

/* True when text begins like a name that gcc or clang gives to a temporary file: ccXXXXXX, or a
 * stem and "-0a1b2c.". text: len bytes of anything, after a slash. */
int name_is_scratch(const char *text, size_t len);
/* True when a component's token (text of len bytes) has the shape of a generated name. */
int name_is_volatile(const char *text, size_t len);
/* 1: the token has a shape that no program gives to other names, so it counts wherever a path has
 * it: "cmTC_" and five hex digits, a target of CMake's try_compile; ".tmp" and six letters and
 * digits, of Rust's tempfile (uv); "tempfile_" and six, of PoCL; ".mesonpy-" and eight characters,
 * of meson-python; a UUID; a process number and three times "-" and eight hex digits, of deep_jit
 * (DeepGEMM, DeepEP); a name, "_", milliseconds, "_" and a number, of DeepEP;
 * 21 letters and digits of all kinds, of nanoid (uv). */
int name_is_unique(const char *text, size_t len);
/* 1: the token of len bytes at `at` of the path is a name of nanoid, with digits or without, below
 * such a directory of uv's cache: "archive-v0", "sdists-v9". */
int name_is_uv(const char *path, size_t at, size_t len);
/* Bytes of path up to the directory in which CMake runs try_compile, that directory included:
 * ".../CMakeFiles/CMakeTmp", ".../CMakeFiles/CMakeScratch/TryCompile-" and six letters or digits.
 * 0: the path does not lead there. */
size_t name_cmake_len(const char *path);
/* 1: every program spells this text unchanged, since it holds letters, digits and `_ - . / +`
 * alone. */
int name_is_plain(const char *text);
/* Length of "tmpxft_<hex>_<hex>-<count>" at p, where the count is optional; 0 when there is no such
 * text. nvcc goes on with "_<source>.ptx". */
size_t name_xft_len(const char *p, size_t len);
/* Length of the token of a component (len bytes without '/'). The token ends at the component's
 * first dot behind its first byte. It is the complete component for "tmp.XXXXXX", and ends after
 * the second hex number for "tmpxft_<hex>_<hex>". */
size_t name_token(const char *component, size_t len);
