/* cli/forget_show.h - what `reprise forget` shows of a result before it drops it. TOOL. */
#ifndef CLI_FORGET_SHOW_H
#define CLI_FORGET_SHOW_H

#include "cli/cli.h"
#include "cli/json.h"
#include "store/candidate.h"
#include "store/events_read.h"
#include "store/store.h"

/* One candidate of the action, whose manifest entry is the file at path, and its result. list: an
 * array that gets an object; NULL: it is printed. */
void forget_show(struct cli *c, struct store *s, const struct digest *key, const char *path,
                 const struct candidate *candidate, struct json_object *list);
/* By whom the action was recorded, as the last event of a recorded run says. The answer is printed,
 * or added to the objects of list from `first` on. */
void forget_show_maker(const struct events *e, const struct digest *key, struct json_object *list,
                       size_t first);

#endif
