/* units/scope/scope.h - the text that says which processes share a unit. It is keyed beside the
 * unit's name.
 *
 * It is put together from the parts that the class's row names, in this order:
 *   RANK, RANK_FX  "world=8 rank=3": global rank and world size. Inductor's key holds no rank, and
 *                  its code for another rank is wrong. REPRISE_FX_SCOPE says how RANK_FX counts:
 *                  rank (default), shared (left out), off (the class is off)
 *   ISA            "isa=<hex>": the CPU's features that code generators ask for, and
 *                  ATEN_CPU_CAPABILITY. Inductor's key holds none, and numbers differ
 *   TORCH          "torch=<hex>": build id and version file of this process's libtorch_cpu.so;
 *                  without one nothing is shared
 *   PYTHON         "python=<version>"
 *   NPU            "torch_npu=<hex, or none> <NPUs>"
 *   DEVICE         GPU models and the driver's version, as /proc/driver/nvidia says; without an
 *                  accelerator "cpu=<hex> isa=<hex>"
 *   CPU            "cpu=<hex> isa=<hex>": this CPU's model, and its features as of ISA
 *   GPU            "gpu=<models> driver=<version>" as of DEVICE; "gpu=none" without an accelerator
 *   LOADED         "loaded=<hex>": the class's libraries (units/scope/loaded_scope.c)
 *   NATIVE         "machine=... libc=...": what C for this host is made for
 * (units/scope/native_scope.c)
 *   NVCC           "machine=... nvcc=...": what nvcc makes TileLang's kernels with
 *   DEEP_JIT       the same of deep_jit's kernels (units/scope/nvcc_scope.c)
 *   ROOT           "root=<path>": the cache's directory. The caller appends it
 *
 * Rank and world are read at each question, since programs set them late (units/scope/rank.h). A
 * worker that multiprocessing, Ray or an engine (vLLM, SGLang) made has the variables of its
 * parent, but learns its rank by argument. So an inherited rank does not count. A process made by
 * fork has no rank. A process that was started as a worker has one only if it has set RANK and
 * WORLD_SIZE since its start. A process that has given itself a title hides how it was started, and
 * has no rank.
 *
 * Reads small files of /proc at each call; allocates from the arena only. THREAD; not in a vfork
 * child. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shim/arena.h"
#include "shim/buf.h"
#include "shim/digest.h"
#include "shim/settings/settings.h"
#include "units/class.h"
#include "units/scope/native_file.h"
#include "units/scope/rank.h"
#include "units/shape/shape.h"

/* The text, or NULL with *why: nothing is shared. forked: this process was made by fork, without an
 * exec since. node_dir: where the memo of digests is; NULL: there is none. */
const char *unit_scope(enum unit_class class, const struct settings *set, char *const envp[],
                       int forked, const char *node_dir, struct arena *a, const char **why);
/* "cpu=<hex> isa=<hex>": this CPU, and its features. NULL: no memory. */
const char *unit_scope_cpu(char *const envp[], struct arena *a);
/* The scope of a peer on this host that differs from this process, of rank `me` and this scope, by
 * its rank alone. NULL: the scope is not of that rank, or no memory. Pure. */
const char *unit_scope_of_peer(const char *scope, const struct rank *me,
                               const struct rank *peer,
                               struct arena *a);

/* --- declared_scope.c: the scope of a unit of the user's own classes. Allocates from an
 * arena only. THREAD; not in a vfork child. */

/* 1: the scope text, as declared_scope makes it, belongs to this class. Pure. */
int declared_owns(const struct unit_path *u, const char *scope);

/* The scope of a unit of these classes, or NULL with *why: "unit=<name> kind=file A=<digest>
 * /b=<digest> path=<shape>". A variable's value is never part of it, only its digest. began: start
 * of this process, s since 1970; 0: not known. NULL also if a file changed since then, or is
 * missing: then it is not known whether the unit was made from that file. */
const char *declared_scope(const struct unit_path *u, char *const envp[], int64_t began,
                           struct arena *a, const char **why);

/* --- device.c: the accelerators of this machine, by files of /proc, /sys and /dev: no
 * driver is called.
 *
 * root is put before each path; it is "" except in tests. Each call makes some system calls.
 * THREAD; not in a vfork child. */

/* "gpu=<model>[,<model>] driver=<version>", models in order, each once; "" without an accelerator.
 * NULL with *why: an accelerator's model cannot be told (of another vendor, or in a container that
 * hides /proc/driver). */
const char *device_gpus(const char *root, struct arena *a, const char **why);
/* "npu=<PCI device>[,...]" of Huawei's accelerators, "npu=none" without one. NULL: a device cannot
 * be read (with *why; no descriptor may be left), or no memory. */
const char *device_npus(const char *root, struct arena *a, const char **why);

/* --- loaded_scope.c: the compiler that a framework brings along: libraries that the
 * process has loaded, as UNIT_LIBRARIES of units/units.def lists them for a class.
 *
 * Each counts by its size and its first 256 KiB, where an ELF file has its build id and symbols.
 * Reads /proc/self/maps and the libraries at each call. THREAD; not in a vfork child. */

/* Appends "loaded=<hex>", after a space where b holds text. 0, or -1 with *why: one of the
 * libraries is not loaded, or cannot be read. */
int loaded_scope(struct buf *b, enum unit_class class, const char *node_dir, struct arena *a,
                 const char **why);

/* --- native_compiler.c: what a start of a C compiler by Triton, TileLang or nvcc depends on,
 * beside its input. THREAD; not in a vfork child. */

/* Who looks for the compiler. CC: Triton, by CC, then gcc or clang in PATH. CXX: TileLang, by CXX,
 * CC, then g++ or another in PATH. OF_NVCC: nvcc itself, gcc and g++ in PATH. */
enum native_finder { NATIVE_CC, NATIVE_CXX, NATIVE_OF_NVCC };
/* Adds to r->s: the compiler; as and ld in PATH; what the linker takes from LIBRARY_PATH. All
 * programs of a name in PATH count, since one such as ccache starts the next. A script counts with
 * the program that it starts (units/scope/native_script.c).
 * NULL, or why no object is carried: a script does more, or a variable names directories with
 * headers or programs. */
const char *native_compiler(struct native *r, enum native_finder finder);

/* --- native_scope.c: what a module in C that this process compiles for itself is made
 * for.
 *
 * Triton compiles C for the host and loads it: the functions of a driver, and launchers of kernels.
 * Its key covers the source, and since 3.8 names of directories. It does not cover what the object
 * depends on: libc, Python, Triton's headers, the compiler and libcuda. They are the scope:
 *
 *   machine=x86_64 libc=<hex> python=<hex> triton=<hex> compiler=<hex> libcuda=<hex or none>
 *
 * A library counts by its size and its first NATIVE_HEAD bytes. There an ELF object has its build
 * id, its symbols and their versions, which is all that a linker takes from a library.
 *   libc, python, triton  the loaded objects; also the program, Triton's __init__.py, which holds
 *                         the version, and the headers of its drivers
 *   compiler              units/scope/native_compiler.c
 *   libcuda               all that Triton may link: in TRITON_LIBCUDA_PATH, else where the
 *                         loader's cache has libcuda.so.1, else in LD_LIBRARY_PATH
 *
 * Reads /proc/self/maps, since the loader's lock may be held for ever in a process made by fork.
 * THREAD; not in a vfork child. */

/* Appends the text. 0, or -1 with *why: Triton is not loaded, a file cannot be read, or
 * the compiler is not judged. */
int native_scope(struct buf *b, char *const envp[], const char *node_dir, struct arena *a,
                 const char **why);

/* --- native_script.c: a compiler that is a script and starts another program. Pure.
 * THREAD. */

#define NATIVE_WORDS_MAX 16
/* The script's text, which ends in NUL and is cut into words. It has one command,
 *
 *     exec PROGRAM [OPTION...] "$@"
 *
 * beside lines of comment. PROGRAM and options are plain words, in quotes or not. An option is one
 * of -B/DIRECTORY, -I/DIRECTORY, -isystem /DIRECTORY, -idirafter /DIRECTORY, -D, -O, -m. The
 * directories belong to the compiler, as those do that it has built in. Returns the number of words
 * without exec and "$@", or 0: the script does, or may do, something else. */
size_t native_script(char *text, size_t n, char *word[NATIVE_WORDS_MAX]);

/* --- nvcc_scope.c: what nvcc makes kernels of TileLang and deep_jit with.
 *
 * The keys of both cover the kernel's text and its options, TileLang's also the target, deep_jit's
 * what nvcc says of its version. They do not cover the compilers:
 *
 *   machine=x86_64 libc=<hex> nvcc=<hex> compiler=<hex> [flags=<hex>]
 *   machine=x86_64 libc=<hex> library=<hex> nvcc=<hex> headers=<hex> compiler=<hex> [flags=<hex>]
 *
 *   nvcc      the program that is started, and what lies around it (units/scope/toolkit.c); and
 *             TileLang's own headers
 *   library   the loaded libraries with deep_jit, whose code names the directories of headers
 *   headers   all files in the directory include/ beside such a library, and its path; one word for
 *             each directory
 *   compiler  units/scope/native_compiler.c
 *   flags     the variables by which nvcc and its programs take options
 *
 * Both keep what they find when they are imported, or compile first. So the variables by which they
 * look must be as they were when the process began.
 *
 * Reads /proc/self/maps. THREAD; not in a vfork child. */

/* Whose kernels; FORKED: in a process that was made by fork, without an exec since. */
enum nvcc_user { NVCC_TILELANG, NVCC_DEEP_JIT, NVCC_DEEP_JIT_FORKED };
/* Appends the text, of deep_jit the second of these. block: the environment at the process's start,
 * of n bytes, as /proc/self/environ holds it. 0, or -1 with *why: a variable has changed, nvcc is
 * not found, or a file cannot be read. */
int nvcc_scope(struct buf *b, enum nvcc_user user, char *const envp[], const char *block, size_t n,
               const char *node_dir, struct arena *a, const char **why);
/* 1: this text, options of nvcc, may name a file or a directory. Pure. */
int nvcc_option_names_file(const char *option);

/* --- toolkit.c: nvcc and what lies around it. THREAD; not in a vfork child. */

/* The first nvcc in PATH, or NULL. */
const char *toolkit_in_path(struct native *n);
/* The path's directory; up: the one above it. NULL: there is none. Pure. */
const char *toolkit_directory(struct native *n, const char *path, int up);
/* The real path, or NULL. */
const char *toolkit_real(struct native *n, const char *path);
/* The real directory above that of this nvcc's program, or NULL. */
const char *toolkit_home(struct native *n, const char *nvcc);
/* Adds to n->s: this nvcc, and beside it nvcc.profile, ptxas, cicc, libdevice, the main headers of
 * CUDA. A script counts with the program that it starts. NULL, or why it cannot be told. */
const char *toolkit_add(struct native *n, const char *nvcc);

/* --- header_tree.c */

/* Adds to n->s all files below the directory: their paths from there, and contents, in order.
 * Links are followed. 0, or -1: there is no file, there are too many, or one cannot be read.
 * THREAD; not in a vfork child. */
int header_tree(struct native *n, const char *dir);

/* --- deep_jit_scope.c: what the scope holds of deep_jit, the JIT library of DeepGEMM and DeepEP,
 * which is part of the packages' own libraries. THREAD; not in a vfork child. */

/* Appends " library=... nvcc=... headers=...". NULL, or why the scope cannot be told. forked: as
 * for unit_scope; then directories of headers are named by their real paths. */
const char *deep_jit_scope(struct native *n, const char *maps, int forked, struct buf *b);
/* For the publisher. 1: the scope holds this nvcc, or this directory with its headers, as they are
 * now. */
int deep_jit_scope_has_nvcc(struct native *n, const char *scope, const char *nvcc);
int deep_jit_scope_has_headers(struct native *n, const char *scope, const char *include);

/* --- torch_build.c: which build of torch this process runs, by its loaded objects. Only
 * version.py is opened, and torch itself is not called.
 *
 * dl_iterate_phdr takes the loader's lock. THREAD, but not in a vfork child, nor in a process made
 * by fork: a thread that is gone may have held that lock. */

struct torch_build {
	/* build id of libtorch_cpu.so, and the version.py beside its directory */
	struct digest torch;
	int npu;             /* 1: libtorch_npu.so is loaded */
	struct digest npu_build;
	/* tag in the names of loaded extension modules, "cpython-311"; "" without any */
	const char *python;
};
/* 0, or -1 with *why: torch is not loaded, or does not say which build it is. */
int torch_build_read(struct torch_build *t, struct arena *a, const char **why);
