/* judge/object/directory.h - the working directory in debug information, as a name of the start
 * (NAME_KIND_DIRECTORY).
 *
 * Some tools' objects and assembly hold the directory in a form that debug_strings_move() can
 * exchange for any other. So the result is free of it: a replay writes the output of its own
 * directory. THREAD. */
#pragma once

#include "judge/start.h"

/* Makes the working directory a name in this case: the command's driver says that only an output of
 * that form holds it, no argument spells the directory, and the order of strings depends on no
 * other name. To be called when all arguments are spelled. */
void judge_directory_name(struct start *s);
/* 1: the candidate was recorded in another directory, to which its outputs are to be moved. */
int judge_directory_differs(const struct name_list *names, const struct candidate *c);
/* 1: each output of the result but a dependency file, recorded in this start's directory, has the
 * form that can be exchanged. */
int judge_directory_moves(struct start *s, const struct candidate *c, const struct result *r);
/* 1: a source is assembler text, or may hold some. Such a text can refer to strings of debug
 * information, and no object shows it. */
int judge_has_assembly(struct start *s, const struct candidate *c);
/* Appends to out the output for this start's directory. from: the names under which it was
 * recorded. data: its bytes. EXCHANGE_NOT: the output does not hold another directory. */
enum exchange judge_directory_moved(struct start *s, const struct patch_name *from,
                                    size_t from_count, const struct result_output *o,
                                    const void *data, struct buf *out);
