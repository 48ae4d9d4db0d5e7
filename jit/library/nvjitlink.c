/* jit/library/nvjitlink.c - nvJitLink's rules. */
#include "jit/library/nvjitlink.h"

#include <string.h>
#include <sys/stat.h>

#include "jit/jit.h"
#include "jit/library/option_state.h"
#include "jit/library/plain_options.h"
#include "keying/hashfile.h"
#include "shim/kernel/sys.h"
#include "shim/settings/settings.h"

#include "shim/banned.h"

enum { SUCCESS = 0, INTERNAL_ERROR = 6 };
enum { INPUT_PTX = 2, INPUT_ANY = 10 }; /* nvJitLinkInputType */
enum { PAGE = 4096 };                   /* no machine has smaller ones */

/* From this release on, no option outlives its link (jit/library/option_state.h). */
#define OPTIONS_STAY_UNTIL 1305

#define UNKNOWN_INPUT "the library refused or Reprise cannot read an input"

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

/* The library compiles PTX as it is added: the addition is an action, and its result that the
 * library accepts the input. A hit leaves out the addition. The library must get inputs in order,
 * so each addition behind it is an action as well. */

static int is_compiled(const struct program_input *in)
{
	enum { ELF = 0x7f };

	return in->type == INPUT_PTX ||
	       (in->type == INPUT_ANY && in->size && *(const char *)in->data != ELF);
}

/* The library looks for a NUL behind a text that does not end with one, and refuses a text without.
 * This byte is no part of the input, and the next page may be no memory. */
static int ends(const struct program_input *in)
{
	const char *end = (const char *)in->data + in->size;

	return !is_compiled(in) ||
	       (in->size && (!end[-1] || ((uintptr_t)end % PAGE && !*end)));
}

static int add_real(struct program *p, struct program_input *in)
{
	in->given = 1;
	return CALL(p->library, NVJITLINK_AddData, (uintptr_t)p->handle, (uintptr_t)in->type,
	            (uintptr_t)in->data, in->size, (uintptr_t)in->name);
}

static int settle(struct program *p)
{
	struct program_input *in = p->left_out;

	for (p->left_out = NULL; in && !p->lost; in = in->next)
		p->lost = add_real(p, in);
	return p->lost;
}

/* -1: no memory. */
static int leave_out(struct program *p, const struct program_input *in)
{
	struct program_input *copy = arena_alloc(&p->arena, sizeof *copy), **at = &p->left_out;

	if (!copy)
		return -1;
	*copy = *in;
	copy->data = arena_memdup(&p->arena, in->data, in->size);
	copy->name = in->name ? arena_strdup(&p->arena, in->name) : NULL;
	copy->next = NULL;
	if (!copy->data || (in->name && !copy->name))
		return -1;
	while (*at)
		at = &(*at)->next;
	*at = copy;
	return 0;
}

static int add_served(struct program *p, struct program_input *in)
{
	int status;

	add_input(p, in->type, in->data, in->size, in->name);
	p->additions = 1;
	p->adding = in;
	status = serve_compile(p);
	if (!in->given && leave_out(p, in) < 0)
		status = p->compile.run(p);
	p->adding = NULL;
	if (status != SUCCESS)
		program_refuse(p, REASON_BYPASS_LIBRARY, UNKNOWN_INPUT, in->name);
	return status;
}

/* (handle, type, data, size, name) */
static int add_data(struct call *c)
{
	const void *data = call_pointer(c, 2);
	struct program *p = c->program;
	struct program_input in = {(int)c->word[1], data, c->word[3], call_pointer(c, 4), 0, NULL};
	int status;

	if (p && !p->off && data && ends(&in) && (p->additions || is_compiled(&in)))
		return add_served(p, &in);
	status = p ? settle(p) : SUCCESS;
	if (status == SUCCESS)
		status = call_real(c);
	if (p && status == SUCCESS && data && ends(&in))
		add_input(p, (int)c->word[1], data, c->word[3], call_pointer(c, 4));
	else if (p)
		program_refuse(p, REASON_BYPASS_LIBRARY, UNKNOWN_INPUT, NULL);
	return status;
}

/* Of a regular file alone: to open a FIFO is to take part in it. 0, or -1. */
static int file_digest(const char *path, unsigned char *buffer, struct digest *d)
{
	unsigned long long bytes;
	struct statx st;
	int fd, rc;

	if (!path || !buffer || sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &st) < 0 ||
	    !S_ISREG(st.stx_mode))
		return -1;
	fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	rc = hashfile(fd, buffer, 0, d, &bytes, NULL);
	sys_close(fd);
	return rc == 0 ? 0 : -1;
}

/* (handle, type, path). The library compiles PTX of a file after it has read it: what the file
 * holds behind the call alone may be newer. */
static int add_file(struct call *c)
{
	const char *path = call_pointer(c, 2);
	struct program *p = c->program;
	int status = p ? settle(p) : SUCCESS, known;
	unsigned char *buffer = p && !p->off ? arena_alloc(&p->arena, HASHFILE_BUFFER) : NULL;
	struct digest before, d;

	known = file_digest(path, buffer, &before) == 0;
	if (status == SUCCESS)
		status = call_real(c);
	if (status == SUCCESS && known && file_digest(path, buffer, &d) == 0 &&
	    digest_equal(&before, &d))
		add_input(p, (int)c->word[1], &d, sizeof d, path);
	else if (p && !p->off)
		program_refuse(p, REASON_BYPASS_LIBRARY, UNKNOWN_INPUT, path);
	return status;
}

static int run(struct program *p)
{
	int status = settle(p);

	if (status == SUCCESS)
		status = p->adding ? add_real(p, p->adding)
		                   : CALL(p->library, NVJITLINK_Complete, (uintptr_t)p->handle);
	p->mixed = option_state_affects(p->option_count, p->options);
	return status;
}

static int keeps(int status)
{
	return status == SUCCESS;
}

/* 1: the link may compile LTO IR, with as many threads as -split-compile says. PTX is compiled by
 * one thread. */
static int has_lto(int n, const char *const *options)
{
	for (int i = 0; options && i < n; i++)
		if (options[i] && names_mention(options[i], "lto\0link-time\0"))
			return 1;
	return 0;
}

/* The option or variable for which the link is not served, or NULL. Messages of a trace are about
 * the library's own work. */
static const char *find_unserved(const struct jit_library *l, int n, const char *const *options)
{
	const char *option = options_unplain(n, options, UNPLAIN_NVJITLINK,
	                                     has_lto(n, options) ? "" : "-split-compile");

	if (jit_on && options && l->release < OPTIONS_STAY_UNTIL &&
	    option_state_adds_up(n, options)) {
		option_state_note(n, options);
		return "-kernels-used and -variables-used of this release stay for later links";
	}
	if (env_get(jit_environment(), "NVJITLINK_TRACE_MESSAGES"))
		return "NVJITLINK_TRACE_MESSAGES";
	return option;
}

/* Joining cubins takes less time than a look-up, or than a report. */
static void refuse_join(struct program *p)
{
	static int said;

	program_refuse(p, REASON_BYPASS_LIBRARY,
	               "cubins are joined in less time than a look-up (said once in a process)",
	               NULL);
	p->counted = __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED);
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
	p = program_new(c->library, *handle, (struct program_compile){run, keeps, settle});
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
		refuse_join(p);
	return p ? serve_compile(p) : call_real(c);
}
