/* jit/nvrtc.c - NVRTC's functions, served. */
#include <limits.h>
#include <string.h>

#include "jit/answers.h"
#include "jit/dated.h"
#include "jit/jit.h"
#include "jit/product.h"
#include "jit/state.h"

#include "shim/banned.h"

/* enum nvrtcResult */
enum { SUCCESS = 0, INVALID_INPUT = 3, INVALID_PROGRAM = 4, INVALID_OPTION = 5, COMPILATION = 6, INTERNAL_ERROR = 11 };

static const struct product products[] = {
	{NVRTC_GetPTXSize, NVRTC_GetPTX, "PTX"},
	{NVRTC_GetCUBINSize, NVRTC_GetCUBIN, "CUBIN"},
	{NVRTC_GetNVVMSize, NVRTC_GetNVVM, "NVVM"},
	{NVRTC_GetLTOIRSize, NVRTC_GetLTOIR, "LTOIR"},
	{NVRTC_GetOptiXIRSize, NVRTC_GetOptiXIR, "OptiXIR"},
	{NVRTC_GetTileIRSize, NVRTC_GetTileIR, "TileIR"},
	{NVRTC_GetProgramLogSize, NVRTC_GetProgramLog, "ProgramLog"},
};

#define REAL_OF(l, id, parameters) ((int (*) parameters)((l) ? (l)->real[NVRTC_##id] : NULL))
typedef int name_function(void *, const char *, const char **);

/* Compiles that run at once with other options change each other's code (13.5, plainly): what came of one is its own truth
 * and nobody else's. */
static struct {
	unsigned running;
	uint64_t mixed;     /* times that it happened */
	struct digest options;
} at_once;

static uint64_t run_begins(const struct program *p)
{
	struct digest_state s;
	struct digest d;
	uint64_t mixed;

	digest_init_as(&s, DIGEST_XXH3);
	for (int i = 0; i < p->option_count; i++)
		digest_add(&s, p->options[i], strlen(p->options[i]) + 1);
	digest_final(&s, &d);
	jit_spin_take();
	mixed = at_once.mixed;
	if (!at_once.running++)
		at_once.options = d;
	else if (!digest_equal(&at_once.options, &d))
		at_once.mixed++;
	jit_spin_release();
	return mixed;
}

static int run_ends(uint64_t mixed)
{
	int alone;

	jit_spin_take();
	at_once.running--;
	alone = at_once.mixed == mixed;
	jit_spin_release();
	return alone;
}

/* program_keep_options left room for one more. */
static const char *const *without_cache(struct program *p)
{
	const char **v = (const char **)p->options;

	v[p->option_count] = JIT_NO_CACHE;
	return v;
}

static int nvrtc_run(struct program *p)
{
	int (*compile)(void *, int, const char *const *) = REAL_OF(p->library, CompileProgram, (void *, int, const char *const *));
	uint64_t mixed = run_begins(p);
	int status = INTERNAL_ERROR;

	stays_note(p->option_count, p->options);
	if (compile && p->recorded && jit_has_cache(p->library))
		status = compile(p->handle, p->option_count + 1, without_cache(p));
	else if (compile)
		status = compile(p->handle, p->option_count, p->options);
	/* Afterwards: what another thread gave meanwhile counts as well. */
	p->mixed = !run_ends(mixed) || stays_from_others(p->option_count, p->options);
	return status;
}

/* What a compile error says is the source's doing, like a success. */
static int keeps(int status)
{
	return status == SUCCESS || status == COMPILATION;
}

/* What nobody registers as a name expression. */
#define NO_NAME "no such name"

static int is_registered(const struct program *p, const char *expression)
{
	for (unsigned i = 0; i < p->expressions; i++)
		if (strcmp(p->expression[i], expression) == 0)
			return 1;
	return strcmp(expression, NO_NAME) == 0;
}

static void take_pch(struct program *p, struct answers *a)
{
	int (*made)(void *) = REAL_OF(p->library, GetPCHCreateStatus, (void *));
	int (*heap)(void *, size_t *) = REAL_OF(p->library, GetPCHHeapSizeRequired, (void *, size_t *));
	struct answer status = {ANSWER_VALUE, "PCHCreateStatus", 0, 1, "", 0}, size = {ANSWER_VALUE, "PCHHeapSizeRequired", 0, 1, "", 0};
	char *room = arena_alloc(a->arena, sizeof(size_t) + 1);
	size_t n = 0;

	if (!made || !heap || !room)
		return;
	status.status = made(p->handle);
	answers_add(a, &status);
	size.status = heap(p->handle, &n);
	memcpy(room, &n, sizeof n);
	size.value = room;
	size.len = sizeof n;
	answers_add(a, &size);
}

static void take(struct program *p, struct answers *a)
{
	name_function *lowered = (name_function *)p->library->real[NVRTC_GetLoweredName];

	take_pch(p, a);
	for (size_t i = 0; i < sizeof products / sizeof *products; i++)
		product_take(p, a, &products[i]);
	if (lowered) {
		struct answer none = {ANSWER_VALUE, NO_NAME, 0, 0, "", 0};
		const char *name = NULL;

		none.status = lowered(p->handle, NO_NAME, &name);
		if (!name)
			answers_add(a, &none);
	}
	for (unsigned i = 0; i < p->expressions; i++) {
		struct answer one = {ANSWER_NAME, p->expression[i], 0, 0, "", 0};
		const char *name = NULL;

		if (!lowered) {
			a->failed = 1;
			return;
		}
		one.status = lowered(p->handle, p->expression[i], &name);
		if (name) {
			one.value = name;
			one.len = strlen(name);
			one.there = 1;
		}
		answers_add(a, &one);
	}
}

/* Options that read or write files of their own, or that the trace of one thread does not follow. */
static int is_plain(const char *option)
{
	return strcmp(option, "--dlink-time-opt") == 0 || !jit_mentions(option, "pch\0time\0use-bundled-headers\0split-compile\0jobserver\0keep\0dump\0save\0");
}

/* A text that spells a generated component of the program's name knows it as well. What else it could do to know it is asked
 * when all texts are there (jit/named.c). */
static int knows_name(struct program *p, const char *text, const char *name, int own)
{
	char word[NAME_MAX + 1];
	int kept = 0;

	while (*name) {
		size_t n = strcspn(name, "/"), token = name_token(name, n);

		if (token && token < sizeof word && name_is_volatile(name, token)) {
			memcpy(word, name, token);
			word[token] = '\0';
			if (strstr(text, word) || (!kept && program_keep_text(p, text, own) < 0))
				return DATED_NAMES_ITSELF;
			kept = 1;
		}
		name += n + (name[n] == '/');
	}
	return 0;
}

/* A name without a directory is none of those that are generated (keying/names.h). */
static int dated_of(struct program *p, const char *text, const char *name, int own)
{
	return dated_text(text, strlen(text), "", 0) | (name && name[0] == '/' ? knows_name(p, text, name, own) : 0);
}

/* --- the functions, in the order of jit/entries.def --- */

int nvrtc_CreateProgram(struct jit_library *l, void **handle, const char *src, const char *name, int n,
                        const char *const *headers, const char *const *names)
{
	int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *) =
		REAL_OF(l, CreateProgram, (void **, const char *, const char *, int, const char *const *, const char *const *));
	int status = create ? create(handle, src, name, n, headers, names) : INTERNAL_ERROR;
	struct program *p;

	if (status != SUCCESS || !jit_on || !src)
		return status;
	p = program_find(*handle); /* one that was destroyed unseen */
	if (p)
		program_drop(p);
	p = program_new(l, *handle, (struct program_row){nvrtc_run, keeps, take});
	if (!p)
		return status;
	key_add_str(&p->parts, KEY_PRIMARY, "source", src);
	p->dated = dated_of(p, src, name, 1);
	p->name = name ? arena_strdup(&p->arena, name) : NULL;
	for (int i = 0; i < n; i++) {
		if (!headers[i] || !names[i]) {
			p->off = 1;
			continue;
		}
		key_add_str(&p->parts, KEY_PRIMARY, names[i], headers[i]);
		p->dated |= dated_of(p, headers[i], name, 0) | (names[i][0] == '/' ? DATED_NAMES_CWD : 0);
	}
	if (name && !p->name)
		p->off = 1;
	return status;
}

int nvrtc_DestroyProgram(struct jit_library *l, void **handle)
{
	struct program *p = handle ? program_find(*handle) : NULL;
	int (*destroy)(void **) = REAL_OF(program_library(p, l), DestroyProgram, (void **));

	if (p)
		program_drop(p);
	return destroy ? destroy(handle) : INTERNAL_ERROR;
}

int nvrtc_AddNameExpression(struct jit_library *l, void *handle, const char *expression)
{
	struct program *p = program_find(handle);
	int (*add)(void *, const char *) = REAL_OF(program_library(p, l), AddNameExpression, (void *, const char *));
	const char **v;
	int status;

	if (p)
		program_materialise(p);
	status = add ? add(handle, expression) : INTERNAL_ERROR;
	if (!p || status != SUCCESS || !expression)
		return status;
	v = arena_grow(&p->arena, p->expression, p->expressions, &p->expressions_cap, sizeof *v, 8);
	if (!v) {
		p->off = 1;
		return status;
	}
	p->expression = v;
	p->expression[p->expressions] = arena_strdup(&p->arena, expression);
	p->off |= !p->expression[p->expressions];
	p->expressions += p->expression[p->expressions] != NULL;
	return status;
}

int nvrtc_CompileProgram(struct jit_library *l, void *handle, int n, const char *const *options)
{
	struct program *p = program_find(handle);
	int (*compile)(void *, int, const char *const *) = REAL_OF(program_library(p, l), CompileProgram, (void *, int, const char *const *));

	if (!compile)
		return INTERNAL_ERROR;
	if (!p || n < 0 || (n && !options)) {
		if (n > 0 && options)
			stays_note(n, options);
		return compile(handle, n, options);
	}
	/* A second compile goes by what the first one left. */
	if (p->state != PROGRAM_NEW) {
		program_materialise(p);
		p->off = 1;
	}
	if (program_keep_options(p, n, options) < 0)
		p->off = 1;
	for (int i = 0; i < n && !p->off; i++)
		p->off = !is_plain(options[i]);
	if (p->off) {
		p->state = PROGRAM_REAL;
		stays_note(n, options);
		return p->option_count == n ? nvrtc_run(p) : compile(handle, n, options);
	}
	return jit_serve(p);
}

int nvrtc_SetFlowCallback(struct jit_library *l, void *handle, int (*callback)(void *, void *), void *payload)
{
	struct program *p = program_find(handle);
	int (*set)(void *, int (*)(void *, void *), void *) = REAL_OF(program_library(p, l), SetFlowCallback, (void *, int (*)(void *, void *), void *));

	/* It is called while it compiles, and may end that. */
	if (p) {
		program_materialise(p);
		p->off = 1;
	}
	return set ? set(handle, callback, payload) : INTERNAL_ERROR;
}

int nvrtc_GetLoweredName(struct jit_library *l, void *handle, const char *expression, const char **lowered)
{
	struct program *p = program_find(handle);
	const struct answer *a = NULL;
	name_function *get;

	if (p && lowered && expression)
		a = is_registered(p, expression) ? product_answered(p, ANSWER_NAME, expression)
		                                 : product_answered(p, ANSWER_VALUE, NO_NAME);

	if (a) {
		*lowered = a->there ? a->value : NULL;
		return a->status;
	}
	if (p)
		program_materialise(p);
	l = program_library(p, l);
	get = l ? (name_function *)l->real[NVRTC_GetLoweredName] : NULL;
	return get ? get(handle, expression, lowered) : INTERNAL_ERROR;
}

int nvrtc_GetPCHCreateStatus(struct jit_library *l, void *handle)
{
	struct program *p = program_find(handle);
	const struct answer *a = product_answered(p, ANSWER_VALUE, "PCHCreateStatus");
	int (*get)(void *) = REAL_OF(program_library(p, l), GetPCHCreateStatus, (void *));

	if (a)
		return a->status;
	return get ? get(handle) : INTERNAL_ERROR;
}

int nvrtc_GetPCHHeapSizeRequired(struct jit_library *l, void *handle, size_t *size)
{
	struct program *p = program_find(handle);
	const struct answer *a = product_answered(p, ANSWER_VALUE, "PCHHeapSizeRequired");
	int (*get)(void *, size_t *) = REAL_OF(program_library(p, l), GetPCHHeapSizeRequired, (void *, size_t *));

	if (a && size && a->len == sizeof *size) {
		memcpy(size, a->value, sizeof *size);
		return a->status;
	}
	if (p)
		program_materialise(p);
	return get ? get(handle, size) : INTERNAL_ERROR;
}

#define PRODUCT(i, id)                                                                     \
	int nvrtc_Get##id##Size(struct jit_library *l, void *handle, size_t *size)         \
	{                                                                                  \
		return product_size(l, &products[i], handle, size);                            \
	}                                                                                  \
	int nvrtc_Get##id(struct jit_library *l, void *handle, char *to)                   \
	{                                                                                  \
		return product_bytes(l, &products[i], handle, to);                             \
	}
PRODUCT(0, PTX)
PRODUCT(1, CUBIN)
PRODUCT(2, NVVM)
PRODUCT(3, LTOIR)
PRODUCT(4, OptiXIR)
PRODUCT(5, TileIR)
PRODUCT(6, ProgramLog)
