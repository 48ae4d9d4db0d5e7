/* tools/options/gcc_options.c - options of gcc and clang. */
#include <string.h>

#include "tools/options/options.h"

#include "shim/banned.h"

static const struct option gcc_rows[] = {
#include "tools/options/gcc_options.def"
};

/* Options of cc1, cc1plus and clang -cc1, beside or instead of the driver's. -Wp, and
 * -Xpreprocessor reach them too (-Wp,-MD,x takes a file where -MD takes none). */
static const struct option cc1_rows[] = {
	OPTION("-MD", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("-MMD", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("-add-plugin", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-auxbase", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-auxbase-strip", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-coverage-data-file", EQUAL, OUTPUT, NONE, CMD_COVERAGE, 0)
	OPTION("-coverage-notes-file", EQUAL, OUTPUT, NONE, CMD_COVERAGE, 0)
	OPTION("-debug-info-kind=", JOINED, LITERAL, NONE, OPT_STICKY_DEBUG, 0)
	OPTION("-dependency-file", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("-diagnostic-log-file", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-dwarf-debug-flags", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-emit-header-module", FLAG, LITERAL, NONE, CMD_PCH | OPT_BOUND, 0)
	OPTION("-emit-header-unit", FLAG, LITERAL, NONE, CMD_PCH | OPT_BOUND, 0)
	OPTION("-emit-llvm-bc", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-emit-module", FLAG, LITERAL, NONE, CMD_PCH, 0)
	OPTION("-emit-module-interface", FLAG, LITERAL, NONE, CMD_PCH | OPT_BOUND, 0)
	OPTION("-emit-obj", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-emit-pch", FLAG, LITERAL, NONE, CMD_PCH, 0)
	OPTION("-fdebug-compilation-dir=", JOINED, LITERAL, NONE, 0, 0)
	OPTION("-ferror-limit", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-header-include-file", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-include-pch", SEPARATE, INPUT, NONE, OPT_USES_PCH, 0)
	OPTION("-internal-externc-isystem", SEPARATE, ANY, NONE, 0, 0)
	OPTION("-internal-isystem", SEPARATE, ANY, NONE, 0, 0)
	OPTION("-load", SEPARATE, INPUT, NONE, CMD_DUMP, 0)
	OPTION("-main-file-name", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-mrelocation-model", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-opt-record-file", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-pic-level", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-plugin", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-quiet", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-resource-dir", EQUAL, ANY, NONE, 0, 0)
	OPTION("-serialize-diagnostic-file", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-split-dwarf-file", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-split-dwarf-output", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-stack-usage-file", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-target-cpu", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-target-feature", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-target-linker-version", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-triple", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-tune-cpu", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-version", FLAG, LITERAL, NONE, OPT_BOUND | CMD_SHOWS_MEMORY, 0)
};

const struct option_table options_gcc = OPTION_TABLE(gcc_rows, OPT_BOUND, PATHS);
const struct option_table options_cc1 = OPTION_TABLE(cc1_rows, OPT_BOUND, PATHS);
