/* cli/reasons.c - finds reasons by their names. */
#include "cli/reasons.h"

#include <string.h>

#include "shim/reason.h"

static int find_reason(const char *name)
{
	for (int i = 1; i < REASON_COUNT; i++)
		if (strcmp(reason_rows[i].name, name) == 0)
			return i;
	return 0;
}

const char *reason_text(const char *reason)
{
	int i = find_reason(reason);

	return i ? reason_rows[i].text : NULL;
}

const char *reason_remedy(const char *reason)
{
	static const char *const remedies[] = {
		NULL,
#define REASON(id, group, name, text, remedy) remedy,
#include "shim/reason.def"
#undef REASON
	};

	return remedies[find_reason(reason)];
}
