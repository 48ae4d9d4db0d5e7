/* units/scope/native_scope.c - finds libc, Python, Triton, the compiler and libcuda, and digests
 * them. */
#include "units/scope/scope.h"

#include <string.h>
#include <sys/utsname.h>

#include "shim/digest.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/settings/settings.h"
#include "units/scope/rank.h"

#include "shim/banned.h"

#define LD_CACHE_MAX (4u << 20)
#define LIBCUDA "libcuda.so.1"

/* Headers that Triton's C includes, from the directory of its _C. A Triton for other devices does
 * not have all of them. */
static const char headers[] =
	"/../backends/nvidia/include/cuda.h\0"
	"/../backends/amd/include/TDMCommon.h\0"
	"/../backends/amd/include/hip/hip_runtime.h\0"
	"/../backends/amd/include/hip/hip_runtime_api.h\0"
	"/../backends/amd/include/hip/driver_types.h\0";

struct reading {
	struct native n;
	const char *maps;
	int libcuda; /* 1: a libcuda was added */
};

static const char *add_python(struct reading *r)
{
	return native_file(&r->n, "/proc/self/exe", NATIVE_HEAD, NULL) == 0 &&
	       native_add_mapped(&r->n, r->maps, "libpython3") >= 0
	       ? NULL : "its Python cannot be read";
}

static const char *add_triton(struct reading *r)
{
	const char *from = r->maps, *path = native_mapped(&r->n, r->maps, &from, "libtriton.");
	char *dir = path ? arena_memdup(r->n.arena, path, path_dir_len(path)) : NULL;
	const char *init = dir ? arena_cat(r->n.arena, dir, "/../__init__.py", NULL) : NULL;

	if (!path)
		return "Triton is not loaded";
	if (!init || native_file(&r->n, path, NATIVE_HEAD, NULL) < 0 ||
	    native_file(&r->n, init, NATIVE_WHOLE, NULL) < 0)
		return "its Triton cannot be read";
	for (const char *h = headers; *h; h += strlen(h) + 1) {
		const char *header = arena_cat(r->n.arena, dir, h, NULL);

		if (!header || native_file(&r->n, header, NATIVE_WHOLE, NULL) < 0)
			digest_add(&r->n.s, h, strlen(h));
	}
	return NULL;
}

/* What no program changes while it runs: " libc=... python=... triton=...". */
static struct native_kept own;

static int add_own(struct reading *r, struct buf *b, const char **why)
{
	size_t from = b->len, n;

	if (native_has_kept(&own, b))
		return 0;
	r->maps = text_read("/proc/self/maps", NATIVE_MAPS_MAX, &n, r->n.arena);
	*why = r->maps ? NULL : "/proc does not say what it has loaded";
	digest_init(&r->n.s);
	if (*why)
		return -1;
	*why = "its libc cannot be read";
	if (native_libc(&r->n, r->maps) < 0)
		return -1;
	native_finish(&r->n, b, " libc=");
	digest_init(&r->n.s);
	if ((*why = add_python(r)))
		return -1;
	native_finish(&r->n, b, " python=");
	digest_init(&r->n.s);
	if ((*why = add_triton(r)))
		return -1;
	native_finish(&r->n, b, " triton=");
	native_keep(&own, b, from);
	return 0;
}

/* Which of the two names is linked depends on Triton's version. Answers 0: all directories of a
 * list are linked. */
static int add_libcuda_in(struct native *n, const char *dir, const void *libcuda)
{
	const char *path = arena_cat(n->arena, dir, "/" LIBCUDA, NULL),
	           *bare = arena_cat(n->arena, dir, "/libcuda.so", NULL);
	int found = 0;

	if (path && native_file(n, path, NATIVE_HEAD, NULL) == 0)
		found |= 1;
	if (bare && native_file(n, bare, NATIVE_HEAD, NULL) == 0)
		found |= 2;
	digest_add(&n->s, &found, sizeof found);
	*(int *)libcuda |= found != 0;
	return 0;
}

/* The loader's cache holds the paths, a NUL after each. `ldconfig -p` prints them. */
static void add_cached_libcuda(struct reading *r)
{
	size_t n = 0;
	const char *text = text_read("/etc/ld.so.cache", LD_CACHE_MAX, &n, r->n.arena), *at = text;

	while (at && (at = memmem(at, n - (size_t)(at - text), "/" LIBCUDA, sizeof LIBCUDA))) {
		const char *begin = at, *dir;

		while (begin > text && begin[-1])
			begin--;
		dir = arena_memdup(r->n.arena, begin, (size_t)(at - begin));
		if (dir && *dir == '/')
			add_libcuda_in(&r->n, dir, &r->libcuda);
		at++;
	}
}

static void add_libcuda(struct reading *r)
{
	const char *dir = env_get(r->n.envp, "TRITON_LIBCUDA_PATH");

	if (dir && *dir) {
		add_libcuda_in(&r->n, dir, &r->libcuda);
		return;
	}
	add_cached_libcuda(r);
	if (!r->libcuda)
		native_each_of(&r->n, env_get(r->n.envp, "LD_LIBRARY_PATH"), &r->libcuda,
		               add_libcuda_in);
}

static int add_all(struct reading *r, struct buf *b, const char **why)
{
	struct utsname u;

	*why = "the machine is not known";
	if (SYS1(SYS_uname, &u) < 0)
		return -1;
	buf_str(b, b->len ? " machine=" : "machine=");
	buf_str(b, u.machine);
	if (add_own(r, b, why) < 0)
		return -1;
	digest_init(&r->n.s);
	if ((*why = native_compiler(&r->n, NATIVE_CC)))
		return -1;
	native_finish(&r->n, b, " compiler=");
	digest_init(&r->n.s);
	add_libcuda(r);
	if (r->libcuda)
		native_finish(&r->n, b, " libcuda=");
	else
		buf_str(b, " libcuda=none");
	return 0;
}

int native_scope(struct buf *b, char *const envp[], const char *node_dir, struct arena *a,
                 const char **why)
{
	struct reading r = {0};
	int rc;

	*why = "memory is refused";
	if (native_begin(&r.n, envp, node_dir, a) < 0)
		return -1;
	rc = add_all(&r, b, why);
	native_end(&r.n);
	return rc;
}
