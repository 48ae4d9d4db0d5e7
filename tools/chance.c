/* tools/chance.c - what known programs do with time and random bytes. */
#include "tools/chance.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/list.h"
#include "shim/path.h"
#include "tools/cmdline/cmdline.h"
#include "shim/list.h"
#include "tools/tool.h"

#include "shim/banned.h"

/* --- chance library --- */

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

/* Bytes read at once from a response file; linkers' response files hold names of objects. */
#define RESPONSE_CHUNK 4096
#define RESPONSE_MAX (16u << 20)

/* The random seed: suffixes of LTO sections, stamps of coverage files. */
#define GCC_PASS "gettimeofday\0/dev/urandom\0"
/* createUniquePath, with arc4random or without. */
#define LLVM_TEMPORARY "arc4random\0/dev/urandom\0"
#define SHELL_SEED "gettimeofday\0getrandom\0/dev/urandom\0"
/* program: the name of its row in tools.def, or the program's own name. calls: each with its NUL,
 * then an empty string. Seen with gcc 12, binutils 2.40, LLVM 14, CUDA 12.8 and 13.0. */
static const struct {
	char program[16], calls[56]; /* no pointers: each would be relocated in every process */
} harmless[] = {
	{"cc1", GCC_PASS}, {"cc1plus", GCC_PASS}, {"cc1obj", GCC_PASS}, {"cc1objplus", GCC_PASS},
	{"lto1", GCC_PASS}, {"f951", GCC_PASS}, {"gnat1", GCC_PASS}, {"d21", GCC_PASS},
	{"go1", GCC_PASS},
	/* Names of temporary files; the order of hash tables, which rustc keeps out of results. */
	{"rustc", LLVM_TEMPORARY "getrandom\0" "seed\0" "clock_gettime\0"},
	{"make", "clock_gettime\0"}, /* for lto-wrapper: are its rules newer than now? */
	{"clang", LLVM_TEMPORARY "clock_gettime\0"}, /* -ftime-report, -ftime-trace */
	{"clang++", LLVM_TEMPORARY "clock_gettime\0"},
	{"clang-cpp", LLVM_TEMPORARY "clock_gettime\0"},
	{"amdclang", LLVM_TEMPORARY}, {"amdclang++", LLVM_TEMPORARY}, {"hipcc", LLVM_TEMPORARY},
	{"icpx", LLVM_TEMPORARY}, {"icx", LLVM_TEMPORARY},
	{"lld", LLVM_TEMPORARY}, {"ld.lld", LLVM_TEMPORARY}, {"rust-lld", LLVM_TEMPORARY},
	{"nvcc", "gettimeofday\0"},       /* -t: how long its threads wait */
	/* The seed of $RANDOM and the start of $SECONDS, at each start of bash, which may be the
	 * system's sh. */
	{"bash", SHELL_SEED "time\0"}, {"dash", SHELL_SEED}, {"sh", SHELL_SEED},
	{"ksh", SHELL_SEED},
	{"zsh", SHELL_SEED},
	{"cudafe++", "time\0"},
	{"cicc", "time\0/dev/urandom\0"}, /* names of temporary files */
	{"nvlink", "time\0/dev/urandom\0gettimeofday\0"}, /* the same libraries, for LTO */
	{"tileiras", "clock_gettime\0"}, /* how long libNVVM takes */
	{"ptxas", "gettimeofday\0"},      /* -v says how long it took */
	{"ptxas-blackwell", "gettimeofday\0"},
};
/* Any program with such a name: they write a file beside their output and rename it. */
static const char *const llvm_prefixes[] = {"llvm-", "clang-"};

int chance_harmless(const char *program, const char *what)
{
	const struct tool_row *row = tool_known(program);
	const char *name = row ? row->name : program;

	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (strcmp(name, harmless[i].program) == 0)
			return list_has(harmless[i].calls, what);
	for (size_t i = 0; i < sizeof llvm_prefixes / sizeof *llvm_prefixes; i++)
		if (strncmp(name, llvm_prefixes[i], strlen(llvm_prefixes[i])) == 0)
			return list_has(LLVM_TEMPORARY, what);
	return 0;
}

int chance_measures(const char *program, const char *what)
{
	const struct tool_row *row = tool_known(program);

	return row && list_has("ld\0" "ld.bfd\0", row->name) && strcmp(what, "time") == 0;
}

int chance_prints(const struct cmdline *c)
{
	return cmdline_holds(c, "-stats") || cmdline_holds(c, ",@");
}

static const char option[] = "build-id=uuid";

/* The option may lie across two reads. */
static int response_asks(const char *path)
{
	char text[RESPONSE_CHUNK];
	size_t held = 0, all = 0;
	ssize_t n = 0;
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0), asks = 0;

	if (fd < 0)
		return 0;
	while (!asks && all < RESPONSE_MAX &&
	       (n = sys_read(fd, text + held, sizeof text - held)) > 0) {
		size_t end = held + (size_t)n;

		all += (size_t)n;
		asks = memmem(text, end, option, sizeof option - 1) != NULL;
		held = end < sizeof option ? end : sizeof option - 1;
		memmove(text, text + end - held, held);
	}
	sys_close(fd);
	return asks;
}

const char *chance_argument(int argc, char *const argv[])
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], CHANCE_STATS) == 0)
			return CHANCE_STATS;
		else if (strstr(argv[i], option) ||
		         (argv[i][0] == '@' && response_asks(argv[i] + 1)))
			return option;
	return NULL;
}
