/* judge/object/object_names.h - generated names in the debug information of the objects of a link.
 *
 * Isolated builds compile in directories with random names, so each build has other objects.
 * THREAD. */
#pragma once

#include "judge/start.h"

/* Takes the names in the objects of a link out of the key, where the order of the linked strings
 * does not depend on them. To be called after a look-up has failed: it reads all objects. 1: the
 * start is to be keyed again by action_key(). */
int judge_object_names(struct start *s);

/* Shows that a link holds the names in its objects unchanged. THREAD.
 * */

/* 1: the output may be exchanged to other names in its objects (tools/object/objects.h): it holds
 * them in debug information alone, and a build id that is known. */
int judge_object_link(struct start *s, const struct candidate *c, const struct result *r);

/* 1: name i of the start is the order of strings in the objects (start.lines). */
int judge_object_order(const struct input_text *text, struct line_strings *lines, unsigned kind,
                       unsigned index);
/* 1: the output can be computed for another order (tools/object/line_strings.h). */
int judge_object_lines(struct line_strings *lines, struct arena *arena, const struct result *r);
/* Where a linked file gets other names of objects: enters the names `to` in the place of the
 * recorded ones, their strings in the new order, and its build id anew. */
enum exchange judge_object_exchange(struct start *s, const struct patch_name *from,
                                    size_t from_count, const struct patch_name *to,
                                    const struct result_output *o, void *data);
