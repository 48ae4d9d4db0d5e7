/* jit/keyed.c - what identifies the compile of a program before its inputs are known. */
#include <string.h>

#include "action/names.h"
#include "action/state.h"
#include "jit/answers.h"
#include "jit/jit.h"
#include "jit/state.h"
#include "shim/format.h"

#include "shim/banned.h"

#define BUILTINS "libnvrtc-builtins"

/* What they ask of the environment, some of it once in a process, so that a later compile's trace does not show it. Not
 * CUDA_CACHE_*: the driver's own cache. */
static const char jit_env[] =
	"AS_SECURE_LOG_FILE\0CAN_FINALIZE_DEBUG\0DUMP_KNOBS_TO_FILE\0EDG_BASE\0EDG_MODULES_PATH\0FINALIZER_CUBIE\0"
	"FINALIZER_USE_LEGACY_ELF_BUILDER\0LANG\0LC_ALL\0LC_CTYPE\0LC_MESSAGES\0LIBNVVM_DISABLE_CONCURRENT_API\0"
	"LIBNVVM_NVVM_VERSION\0LLVM_IGNORED_ENV_VAR\0LLVM_OVERRIDE_PRODUCER\0NVJITLINK_TRACE_MESSAGES\0"
	"NVRTCWIZ\0NVRTC_APPEND_FLAGS\0NVRTC_DISABLE_CONCURRENT_NVVM\0NVRTC_DISABLE_PCH\0NVRTC_INTERNAL_GLOBAL_LOCK\0"
	"NVRTC_PCH_HEAP_SIZE\0NVRTC_PREPEND_FLAGS\0NVVM_IR_VER_CHK\0NV_NVVM_VERSION\0OPENSSL_ia32cap\0"
	"SOURCE_DATE_EPOCH\0LD_LIBRARY_PATH\0bar\0";
const struct tool_row jit_rows[] = {
	[JIT_NVRTC] = TOOL_LIBRARY_ROW("nvrtc", jit_env),
	[JIT_NVJITLINK] = TOOL_LIBRARY_ROW("nvJitLink", jit_env),
};

/* What entries of other numbers rest on was asked otherwise. */
#define KEY_VERSION 3

static int is_named(void *ctx, const struct elfobject *o)
{
	return strcmp(path_base(o->path), ctx) == 0;
}

/* NVRTC's headers and device functions are a library of their own, which its first compile loads: the one that is loaded
 * under that name, or that lies beside NVRTC, where it is looked for first. -1: not known which. */
static int find_builtins(struct jit_library *l)
{
	size_t dir = path_dir_len(l->path);
	struct elfobject o;
	char name[64];

	if (!l->release)
		return -1;
	format_text(name, sizeof name, BUILTINS "%s.so.%d.%d", strstr(l->name, ".alt.") ? ".alt" : "", l->release / 100, l->release % 100);
	if (elfobject_find(&o, is_named, name) == 0)
		format_text(l->builtins, sizeof l->builtins, "%s", o.path);
	else if (dir + 1 + strlen(name) >= sizeof l->builtins)
		return -1;
	else {
		memcpy(l->builtins, l->path, dir);
		format_text(l->builtins + dir, sizeof l->builtins - dir, "/%s", name);
	}
	return 0;
}

static int add_builtins(struct action *a, struct jit_library *l)
{
	struct digest d;

	if (l->kind != JIT_NVRTC)
		return 0;
	if ((!jit_forked && find_builtins(l) < 0) || !*l->builtins || probe_file(&a->prober, l->builtins, &d, NULL) < 0)
		return -1;
	key_add_digest(&a->key, KEY_LIBRARY, BUILTINS, &d);
	return 0;
}

/* Generated names stay out of the key, as in arguments of a process (docs/names.md). */
static void add_spelled(struct action *a, const char *label, const char *text)
{
	struct buf spec = BUF_INIT(&a->arena);

	names_arg(&a->names, text, 1, &spec);
	key_add(&a->key, KEY_ARG, label, spec.data, spec.len);
}

/* Options whose product holds the working directory: line tables, LTO IR, and OptiX IR (12.1's; not 13's). */
static const char for_directory[] = "g\0G\0device-debug\0lineinfo\0generate-line-info\0dlto\0dlink-time-opt\0optix-ir\0";
#define BETWEEN_WORDS " \t\n=,\"'" /* -Xptxas=-v,-lineinfo */

static int asks_directory(const char *text)
{
	size_t n;

	for (const char *p = text; p && *(p += strspn(p, BETWEEN_WORDS)); p += n) {
		n = strcspn(p, BETWEEN_WORDS);
		for (const char *w = for_directory; *p == '-' && *w; w += strlen(w) + 1) {
			size_t dashes = p[1] == '-' ? 2 : 1;

			if (n == dashes + strlen(w) && memcmp(p + dashes, w, n - dashes) == 0)
				return 1;
		}
	}
	return 0;
}

static int holds_directory(const struct action *a, const struct program *p)
{
	for (int i = 0; i < p->option_count; i++)
		if (asks_directory(p->options[i]))
			return 1;
	return asks_directory(action_env(a, "NVRTC_PREPEND_FLAGS")) || asks_directory(action_env(a, "NVRTC_APPEND_FLAGS"));
}

int jit_key(struct action *a, struct program *p)
{
	char format[16];
	struct digest d;

	key_init(&a->key, &a->arena);
	format_text(format, sizeof format, "jit %d, %d", ANSWERS_FORMAT, KEY_VERSION);
	key_add_str(&a->key, KEY_FORMAT, "", format);
	/* patchelf leaves the note with the build id behind. */
	if (!*p->library->build && probe_file(&a->prober, p->library->path, &d, NULL) < 0)
		return -1;
	if (*p->library->build)
		key_add_str(&a->key, KEY_TOOL, a->row->name, p->library->build);
	else
		key_add_digest(&a->key, KEY_TOOL, a->row->name, &d);
	if (add_builtins(a, p->library) < 0)
		return -1;
	for (int i = 0; i < p->option_count; i++)
		add_spelled(a, "option", p->options[i]);
	for (const char *name = a->row->env; *name; name += strlen(name) + 1) {
		const char *value = action_env(a, name);

		if (value)
			key_add_str(&a->key, KEY_ENV, name, value);
	}
	for (unsigned i = 0; i < p->expressions; i++)
		key_add_str(&a->key, KEY_ARG, "name expression", p->expression[i]);
	key_final(&p->parts, &d);
	key_add_digest(&a->key, KEY_PRIMARY, "", &d);
	if (p->name)
		add_spelled(a, "name", p->name);
	if (holds_directory(a, p))
		key_add_str(&a->key, KEY_SETTING, "directory", a->cwd);
	if (a->names.overflow || action_names(a) < 0)
		return -1;
	key_final(&a->key, &a->k1);
	return a->arena.refused ? -1 : 0;
}
