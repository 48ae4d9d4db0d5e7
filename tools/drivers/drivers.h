/* tools/drivers/drivers.h - what the drivers say beside the members of tools/driver.h. Pure code.
 * THREAD. */
#pragma once

#include <stddef.h>

#include "names/patch.h"
#include "tools/cmdline/cmdline.h"
#include "tools/driver.h"

/* --- ar.c: its command line and its archives --- */

/* True when an archive holds a member with a time. Its ar does not default to D, so its bytes
 * depend on more than its members' content: it must not be stored. */
int cmdline_archive_has_times(const void *data, size_t n);
/* ar's command line is letters and places, not options. */
void cmdline_classify_ar(struct cmdline *c);

/* --- gcc.c: what clang's driver shares with gcc's --- */

/* The member `fact` of a driver. */
unsigned driver_gcc_fact(const struct tool_row *row, const struct cmdline *c, int i);
/* The member `reach` of a driver (tools/driver.h) for the options of gcc. */
unsigned driver_gcc_reach(const struct tool_row *row, const struct cmdline *c, enum name_role role);
/* driver_reach_mapped(), of clang as well. */
unsigned driver_gcc_reach_mapped(const struct tool_row *row, const struct cmdline *c,
                                 enum name_role role);
/* driver_has_steps() */
int driver_gcc_has_steps(const struct tool_row *row, const struct cmdline *c);

/* --- gcc_failure.c: what gcc prints when its input is wrong --- */

/* The member `fails_by_input` of gcc's driver (tools/driver.h). */
int gcc_failure(int status, const char *text, size_t n);

/* --- gcc_modules.c ---
 *
 * Compiled modules of g++ (-fmodules-ts): gcm.cache/m.gcm, or where a file of -fmodule-mapper=
 * says.
 *
 * g++ writes the time at which it made a module into the module's README section, for people, and
 * asks for local time once for each. No other part of the module and no reader depends on it. */

/* 1: an output is such a module, and has its local time in its README. */
int gcc_module_is_dated(const void *data, size_t n);
/* g++ makes the directories of an output with this name, unless it is absolute. */
int gcc_module_named(const char *path);
/* 1: the value of -fmodule-mapper= is a file. 0: it is, or may be, a program, a descriptor or an
 * address. */
int gcc_module_mapper_is_file(const char *value);

/* --- link.c: linker options that let no name into the output --- */

/* Argument i (-Wl,a,b or the value behind -Xlinker) holds only such options. */
int link_plain(const struct cmdline *c, int i);

/* 1: the output may hold its own name. */
int link_enters_output(const void *data, size_t n);

/* --- nvcc.c ---
 *
 * The hash that cudafe++ and cicc make of a source's path. It is the CRC-32 (of zlib and Ethernet)
 * of the real, absolute path, as eight hexadecimal digits.
 *
 * It is in the module id and in names of symbols that are local to a source:
 * _GLOBAL__N__6092a716_5_s2_cu__Z1fPf, __nv_static_24__6092a716_... (seen with nvcc 13.0 and 13.5;
 * --orig_src_path_name of `nvcc --dryrun` is the path). If a release hashed otherwise, nothing
 * would be found in its objects, and they would be bound as before. */

/* Whether a source with this name has a hash. */
int module_hash_covers(const char *path);
void module_hash(char out[SOURCE_HASH + 1], const char *path);

/* --- nvcc.c: cudafe++, cicc, fatbinary and nvlink, which nvcc starts --- */

/* The result depends on these names only where it spells them. */
int nvcc_step_names_free(const struct cmdline *c, const struct patch_name *names, size_t count);

/* --- clang.c: compilers that assemble in their own process ---
 *
 * Compilers that assemble in their own process, and which files only their assembler opened.
 *
 * `.incbin` and `.include` in an asm statement make the assembler read a file, and then each byte
 * of it counts. No search for these words can be complete: macros, escapes and pieces of strings
 * make them, too. The trace shows the file. clang asks for the real name of each source and header
 * directly after it opened it (openFileForRead of LLVM's real file system). Its assembler does not
 * (SourceMgr::OpenIncludeFile), up to LLVM 21; seen with 14, 16 and 19. From LLVM 22 on the
 * assembler opens files as the preprocessor does. */

/* 1: a program with this base name assembles in its own process. */
int own_assembler_in(const char *program);
/* The release of clang whose own headers the path belongs to (lib/clang/14.0.6/include), or 0. */
unsigned own_assembler_release(const char *path);
/* 1: of this release it is known that what only its assembler opened can be told apart. 0 is no
 * release. */
int own_assembler_shows(unsigned release);

/* --- rustc.c: what rustc's arguments say beside its option table --- */

/* Why the classified command runs for real, or NULL. */
const char *rustc_refuses(const struct cmdline *c);
/* The command may write this path (spelled as in the trace), though no argument names it. */
int rustc_writes(const struct cmdline *c, const char *path);
