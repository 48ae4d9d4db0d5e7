/* tools/object/debug_strings.c - asks the family whose debug information is known. */
#include "tools/object/debug_strings.h"

#include <string.h>

#include "tools/driver.h"
#include "tools/object/gcc_directory.h"
#include "tools/object/gcc_order.h"
#include "tools/object/line_strings.h"
#include "tools/object/sections.h"

#include "shim/banned.h"

static int is_object(const void *data, size_t n)
{
	return n > 4 && memcmp(data, "\177ELF", 4) == 0;
}

enum line_order debug_strings_order(const struct tool_row *row, const char *name,
                                    const char *directory)
{
	return driver_of(row)->lines ? gcc_order(name, directory) : LINE_ORDER_NONE;
}

int debug_strings_hold(const struct tool_row *row, const void *data, size_t n, const char *name,
                       const char *directory)
{
	struct section lines;

	if (!driver_of(row)->lines)
		return 0;
	if (is_object(data, n))
		return section_named(&lines, data, n, ".debug_line_str") == 0 &&
		       gcc_order_holds(lines.data, lines.len, name, directory);
	return gcc_order_holds_text(data, n, name, directory);
}

int debug_strings_at(const struct tool_row *row, const char *text, size_t n, size_t at)
{
	return driver_of(row)->lines && gcc_order_lists(text, n, at);
}

int debug_strings_exchange(const struct tool_row *row, struct buf *out, const void *product,
                           size_t n)
{
	size_t at = out->len;

	if (!driver_of(row)->lines)
		return -1;
	buf_add(out, product, n);
	if (out->failed)
		return -1;
	return is_object(product, n) ? line_strings_exchange(out->data + at, n)
	                             : gcc_order_exchange((char *)out->data + at, n);
}

int debug_strings_move(const struct tool_row *row, struct buf *out, const void *object, size_t n,
                       const char *from, const char *to)
{
	return driver_of(row)->lines ? gcc_directory_move(out, object, n, from, to) : -1;
}
