/* judge/names.h - the names of a start (keying/names.h), which it learns in this order:
 *
 *   1. judge_names_begin()    bases of variables and settings; the tool's own name
 *   2. judge_names_command()  the directories of CMake's try_compile and of prefix maps
 *   3. judge_names_text()     TMPDIR, and the directory of the only source
 *   4. the key's arguments    files of the command (action/key_files.h) and generated names, both
 *                             numbered as they come
 *   5. judge_directory_name() the working directory
 *   6. judge_names()          closes the list: from now on no name is new
 *
 * Steps 1 to 3 come before any name is spelled. A library's compile (jit/) has no step 2, and
 * names_source() alone in step 3. THREAD. */
#ifndef JUDGE_NAMES_H
#define JUDGE_NAMES_H

#include "judge/start.h"

/* When the start has its working directory. */
void judge_names_begin(struct start *s);
/* When the command is classified. Sets CMD_MAPS_DEBUG and CMD_MAPS_MACRO. */
void judge_names_command(struct start *s);
/* When the command's texts are read. */
void judge_names_text(struct start *s);
/* Puts the names in one list. 0, or -1: no memory. */
int judge_names(struct start *s);

#endif
