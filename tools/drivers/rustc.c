/* tools/drivers/rustc.c - rustc. Messages, panics and debug information hold paths as they are
 * spelled, so every name and the working directory bind a result.
 *
 * rustc is one process of many threads, and starts cc to link. It reads variables by getenv, those
 * of env!() too. Its random bytes name temporary files and seed hash tables. */
#include "tools/drivers/rustc.h"

#include <string.h>

#include "shim/path.h"
#include "tools/driver.h"
#include "tools/list.h"

#include "shim/banned.h"

/* Words of -C, up to a "=". */
static const char codegen[] =
	"ar\0" "bitcode-in-rlib\0" "code-model\0" "codegen-units\0" "collapse-macro-debuginfo\0"
	"control-flow-guard\0" "debug-assertions\0" "debuginfo\0" "default-linker-libraries\0"
	"dwarf-version\0" "embed-bitcode\0" "extra-filename\0" "force-frame-pointers\0"
	"force-unwind-tables\0" "help\0" "inline-threshold\0" "instrument-coverage\0"
	"jump-tables\0" "link-arg\0" "link-args\0" "link-dead-code\0" "link-self-contained\0"
	"linker\0" "linker-features\0" "linker-flavor\0" "linker-plugin-lto\0" "lto\0"
	"metadata\0" "no-prepopulate-passes\0" "no-redzone\0" "no-stack-check\0"
	"no-vectorize-loops\0" "no-vectorize-slp\0" "opt-level\0" "overflow-checks\0" "panic\0"
	"passes\0" "prefer-dynamic\0" "profile-generate\0" "profile-use\0" "relocation-model\0"
	"relro-level\0" "remark\0" "rpath\0" "soft-float\0" "split-debuginfo\0" "strip\0"
	"symbol-mangling-version\0" "target-cpu\0" "target-feature\0";
static const char endings[] =
	".a\0" ".bc\0" ".d\0" ".dwp\0" ".ll\0" ".mir\0" ".o\0" ".rlib\0" ".rmeta\0" ".s\0"
	".so\0";

/* The value of argument i if it is one of this option, spelled short or long; else NULL. */
static const char *value_of(const struct cmdline *c, int i, const char *brief, const char *full)
{
	const struct cmdline_arg *arg = &c->v[i];
	const char *text = arg->text, *equals;

	if (!arg->option || (strcmp(arg->option, brief) != 0 && strcmp(arg->option, full) != 0))
		return NULL;
	if (arg->is_value)
		return text;
	if (strncmp(text, "--", 2) != 0)
		return text[2] ? text + 2 : NULL;
	equals = strchr(text, '=');
	return equals ? equals + 1 : NULL;
}

/* The value of the last such option, or NULL. */
static const char *last_of(const struct cmdline *c, const char *brief, const char *full)
{
	const char *last = NULL;

	for (int i = 1; i < c->count; i++) {
		const char *value = value_of(c, i, brief, full);

		last = value ? value : last;
	}
	return last;
}

/* Copies a word with "-" for "_", as rustc reads it. 0: it is too long. */
static int codegen_word(const char *value, char word[32])
{
	size_t n = strcspn(value, "=");

	if (n >= 32)
		return 0;
	for (size_t i = 0; i < n; i++)
		word[i] = value[i];
	word[n] = '\0';
	for (char *p = word; *p; p++)
		*p = *p == '_' ? '-' : *p;
	return 1;
}

const char *rustc_refuses(const struct cmdline *c)
{
	for (int i = 1; i < c->count; i++) {
		const char *value = value_of(c, i, "-C", "--codegen");
		char word[32];

		if (c->v[i].text[0] == '@')
			return "@file: options in a file";
		if (!value)
			continue;
		if (!codegen_word(value, word))
			return "an option of -C that Reprise does not know";
		if (strcmp(word, "incremental") == 0)
			return "-C incremental: keeps state from one start to the next";
		if (strcmp(word, "save-temps") == 0)
			return "-C save-temps: keeps files with random names";
		if (strcmp(word, "llvm-args") == 0)
			return "-C llvm-args: may print times";
		if (!list_has(codegen, word))
			return "an option of -C that Reprise does not know";
	}
	return NULL;
}

/* The value of -C extra-filename, or "". */
static const char *extra_of(const struct cmdline *c)
{
	const char *extra = "";

	for (int i = 1; i < c->count; i++) {
		const char *value = value_of(c, i, "-C", "--codegen");
		char word[32];

		if (value && codegen_word(value, word) && strcmp(word, "extra-filename") == 0 &&
		    strchr(value, '='))
			extra = strchr(value, '=') + 1;
	}
	return extra;
}

static const char *source_of(const struct cmdline *c)
{
	for (int i = 1; i < c->count; i++)
		if (!c->v[i].option && c->v[i].text[0] != '-')
			return c->v[i].text;
	return "";
}

/* 1: the command makes a program. */
static int makes_program(const struct cmdline *c)
{
	int types = 0;

	for (int i = 1; i < c->count; i++) {
		const char *type = value_of(c, i, "--crate-type", "--crate-type");

		if (strcmp(c->v[i].text, "--test") == 0 || (type && strstr(type, "bin")))
			return 1;
		types |= type != NULL;
	}
	return !types;
}

/* Moves *s behind the n bytes of name if *s begins with them. `_` in *s also stands for "-" in
 * name: a crate is named by its source. */
static int skip(const char **s, const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((*s)[i] != (name[i] == '-' ? '_' : name[i]) && (*s)[i] != name[i])
			return 0;
	*s += n;
	return 1;
}

static size_t stem_len(const char *base)
{
	const char *dot = strrchr(base, '.');

	return dot && dot > base ? (size_t)(dot - base) : strlen(base);
}

/* 1: the rest of a name is the ending of an output's name. */
static int ends_output(const struct cmdline *c, const char *rest)
{
	return *rest ? list_has(endings, rest) : makes_program(c);
}

static int is_in(const char *dir, const char *path)
{
	size_t n = strlen(dir), len = path_dir_len(path);

	while (n && dir[n - 1] == '/')
		n--;
	while (dir[0] == '.' && dir[1] == '/' && n > 1)
		dir += 2, n -= 2;
	return n == len && memcmp(dir, path, n) == 0;
}

/* 1: the path is -o with another ending. */
static int is_beside(const char *out, const char *path)
{
	const char *base = path_base(out), *rest = path_base(path);
	char dir[PATH_SIZE];
	size_t n = (size_t)(base - out);

	if (n >= sizeof dir)
		return 0;
	memcpy(dir, out, n);
	dir[n] = '\0';
	return is_in(dir, path) && skip(&rest, base, stem_len(base)) && list_has(endings, rest);
}

/* 1: an output of the crate has this name. */
static int is_output(const struct cmdline *c, const char *name)
{
	const char *crate = last_of(c, "--crate-name", "--crate-name"), *extra = extra_of(c);
	const char *source = path_base(source_of(c));

	return skip(&name, crate ? crate : source, crate ? strlen(crate) : stem_len(source)) &&
	       skip(&name, extra, strlen(extra)) && ends_output(c, name);
}

int rustc_writes(const struct cmdline *c, const char *path)
{
	const char *out = last_of(c, "-o", "-o"), *dir = last_of(c, "--out-dir", "--out-dir");
	const char *name = path_base(path);

	if (out)
		return is_beside(out, path);
	return is_in(dir ? dir : "", path) &&
	       (is_output(c, name) ||
	        (strncmp(name, "lib", 3) == 0 && is_output(c, name + 3)));
}

const struct driver driver_rustc = {
	.temporary = TEMPORARY_ANY,
	.files = FILES_NONE,
	.jobserver = JOBSERVER_ALWAYS,
	.stdin_width = 1,
	.stdin_source = 1,
};
