/* shim/reason.h - the reasons of reason.def as an enum and a table. */
#pragma once

enum reason_group { REASON_GROUP_NONE, REASON_GROUP_MISS, REASON_GROUP_BYPASS,
                    REASON_GROUP_UNSTORED,
	            REASON_GROUP_ERROR };
enum reason {
	REASON_NONE,
#define REASON(id, group, name, text, remedy) REASON_##id,
#include "shim/reason.def"
#undef REASON
	REASON_COUNT
};
struct reason_row {
	enum reason_group group;
	char name[20], text[92];
};
/* Indexed by enum reason; row 0 is empty strings. */
extern const struct reason_row reason_rows[REASON_COUNT];
