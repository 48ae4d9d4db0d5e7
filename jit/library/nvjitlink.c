/* jit/library/nvjitlink.c - nvJitLink's rules. */
#include "jit/library/nvjitlink.h"

#include <string.h>

#include "jit/call.h"
#include "jit/compile.h"
#include "jit/library/option_state.h"
#include "jit/library/plain_options.h"
#include "jit/program.h"
#include "jit/state.h"
#include "keying/hashfile.h"
#include "shim/kernel/sys.h"
#include "shim/settings/settings.h"

#include "shim/banned.h"

enum { SUCCESS = 0, INTERNAL_ERROR = 6 };
enum { INPUT_PTX = 2, INPUT_ANY = 10 }; /* nvJitLinkInputType */

/* From this release on, no option outlives its link (jit/library/option_state.h). */
#define OPTIONS_STAY_UNTIL 1305

/* Logs contain the input's name. */
static void add_input(struct program *p, int type, const void *content, size_t n, const char *name)
{
	key_add(&p->parts, KEY_PRIMARY, "type", &type, sizeof type);
	key_add(&p->parts, KEY_PRIMARY, "input", content, n);
	key_add_str(&p->parts, KEY_ARG, name ? "name" : "no name", name ? name : "");
	p->worth |= type == INPUT_PTX || type == INPUT_ANY;
}

/* The handle is made before it is known whether its link will be recorded. Where the library
 * refuses, a handle with the caller's own options says why. */
static int create_without_cache(struct jit_library *l, void **handle, uint32_t n,
                                const char *const *options)
{
	struct arena a = ARENA_INIT;
	const char **v = arena_alloc(&a, ((size_t)n + 1) * sizeof *v);
	int status = INTERNAL_ERROR;
	void *made = NULL;

	if (v) {
		if (n)
			memcpy(v, options, n * sizeof *v);
		v[n] = DRIVER_CACHE_OFF;
		status = CALL(l, NVJITLINK_Create, (uintptr_t)&made, n + 1, (uintptr_t)v);
		if (status == SUCCESS)
			*handle = made;
		else if (made)
			CALL(l, NVJITLINK_Destroy, (uintptr_t)&made);
	}
	arena_free(&a);
	return status;
}

#define UNKNOWN_INPUT "the library refused or Reprise cannot read an input"

/* (handle, type, data, size, name) */
static int add_data(struct call *c)
{
	const void *data = call_pointer(c, 2);
	struct program *p = c->program;
	int status;

	status = call_real(c);
	if (p && status == SUCCESS && data)
		add_input(p, (int)c->word[1], data, c->word[3], call_pointer(c, 4));
	else if (p)
		program_refuse(p, REASON_BYPASS_LIBRARY, UNKNOWN_INPUT, NULL);
	return status;
}

/* (handle, type, path) */
static int add_file(struct call *c)
{
	const char *path = call_pointer(c, 2);
	struct program *p = c->program;
	int status = call_real(c), fd = -1;
	unsigned char *buffer = p && !p->off ? arena_alloc(&p->arena, HASHFILE_BUFFER) : NULL;
	unsigned long long bytes;
	struct digest d;

	/* The library read it just now. */
	if (buffer && status == SUCCESS && path)
		fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	if (fd >= 0 && hashfile(fd, buffer, 0, &d, &bytes, NULL) == 0)
		add_input(p, (int)c->word[1], &d, sizeof d, path);
	else if (p && !p->off)
		program_refuse(p, REASON_BYPASS_LIBRARY, UNKNOWN_INPUT, path);
	if (fd >= 0)
		sys_close(fd);
	return status;
}

static int run(struct program *p)
{
	int status = CALL(p->library, NVJITLINK_Complete, (uintptr_t)p->handle);

	p->mixed = option_state_affects(p->option_count, p->options);
	return status;
}

static int keeps(int status)
{
	return status == SUCCESS;
}

/* The option or variable for which the link is not served, or NULL. Messages of a trace are about
 * the library's own work. */
static const char *find_unserved(const struct jit_library *l, int n, const char *const *options)
{
	const char *option = options_unplain(n, options, UNPLAIN_NVJITLINK);

	if (jit_on && options && l->release < OPTIONS_STAY_UNTIL &&
	    option_state_adds_up(n, options)) {
		option_state_note(n, options);
		return "-kernels-used and -variables-used of this release stay for later links";
	}
	if (env_get(jit_environment(), "NVJITLINK_TRACE_MESSAGES"))
		return "NVJITLINK_TRACE_MESSAGES";
	return option;
}

/* --- public, in header order --- */

/* (handle *, count, options) */
int nvjitlink_create(struct call *c)
{
	const char *const *options = call_pointer(c, 2);
	uint32_t n = (uint32_t)c->word[1];
	const char *unserved = find_unserved(c->library, (int)n, options);
	void **handle = call_pointer(c, 0);
	int status = INTERNAL_ERROR;
	struct program *p;

	if (jit_on && !unserved && driver_cache_of(c->library))
		status = create_without_cache(c->library, handle, n, options);
	if (status != SUCCESS)
		status = call_real(c);
	if (status != SUCCESS || !jit_on)
		return status;
	p = program_new(c->library, *handle, (struct program_compile){run, keeps});
	if (!p)
		return status;
	if (program_keep_options(p, options ? (int)n : 0, options) == 0 && unserved)
		program_refuse(p, REASON_BYPASS_ARGUMENTS, NOT_SERVED, unserved);
	for (uint32_t i = 0; !p->off && i < n; i++)
		p->worth |= strcmp(options[i], "-lto") == 0 ||
		            strcmp(options[i], "--link-time-opt") == 0;
	return status;
}

int nvjitlink_add(struct call *c)
{
	program_reopen(c->program);
	return c->entry == NVJITLINK_AddData ? add_data(c) : add_file(c);
}

/* (handle) */
int nvjitlink_compile(struct call *c)
{
	struct program *p = c->program;

	program_reopen(p);
	if (p && !p->off && !p->worth)
		program_refuse(p, REASON_BYPASS_LIBRARY,
		               "joining cubins takes less time than a look-up", NULL);
	return p ? serve_compile(p) : call_real(c);
}
