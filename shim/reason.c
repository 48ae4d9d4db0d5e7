/* shim/reason.c - reason.def as a table. */
#include "shim/reason.h"

#include "shim/banned.h"

const struct reason_row reason_rows[REASON_COUNT] = {
	{REASON_GROUP_NONE, "", ""},
#define REASON(id, group, name, text, remedy) {REASON_GROUP_##group, name, text},
#include "shim/reason.def"
#undef REASON
};
