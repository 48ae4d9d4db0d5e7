/* units/native_scope.c - finds libc, Python, Triton, the compiler and libcuda, and digests them. */
#include "units/native_scope.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "shim/digest.h"
#include "shim/path.h"
#include "shim/settings.h"
#include "shim/sys.h"
#include "units/rank.h"

#include "shim/banned.h"

/* Half a digest: XXH3 fills only the first half, and 128 bits of BLAKE2b are enough. */
#define HEX_SHOWN 32
/* torch maps some hundred files, in some thousand lines of 150 bytes. */
#define MAPS_MAX (2u << 20)
#define LD_CACHE_MAX (4u << 20)
#define LIBCUDA "libcuda.so.1"

/* The variables that change what a compiler makes of Triton's command: NUL after each. */
static const char variables[] =
	"CXX\0CPATH\0C_INCLUDE_PATH\0CPLUS_INCLUDE_PATH\0LIBRARY_PATH\0LD_RUN_PATH\0"
	"COMPILER_PATH\0GCC_EXEC_PREFIX\0CCC_OVERRIDE_OPTIONS\0NIX_CFLAGS_COMPILE\0"
	"NIX_LDFLAGS\0TRITON_CUDACRT_PATH\0TRITON_CUDART_PATH\0";

/* Headers that Triton's C includes, from the directory of its _C. A Triton for other devices does
 * not have all of them. */
static const char headers[] =
	"/../backends/nvidia/include/cuda.h\0"
	"/../backends/amd/include/hip/hip_runtime_api.h\0";

struct reading {
	struct arena *arena;
	unsigned char *head; /* NATIVE_HEAD bytes */
	const char *maps;
	int libcuda;         /* 1: a libcuda was added */
	struct digest_state s;
};

/* Adds a file. 0, or -1: it is no regular file that can be read. */
static int add_file(struct reading *r, const char *path)
{
	int fd = sys_above_streams(sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
	                                    0));
	ssize_t n = -1;
	struct statx st;

	if (fd < 0)
		return -1;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st) == 0 &&
	    S_ISREG(st.stx_mode))
		n = sys_read_all(fd, r->head, NATIVE_HEAD);
	sys_close(fd);
	if (n < 0)
		return -1;
	digest_add(&r->s, &st.stx_size, sizeof st.stx_size);
	digest_add(&r->s, r->head, (size_t)n);
	return 0;
}

static void finish(struct reading *r, struct buf *b, const char *name)
{
	char hex[DIGEST_HEX + 1];
	struct digest d;

	digest_final(&r->s, &d);
	digest_hex(&d, hex);
	buf_str(b, name);
	buf_add(b, hex, HEX_SHOWN);
}

/* The path of a mapped file whose last component begins so; NULL: there is none. */
static const char *mapped(const struct reading *r, const char *head)
{
	const char *at = arena_cat(r->arena, "/", head, NULL), *found = at ? r->maps : NULL, *end;

	while (found && (found = strstr(found, at))) {
		const char *begin = found;

		end = strchr(found, '\n');
		found += strlen(at);
		if (!end || memchr(found, '/', (size_t)(end - found)))
			continue;
		while (begin > r->maps && begin[-1] != '\n')
			begin--;
		begin = memchr(begin, '/', (size_t)(end - begin));
		return arena_memdup(r->arena, begin, (size_t)(end - begin));
	}
	return NULL;
}

static const char *add_libc(struct reading *r)
{
	const char *path = mapped(r, "libc.so.6");

	/* Its name before glibc 2.34. */
	path = path ? path : mapped(r, "libc-2.");
	return path && add_file(r, path) == 0 ? NULL : "its libc cannot be read";
}

static const char *add_python(struct reading *r)
{
	const char *library = mapped(r, "libpython3");

	return add_file(r, "/proc/self/exe") == 0 && (!library || add_file(r, library) == 0)
	       ? NULL : "its Python cannot be read";
}

static const char *add_triton(struct reading *r)
{
	const char *path = mapped(r, "libtriton.");
	char *dir = path ? arena_memdup(r->arena, path, path_dir_len(path)) : NULL;
	const char *init = dir ? arena_cat(r->arena, dir, "/../__init__.py", NULL) : NULL;

	if (!path)
		return "Triton is not loaded";
	if (!init || add_file(r, path) < 0 || add_file(r, init) < 0)
		return "its Triton cannot be read";
	for (const char *h = headers; *h; h += strlen(h) + 1) {
		const char *header = arena_cat(r->arena, dir, h, NULL);

		if (!header || add_file(r, header) < 0)
			digest_add(&r->s, h, strlen(h));
	}
	return NULL;
}

/* What no program changes while it runs: " libc=... python=... triton=...". */
static struct {
	int state;
	char text[sizeof " libc= python= triton=" + 3ul * HEX_SHOWN];
} own;
enum { OWN_NONE, OWN_MAKING, OWN_MADE };

static int add_own(struct reading *r, struct buf *b, const char **why)
{
	int none = OWN_NONE;
	size_t from = b->len, n;

	if (__atomic_load_n(&own.state, __ATOMIC_ACQUIRE) == OWN_MADE) {
		buf_str(b, own.text);
		return 0;
	}
	r->maps = text_read("/proc/self/maps", MAPS_MAX, &n, r->arena);
	*why = r->maps ? NULL : "/proc does not say what it has loaded";
	digest_init(&r->s);
	if (*why || (*why = add_libc(r)))
		return -1;
	finish(r, b, " libc=");
	digest_init(&r->s);
	if ((*why = add_python(r)))
		return -1;
	finish(r, b, " python=");
	digest_init(&r->s);
	if ((*why = add_triton(r)))
		return -1;
	finish(r, b, " triton=");
	if (!b->failed && b->len - from == sizeof own.text - 1 &&
	    __atomic_compare_exchange_n(&own.state, &none, OWN_MAKING, 0, __ATOMIC_RELAXED,
	                                __ATOMIC_RELAXED)) {
		memcpy(own.text, b->data + from, sizeof own.text - 1);
		__atomic_store_n(&own.state, OWN_MADE, __ATOMIC_RELEASE);
	}
	return 0;
}

/* Calls each(r, directory) for a list with colons, until one answers 1. */
static int any_of_list(struct reading *r, const char *list, const void *what,
                       int (*each)(struct reading *r, const char *dir, const void *what))
{
	for (size_t n; list && *list; list += n + (list[n] == ':')) {
		const char *dir;

		n = strcspn(list, ":");
		dir = n ? arena_memdup(r->arena, list, n) : ".";
		if (dir && each(r, dir, what))
			return 1;
	}
	return 0;
}

/* 1: the program can be run. Its name counts, since programs such as ccache go by it. */
static int add_program(struct reading *r, const char *path)
{
	const char *name = path_base(path);

	if (sys_access(path, X_OK) < 0 || add_file(r, path) < 0)
		return 0;
	digest_add(&r->s, name, strlen(name) + 1);
	return 1;
}

/* 1: the directory has a program of this name. */
static int add_program_in(struct reading *r, const char *dir, const void *name)
{
	const char *path = arena_cat(r->arena, dir, "/", name, NULL);

	return path && add_program(r, path);
}

static void add_compiler(struct reading *r, char *const envp[])
{
	const char *cc = env_get(envp, "CC"), *path = env_get(envp, "PATH");

	path = path ? path : "/bin:/usr/bin";
	if (cc && strchr(cc, '/'))
		add_program(r, cc);
	else if (cc)
		any_of_list(r, path, cc, add_program_in);
	else if (!any_of_list(r, path, "gcc", add_program_in))
		any_of_list(r, path, "clang", add_program_in);
	for (const char *v = variables; *v; v += strlen(v) + 1) {
		const char *value = env_get(envp, v);

		digest_add(&r->s, v, strlen(v) + 1);
		if (value)
			digest_add(&r->s, value, strlen(value) + 1);
	}
}

/* Which of the two names is linked depends on Triton's version. Answers 0: all directories of a
 * list are linked. */
static int add_libcuda_in(struct reading *r, const char *dir, const void *unused)
{
	const char *path = arena_cat(r->arena, dir, "/" LIBCUDA, NULL),
	           *bare = arena_cat(r->arena, dir, "/libcuda.so", NULL);
	int found = 0;

	(void)unused;
	if (path && add_file(r, path) == 0)
		found |= 1;
	if (bare && add_file(r, bare) == 0)
		found |= 2;
	digest_add(&r->s, &found, sizeof found);
	r->libcuda |= found != 0;
	return 0;
}

/* The loader's cache holds the paths, a NUL after each. `ldconfig -p` prints them. */
static void add_cached_libcuda(struct reading *r)
{
	size_t n = 0;
	const char *text = text_read("/etc/ld.so.cache", LD_CACHE_MAX, &n, r->arena), *at = text;

	while (at && (at = memmem(at, n - (size_t)(at - text), "/" LIBCUDA, sizeof LIBCUDA))) {
		const char *begin = at, *dir;

		while (begin > text && begin[-1])
			begin--;
		dir = arena_memdup(r->arena, begin, (size_t)(at - begin));
		if (dir && *dir == '/')
			add_libcuda_in(r, dir, NULL);
		at++;
	}
}

static void add_libcuda(struct reading *r, char *const envp[])
{
	const char *dir = env_get(envp, "TRITON_LIBCUDA_PATH");

	if (dir && *dir) {
		add_libcuda_in(r, dir, NULL);
		return;
	}
	add_cached_libcuda(r);
	if (!r->libcuda)
		any_of_list(r, env_get(envp, "LD_LIBRARY_PATH"), NULL, add_libcuda_in);
}

int native_scope(struct buf *b, char *const envp[], struct arena *a, const char **why)
{
	struct reading r = {.arena = a, .head = arena_alloc(a, NATIVE_HEAD)};
	struct utsname u;

	*why = "memory is refused";
	if (!r.head)
		return -1;
	*why = "the machine is not known";
	if (SYS1(SYS_uname, &u) < 0)
		return -1;
	buf_str(b, b->len ? " machine=" : "machine=");
	buf_str(b, u.machine);
	if (add_own(&r, b, why) < 0)
		return -1;
	digest_init(&r.s);
	add_compiler(&r, envp);
	finish(&r, b, " compiler=");
	digest_init(&r.s);
	add_libcuda(&r, envp);
	if (r.libcuda)
		finish(&r, b, " libcuda=");
	else
		buf_str(b, " libcuda=none");
	return 0;
}
