/* tools/drivers/rustc.c - rustc. Messages, panics and debug information hold paths as they are
 * spelled, so every name and the working directory bind a result.
 *
 * rustc is one process of many threads, and starts cc to link. It reads variables by getenv, those
 * of env!() too. Its random bytes name temporary files and seed hash tables. */
#include "tools/drivers/drivers.h"

#include <string.h>

#include "shim/list.h"
#include "shim/path.h"
#include "tools/driver.h"
#include "shim/list.h"

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

/* What the arguments say of outputs. Of several values the last one counts. */
struct crate {
	const char *out, *dir, *name;  /* NULL: not given */
	const char *extra, *source;    /* "": not given */
	int typed, is_program;
};

static const char *last(const char *before, const char *value)
{
	return value ? value : before;
}

static struct crate read_crate(const struct cmdline *c)
{
	struct crate r = {.extra = "", .source = ""};

	for (int i = 1; i < c->count; i++) {
		const char *type = value_of(c, i, "--crate-type", "--crate-type");
		const char *codegen_value = value_of(c, i, "-C", "--codegen");
		char word[32];

		r.out = last(r.out, value_of(c, i, "-o", "-o"));
		r.dir = last(r.dir, value_of(c, i, "--out-dir", "--out-dir"));
		r.name = last(r.name, value_of(c, i, "--crate-name", "--crate-name"));
		if (codegen_value && codegen_word(codegen_value, word) &&
		    strcmp(word, "extra-filename") == 0 && strchr(codegen_value, '='))
			r.extra = strchr(codegen_value, '=') + 1;
		if (!c->v[i].option && c->v[i].text[0] != '-' && !*r.source)
			r.source = c->v[i].text;
		r.typed |= type != NULL;
		r.is_program |= strcmp(c->v[i].text, "--test") == 0 ||
				(type && strstr(type, "bin"));
	}
	return r;
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
static int is_output(const struct crate *r, const char *name)
{
	const char *source = path_base(r->source);

	return skip(&name, r->name ? r->name : source,
	            r->name ? strlen(r->name) : stem_len(source)) &&
	       skip(&name, r->extra, strlen(r->extra)) &&
	       (*name ? list_has(endings, name) : r->is_program || !r->typed);
}

int rustc_writes(const struct cmdline *c, const char *path)
{
	struct crate r = read_crate(c);
	const char *name = path_base(path);

	if (r.out)
		return is_beside(r.out, path);
	return is_in(r.dir ? r.dir : "", path) &&
	       (is_output(&r, name) ||
	        (strncmp(name, "lib", 3) == 0 && is_output(&r, name + 3)));
}

const struct driver driver_rustc = {
	.temporary = TEMPORARY_ANY,
	.files = FILES_NONE,
	.jobserver = JOBSERVER_ALWAYS,
	.stdin_width = 1,
	.stdin_source = 1,
};
