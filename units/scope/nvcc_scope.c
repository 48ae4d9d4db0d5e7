/* units/scope/nvcc_scope.c - finds nvcc as TileLang does, and digests what its kernels are made
 * with. */
#include "units/scope/scope.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "shim/kernel/realpath.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/settings/settings.h"
#include "store/walk.h"
#include "units/scope/rank.h"

#include "shim/banned.h"

#define DEPTH_MAX 4       /* scripts that start scripts */
#define TEMPLATES_MAX 256 /* TileLang 0.1.15 has 34 */

/* TileLang reads them when it is imported or compiles first. It keeps what it found. */
static const char kept[] = "CUDA_HOME\0CUDA_PATH\0PATH\0CXX\0CC\0";
/* Options that nvcc and its programs take from variables. */
static const char flags[] =
	"NVCC_PREPEND_FLAGS\0NVCC_APPEND_FLAGS\0NVCC_CCBIN\0CUDAFE_FLAGS\0NVVM_FLAGS\0"
	"LLVMC_FLAGS\0OCG_FLAGS\0PTXAS_FLAGS\0NVASM_FLAGS\0NVLINK_FLAGS\0";
/* Parts of an option that names a file or a directory. */
static const char naming[] = "/\0@\0-I\0inc\0optf\0options-file\0config\0bin\0dir\0";
/* From the directory of nvcc's program. The first three are in each toolkit. */
static const char parts[] =
	"/nvcc.profile\0/ptxas\0/../nvvm/bin/cicc\0/../nvvm/libdevice/libdevice.10.bc\0"
	"/cudafe++\0/fatbinary\0/../version.json\0/../include/cuda.h\0/../include/cuda_fp16.hpp\0"
	"/../include/cuda_runtime_api.h\0/../include/crt/host_config.h\0"
	"/../include/cccl/cuda/std/__cccl/version.h\0";
enum { PARTS_NEEDED = 3 };

struct making {
	struct native n;
	const char *block; /* the environment at the process's start */
	size_t block_len;
	const char *maps;
	const char *why;
	/* of TileLang's headers */
	const char *name[TEMPLATES_MAX];
	unsigned names;
};

static int refuse(struct making *m, const char *why)
{
	m->why = why ? why : "memory is refused";
	return -1;
}

static int is_kept(struct making *m)
{
	for (const char *v = kept; *v; v += strlen(v) + 1) {
		const char *now = env_get(m->n.envp, v);
		const char *then = text_variable(m->block, m->block_len, v);

		if (now != then && (!now || !then || strcmp(now, then) != 0))
			return refuse(m, arena_cat(m->n.arena, v, " changed since this process "
			                           "began", NULL));
	}
	if (env_get(m->n.envp, "CPLUS_INCLUDE_PATH"))
		return refuse(m, "CPLUS_INCLUDE_PATH is set, and its content is not in the scope");
	return 0;
}

/* --- the toolkit --- */

static int is_program(const char *path)
{
	struct statx st;

	return sys_access(path, X_OK) == 0 &&
	       sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &st) == 0 && S_ISREG(st.stx_mode);
}

static int find_nvcc_in(struct native *n, const char *dir, const void *found)
{
	const char *path = arena_cat(n->arena, dir, "/nvcc", NULL);

	if (!path || !is_program(path))
		return 0;
	*(const char **)found = path;
	return 1;
}

/* The file's directory, or the one above it. */
static const char *directory(struct making *m, const char *path, int up)
{
	size_t n = path_dir_len(path);

	if (up && n > 1)
		n = path_dir_len(arena_memdup(m->n.arena, path, n));
	return n ? arena_memdup(m->n.arena, path, n) : NULL;
}

static const char *real(struct making *m, const char *path)
{
	char *to = arena_alloc(m->n.arena, PATH_SIZE);
	ssize_t n = to ? path_real(to, PATH_SIZE, path) : -1;

	return n > 0 && n < PATH_SIZE ? arena_memdup(m->n.arena, to, (size_t)n) : NULL;
}

/* As tilelang/env.py. NULL: nothing that this finds. */
static const char *cuda_home(struct making *m)
{
	const char *home = env_get(m->n.envp, "CUDA_HOME"), *nvcc = NULL, *header;

	if (!home || !*home)
		home = env_get(m->n.envp, "CUDA_PATH");
	if (home)
		return home;
	native_each_of(&m->n, env_get(m->n.envp, "PATH"), &nvcc, find_nvcc_in);
	/* In NVIDIA's HPC SDK TileLang goes up three directories. */
	if (!nvcc || strstr(nvcc, "hpc_sdk"))
		return NULL;
	home = directory(m, nvcc, 1);
	header = home ? arena_cat(m->n.arena, home, "/include/cuda_runtime.h", NULL) : NULL;
	if (header && sys_access(header, F_OK) == 0)
		return home;
	nvcc = real(m, nvcc);
	return nvcc && !strstr(nvcc, "hpc_sdk") ? directory(m, nvcc, 1) : NULL;
}

/* The program that a script of one command starts, or the path itself. NULL: another script. */
static const char *behind_scripts(struct making *m, const char *path)
{
	for (unsigned depth = 0; path && depth < DEPTH_MAX; depth++) {
		char *word[NATIVE_WORDS_MAX], *text;
		size_t n;

		if (native_file(&m->n, path, NATIVE_WHOLE, &n) < 0)
			return NULL;
		if (n <= 2 || memcmp(m->n.head, "#!", 2) != 0)
			return path;
		text = n < NATIVE_HEAD ? arena_memdup(m->n.arena, (const char *)m->n.head, n)
		       : NULL;
		if (!text || env_get(m->n.envp, "BASH_ENV") ||
		    native_script(text, n, word) != 1 || *word[0] != '/')
			return NULL;
		path = word[0];
	}
	return NULL;
}

/* Answers how many of the first PARTS_NEEDED are there. */
static unsigned add_parts(struct making *m, const char *dir)
{
	unsigned at = 0, needed = 0;

	for (const char *p = parts; *p; p += strlen(p) + 1, at++) {
		const char *path = arena_cat(m->n.arena, dir, p, NULL);

		if (!path || native_file(&m->n, path, NATIVE_WHOLE, NULL) < 0)
			continue;
		digest_add(&m->n.s, p, strlen(p) + 1);
		needed += at < PARTS_NEEDED;
	}
	return needed;
}

static int add_toolkit(struct making *m)
{
	const char *home = cuda_home(m);
	const char *nvcc = home ? arena_cat(m->n.arena, home, "/bin/nvcc", NULL) : NULL;
	const char *program = nvcc ? behind_scripts(m, nvcc) : NULL;
	const char *file = program ? real(m, program) : NULL;
	const char *dir = file ? directory(m, file, 0) : NULL;
	const char *named = program ? directory(m, program, 0) : NULL;

	if (!dir || !named)
		return refuse(m, "which nvcc its kernels are made with is not known");
	if (strcmp(dir, named) != 0)
		add_parts(m, named);
	if (add_parts(m, dir) != PARTS_NEEDED)
		return refuse(m, "what nvcc starts is not found beside it");
	return 0;
}

/* --- TileLang's own headers --- */

static int add_name(void *ctx, int dirfd, const char *path, const char *name)
{
	struct making *m = ctx;
	const char *file = arena_cat(m->n.arena, path, "/", name, NULL);
	struct statx st;
	unsigned at;

	if (!file || m->names == TEMPLATES_MAX ||
	    sys_statx(dirfd, name, 0, STATX_TYPE, &st) < 0)
		return -1;
	if (S_ISDIR(st.stx_mode))
		return walk_names(file, add_name, m);
	for (at = m->names++; at && strcmp(m->name[at - 1], file) > 0; at--)
		m->name[at] = m->name[at - 1];
	m->name[at] = file;
	return 0;
}

/* 1: the variable names this directory of the package. */
static int names_own(struct making *m, const char *variable, const char *package, const char *own)
{
	const char *value = env_get(m->n.envp, variable);
	const char *is = value ? real(m, value) : NULL;
	const char *at = arena_cat(m->n.arena, package, own, NULL);
	const char *should = at ? real(m, at) : NULL;

	return is && should && strcmp(is, should) == 0;
}

static int add_templates(struct making *m)
{
	const char *from = m->maps;
	const char *library = native_mapped(&m->n, m->maps, &from, "libtilelang.so");
	const char *package = library ? directory(m, library, 1) : NULL, *dir, *cutlass;
	size_t skip;

	if (!package)
		return refuse(m, "TileLang is not loaded");
	if (!names_own(m, "TL_TEMPLATE_PATH", package, "/src") ||
	    !names_own(m, "TL_CUTLASS_PATH", package, "/3rdparty/cutlass/include"))
		return refuse(m, "TileLang's headers are not those of its package");
	dir = arena_cat(m->n.arena, package, "/src/tl_templates/cuda", NULL);
	cutlass = arena_cat(m->n.arena, package, "/3rdparty/cutlass/include/cutlass/version.h",
	                    NULL);
	if (!dir || !cutlass || walk_names(dir, add_name, m) < 0 || !m->names ||
	    native_file(&m->n, cutlass, NATIVE_WHOLE, NULL) < 0)
		return refuse(m, "TileLang's headers cannot be read");
	skip = strlen(dir);
	for (unsigned i = 0; i < m->names; i++) {
		digest_add(&m->n.s, m->name[i] + skip, strlen(m->name[i] + skip) + 1);
		if (native_file(&m->n, m->name[i], NATIVE_WHOLE, NULL) < 0)
			return refuse(m, "TileLang's headers cannot be read");
	}
	return 0;
}

/* --- the text --- */

static int add_flags(struct making *m, struct buf *b)
{
	int any = 0;

	digest_init(&m->n.s);
	for (const char *v = flags; *v; v += strlen(v) + 1) {
		const char *value = env_get(m->n.envp, v);

		if (!value)
			continue;
		for (const char *part = naming; *part; part += strlen(part) + 1)
			if (strstr(value, part))
				return refuse(m, arena_cat(m->n.arena, v, " may name a file, whose "
				                           "content is not in the scope", NULL));
		digest_add(&m->n.s, v, strlen(v) + 1);
		digest_add(&m->n.s, value, strlen(value) + 1);
		any = 1;
	}
	if (any)
		native_finish(&m->n, b, " flags=");
	return 0;
}

/* What no program changes while the variables of `kept` stay: " libc=... nvcc=... compiler=...". */
static struct native_kept own;

static int add_own(struct making *m, struct buf *b)
{
	size_t from = b->len, n;
	const char *why;

	if (native_has_kept(&own, b))
		return 0;
	m->maps = text_read("/proc/self/maps", NATIVE_MAPS_MAX, &n, m->n.arena);
	if (!m->maps)
		return refuse(m, "/proc does not say what it has loaded");
	digest_init(&m->n.s);
	if (native_libc(&m->n, m->maps) < 0)
		return refuse(m, "its libc cannot be read");
	native_finish(&m->n, b, " libc=");
	digest_init(&m->n.s);
	if (add_toolkit(m) < 0 || add_templates(m) < 0)
		return -1;
	native_finish(&m->n, b, " nvcc=");
	digest_init(&m->n.s);
	if ((why = native_compiler(&m->n, 1)))
		return refuse(m, why);
	native_finish(&m->n, b, " compiler=");
	native_keep(&own, b, from);
	return 0;
}

int nvcc_scope(struct buf *b, char *const envp[], const char *block, size_t n,
               const char *node_dir, struct arena *a, const char **why)
{
	struct making *m = arena_alloc_aligned(a, sizeof *m, _Alignof(struct making));
	struct utsname u;
	int rc;

	*why = "memory is refused";
	if (!m)
		return -1;
	memset(m, 0, sizeof *m);
	if (native_begin(&m->n, envp, node_dir, a) < 0)
		return -1;
	m->block = block;
	m->block_len = n;
	m->why = "the machine is not known";
	rc = SYS1(SYS_uname, &u) < 0 ? -1 : 0;
	if (!rc) {
		buf_str(b, b->len ? " machine=" : "machine=");
		buf_str(b, u.machine);
		rc = is_kept(m) == 0 && add_own(m, b) == 0 && add_flags(m, b) == 0 ? 0 : -1;
	}
	native_end(&m->n);
	*why = m->why;
	return rc;
}
