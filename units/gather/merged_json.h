/* units/gather/merged_json.h - checks and merges JSON files of the frameworks. Pure; the bytes may
 * be anything. TOOL. */
#ifndef UNITS_GATHER_MERGED_JSON_H
#define UNITS_GATHER_MERGED_JSON_H

#include "units/gather/unit_files.h"

/* One JSON object as Python writes it, with NaN and Infinity. */
enum check check_json(const void *bytes, size_t n);
/* torch writes max-autotune's timings before it knows whether a choice worked. A process that reads
 * only Infinity for an operation fails without trying. So objects whose numbers are all not finite
 * are left out. 0: there are no such objects; 1: *out is malloc'd text without them; -1: nothing
 * would be left, or no memory. */
int json_prune(const void *bytes, size_t n, char **out, size_t *len);
/* Merges two pruned texts. Members that are objects on both sides are merged. Of other members the
 * newer one counts, but an older finite number wins over a newer number that is not finite.
 * Malloc'd text; NULL: a text is no JSON object, nothing is left, or no memory. */
char *json_merge(const void *older, size_t older_len, const void *newer, size_t newer_len,
                size_t *len);

#endif
