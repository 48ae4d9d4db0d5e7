/* jit/compile_key.c - the key of a program's compile, of everything but inputs. */
#include "jit/jit.h"

#include <string.h>

#include "judge/name/name_list.h"
#include "names/bases.h"
#include "shim/buf.h"
#include "shim/format.h"
#include "shim/path.h"

#include "shim/banned.h"

/* Variables that the libraries ask for. Some are asked for once in a process, so a later compile's
 * trace does not show them. CUDA_CACHE_* are not keyed: they are about the driver's own cache. */
static const char jit_env[] =
	"AS_SECURE_LOG_FILE\0CAN_FINALIZE_DEBUG\0DUMP_KNOBS_TO_FILE\0EDG_BASE\0"
	"EDG_MODULES_PATH\0FINALIZER_CUBIE\0FINALIZER_USE_LEGACY_ELF_BUILDER\0LANG\0"
	"LC_ALL\0LC_CTYPE\0LC_MESSAGES\0LIBNVVM_DISABLE_CONCURRENT_API\0"
	"LIBNVVM_NVVM_VERSION\0LLVM_IGNORED_ENV_VAR\0LLVM_OVERRIDE_PRODUCER\0"
	"NVJITLINK_TRACE_MESSAGES\0NVRTCWIZ\0NVRTC_APPEND_FLAGS\0"
	"NVRTC_DISABLE_CONCURRENT_NVVM\0NVRTC_DISABLE_PCH\0NVRTC_INTERNAL_GLOBAL_LOCK\0"
	"NVRTC_PCH_HEAP_SIZE\0NVRTC_PREPEND_FLAGS\0NVVM_IR_VER_CHK\0NV_NVVM_VERSION\0"
	"OPENSSL_ia32cap\0SOURCE_DATE_EPOCH\0LD_LIBRARY_PATH\0bar\0";

/* Part of the key: a change of what the key covers gets another number. */
#define KEY_VERSION 6

static int is_named(void *ctx, const struct elfobject *o)
{
	return strcmp(path_base(o->path), ctx) == 0;
}

/* The companion of NVRTC holds its headers and device functions, and is loaded by the first
 * compile. It is the object that is loaded under the name, or the file beside NVRTC, where the
 * loader looks first. -1: not known which. */
static int find_companion(struct jit_library *l)
{
	size_t dir = path_dir_len(l->path);
	struct elfobject o;
	char name[64];

	if (!l->release)
		return -1;
	format_text(name, sizeof name, "%s%s.so.%d.%d", libraries_companion(l->id),
	            strstr(l->name, ".alt.") ? ".alt" : "", l->release / 100, l->release % 100);
	if (elfobject_find(&o, is_named, name) == 0)
		format_text(l->companion, sizeof l->companion, "%s", o.path);
	else if (dir + 1 + strlen(name) >= sizeof l->companion)
		return -1;
	else {
		memcpy(l->companion, l->path, dir);
		format_text(l->companion + dir, sizeof l->companion - dir, "/%s", name);
	}
	return 0;
}

static int add_companion(struct start *s, struct jit_library *l)
{
	struct digest d;

	if (!*libraries_companion(l->id))
		return 0;
	if ((!jit_forked && find_companion(l) < 0) || !*l->companion ||
	    probe_file(&s->prober, l->companion, &d, NULL) < 0)
		return -1;
	key_add_digest(&s->key, KEY_LIBRARY, libraries_companion(l->id), &d);
	return 0;
}

/* Generated names stay out of the key, like those in arguments of a process
 * (docs/internals/names.md). */
static void add_spelled(struct start *s, const char *label, const char *text)
{
	struct buf spec = BUF_INIT(&s->arena);

	names_arg(&s->names, text, 1, &spec);
	key_add(&s->key, KEY_ARG, label, spec.data, spec.len);
}

/* Options whose product contains the working directory: line tables, LTO IR, and OptiX IR (of 12.1,
 * not of 13). */
static const char for_directory[] =
	"g\0G\0device-debug\0lineinfo\0generate-line-info\0dlto\0dlink-time-opt\0optix-ir\0";
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

static int contains_directory(const struct invocation *call, const struct program *p)
{
	for (int i = 0; i < p->option_count; i++)
		if (asks_directory(p->options[i]))
			return 1;
	return asks_directory(invocation_env(call, "NVRTC_PREPEND_FLAGS")) ||
	       asks_directory(invocation_env(call, "NVRTC_APPEND_FLAGS"));
}

void compile_key_row(struct tool_row *row, enum jit_id id)
{
	*row = (struct tool_row)TOOL_LIBRARY_ROW("", jit_env);
	format_text(row->name, sizeof row->name, "%s", libraries_label(id));
}

int compile_key(struct start *s, struct program *p)
{
	struct key parts;
	char format[16], rounding[24];
	struct digest d;

	key_init(&s->key, &s->arena);
	format_text(format, sizeof format, "jit %d, %d", ANSWERS_FORMAT, KEY_VERSION);
	key_add_str(&s->key, KEY_FORMAT, "", format);
	/* patchelf drops the note with the build id. */
	if (!*p->library->build && probe_file(&s->prober, p->library->path, &d, NULL) < 0)
		return -1;
	if (*p->library->build)
		key_add_str(&s->key, KEY_TOOL, s->row->name, p->library->build);
	else
		key_add_digest(&s->key, KEY_TOOL, s->row->name, &d);
	if (add_companion(s, p->library) < 0)
		return -1;
	/* Each process may have a directory of its own for its programs. */
	if (p->name && p->name[0] == '/')
		names_source(&s->names, p->name, path_dir_len(p->name));
	for (int i = 0; i < p->option_count; i++)
		add_spelled(s, "option", p->options[i]);
	for (const char *name = s->row->env; *name; name += strlen(name) + 1) {
		const char *value = invocation_env(&s->call, name);

		if (value)
			key_add_str(&s->key, KEY_ENV, name, value);
	}
	for (unsigned i = 0; i < p->expressions; i++)
		key_add_str(&s->key, KEY_ARG, "name expression", p->expression[i]);
	parts = p->parts; /* more may be added to it */
	key_final(&parts, &d);
	key_add_digest(&s->key, KEY_PRIMARY, p->adding ? "addition" : "", &d);
	if (p->name)
		add_spelled(s, "name", p->name);
	if (p->rounding != ROUNDING_USUAL) {
		format_text(rounding, sizeof rounding, "%llx", (unsigned long long)p->rounding);
		key_add_str(&s->key, KEY_SETTING, "rounding", rounding);
	}
	if (!p->directory_free && contains_directory(&s->call, p))
		key_add_str(&s->key, KEY_SETTING, "directory", s->call.cwd);
	if (s->names.overflow || judge_names(s) < 0)
		return -1;
	key_final(&s->key, &s->k1);
	return s->arena.refused ? -1 : 0;
}
