/* tools/nvcc.c - nvcc's parent action: the names that its object can hold.
 *
 * Measured with nvcc 13.0 and 13.5 (docs/internals/names.md). -o, the working directory and nvcc's
 * own temporary names reach nothing. The source's directory is in names of symbols, by the hash of
 * its path. The hash is visible where the object holds machine code alone. PTX in the object is
 * compressed, as is code made with -rdc, so it is not visible there. What a text asks for is as for
 * gcc. */
#include <string.h>

#include "tools/driver.h"
#include "tools/list.h"
#include "tools/module_hash.h"

#include "shim/banned.h"

/* Complete arguments, which take no value. */
static const char plain[] =
	"--compile\0" "--expt-relaxed-constexpr\0" "--generate-dependencies-with-compile\0"
	"--use_fast_math\0" "-MD\0" "-MMD\0" "-O0\0" "-O1\0" "-O2\0" "-O3\0" "-c\0"
	"-expt-relaxed-constexpr\0" "-m64\0" "-use_fast_math\0" "-w\0";
/* Options with a value. It follows "=" or is the next argument; a two-letter option may have it
 * joined. */
static const char values[] =
	"--dependency-output\0" "--include-path\0" "--output-file\0" "--std\0"
	"--system-include\0" "-D\0" "-I\0" "-MF\0" "-U\0" "-ccbin\0" "-isystem\0" "-o\0" "-std\0"
	"-x\0";
static const char targets[] =
	"--generate-code\0" "-gencode\0";
static const char host[] =
	"--compiler-options\0" "-Xcompiler\0";
/* Options for the host's compiler. */
static const char host_plain[] =
	"-O0\0" "-O1\0" "-O2\0" "-O3\0" "-Wall\0" "-Wextra\0" "-fPIC\0" "-fno-strict-aliasing\0"
	"-fpic\0" "-fvisibility=hidden\0" "-fwrapv\0" "-pthread\0" "-std=c++17\0" "-std=c++20\0";

/* True if `s` begins with the option. *value: the text behind it; NULL: the value is the next
 * argument. */
static int takes(const char *option, const char *s, const char **value)
{
	size_t n = strlen(option);

	if (strncmp(s, option, n) != 0)
		return 0;
	*value = s[n] == '=' ? s + n + 1 : s[n] ? s + n : NULL;
	return !s[n] || s[n] == '=' || (option[1] != '-' && n == 2);
}

/* arch=compute_80,code=sm_80 */
static int is_machine_code(const char *value)
{
	const char *code = strstr(value, "code=");

	return code && strncmp(code + 5, "sm_", 3) == 0 && !strstr(code, "compute") &&
	       !strstr(code, "lto") && !strchr(code, '[');
}

static int is_plain_host(const char *list)
{
	char word[64];

	for (;; list++) {
		size_t n = strcspn(list, ", '\"");

		if (n >= sizeof word)
			return 0;
		memcpy(word, list, n);
		word[n] = '\0';
		if (n && !list_has(host_plain, word))
			return 0;
		list += n;
		if (!*list)
			return 1;
	}
}

/* 0: not known. *skip: the next argument is its value. *made: the option says which code is made,
 * and it is machine code. */
static int option_known(const struct cmdline *c, int i, int *skip, int *made)
{
	const char *s = c->v[i].text, *value;

	*skip = 0;
	if (list_has(plain, s))
		return 1;
	for (const char *o = targets; *o; o = LIST_NEXT(o))
		if (takes(o, s, &value)) {
			*skip = !value;
			value = value ? value : i + 1 < c->count ? c->v[i + 1].text : "";
			*made = 1;
			return is_machine_code(value);
		}
	for (const char *o = host; *o; o = LIST_NEXT(o))
		if (takes(o, s, &value)) {
			*skip = !value;
			return is_plain_host(value              ? value
			                     : i + 1 < c->count ? c->v[i + 1].text : "");
		}
	for (const char *o = values; *o; o = LIST_NEXT(o))
		if (takes(o, s, &value)) {
			*skip = !value;
			return 1;
		}
	return 0;
}

static int is_value_of(const char *options, const struct cmdline *c, int i)
{
	const char *value;

	for (const char *o = options; *o; o = LIST_NEXT(o))
		if (takes(o, c->v[i].text, &value) || strcmp(c->v[i - 1].text, o) == 0)
			return 1;
	return 0;
}

static enum name_role role(const struct cmdline *c, int i, int last)
{
	(void)last;
	if (is_value_of("--system-include\0-isystem\0", c, i))
		return ROLE_SYSTEM;
	return is_value_of("--include-path\0-I\0", c, i) ? ROLE_INCLUDE : ROLE_COUNT;
}

static unsigned reach(const struct tool_row *row, const struct cmdline *c, enum name_role of)
{
	int skip, made = 0, compiles = 0, deps = 0, sources = 0;

	(void)row;
	for (int i = 1; i < c->count; i++) {
		const char *s = c->v[i].text;

		compiles |= strcmp(s, "-c") == 0 || strcmp(s, "--compile") == 0;
		deps |= strncmp(s, "-M", 2) == 0 || strstr(s, "dependenc") != NULL;
		if (s[0] != '-') {
			if (!module_hash_covers(s) || ++sources > SOURCE_HASHES_MOST)
				return REACH_ANYTHING;
			continue;
		}
		if (!option_known(c, i, &skip, &made))
			return REACH_ANYTHING;
		i += skip;
	}
	if (!compiles || !made)
		return REACH_ANYTHING;
	switch (of) {
	case ROLE_SOURCE: return REACH_ASKED | REACH_HASH | (deps ? REACH_DEPS : 0);
	case ROLE_CWD: return REACH_HASH;
	case ROLE_OUTPUT: return deps ? REACH_DEPS : 0;
	case ROLE_DEPFILE: return 0;
	case ROLE_INCLUDE: return REACH_ASKED | (deps ? REACH_DEPS : 0);
	case ROLE_SYSTEM: return REACH_ASKED | REACH_LENGTH | (deps ? REACH_DEPS : 0);
	default: return REACH_ANYTHING;
	}
}

const struct driver driver_nvcc = {
	.reach = reach,
	.role = role,
	.temporary = TEMPORARY_PID,
	.depfile = DEPFILE_LINES,
	.files = FILES_CUDA,
	.jobserver = JOBSERVER_ASKED,
	.stdin_width = 1,
	.variables = "NVCC_PREPEND_FLAGS\0NVCC_APPEND_FLAGS\0",
};
