/* keying/tool.c - the rows of tools.def and the few lists that go by program name. */
#include "keying/tool.h"

#include <string.h>

#define TRIPLET_WORDS_MIN 2 /* nvptx-none-gcc; one word (musl-gcc, c99-gcc) is a wrapper script */
#define TRIPLET_WORDS_MAX 5 /* x86_64-pc-linux-gnu, x86_64-conda-linux-gnu and one to spare */

/* Message catalogues and character sets are opened inside libc, unseen by the trace. */
#define LOCALE_ENV "LANG", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANGUAGE"
#define LINK_ENV "LD_RUN_PATH", "GNUTARGET", "LDEMULATION", "COLLECT_NO_DEMANGLE"
#define INCLUDE_ENV                                                                                \
	"COMPILER_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",          \
		"OBJC_INCLUDE_PATH", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES",                 \
		"SOURCE_DATE_EPOCH"
#define GCC_ENV                                                                                    \
	"LPATH", "GCC_EXEC_PREFIX", "GCC_ROOT", "BINUTILS_ROOT", "GCC_COMPARE_DEBUG",              \
		"GCC_EXTRA_DIAGNOSTIC_OUTPUT", "GCC_COLORS", "GCC_URLS", "COLLECT_AS_OPTIONS"
/* CC_PRINT_* and CC_LOG_* make the driver write files of their own. */
#define CLANG_ENV                                                                                  \
	"CCC_OVERRIDE_OPTIONS", "OBJCPLUS_INCLUDE_PATH", "CLANG_NO_DEFAULT_CONFIG",                \
		"CLANG_FORCE_COLOR_DIAGNOSTICS", "NO_COLOR", "CC_PRINT_OPTIONS",                   \
		"CC_PRINT_OPTIONS_FILE", "CC_PRINT_HEADERS", "CC_PRINT_HEADERS_FILE",              \
		"CC_LOG_DIAGNOSTICS", "CC_LOG_DIAGNOSTICS_FILE", "CC_PRINT_PROC_STAT",             \
		"CC_PRINT_PROC_STAT_FILE", "SDKROOT", "RC_DEBUG_OPTIONS"

static const char *const locale_env[] = {LOCALE_ENV, NULL};
static const char *const gcc_env[] = {LOCALE_ENV, INCLUDE_ENV, GCC_ENV, LINK_ENV, NULL};
static const char *const clang_env[] = {LOCALE_ENV, INCLUDE_ENV, CLANG_ENV, LINK_ENV, NULL};
/* cc, c++ and cpp may be either. */
static const char *const compiler_env[] = {LOCALE_ENV, INCLUDE_ENV, GCC_ENV,
	                                   CLANG_ENV,  LINK_ENV,    NULL};
static const char *const as_env[] = {LOCALE_ENV, "SOURCE_DATE_EPOCH", "AS_SECURE_LOG_FILE", NULL};
static const char *const ld_env[] = {LOCALE_ENV, LINK_ENV, "COLLECT_GCC_OPTIONS",
	                             "SOURCE_DATE_EPOCH", NULL};
/* Time zone: a verbose listing prints local times. */
static const char *const ar_env[] = {LOCALE_ENV, "GNUTARGET", "SOURCE_DATE_EPOCH", "TZ", NULL};
static const char *const ptxas_env[] = {LOCALE_ENV, "CAN_FINALIZE_DEBUG", "DUMP_KNOBS_TO_FILE",
	                                NULL};

static const struct tool_row rows[] = {
#define TOOL(name, family, flags, env) {name, family, flags, env},
#include "keying/tools.def"
#undef TOOL
};
static const struct tool_row generic_row = {"generic", FAMILY_GENERIC, 0, locale_env};

static int is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Length without a version suffix: -12, -14.2, -13.1.0. */
static size_t version_cut(const char *s, size_t n)
{
	size_t i = n;

	while (i > 0 && ((s[i - 1] >= '0' && s[i - 1] <= '9') || s[i - 1] == '.'))
		i--;
	return i > 1 && i < n && s[i - 1] == '-' && s[i] != '.' && s[n - 1] != '.' ? i - 1 : n;
}

/* True when the n bytes before a row's name are a target prefix: words, each with its hyphen. */
static int is_triplet(const char *s, size_t n)
{
	int words = 0, length = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '-') {
			if (!length)
				return 0;
			words++;
			length = 0;
		} else if (is_alnum(s[i]) || (length && (s[i] == '_' || s[i] == '.'))) {
			length++;
		} else {
			return 0;
		}
	}
	return length == 0 && words >= TRIPLET_WORDS_MIN && words <= TRIPLET_WORDS_MAX;
}

static const struct tool_row *row_named(const char *s, size_t n)
{
	const struct tool_row *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t len = strlen(rows[i].name);

		if (len > n || memcmp(s + n - len, rows[i].name, len) != 0 || len <= best_len)
			continue;
		/* The longest name wins: a-b-gcc-ar is gcc-ar, not ar with a prefix. */
		if (len == n || is_triplet(s, n - len)) {
			best = &rows[i];
			best_len = len;
		}
	}
	return best;
}

static const struct tool_row *row_of(const char *base)
{
	size_t n = strlen(base), cut = version_cut(base, n);
	const struct tool_row *row = row_named(base, n);

	return row || cut == n ? row : row_named(base, cut);
}

/* What REPRISE_TOOLS says of a base name: +1, -1, or 0 for nothing. The last word counts. */
static int setting_says(const char *setting, const char *base, const struct tool_row *row)
{
	int verdict = 0;

	while (setting && *setting) {
		size_t n = strcspn(setting, ",");

		if (n > 1 && (setting[0] == '+' || setting[0] == '-')) {
			const char *name = setting + 1;
			size_t len = n - 1;

			if ((strlen(base) == len && memcmp(base, name, len) == 0) ||
			    (row && strlen(row->name) == len && memcmp(row->name, name, len) == 0))
				verdict = setting[0] == '+' ? 1 : -1;
		}
		setting += n + (setting[n] == ',');
	}
	return verdict;
}

static int is_any(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(name, *list) == 0)
			return 1;
	return 0;
}

const struct tool_row *tool_find(const char *base, const char *tools_setting)
{
	const struct tool_row *row = row_of(base);
	int verdict = setting_says(tools_setting, base, row);

	if (verdict < 0)
		return NULL;
	return row || verdict == 0 ? row : &generic_row;
}

int tool_env_ignored(const struct tool_row *row, const char *name)
{
	static const char *const always[] = {
		"PATH", "TMPDIR", "TMP", "TEMP", "TEMPDIR", "TERM", "LD_PRELOAD", "_", "SHLVL", "OLDPWD",
		/* tuning of the allocator */
		"MALLOC_CONF", "_RJEM_MALLOC_CONF", "MALLOC_ARENA_MAX", NULL};
	/* How many threads or processes share the work: the result is the same (jobserver). */
	static const char *const known_tools[] = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", NULL};

	if (strncmp(name, "REPRISE_", 8) == 0 || is_any(name, always))
		return 1;
	return row && row->family != FAMILY_GENERIC && is_any(name, known_tools);
}

int tool_is_interpreter(const char *base)
{
	/* make, env and printenv are here as well: they hand the whole environment on or out. */
	static const char *const names[] = {
		"sh",  "dash", "bash", "rbash", "zsh",   "ksh",     "ksh93", "mksh",   "pdksh", "yash",
		"ash", "posh", "fish", "csh",   "tcsh",  "busybox", "toybox", "rc",    "perl",  "python",
		"pypy", "ruby", "lua", "luajit", "php",  "node",    "nodejs", "tclsh", "wish",  "expect",
		"guile", "awk", "gawk", "mawk", "nawk",  "bwk",     "original-awk",    "make",  "gmake",
		"env", "printenv", "java", "R", "Rscript", "julia", "m4",   NULL};
	char stem[32];
	size_t n = strlen(base);

	/* python3.11, perl5.36.0, lua5.4, tclsh8.6, ruby3.1, ksh93 is in the list as it is */
	if (is_any(base, names))
		return 1;
	n = version_cut(base, n);
	while (n > 0 && ((base[n - 1] >= '0' && base[n - 1] <= '9') || base[n - 1] == '.'))
		n--;
	if (n == 0 || n >= sizeof stem)
		return 0;
	memcpy(stem, base, n);
	stem[n] = '\0';
	return is_any(stem, names);
}

enum write_style tool_write_style(const char *base)
{
	const struct tool_row *row = row_of(base);
	size_t n = version_cut(base, strlen(base));

	if (row && (strcmp(row->name, "ld.mold") == 0 || strcmp(row->name, "mold") == 0))
		return WRITE_TRUNCATE; /* mold 1.10 writes into the old inode: faster for the kernel */
	if (row && (strcmp(row->name, "ld.lld") == 0 || strcmp(row->name, "lld") == 0 ||
	            row->family == FAMILY_CLANG || strcmp(row->name, "llvm-ar") == 0))
		return WRITE_RENAME;
	if (n > 5 && memcmp(base, "llvm-", 5) == 0)
		return WRITE_RENAME; /* llvm-objcopy, llvm-strip: FileOutputBuffer */
	if (row && (row->family == FAMILY_AS || row->family == FAMILY_LD))
		return WRITE_UNLINK;
	if (n >= 7 && memcmp(base + n - 7, "objcopy", 7) == 0)
		return WRITE_UNLINK;
	/* cc1, cpp, ar, ptxas and whatever else calls fopen(path, "w"). */
	return WRITE_TRUNCATE;
}
