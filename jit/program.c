/* jit/program.c - what is known of a program of a library, by its handle. */
#include "jit/program.h"

#include <string.h>

#include "jit/jit.h"
#include "shim/format.h"
#include "store/trust.h"

#include "shim/banned.h"

/* Jobs have up to some hundred programs at a time; CuPy has one. */
#define BUCKETS 256
static struct program *table[BUCKETS];

static struct program **bucket(const void *handle)
{
	uintptr_t n = (uintptr_t)handle >> 4;

	return &table[(n ^ n >> 8) % BUCKETS];
}

/* The constructor of a host loads no settings, and a digest keeps the algorithm that it began with.
 * Two threads that do this at once do the same. */
static void choose_digest(void)
{
	static int chosen;
	struct arena arena = ARENA_INIT;
	struct settings *set;

	if (__atomic_load_n(&chosen, __ATOMIC_ACQUIRE))
		return;
	set = arena_alloc_aligned(&arena, sizeof *set, _Alignof(struct settings));
	if (set) {
		settings_load(set, (char **)jit_environment(), &arena);
		if (trust_configured(set))
			digest_use(DIGEST_BLAKE2B);
		__atomic_store_n(&chosen, 1, __ATOMIC_RELEASE);
	}
	arena_free(&arena);
}

static struct program *find(void *handle)
{
	struct program *p;

	if (!handle)
		return NULL;
	jit_spin_take();
	for (p = *bucket(handle); p && p->handle != handle; p = p->next)
		;
	jit_spin_release();
	return p;
}

/* --- public, in header order --- */

struct program *program_new(struct jit_library *l, void *handle, struct program_compile compile)
{
	struct arena arena = ARENA_INIT;
	struct program *p = find(handle);

	if (p)
		program_drop(p);
	p = arena_alloc_aligned(&arena, sizeof *p, _Alignof(struct program));
	if (!p)
		return NULL;
	choose_digest();
	p->handle = handle;
	p->library = l;
	p->compile = compile;
	key_init(&p->parts, NULL);
	p->arena = arena;
	jit_spin_take();
	p->next = *bucket(handle);
	*bucket(handle) = p;
	jit_spin_release();
	return p;
}

struct program *program_of(void *handle, int entry)
{
	struct program *p = find(handle);

	return p && p->library->id == entry_library(entry) ? p : NULL;
}

void program_drop(struct program *p)
{
	struct program **at;
	struct arena arena;

	jit_spin_take();
	for (at = bucket(p->handle); *at && *at != p; at = &(*at)->next)
		;
	if (*at)
		*at = p->next;
	jit_spin_release();
	arena_free(&p->served);
	arena = p->arena; /* holds p itself */
	arena_free(&arena);
}

void program_materialise(struct program *p)
{
	uint64_t now = rounding_now();

	if (p->rounding && p->rounding != now)
		rounding_set(p->rounding);
	if (p->state == PROGRAM_HIT) {
		p->state = PROGRAM_REAL;
		p->compile.run(p);
	} else if (p->left_out) {
		p->compile.settle(p);
	}
	if (p->rounding && p->rounding != now)
		rounding_set(now);
}

void program_reopen(struct program *p)
{
	if (!p || p->state == PROGRAM_NEW)
		return;
	program_materialise(p);
	program_refuse(p, REASON_BYPASS_LIBRARY, "the program was compiled before", NULL);
}

void program_round(struct program *p)
{
	uint64_t now = rounding_now();

	if (!p || p->rounding == now)
		return;
	if (p->rounding) {
		program_materialise(p);
		program_refuse(p, REASON_BYPASS_LIBRARY,
		               "the thread rounds numbers otherwise than before", NULL);
	}
	p->rounding = now;
}

void program_refuse(struct program *p, enum reason reason, const char *text, const char *word)
{
	char both[256];

	p->off = 1;
	p->bypass = (struct program_bypass){reason, text};
	if (!word)
		return;
	format_text(both, sizeof both, "%s %s", text, word);
	word = arena_strdup(&p->arena, both);
	if (word)
		p->bypass.text = word;
}

static int refuse_memory(struct program *p)
{
	program_refuse(p, REASON_BYPASS_SYSTEM, "no memory", NULL);
	return -1;
}

int program_keep_text(struct program *p, const char *text, int own)
{
	struct program_text *t = arena_alloc(&p->arena, sizeof *t);

	if (!t)
		return refuse_memory(p);
	t->len = strlen(text);
	t->s = arena_memdup(&p->arena, text, t->len);
	t->own = own;
	if (!t->s)
		return refuse_memory(p);
	t->next = p->texts;
	p->texts = t;
	return 0;
}

int program_keep_options(struct program *p, int n, const char *const *options)
{
	const char **v = arena_alloc(&p->arena, ((size_t)n + 1) * sizeof *v);

	for (int i = 0; v && i < n; i++) {
		v[i] = options[i] ? arena_strdup(&p->arena, options[i]) : NULL;
		if (!v[i])
			return refuse_memory(p);
	}
	p->options = v ? v : p->options;
	p->option_count = v ? n : 0;
	return v ? 0 : refuse_memory(p);
}

int program_keep_expression(struct program *p, const char *expression)
{
	const char **v = arena_grow(&p->arena, p->expression, p->expressions, &p->expressions_cap,
	                            sizeof *v, 8);

	if (!v)
		return refuse_memory(p);
	p->expression = v;
	v[p->expressions] = arena_strdup(&p->arena, expression);
	if (!v[p->expressions])
		return refuse_memory(p);
	p->expressions++;
	return 0;
}
