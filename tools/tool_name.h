/* tools/tool_name.h - what may be around a tool's name in the name of a program.
 *
 * Toolchains, and people who wrap a compiler, rename the program: x86_64-linux-gnu-gcc-12,
 * gcc-real, gcc.orig, .gcc-wrapped, clang-19.bin. Other programs have names of the same form
 * (gcc-nm, clang-format, ld-linux.so, spirv-as, cc65), and more of them come with each release. So
 * what is around the name is a target, a version, or a word of a closed list. Pure code. THREAD. */
#pragma once

#include <stddef.h>

/* How a base name spells a tool's name. */
enum tool_name { TOOL_NAME_OTHER, TOOL_NAME_VERSION, TOOL_NAME_RENAMED };
/* at, len: where the tool's name stands in base. A prefix of a target and a suffix of a version
 * count as TOOL_NAME_VERSION. common: the tool's name is short, or a common word, so less may be
 * around it. */
enum tool_name tool_name_around(const char *base, size_t at, size_t len, int common);
/* The byte sets words of a base name apart. */
static inline int tool_name_separates(char c)
{
	return c == '-' || c == '.' || c == '_';
}
/* n without a version suffix at the end of s[0..n): -12, -14.2, -13.1.0. */
size_t tool_name_version_cut(const char *s, size_t n);
