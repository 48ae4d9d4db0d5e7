/* tools/drivers/own_assembler.h - compilers that assemble in their own process, and which files
 * only their assembler opened.
 *
 * `.incbin` and `.include` in an asm statement make the assembler read a file, and then each byte
 * of it counts. No search for these words can be complete: macros, escapes and pieces of strings
 * make them, too. The trace shows the file. clang asks for the real name of each source and header
 * directly after it opened it (openFileForRead of LLVM's real file system). Its assembler does not
 * (SourceMgr::OpenIncludeFile), up to LLVM 21; seen with 14, 16 and 19. From LLVM 22 on the
 * assembler opens files as the preprocessor does. Pure code. THREAD. */
#ifndef TOOLS_DRIVERS_OWN_ASSEMBLER_H
#define TOOLS_DRIVERS_OWN_ASSEMBLER_H

/* 1: a program with this base name assembles in its own process. */
int own_assembler_in(const char *program);
/* The release of clang whose own headers the path belongs to (lib/clang/14.0.6/include), or 0. */
unsigned own_assembler_release(const char *path);
/* 1: of this release it is known that what only its assembler opened can be told apart. 0 is no
 * release. */
int own_assembler_shows(unsigned release);

#endif
