/* tools/chance_library.c - procedural macros that keep their random bytes out of what they make. */
#include "tools/chance_library.h"

#include <string.h>

#include "shim/path.h"
#include "tools/list.h"
#include "tools/tool.h"

#include "shim/banned.h"

/* Crates that look things up in hash tables and never walk them, as their sources show:
 * serde_derive 1.0 (bound.rs), thiserror-impl 1.0 and 2.0 (fmt.rs). */
static const char looks_up[] = "serde_derive\0" "thiserror_impl\0";

int chance_by_caller(const char *program)
{
	const struct tool_row *row = tool_known(program);

	return row && row->family == FAMILY_RUSTC;
}

int chance_library_harmless(const char *path, const char *what)
{
	static const char prefix[] = "lib";
	const char *base = path_base(path);

	if (strcmp(what, CHANCE_SEED) != 0 || strncmp(base, prefix, sizeof prefix - 1) != 0)
		return 0;
	base += sizeof prefix - 1; /* serde_derive-1f2e3d4c.so */
	return list_has_n(looks_up, base, strcspn(base, "-."));
}
