/* jit/library/nvrtc.c - NVRTC's rules. */
#include "jit/library/nvrtc.h"

#include <limits.h>
#include <string.h>

#include "jit/jit.h"
#include "jit/library/option_state.h"
#include "jit/library/plain_options.h"
#include "jit/source_text.h"
#include "names/name_shape.h"
#include "names/names.h"
#include "shim/settings/settings.h"

#include "shim/banned.h"

/* enum nvrtcResult */
enum { SUCCESS = 0, COMPILATION = 6 };

/* NVRTC adds the options of these variables. */
static const char *const variables[] = {"NVRTC_PREPEND_FLAGS", "NVRTC_APPEND_FLAGS"};

static void refuse_options(struct program *p)
{
	const char *option = options_unplain(p->option_count, p->options, UNPLAIN_NVRTC, "");

	if (option)
		program_refuse(p, REASON_BYPASS_ARGUMENTS, NOT_SERVED, option);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (!options_text_plain(env_get(jit_environment(), variables[i]), UNPLAIN_NVRTC))
			program_refuse(p, REASON_BYPASS_ARGUMENTS, NOT_SERVED, variables[i]);
}

/* 1: the text has this component of a path, with a slash behind it. */
static int has_component(const char *text, const char *name, size_t n)
{
	const char *slash = name[n] == '/' ? name + n : NULL;

	return slash && memmem(text, strlen(text), name, n + 1) != NULL;
}

/* Whether a text contains a generated part of the program's name, or the last component of its
 * directory. How else a text may depend on the name is asked when all texts are there
 * (jit/generated_name.c), so the text is copied. */
static int knows_name(struct program *p, const char *text, const char *name, int own)
{
	char word[NAME_MAX + 1];

	if (program_keep_text(p, text, own) < 0)
		return SOURCE_ITSELF;
	while (*name) {
		size_t n = strcspn(name, "/"), token = name_token(name, n);

		if (n && name[n] && !strchr(name + n + 1, '/') && has_component(text, name, n))
			return SOURCE_ITSELF;
		if (token && token < sizeof word && name_is_volatile(name, token)) {
			memcpy(word, name, token);
			word[token] = '\0';
			if (strstr(text, word))
				return SOURCE_ITSELF;
		}
		name += n + (name[n] == '/');
	}
	return 0;
}

/* Only a name with an absolute directory may differ from run to run. */
static int flags_of(struct program *p, const char *text, const char *name, int own)
{
	return source_text_flags(text, strlen(text), "", 0) |
	       (name && name[0] == '/' ? knows_name(p, text, name, own) : 0);
}

static void add_headers(struct program *p, const char *name, int n, const char *const *headers,
                        const char *const *names)
{
	for (int i = 0; i < n; i++) {
		if (!headers[i] || !names[i]) {
			program_refuse(p, REASON_BYPASS_LIBRARY, "a header has no text or no name",
			               NULL);
			continue;
		}
		key_add_str(&p->parts, KEY_PRIMARY, names[i], headers[i]);
		p->source_flags |= flags_of(p, headers[i], name, 0) |
		                   (names[i][0] == '/' ? SOURCE_DIRECTORY : 0);
	}
}

static int run(struct program *p)
{
	uint64_t begun = parallel_options_begin(p);
	int n = p->option_count, status;

	option_state_note(n, p->options);
	/* program_keep_options left room for one more. */
	if (p->recorded && driver_cache_of(p->library))
		((const char **)p->options)[n++] = DRIVER_CACHE_OFF;
	status = CALL(p->library, NVRTC_CompileProgram, (uintptr_t)p->handle, (uintptr_t)n,
	              (uintptr_t)p->options);
	/* Afterwards: options that another thread gave meanwhile count as well. */
	p->mixed =
		!parallel_options_end(begun) || option_state_affects(p->option_count, p->options);
	return status;
}

/* A compile error follows from the source, like a success. */
static int keeps(int status)
{
	return status == SUCCESS || status == COMPILATION;
}

/* --- public, in header order --- */

/* (handle *, source, name, count, headers, their names) */
int nvrtc_create(struct call *c)
{
	const char *source = call_pointer(c, 1), *name = call_pointer(c, 2);
	int status = call_real(c);
	struct program *p;

	if (status != SUCCESS || !jit_on || !source)
		return status;
	p = program_new(c->library, *(void **)call_pointer(c, 0),
	                (struct program_compile){run, keeps, NULL});
	if (!p)
		return status;
	p->worth = 1;
	key_add_str(&p->parts, KEY_PRIMARY, "source", source);
	p->source_flags = flags_of(p, source, name, 1);
	p->name = name ? arena_strdup(&p->arena, name) : NULL;
	if (name && !p->name)
		program_refuse(p, REASON_BYPASS_SYSTEM, "no memory", NULL);
	add_headers(p, name, (int)c->word[3], call_pointer(c, 4), call_pointer(c, 5));
	return status;
}

/* (handle, name expression) */
int nvrtc_add(struct call *c)
{
	const char *expression = call_pointer(c, 1);
	struct program *p = c->program;
	int status;

	if (p)
		program_materialise(p);
	status = call_real(c);
	if (p && status == SUCCESS && expression)
		program_keep_expression(p, expression);
	return status;
}

/* (handle, count, options) */
int nvrtc_compile(struct call *c)
{
	const char *const *options = call_pointer(c, 2);
	struct program *p = c->program;
	int n = (int)c->word[1];

	if (!p || n < 0 || (n && !options)) {
		if (n > 0 && options)
			option_state_note(n, options);
		return call_real(c);
	}
	/* A second compile uses what the first one left. */
	program_reopen(p);
	if (program_keep_options(p, n, options) == 0 && !p->off)
		refuse_options(p);
	if (p->off) {
		p->state = PROGRAM_REAL;
		option_state_note(n, options);
		return p->option_count == n ? run(p) : call_real(c);
	}
	return serve_compile(p);
}
