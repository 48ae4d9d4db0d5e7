/* shim/settings/setting_value.h - the table of settings, and the values of each type. Pure. */
#pragma once

#include <stddef.h>

#include "shim/settings/settings.h"

enum setting_type { SETTING_BOOL, SETTING_SIZE, SETTING_PERCENT, SETTING_STRING, SETTING_PATH,
	            SETTING_PATHS, SETTING_LEVEL, SETTING_COMPRESS_MODE, SETTING_EVENTS_MODE,
	            SETTING_NUMBER, SETTING_TIME, SETTING_CLASS_LIST, SETTING_SHARING,
	            SETTING_PROOF_LIST };

struct setting_row {
	const char *name;    /* without REPRISE_ */
	enum setting_type type;
	const char *dflt, *help;
};
extern const struct setting_row setting_rows[SETTING_COUNT];

/* SIGNAL. Returns NULL and sets *number, or returns a description of the type's values. text is not
 * empty. Of a PROOF_LIST with a wrong word, *number holds the others. */
const char *setting_parse(enum setting_type type, const char *text, uint64_t *number);
const char *setting_type_name(enum setting_type type);
/* SIGNAL. The setting whose name is most similar to these n letters, in any case. NULL if no name
 * is similar enough to have been meant. */
const char *setting_nearest(const char *name, size_t n);

/* How far two words are apart, for "did you mean". */

/* Number of letters to insert, remove or replace to turn x, which has n letters, into y. Case does
 * not count. y has at most DISTANCE_MOST letters. Source: Wagner and Fischer, 1974. */
#define DISTANCE_MOST 64
size_t distance(const char *x, size_t n, const char *y);
