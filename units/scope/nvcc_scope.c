/* units/scope/nvcc_scope.c - digests what nvcc makes a process's kernels with, and finds nvcc as
 * TileLang does. */
#include "units/scope/scope.h"

#include <string.h>
#include <sys/utsname.h>

#include "shim/kernel/sys.h"
#include "shim/settings/settings.h"
#include "units/scope/native_file.h"
#include "units/scope/rank.h"

#include "shim/banned.h"

/* TileLang reads them when it is imported or compiles first, and deep_jit when it compiles first.
 * They keep what they found. */
static const char kept[] = "CUDA_HOME\0CUDA_PATH\0PATH\0CXX\0CC\0";
/* Options that nvcc and its programs take from variables. nvcc.profile adds to INCLUDES and
 * SYSTEM_INCLUDES, ptxas reads FINALIZER_..., and gcc's preprocessor SOURCE_DATE_EPOCH. */
static const char flags[] =
	"NVCC_PREPEND_FLAGS\0NVCC_APPEND_FLAGS\0INCLUDES\0SYSTEM_INCLUDES\0CUDAFE_FLAGS\0"
	"NVVM_FLAGS\0LLVMC_FLAGS\0OCG_FLAGS\0PTXAS_FLAGS\0NVASM_FLAGS\0NVLINK_FLAGS\0"
	"CAN_FINALIZE_DEBUG\0FINALIZER_USE_LEGACY_ELF_BUILDER\0FINALIZER_CUBIE\0"
	"LLVM_OVERRIDE_PRODUCER\0SOURCE_DATE_EPOCH\0";
/* Behind them there are headers or programs. */
static const char refused[] = "CPLUS_INCLUDE_PATH\0NVCC_CCBIN\0";
/* Parts of an option that names a file or a directory. */
static const char naming[] = "/\0@\0-I\0inc\0optf\0options-file\0config\0bin\0dir\0";

struct making {
	struct native n;
	const char *block; /* the environment at the process's start */
	size_t block_len;
	const char *maps;
	const char *why;
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
	for (const char *v = refused; *v; v += strlen(v) + 1)
		if (env_get(m->n.envp, v))
			return refuse(m, arena_cat(m->n.arena, v, " is set, and its content is not "
			                           "in the scope", NULL));
	return 0;
}

/* --- TileLang --- */

/* As tilelang/env.py. NULL: nothing that this finds. */
static const char *tilelang_home(struct making *m)
{
	const char *home = env_get(m->n.envp, "CUDA_HOME"), *nvcc, *header;

	if (!home || !*home)
		home = env_get(m->n.envp, "CUDA_PATH");
	if (home)
		return home;
	nvcc = toolkit_in_path(&m->n);
	/* In NVIDIA's HPC SDK TileLang goes up three directories. */
	if (!nvcc || strstr(nvcc, "hpc_sdk"))
		return NULL;
	home = toolkit_directory(&m->n, nvcc, 1);
	header = home ? arena_cat(m->n.arena, home, "/include/cuda_runtime.h", NULL) : NULL;
	if (header && sys_access(header, F_OK) == 0)
		return home;
	nvcc = toolkit_real(&m->n, nvcc);
	return nvcc && !strstr(nvcc, "hpc_sdk") ? toolkit_directory(&m->n, nvcc, 1) : NULL;
}

/* 1: the variable names this directory of the package. */
static int names_own(struct making *m, const char *variable, const char *package, const char *own)
{
	const char *value = env_get(m->n.envp, variable);
	const char *is = value ? toolkit_real(&m->n, value) : NULL;
	const char *at = arena_cat(m->n.arena, package, own, NULL);
	const char *should = at ? toolkit_real(&m->n, at) : NULL;

	return is && should && strcmp(is, should) == 0;
}

/* TileLang's own headers. */
static int add_templates(struct making *m)
{
	const char *from = m->maps;
	const char *library = native_mapped(&m->n, m->maps, &from, "libtilelang.so");
	const char *package = library ? toolkit_directory(&m->n, library, 1) : NULL, *dir, *cutlass;

	if (!package)
		return refuse(m, "TileLang is not loaded");
	if (!names_own(m, "TL_TEMPLATE_PATH", package, "/src") ||
	    !names_own(m, "TL_CUTLASS_PATH", package, "/3rdparty/cutlass/include"))
		return refuse(m, "TileLang's headers are not those of its package");
	dir = arena_cat(m->n.arena, package, "/src/tl_templates/cuda", NULL);
	cutlass = arena_cat(m->n.arena, package, "/3rdparty/cutlass/include/cutlass/version.h",
	                    NULL);
	if (!dir || !cutlass || header_tree(&m->n, dir) < 0 ||
	    native_file(&m->n, cutlass, NATIVE_WHOLE, NULL) < 0)
		return refuse(m, "TileLang's headers cannot be read");
	return 0;
}

static int add_tilelang(struct making *m, struct buf *b)
{
	const char *home = tilelang_home(m);
	const char *nvcc = home ? arena_cat(m->n.arena, home, "/bin/nvcc", NULL) : NULL;
	const char *why;

	digest_init(&m->n.s);
	if ((why = toolkit_add(&m->n, nvcc)))
		return refuse(m, why);
	if (add_templates(m) < 0)
		return -1;
	native_finish(&m->n, b, " nvcc=");
	return 0;
}

/* --- the text --- */

int nvcc_option_names_file(const char *option)
{
	for (const char *part = naming; *part; part += strlen(part) + 1)
		if (strstr(option, part))
			return 1;
	return 0;
}

static int add_flags(struct making *m, struct buf *b)
{
	int any = 0;

	digest_init(&m->n.s);
	for (const char *v = flags; *v; v += strlen(v) + 1) {
		const char *value = env_get(m->n.envp, v);

		if (!value)
			continue;
		if (nvcc_option_names_file(value))
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

/* What no program changes while the variables of `kept` stay: " libc=... nvcc=... compiler=...".
 * deep_jit's is made anew for each question: a developer edits CUTLASS between two kernels of one
 * process, and a library may be loaded after the first. The memo makes that 9 ms. */
static struct native_kept of_tilelang;

static int add_own(struct making *m, enum nvcc_user user, struct buf *b)
{
	int deep_jit = user != NVCC_TILELANG;
	size_t from = b->len, n;
	const char *why;

	if (!deep_jit && native_has_kept(&of_tilelang, b))
		return 0;
	m->maps = text_read("/proc/self/maps", NATIVE_MAPS_MAX, &n, m->n.arena);
	if (!m->maps)
		return refuse(m, "/proc does not say what it has loaded");
	digest_init(&m->n.s);
	if (native_libc(&m->n, m->maps) < 0)
		return refuse(m, "its libc cannot be read");
	native_finish(&m->n, b, " libc=");
	if (!deep_jit && add_tilelang(m, b) < 0)
		return -1;
	if (deep_jit && (why = deep_jit_scope(&m->n, m->maps, user == NVCC_DEEP_JIT_FORKED, b)))
		return refuse(m, why);
	digest_init(&m->n.s);
	if ((why = native_compiler(&m->n, deep_jit ? NATIVE_OF_NVCC : NATIVE_CXX)))
		return refuse(m, why);
	native_finish(&m->n, b, " compiler=");
	if (!deep_jit)
		native_keep(&of_tilelang, b, from);
	return 0;
}

int nvcc_scope(struct buf *b, enum nvcc_user user, char *const envp[], const char *block, size_t n,
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
		rc = is_kept(m) < 0 || add_own(m, user, b) < 0 || add_flags(m, b) < 0 ? -1 : 0;
	}
	native_end(&m->n);
	*why = m->why;
	return rc;
}
