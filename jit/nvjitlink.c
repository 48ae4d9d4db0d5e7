/* jit/nvjitlink.c - nvJitLink's functions, served. */
#include <string.h>

#include "jit/answers.h"
#include "jit/jit.h"
#include "jit/product.h"
#include "jit/state.h"
#include "keying/hashfile.h"
#include "shim/sys.h"

#include "shim/banned.h"

enum { SUCCESS = 0, INTERNAL_ERROR = 6 };
enum { INPUT_PTX = 2, INPUT_ANY = 10 }; /* nvJitLinkInputType */

static const struct product products[] = {
	{NVJITLINK_GetLinkedCubinSize, NVJITLINK_GetLinkedCubin, "Cubin"},
	{NVJITLINK_GetLinkedPtxSize, NVJITLINK_GetLinkedPtx, "Ptx"},
	{NVJITLINK_GetLinkedLTOIRSize, NVJITLINK_GetLinkedLTOIR, "LTOIR"},
	{NVJITLINK_GetErrorLogSize, NVJITLINK_GetErrorLog, "ErrorLog"},
	{NVJITLINK_GetInfoLogSize, NVJITLINK_GetInfoLog, "InfoLog"},
};

#define REAL_OF(l, id, parameters) ((int (*) parameters)((l) ? (l)->real[NVJITLINK_##id] : NULL))

static int nvjitlink_run(struct program *p)
{
	int (*complete)(void *) = REAL_OF(p->library, Complete, (void *));

	int status = complete ? complete(p->handle) : INTERNAL_ERROR;

	p->mixed = stays_from_others(p->option_count, p->options);
	return status;
}

static int keeps(int status)
{
	return status == SUCCESS;
}

static void take(struct program *p, struct answers *a)
{
	for (size_t i = 0; i < sizeof products / sizeof *products; i++)
		product_take(p, a, &products[i]);
}

/* Before it is linked. */
static struct program *still_open(void *handle)
{
	struct program *p = program_find(handle);

	if (p && p->state != PROGRAM_NEW) {
		program_materialise(p);
		p->off = 1;
	}
	return p;
}

/* The input's name stands in the logs. */
static void add_input(struct program *p, int type, const void *content, size_t n, const char *name)
{
	key_add(&p->parts, KEY_PRIMARY, "type", &type, sizeof type);
	key_add(&p->parts, KEY_PRIMARY, "input", content, n);
	key_add_str(&p->parts, KEY_ARG, name ? "name" : "no name", name ? name : "");
	p->worth |= type == INPUT_PTX || type == INPUT_ANY;
}

/* No options that write files, start threads or ask the driver; nor messages about all that it does, the cache among it. */
static int is_plain(uint32_t n, const char **options)
{
	if (env_get(jit_environment(), "NVJITLINK_TRACE_MESSAGES"))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (!options || !options[i] || (strstr(options[i], "time") && !strstr(options[i], "link-time")) ||
		    jit_mentions(options[i], "split-compile\0jobserver\0keep\0dump\0native\0"))
			return 0;
	return 1;
}

#define STAYS_UNTIL 1305 /* jit/stays.c */

typedef int create_function(void **, uint32_t, const char **);

/* What a failure is about, a handle with the caller's options alone tells. */
static int create_without_cache(struct jit_library *l, void **handle, uint32_t n, const char **options)
{
	create_function *create = REAL_OF(l, Create, (void **, uint32_t, const char **));
	int (*destroy)(void **) = REAL_OF(l, Destroy, (void **));
	struct arena a = ARENA_INIT;
	const char **v = arena_alloc(&a, ((size_t)n + 1) * sizeof *v);
	int status = INTERNAL_ERROR;
	void *made = NULL;

	if (v && destroy) {
		if (n)
			memcpy(v, options, n * sizeof *v);
		v[n] = JIT_NO_CACHE;
		status = create(&made, n + 1, v);
		if (status == SUCCESS)
			*handle = made;
		else if (made)
			destroy(&made);
	}
	arena_free(&a);
	return status;
}

/* --- the functions, in the order of jit/entries.def --- */

int nvjitlink_Create(struct jit_library *l, void **handle, uint32_t n, const char **options)
{
	create_function *create = REAL_OF(l, Create, (void **, uint32_t, const char **));
	int off = !jit_on || !is_plain(n, options), status = INTERNAL_ERROR;
	struct program *p;

	if (jit_on && options && l && l->release < STAYS_UNTIL && stays_adds_up((int)n, options)) {
		stays_note((int)n, options);
		off = 1;
	}
	/* Whether it will be recorded shows later, when the options are given. */
	if (create && !off && jit_has_cache(l))
		status = create_without_cache(l, handle, n, options);
	if (create && status != SUCCESS)
		status = create(handle, n, options);
	if (status != SUCCESS || !jit_on)
		return status;
	p = program_find(*handle);
	if (p)
		program_drop(p);
	p = program_new(l, *handle, (struct program_row){nvjitlink_run, keeps, take});
	if (!p)
		return status;
	p->off = off || program_keep_options(p, (int)n, options) < 0;
	for (uint32_t i = 0; !p->off && i < n; i++)
		p->worth |= strcmp(options[i], "-lto") == 0 || strcmp(options[i], "--link-time-opt") == 0;
	return status;
}

int nvjitlink_Destroy(struct jit_library *l, void **handle)
{
	struct program *p = handle ? program_find(*handle) : NULL;
	int (*destroy)(void **) = REAL_OF(program_library(p, l), Destroy, (void **));

	if (p)
		program_drop(p);
	return destroy ? destroy(handle) : INTERNAL_ERROR;
}

int nvjitlink_AddData(struct jit_library *l, void *handle, int type, const void *data, size_t size, const char *name)
{
	struct program *p = still_open(handle);
	int (*add)(void *, int, const void *, size_t, const char *) =
		REAL_OF(program_library(p, l), AddData, (void *, int, const void *, size_t, const char *));
	int status = add ? add(handle, type, data, size, name) : INTERNAL_ERROR;

	if (p && status == SUCCESS && data)
		add_input(p, type, data, size, name);
	else if (p)
		p->off = 1;
	return status;
}

int nvjitlink_AddFile(struct jit_library *l, void *handle, int type, const char *path)
{
	struct program *p = still_open(handle);
	int (*add)(void *, int, const char *) = REAL_OF(program_library(p, l), AddFile, (void *, int, const char *));
	int status = add ? add(handle, type, path) : INTERNAL_ERROR, fd = -1;
	unsigned char *buffer = p && !p->off ? arena_alloc(&p->arena, HASHFILE_BUFFER) : NULL;
	unsigned long long bytes;
	struct digest d;

	/* It was read just now. */
	if (buffer && status == SUCCESS && path)
		fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	if (fd >= 0 && hashfile(fd, buffer, 0, &d, &bytes, NULL) == 0)
		add_input(p, type, &d, sizeof d, path);
	else if (p)
		p->off = 1;
	if (fd >= 0)
		sys_close(fd);
	return status;
}

int nvjitlink_Complete(struct jit_library *l, void *handle)
{
	struct program *p = still_open(handle);
	int (*complete)(void *) = REAL_OF(program_library(p, l), Complete, (void *));

	if (!complete)
		return INTERNAL_ERROR;
	/* To put cubins together takes less time than a look-up. */
	if (!p || p->off || !p->worth) {
		if (p)
			p->state = PROGRAM_REAL;
		return complete(handle);
	}
	return jit_serve(p);
}

#define PRODUCT(i, id, type)                                                               \
	int nvjitlink_Get##id##Size(struct jit_library *l, void *handle, size_t *size)     \
	{                                                                                  \
		return product_size(l, &products[i], handle, size);                        \
	}                                                                                  \
	int nvjitlink_Get##id(struct jit_library *l, void *handle, type *to)               \
	{                                                                                  \
		return product_bytes(l, &products[i], handle, to);                         \
	}
PRODUCT(0, LinkedCubin, void)
PRODUCT(1, LinkedPtx, char)
PRODUCT(2, LinkedLTOIR, void)
PRODUCT(3, ErrorLog, char)
PRODUCT(4, InfoLog, char)
