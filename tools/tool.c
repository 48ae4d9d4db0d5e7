/* tools/tool.c - the rows of tools.def and the few lists that are searched by program name. */
#include "tools/tool.h"

#include <string.h>


#include "shim/list.h"
#include "tools/drivers/drivers.h"
#include "tools/tool_name.h"

#include "shim/banned.h"

/* libc finds and opens message catalogues and character sets itself, unseen by the trace. */
#define LOCALE_ENV                                                                                \
	"LANG\0LC_ALL\0LC_MESSAGES\0LC_CTYPE\0LANGUAGE\0LOCPATH\0OUTPUT_CHARSET\0GCONV_PATH\0"
/* libc's getopt asks for it: options behind operands are then operands. The other rows parse
 * options themselves, or in order. */
#define GETOPT_ENV "POSIXLY_CORRECT\0"
#define LINK_ENV "LD_RUN_PATH\0GNUTARGET\0LDEMULATION\0LD_STATS\0COLLECT_NO_DEMANGLE\0"
#define INCLUDE_ENV                                                                               \
	"COMPILER_PATH\0LIBRARY_PATH\0CPATH\0C_INCLUDE_PATH\0CPLUS_INCLUDE_PATH\0"                \
	"OBJC_INCLUDE_PATH\0DEPENDENCIES_OUTPUT\0SUNPRO_DEPENDENCIES\0SOURCE_DATE_EPOCH\0"
#define GCC_ENV                                                                                   \
	"LPATH\0GCC_EXEC_PREFIX\0GCC_ROOT\0BINUTILS_ROOT\0GCC_COMPARE_DEBUG\0"                    \
	"GCC_EXTRA_DIAGNOSTIC_OUTPUT\0GCC_COLORS\0GCC_URLS\0COLLECT_AS_OPTIONS\0"
/* CC_PRINT_* and CC_LOG_* make the driver write additional files. */
#define CLANG_ENV                                                                                 \
	"CCC_OVERRIDE_OPTIONS\0OBJCPLUS_INCLUDE_PATH\0CLANG_NO_DEFAULT_CONFIG\0"                  \
	"CLANG_FORCE_COLOR_DIAGNOSTICS\0NO_COLOR\0CC_PRINT_OPTIONS\0"                             \
	"CC_PRINT_OPTIONS_FILE\0CC_PRINT_HEADERS\0CC_PRINT_HEADERS_FILE\0"                        \
	"CC_LOG_DIAGNOSTICS\0CC_LOG_DIAGNOSTICS_FILE\0CC_PRINT_PROC_STAT\0"                       \
	"CC_PRINT_PROC_STAT_FILE\0SDKROOT\0RC_DEBUG_OPTIONS\0"

/* The allocators of cicc and rustc read it before any hook is called, and complain about it. */
#define ALLOCATOR_ENV "MALLOC_CONF\0"

/* Variables that nvcc.profile and nvcc itself ask for (13.0), and the front ends of its steps. */
#define CICC_ENV                                                                                  \
	"EDG_BASE\0EDG_MODULES_PATH\0EDG_SUPPRESS_ASSERTION_LINE_NUMBER\0NOCOLOR\0"                \
	"USR_INCLUDE\0LIBNVVM_DISABLE_CONCURRENT_API\0LLVM_OVERRIDE_PRODUCER\0NVVMCCWIZ\0"         \
	"NVVM_IR_VER_CHK\0NV_NVVM_VERSION\0AS_SECURE_LOG_FILE\0" ALLOCATOR_ENV
#define NVCC_ENV                                                                                  \
	"NVCC_PREPEND_FLAGS\0NVCC_APPEND_FLAGS\0NVCC_CCBIN\0CICC_PATH\0CUDAFE_FLAGS\0"             \
	"INCLUDES\0SYSTEM_INCLUDES\0LIBRARIES\0PTXAS_FLAGS\0OCG_FLAGS\0NVVM_FLAGS\0"               \
	"NVLINK_FLAGS\0NVVMIR_LIBRARY_DIR\0LLVMC_FLAGS\0LLVMDIS_FLAGS\0NVASM_FLAGS\0"              \
	"NVDISASM_FLAGS\0TOP\0_HERE_\0_TARGET_DIR_\0_TARGET_SIZE_\0compiler-bindir\0"              \
	"CAN_FINALIZE_DEBUG\0DUMP_KNOBS_TO_FILE\0CUDA_VISIBLE_DEVICES\0"

static const char locale_env[] = LOCALE_ENV;
static const char gcc_env[] = LOCALE_ENV INCLUDE_ENV GCC_ENV LINK_ENV;
static const char rust_env[] = LOCALE_ENV INCLUDE_ENV GCC_ENV LINK_ENV ALLOCATOR_ENV;
static const char clang_env[] = LOCALE_ENV INCLUDE_ENV CLANG_ENV LINK_ENV;
/* The configuration of AMD's and Intel's drivers: places of libraries, and arguments. */
static const char hip_env[] = LOCALE_ENV INCLUDE_ENV CLANG_ENV LINK_ENV
	"HIP_PATH\0HIP_PLATFORM\0HIP_COMPILER\0HIP_RUNTIME\0HIP_CLANG_PATH\0HIP_LIB_PATH\0"
	"ROCM_PATH\0HSA_PATH\0DEVICE_LIB_PATH\0HIPCC_VERBOSE\0HIPCC_COMPILE_FLAGS_APPEND\0"
	"HIPCC_LINK_FLAGS_APPEND\0HCC_AMDGPU_TARGET\0";
static const char intel_env[] = LOCALE_ENV INCLUDE_ENV CLANG_ENV LINK_ENV
	"CMPLR_ROOT\0ICXCFG\0ICPXCFG\0__INTEL_PRE_CFLAGS\0__INTEL_POST_CFLAGS\0TBBROOT\0"
	"MKLROOT\0IPPROOT\0DPL_ROOT\0";
/* cc, c++ and cpp may be either. */
static const char compiler_env[] = LOCALE_ENV INCLUDE_ENV GCC_ENV CLANG_ENV LINK_ENV;
static const char as_env[] = LOCALE_ENV "SOURCE_DATE_EPOCH\0AS_SECURE_LOG_FILE\0";
static const char ld_env[] = LOCALE_ENV LINK_ENV "COLLECT_GCC_OPTIONS\0SOURCE_DATE_EPOCH\0";
/* Time zone: a verbose listing prints local times. */
static const char ar_env[] = LOCALE_ENV GETOPT_ENV "GNUTARGET\0SOURCE_DATE_EPOCH\0TZ\0";
static const char cicc_env[] = LOCALE_ENV CICC_ENV;
static const char nvlink_env[] = LOCALE_ENV "LIBRARY_PATH\0" CICC_ENV;
/* The variables of the host compiler and of every step below it. */
static const char nvcc_env[] =
	LOCALE_ENV INCLUDE_ENV GCC_ENV CLANG_ENV LINK_ENV CICC_ENV NVCC_ENV;
#define PTXAS_ENV "CAN_FINALIZE_DEBUG\0DUMP_KNOBS_TO_FILE\0"
static const char ptxas_env[] = LOCALE_ENV PTXAS_ENV;
static const char tile_env[] = LOCALE_ENV CICC_ENV PTXAS_ENV;

/* Variables that libc itself asks for in an unknown program. */
#define GENERIC_ENV                                                                               \
	LOCALE_ENV GETOPT_ENV "LC_COLLATE\0LC_NUMERIC\0LC_TIME\0LC_MONETARY\0LC_PAPER\0"          \
			      "LC_NAME\0LC_ADDRESS\0LC_TELEPHONE\0LC_MEASUREMENT\0"               \
			      "LC_IDENTIFICATION\0NLSPATH\0TZ\0TZDIR\0ARGP_HELP_FMT\0"            \
			      "MSGVERB\0SEV_LEVEL\0DATEMSK\0"
static const char generic_env[] = GENERIC_ENV;
static const char nvc_env[] = GENERIC_ENV INCLUDE_ENV LINK_ENV
	"NVHPC\0NVHPC_ROOT\0NVHPC_CUDA_HOME\0NVCOMPILER\0NVLOCALRC\0NVCPFLAGS\0CUDA_HOME\0";

static const struct tool_row rows[] = {
#define TOOL(name, family, flags, env) {name, family, flags, env},
#include "tools/tools.def"
};
static const struct tool_row generic_row = {"generic", FAMILY_GENERIC, TOOL_UNKNOWN, generic_env};
static const struct tool_row declared_row = {
	"generic", FAMILY_GENERIC, TOOL_UNKNOWN | TOOL_DECLARED, generic_env};

/* Names that are short or common words: cc, as, ld, ar. */
static int is_common(const struct tool_row *row)
{
	return row->flags & TOOL_EITHER || row->family == FAMILY_AS || row->family == FAMILY_LD ||
	       row->family == FAMILY_AR;
}

/* clang finds its mode in its name, and skips few additions: clang++.real is clang, whose row
 * stands before those of its modes. */
static const struct tool_row *row_as(const struct tool_row *row, enum tool_name is)
{
	static const char clang[] = "clang";

	while (is == TOOL_NAME_RENAMED && row->family == FAMILY_CLANG &&
	       strncmp(row->name, clang, sizeof clang - 1) == 0 && strcmp(row->name, clang) != 0)
		row--;
	return row;
}

/* The longest name wins: a-b-gcc-ar is gcc-ar, not ar with a prefix. */
const struct tool_row *tool_known(const char *base)
{
	const struct tool_row *best = NULL;
	size_t n = strlen(base), best_len = 0;

	for (size_t at = 0; at < n; at++) {
		if (at && !tool_name_separates(base[at - 1]))
			continue;
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			enum tool_name is;
			size_t len;

			if (rows[i].name[0] != base[at])
				continue;
			len = strlen(rows[i].name);
			if (len > n - at || len <= best_len ||
			    memcmp(base + at, rows[i].name, len) != 0)
				continue;
			is = tool_name_around(base, at, len, is_common(&rows[i]));
			if (is != TOOL_NAME_OTHER) {
				best = row_as(&rows[i], is);
				best_len = len;
			}
		}
	}
	return best;
}

/* The meaning of REPRISE_TOOLS for a base name: +1, +2 with ":names", -1, or 0 for nothing. The
 * last word counts. */
static int setting_says(const char *setting, const char *base, const struct tool_row *row)
{
	int verdict = 0;

	while (setting && *setting) {
		size_t n = strcspn(setting, ",");

		if (n > 1 && (setting[0] == '+' || setting[0] == '-')) {
			static const char declared[] = ":names";
			const char *name = setting + 1;
			size_t len = n - 1, tail = sizeof declared - 1;
			int is_declared = len > tail &&
				memcmp(name + len - tail, declared, tail) == 0;

			len -= is_declared ? tail : 0;

			if ((strlen(base) == len && memcmp(base, name, len) == 0) ||
			    (row && strlen(row->name) == len && memcmp(row->name, name, len) == 0))
				verdict = setting[0] == '-' ? -1 : is_declared ? 2 : 1;
		}
		setting += n + (setting[n] == ',');
	}
	return verdict;
}

const struct tool_row *tool_find(const char *base, const char *tools_setting)
{
	const struct tool_row *row = tool_known(base);
	int verdict = setting_says(tools_setting, base, row);

	if (verdict < 0 || (verdict == 0 && row && row->flags & TOOL_OFF))
		return NULL;
	return row || verdict == 0 ? row : verdict == 2 ? &declared_row : &generic_row;
}

int tool_env_ignored(const struct tool_row *row, const char *name)
{
	static const char always[] =
		"PATH\0TMPDIR\0TMP\0TEMP\0TEMPDIR\0TERM\0LD_PRELOAD\0_\0SHLVL\0OLDPWD\0"
		/* tuning of the allocator */
		"MALLOC_CONF\0_RJEM_MALLOC_CONF\0MALLOC_ARENA_MAX\0";
	/* The number of threads or processes that share the work does not change the result, except
	 * as tools/cmdline/jobserver.h keys. */
	static const char known_tools[] = "MAKEFLAGS\0MFLAGS\0MAKELEVEL\0CARGO_MAKEFLAGS\0";

	if (strncmp(name, "REPRISE_", 8) == 0 || list_has(always, name))
		return 1;
	return row && !(row->flags & TOOL_UNKNOWN) && list_has(known_tools, name);
}

int tool_env_quotes(const char *name)
{
	return strcmp(name, "COLLECT_GCC_OPTIONS") == 0;
}

int tool_is_interpreter(const char *base)
{
	/* make, env and printenv are included: they pass on or print all variables. */
	static const char names[] =
		"sh\0dash\0bash\0rbash\0zsh\0ksh\0ksh93\0mksh\0pdksh\0yash\0ash\0posh\0fish\0csh\0"
		"tcsh\0busybox\0toybox\0rc\0perl\0python\0pypy\0ruby\0lua\0luajit\0php\0node\0"
		"nodejs\0tclsh\0wish\0expect\0guile\0awk\0gawk\0mawk\0nawk\0bwk\0original-awk\0"
		"make\0gmake\0env\0printenv\0java\0R\0Rscript\0julia\0m4\0";
	char stem[32];
	size_t n = strlen(base);

	/* python3.11, perl5.36.0, lua5.4, tclsh8.6, ruby3.1; the list holds ksh93 itself */
	if (list_has(names, base))
		return 1;
	n = tool_name_version_cut(base, n);
	while (n > 0 && ((base[n - 1] >= '0' && base[n - 1] <= '9') || base[n - 1] == '.'))
		n--;
	if (n == 0 || n >= sizeof stem)
		return 0;
	memcpy(stem, base, n);
	stem[n] = '\0';
	return list_has(names, stem);
}

static int is_objcopy(const char *base)
{
	size_t n = tool_name_version_cut(base, strlen(base));

	return n >= 7 && memcmp(base + n - 7, "objcopy", 7) == 0;
}

enum write_style tool_write_style(const char *base)
{
	const struct tool_row *row = tool_known(base);
	size_t n = tool_name_version_cut(base, strlen(base));

	if (row && row->flags & TOOL_RENAMES)
		return WRITE_RENAME;
	if (row && row->flags & TOOL_UNLINKS)
		return WRITE_UNLINK;
	if (n > 5 && memcmp(base, "llvm-", 5) == 0)
		return WRITE_RENAME; /* llvm-objcopy, llvm-strip: FileOutputBuffer */
	if (is_objcopy(base))
		return WRITE_UNLINK;
	/* cc1, cpp, ar, ptxas and other programs that call fopen(path, "w"). */
	return WRITE_TRUNCATE;
}

enum write_style tool_write_style_plain(const char *base)
{
	enum write_style style = tool_write_style(base);

	return style == WRITE_UNLINK ? WRITE_TRUNCATE : style;
}

int tool_minds_output(const char *base)
{
	const struct tool_row *row = tool_known(base);

	return row ? (row->flags & TOOL_READS_OUTPUT) != 0 : !is_objcopy(base);
}

enum real_use tool_real_use(const char *base)
{
	const struct tool_row *row = tool_known(base);

	if (!row || row->flags & (TOOL_EITHER | TOOL_WRITES_MODULES))
		return REAL_ANY;
	if (row->flags & TOOL_LIBCPP)
		return row->family == FAMILY_GCC ? REAL_OPERAND : REAL_SHORTENS;
	return strcmp(row->name, "ld") == 0 || strcmp(row->name, "ld.bfd") == 0 ? REAL_INPUT
	                                                                        : REAL_ANY;
}

int tool_takes_equal_files(const char *base)
{
	const struct tool_row *row = tool_known(base);

	if (!row)
		return *base && strcmp(base, "lto-wrapper") != 0;
	return row->family == FAMILY_CC1 && row->flags & TOOL_LIBCPP;
}

int tool_preprocesses(const char *base)
{
	const struct tool_row *row = tool_known(base);

	return row && (row->family == FAMILY_CLANG ||
	               (row->family == FAMILY_CC1 && row->flags & TOOL_LIBCPP &&
	                !(row->flags & TOOL_WRITES_MODULES)));
}

int tool_assembles(const char *base)
{
	const struct tool_row *row = tool_known(base);

	return row && row->family == FAMILY_AS;
}

/* Not rustc and nvcc: the proxies of rustup and of NVIDIA's SDK have their names. */
static int is_wrapped(const struct tool_row *row)
{
	return row && !(row->flags & TOOL_OFF) &&
	       (row->family == FAMILY_GCC || row->family == FAMILY_CLANG ||
	        row->family == FAMILY_CC1 || row->family == FAMILY_AS ||
	        row->family == FAMILY_LD || row->family == FAMILY_AR);
}

int tool_is_wrapper(const char *base, const char *started, int in_place)
{
	static const char starters[] = "collect2\0" "gcc-ar\0";
	const struct tool_row *row = tool_known(base), *other = tool_known(started);

	if (!row)
		return in_place && is_wrapped(other);
	/* Rust's ld.lld becomes rust-lld, and clang starts itself. */
	return is_wrapped(row) && !list_has(starters, row->name) &&
	       strcmp(started, "rust-lld") != 0 &&
	       (in_place || (row->family != FAMILY_CLANG && other &&
	                     other->family == row->family));
}

int tool_writes_script(const char *base, const char *interpreter)
{
	return strcmp(interpreter, "make") == 0 && strstr(base, "lto-wrapper") != NULL;
}

int tool_asks_driver(const char *base)
{
	return list_has("__nvcc_device_query\0nvptx-arch\0amdgpu-arch\0offload-arch\0", base);
}

int tool_dates_outputs(const struct tool_row *row)
{
	return strcmp(row->name, "cc1plus") == 0;
}

int tool_makes_directories(const struct tool_row *row, const char *path)
{
	return (row->family == FAMILY_GCC || row->family == FAMILY_CC1) && gcc_module_named(path);
}

int tool_ignores_updates(const char *text, size_t n)
{
	static const char said[] = ": `u' modifier ignored since `D' is the default";

	return memmem(text, n, said, sizeof said - 1) != NULL;
}
