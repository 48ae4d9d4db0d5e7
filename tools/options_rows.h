/* tools/options_rows.h - how the tables of options are written, one line an option. */
#ifndef TOOLS_OPTIONS_ROWS_H
#define TOOLS_OPTIONS_ROWS_H

#include "tools/options.h"

#define OPTION(text, shape, value, forward, set, clear) \
	{text, SHAPE_##shape, VALUE_##value, FORWARD_##forward, set, clear},
#define OPTION_TABLE(rows, unknown, operands) \
	{rows, sizeof rows / sizeof *rows, unknown, OPERANDS_##operands}

#endif
