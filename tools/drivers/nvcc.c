/* tools/drivers/nvcc.c - nvcc's parent action: the names that its result can hold.
 *
 * Measured with nvcc 13.0 and 13.5 (docs/internals/names.md). -o, the working directory and nvcc's
 * own temporary names reach nothing. The source's directory is in names of symbols, by the hash of
 * its path. The hash is visible in a cubin, in PTX, and in an object or fatbin that holds machine
 * code alone. PTX in an object is compressed, as is code made with -rdc or by request, so it is not
 * visible there; then the source's name, and all that a text may ask for, bind. What a text asks
 * for is as for gcc. */
#include "shim/ascii.h"
#include "tools/drivers/drivers.h"

#include <stdint.h>
#include <string.h>

#include "names/name_shape.h"
#include "shim/format.h"
#include "shim/list.h"
#include "shim/path.h"
#include "tools/cmdline/cmdline.h"
#include "tools/driver.h"
#include "shim/list.h"
#include "tools/options/options.h"

#include "shim/banned.h"

/* --- its steps --- */

#define PID_TIME 8 /* digits of the hash before the pid */

/* The source's name reaches the outputs of cudafe++ and cicc, in hashes as well. */
static int names_source(const struct cmdline *c, int i)
{
	static const char names[] =
		"--orig_src_file_name\0" "--orig_src_path_name\0" "--ident\0" "-ident\0";

	for (const char *name = names; *name; name = LIST_NEXT(name)) {
		size_t n = strlen(name);

		if (strcmp(c->v[i - 1].text, name) == 0 ||
		    (strncmp(c->v[i].text, name, n) == 0 && c->v[i].text[n] == '='))
			return 1;
	}
	return 0;
}

/* A step of nvcc only spells the names of other steps' files: two runs differ in these names alone
 * (tests/e2e/nvcc_steps.bats). Any other name binds. */
int nvcc_step_names_free(const struct cmdline *c, const struct patch_name *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct patch_name *n = &names[i];

		if (n->kind != NAME_KIND_TEMP || name_xft_len(n->text, n->len) != n->len)
			return 0;
		for (int k = 1; k < c->count; k++)
			if (names_source(c, k) && strstr(c->v[k].text, n->text))
				return 0;
	}
	return 1;
}

/* Where a source has no symbol of its own, cudafe++ names it by its time and the pid,
 * "_4_s_cu_49b905be_2523". Symbols that other objects link with have this in their names. */
static enum output_flaw cudafe_flaw(const void *data, size_t n, long pid)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = data, *end = at + n, *p = at;
	char text[16];
	int len = format_text(text, sizeof text, "_%d", (int)pid);

	for (; (p = memmem(p, (size_t)(end - p), text, (size_t)len)) != NULL; p++) {
		size_t hex = 0;

		while (hex < PID_TIME && p - at > (ptrdiff_t)hex &&
		       strchr(digits, p[-1 - (ptrdiff_t)hex]))
			hex++;
		/* A hash of the path may stand before the length of the name:
		 * "_56734851_4_s_cu". */
		if (hex == PID_TIME && (p + len == end || p[len] != '_'))
			return FLAW_PID;
	}
	return FLAW_NONE;
}

const struct driver driver_cudafe = {.flaw = cudafe_flaw, .files = FILES_NONE};
const struct driver driver_cicc = {.files = FILES_NONE, .jobserver = JOBSERVER_ASKED};
const struct driver driver_fatbinary = {.files = FILES_CUDA};
const struct driver driver_nvlink = {
	.files = FILES_CUDA,
	.jobserver = JOBSERVER_ASKED,
};

/* --- nvcc itself --- */

/* Complete arguments, which take no value. */
static const char plain[] =
	"--allow-unsupported-compiler\0" "--compile\0" "--cubin\0" "--disable-warnings\0"
	"--enable-tile\0" "--expt-extended-lambda\0" "--expt-relaxed-constexpr\0"
	"--extended-lambda\0" "--extra-device-vectorization\0" "--fatbin\0"
	"--generate-dependencies-with-compile\0" "--ptx\0" "--restrict\0" "--shared\0"
	"--tilecubin\0" "--use_fast_math\0" "-MD\0" "-MMD\0" "-O0\0" "-O1\0" "-O2\0" "-O3\0"
	"-allow-unsupported-compiler\0" "-c\0" "-cubin\0" "-enable-tile\0"
	"-expt-extended-lambda\0" "-expt-relaxed-constexpr\0" "-extended-lambda\0" "-fatbin\0"
	"-m64\0" "-ptx\0" "-restrict\0" "-shared\0" "-tilecubin\0"
	"-use_fast_math\0" "-w\0";
/* Options with a value. It follows "=" or is the next argument; a two-letter option may have it
 * joined. */
static const char values[] =
	"--cudart\0" "--default-stream\0" "--dependency-output\0" "--diag-error\0"
	"--diag-suppress\0" "--diag-warn\0" "--fmad\0" "--ftz\0" "--include-path\0"
	"--maxrregcount\0" "--optimize\0" "--output-file\0" "--prec-div\0" "--prec-sqrt\0"
	"--static-global-template-stub\0" "--std\0" "--system-include\0" "--threads\0" "-D\0"
	"-I\0" "-MF\0" "-U\0" "-ccbin\0" "-cudart\0" "-default-stream\0" "-diag-error\0"
	"-diag-suppress\0" "-diag-warn\0" "-fmad\0" "-ftz\0" "-isystem\0" "-maxrregcount\0"
	"-o\0" "-prec-div\0" "-prec-sqrt\0" "-static-global-template-stub\0" "-std\0"
	"-threads\0" "-x\0";
static const char targets[] =
	"--generate-code\0" "-gencode\0";
static const char architecture[] =
	"--gpu-architecture\0" "-arch\0";
static const char code[] =
	"--gpu-code\0" "-code\0";
static const char host[] =
	"--compiler-options\0" "-Xcompiler\0";
static const char assembler[] =
	"--ptxas-options\0" "-Xptxas\0";
static const char packer[] =
	"--fatbin-options\0" "-Xfatbin\0";
/* Options for the host's compiler, beside those of tools/options/f_options.c and warnings. */
static const char host_plain[] =
	"-O0\0" "-O1\0" "-O2\0" "-O3\0" "-pthread\0" "-std=c++17\0" "-std=c++20\0" "-w\0";
/* Options for ptxas, whose text then holds no name; text that follows is a value. Not among them:
 * debug information, and what decides whether code is compressed. */
static const char ptxas_plain[] =
	"--allow-expensive-optimizations\0" "--def-load-cache\0" "--def-store-cache\0"
	"--maxrregcount\0" "--opt-level\0" "--register-usage-level\0" "--verbose\0"
	"--warn-on-\0" "-O\0" "-dlcm\0" "-dscm\0" "-register-usage-level\0" "-v\0"
	"-warn-\0" "--warning-as-error\0";
/* What the command makes. */
enum product { OBJECT = 1, CUBIN = 2, PTX = 4, FATBIN = 8, LIBRARY = 16, TILE_CUBIN = 32 };
#define OUTPUT_MAX 200 /* nvcc puts the output's last component into longer names of files */
/* What the target options say. */
enum {
	MACHINE = 1, /* machine code is asked for */
	TEXT = 2,    /* PTX is put beside it, or machine code is compressed */
	SHORT = 4,   /* -arch, which puts PTX beside it unless there is -code */
	CODE = 8
};

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

/* sm_80,sm_90a: the words of a list. */
static unsigned code_kind(const char *list)
{
	for (size_t n; ; list += n + 1) {
		n = strcspn(list, ",");
		if (strncmp(list, "sm_", 3) != 0 || memchr(list, '[', n))
			return TEXT;
		if (!list[n])
			return MACHINE;
	}
}

/* arch=compute_80,code=sm_80 */
static unsigned target_kind(const char *value)
{
	const char *of = strstr(value, "code=");

	return of ? code_kind(of + 5) : TEXT;
}

static int is_host_word(const char *word)
{
	if (strncmp(word, "-W", 2) == 0)
		return strlen(word) > 3 && !strchr(word, '/'); /* -Wl is for another program */
	return list_has(host_plain, word) || options_f_known(word);
}

static int is_ptxas_word(const char *word)
{
	return list_begins(ptxas_plain, word) || !word[strspn(word, "0123456789")];
}

static int is_packer_word(const char *word)
{
	return list_has("--compress-all\0-compress-all\0", word);
}

/* 1: each word of the list is known. */
static int are_known(const char *list, int (*is_known)(const char *word))
{
	char word[64];

	for (;; list++) {
		size_t n = strcspn(list, ", '\"");

		if (n >= sizeof word)
			return 0;
		memcpy(word, list, n);
		word[n] = '\0';
		if (n && !is_known(word))
			return 0;
		list += n;
		if (!*list)
			return 1;
	}
}

/* The value of argument i, if it is an option of the list; NULL: it is none. *skip: the value is
 * the next argument. */
static const char *value_of(const char *options, const struct cmdline *c, int i, int *skip)
{
	const char *value;

	for (const char *o = options; *o; o = LIST_NEXT(o))
		if (takes(o, c->v[i].text, &value)) {
			*skip = !value;
			return value ? value : i + 1 < c->count ? c->v[i + 1].text : "";
		}
	return NULL;
}

/* 0: not known. *skip: the next argument is its value. *made: adds what a target option says. */
static int option_known(const struct cmdline *c, int i, int *skip, unsigned *made)
{
	const char *value;

	*skip = 0;
	if (list_has(plain, c->v[i].text))
		return 1;
	if ((value = value_of(targets, c, i, skip)))
		*made |= target_kind(value);
	else if ((value = value_of(code, c, i, skip)))
		*made |= code_kind(value) | CODE;
	else if ((value = value_of(architecture, c, i, skip)))
		*made |= SHORT;
	else if ((value = value_of(packer, c, i, skip))) {
		*made |= TEXT;
		return are_known(value, is_packer_word);
	} else if ((value = value_of("--compress-mode\0", c, i, skip)))
		*made |= TEXT;
	else if ((value = value_of(host, c, i, skip)))
		return are_known(value, is_host_word);
	else if ((value = value_of(assembler, c, i, skip)))
		return are_known(value, is_ptxas_word);
	else
		return value_of(values, c, i, skip) != NULL;
	return !strstr(value, "lto");
}

static enum product product_of(const char *s)
{
	static const char names[][12] = {"-c", "--compile", "-cubin", "--cubin", "-ptx", "--ptx",
	                                 "-fatbin", "--fatbin", "-shared", "--shared",
	                                 "-tilecubin", "--tilecubin"};

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(s, names[i]) == 0)
			return (enum product)(1u << i / 2);
	return 0;
}

/* 1: names of the command's source can be found in all that it makes. */
static int is_legible(unsigned product, unsigned made)
{
	switch (product) {
	case CUBIN:
	case TILE_CUBIN:
	case PTX: return 1;
	case OBJECT:
	case FATBIN: return made == MACHINE || made == (MACHINE | SHORT | CODE);
	default: return 0;
	}
}

/* 0: nvcc's shell reads the name of an output in another way, or a file that is called after the
 * output cannot be made. */
static int outputs_plain(const struct cmdline *c)
{
	CMDLINE_OUTPUTS(i, c) {
		const char *path = cmdline_output(&c->v[i]);

		if (!name_is_plain(path) || strlen(path_base(path)) > OUTPUT_MAX)
			return 0;
	}
	return 1;
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
	if (is_value_of("--system-include\0-isystem\0", c, i))
		return ROLE_SYSTEM;
	return is_value_of("--include-path\0-I\0", c, i) ? ROLE_INCLUDE : ROLE_COUNT;
}

/* No argument lets names through; there is a dependency file; the hash of the source's path is not
 * visible; the table of lines holds names of sources. */
enum { PLAIN = 1, DEPS = 2, HIDDEN = 4, LINES = 8 };

static unsigned facts(const struct tool_row *row, const struct cmdline *c)
{
	int skip, deps = 0, sources = 0, relative = 0, lines = 0, tile = 0, hidden;
	unsigned made = 0, product = 0;

	for (int i = 1; i < c->count; i++) {
		const char *s = c->v[i].text;

		product |= product_of(s);
		tile |= strstr(s, "-enable-tile") != NULL;
		deps |= strncmp(s, "-M", 2) == 0 || strstr(s, "dependenc") != NULL;
		if (s[0] != '-') {
			if (!module_hash_covers(s) || ++sources > SOURCE_HASHES_MOST)
				return 0;
			relative |= s[0] != '/';
			continue;
		}
		if (list_has("--generate-line-info\0" "-lineinfo\0", s)) {
			lines = 1;
			continue;
		}
		if (!option_known(c, i, &skip, &made))
			return 0;
		i += skip;
	}
	/* Not measured: what of tile code in an object is compressed. */
	if (tile && product & (OBJECT | FATBIN | LIBRARY))
		return 0;
	hidden = !is_legible(product, made);
	/* The hash is that of the absolute path, in which a relative one has the directory. */
	if ((hidden && (relative || !product || product & (product - 1))) ||
	    (product == LIBRARY && deps) || !outputs_plain(c))
		return 0;
	/* In an object the table is part of another one, and PTX of some releases holds times. */
	if (lines && (product != CUBIN || relative || sources != 1))
		return 0;
	return PLAIN | (lines ? LINES : 0u) | (deps ? DEPS : 0u) | (hidden ? HIDDEN : 0u);
}

static unsigned reach(const struct tool_row *row, const struct cmdline *c, enum name_role of)
{
	int deps = (c->facts & DEPS) != 0, hidden = (c->facts & HIDDEN) != 0;
	unsigned lines = c->facts & LINES ? REACH_DEBUG : 0;

	if (!(c->facts & PLAIN))
		return REACH_ANYTHING;
	if (hidden && of == ROLE_CWD)
		return 0;
	if (hidden && of != ROLE_OUTPUT && of != ROLE_DEPFILE)
		return REACH_ANYTHING;
	switch (of) {
	case ROLE_SOURCE: return REACH_ASKED | REACH_HASH | (deps ? REACH_DEPS : 0) | lines |
		                 (lines ? REACH_TIMES : 0);
	case ROLE_CWD: return REACH_HASH | lines;
	case ROLE_OUTPUT: return deps ? REACH_DEPS : 0;
	case ROLE_DEPFILE: return 0;
	case ROLE_INCLUDE: return REACH_ASKED | lines | (deps ? REACH_DEPS : 0);
	case ROLE_SYSTEM: return REACH_ASKED | REACH_LENGTH | lines | (deps ? REACH_DEPS : 0);
	default: return REACH_ANYTHING;
	}
}

const struct driver driver_nvcc = {
	.facts = facts,
	.reach = reach,
	.role = role,
	.temporary = TEMPORARY_PID,
	.depfile = DEPFILE_LINES,
	.files = FILES_CUDA,
	.jobserver = JOBSERVER_ASKED,
	.stdin_width = 1,
	.variables = "NVCC_PREPEND_FLAGS\0NVCC_APPEND_FLAGS\0"
	             /* nvcc.profile adds these, for its steps */
	             "CUDAFE_FLAGS\0INCLUDES\0NVVM_FLAGS\0OCG_FLAGS\0PTXAS_FLAGS\0"
	             "SYSTEM_INCLUDES\0",
};

/* --- the hash of a source's path --- */

#define POLYNOMIAL 0xedb88320u /* of IEEE 802.3, reflected */

int module_hash_covers(const char *path)
{
	return path_ends(path, ".cu") || path_ends(path, ".cc") || path_ends(path, ".cpp") ||
	       path_ends(path, ".cxx");
}

void module_hash(char out[SOURCE_HASH + 1], const char *path)
{
	uint32_t crc = 0xffffffffu;

	for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
		crc ^= *p;
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
	}
	crc ^= 0xffffffffu;
	ascii_put_hex(out, crc, SOURCE_HASH);
	out[SOURCE_HASH] = '\0';
}
