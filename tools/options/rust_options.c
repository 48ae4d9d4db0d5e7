/* tools/options/rust_options.c - options of rustc (1.63 to 1.95). Ascending by strcmp (a unit test
 * checks). A command with another option runs for real. -C and --emit have words of their own:
 * tools/drivers/rustc.c. */
#include "tools/options/options.h"

#include "shim/banned.h"

static const struct option rustc_rows[] = {
	OPTION("--allow", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--cap-lints", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--cfg", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--check-cfg", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--codegen", EQUAL, ANY, NONE, 0, 0)
	OPTION("--color", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--crate-name", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--crate-type", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--deny", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--diagnostic-width", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--edition", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--emit", EQUAL, ANY, NONE, 0, 0)
	OPTION("--error-format", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--explain", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--extern", EQUAL, ANY, NONE, 0, 0)
	OPTION("--forbid", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--force-warn", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--help", FLAG, LITERAL, NONE, 0, 0)
	OPTION("--json", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--out-dir", EQUAL, ANY, NONE, 0, 0)
	OPTION("--print", EQUAL, ANY, NONE, 0, 0)
	OPTION("--remap-path-prefix", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--sysroot", EQUAL, ANY, NONE, 0, 0)
	OPTION("--target", EQUAL, ANY, NONE, 0, 0)
	OPTION("--test", FLAG, LITERAL, NONE, 0, 0)
	OPTION("--verbose", FLAG, LITERAL, NONE, 0, 0)
	OPTION("--version", FLAG, LITERAL, NONE, 0, 0)
	OPTION("--warn", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-A", BOTH, LITERAL, NONE, 0, 0)
	OPTION("-C", BOTH, ANY, NONE, 0, 0)
	OPTION("-D", BOTH, LITERAL, NONE, 0, 0)
	OPTION("-F", BOTH, LITERAL, NONE, 0, 0)
	OPTION("-L", BOTH, ANY, NONE, 0, 0)
	OPTION("-O", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-V", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-W", BOTH, LITERAL, NONE, 0, 0)
	OPTION("-Z", BOTH, LITERAL, NONE, OPT_BYPASS, 0)
	OPTION("-g", FLAG, LITERAL, NONE, CMD_DEBUG, 0)
	OPTION("-h", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-l", BOTH, LITERAL, NONE, 0, 0)
	OPTION("-o", BOTH, OUTPUT, NONE, 0, 0)
	OPTION("-v", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-vV", FLAG, LITERAL, NONE, 0, 0)
};

const struct option_table options_rustc = OPTION_TABLE(rustc_rows, OPT_BYPASS, PATHS);
