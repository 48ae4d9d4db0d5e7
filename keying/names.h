/* keying/names.h - names that change from run to run.
 *
 * A *name* is a string that differs between starts that are otherwise one action: a generated path
 * component below a temporary root (volatile, @T<n> in order of appearance in argv), or a whole
 * REPRISE_BASE_DIRS prefix (@B<n>, n its place in the list; @B31: TMPDIR, see names_move_tmpdir). Paths and arguments are kept in keys and
 * entries in *spec* form, with names replaced; the same spec resolves to other paths in another run.
 *
 * REPRISE_BASE_DIRS is joined by one more for nvcc: @X0, the name with its own pid in it (names_own).
 *
 * Spec bytes: everything literal but 0x01, which is followed by 'T', 'B' or 'X' and the index byte
 * '0' + n, or by 0x01 for a literal 0x01 byte. A path spec begins with one more byte:
 * 'A' the path as spelled was absolute, 'C' it was relative to the cwd (which is left out).
 *
 * Replacement is by whole components only (up to the component's first dot; "tmp." + 6 or more
 * characters, mktemp -d's shape, counts whole; "tmpxft_<hex>_<hex>-6" ends before nvcc's "_x.ptx") and
 * only inside a path: an argument that is an absolute path, or an absolute path inside an argument
 * after one of "= , : @" or after a flag's letters such as -I, -o or -isystem, up to the next of
 * these four; nothing after a quote; and "tmpxft_<hex>_<hex>-6" where such a path could begin, since nvcc
 * hands its steps the bare name as well. Never elsewhere: /tmp/sm_80 does not make -arch=sm_80 a name.
 *
 * Pure code, no system calls. THREAD. */
#ifndef KEYING_NAMES_H
#define KEYING_NAMES_H

#include <stddef.h>

#include "shim/arena.h"

#define NAMES_MAX 32       /* bases */
#define NAMES_VOLATILE_MAX 64 /* a torch job's compile uses 1, fatbinary 2 for each architecture */
#define NAME_VOLATILE_MIN 8 /* shorter ones could be words, and are never patched */
#define NAMES_TMPDIR (NAMES_MAX - 1) /* n of TMPDIR's @B<n>: no list of bases is as long */

struct name {
	const char *text; /* the component, or the base directory without a final slash */
	size_t len;
};
struct names {
	struct arena *arena;
	const char *const *temp_roots; /* NULL-terminated, absolute, tidy */
	const char *const *base_dirs;  /* NULL-terminated, absolute, tidy; index is n of @B<n>; "" matches none */
	struct name tmpdir;            /* @B<NAMES_TMPDIR>; len 0: TMPDIR is no base */
	struct name own;               /* @X0; len 0: none */
	int count;                     /* volatile names seen */
	struct name v[NAMES_VOLATILE_MAX];
	unsigned base_used;            /* bit n: @B<n> occurred */
	int closed;                    /* names_close() */
	int overflow;                  /* more than NAMES_VOLATILE_MAX: the action cannot be keyed */
};

/* Colon lists; each may be NULL or "". TMPDIR's value, the built-in roots (/tmp /var/tmp /dev/shm
 * /run/user/<uid>) and REPRISE_TEMP_ROOTS make the roots; REPRISE_BASE_DIRS plus the values of
 * TORCHINDUCTOR_CACHE_DIR, TRITON_CACHE_DIR and TORCH_EXTENSIONS_DIR make the bases: these three have
 * the places 0, 1, 2 even where unset, so that @B<n> means one thing in a job; the list follows.
 * Relative or empty elements and "/" are ignored. */
void names_init(struct names *n, struct arena *a, unsigned uid, const char *tmpdir,
                const char *more_roots, const char *base_dirs, char *const envp[]);

/* TMPDIR's value is a base as well: for a start whose result depends neither on it nor on names in argv, and before any of
 * them is spelled. One that is shorter than NAME_VOLATILE_MIN stays a part of names, since nothing could be patched. */
void names_move_tmpdir(struct names *n, const char *tmpdir);
/* What nvcc of this pid puts before the count in its files' names: "tmpxft_<pid>_00000000". The second call,
 * for the process that really runs, rewrites the first one's text. */
void names_own(struct names *n, unsigned pid);
/* The names are listed: from now on a base that has not occurred is a part of paths like any other, since nothing would bind what
 * it stands for. But TMPDIR, which what is bound never depends on. */
void names_close(struct names *n);
/* The base directory of @B<i>, NULL for none. */
const char *names_base(const struct names *n, int i);

/* True when text (len bytes of anything, after a slash) begins as a name that gcc or clang gives to a temporary file:
 * ccXXXXXX, or a stem and "-0a1b2c.". */
int name_is_scratch(const char *text, size_t len);
/* True when a component's token (text of len bytes) has the shape of a generated name. */
int name_is_volatile(const char *text, size_t len);
/* Length of "tmpxft_<hex>_<hex>-<count>" at p, the count being optional; 0 when it is none. nvcc goes on with
 * "_<source>.ptx". */
size_t name_xft_len(const char *p, size_t len);
/* Length of the part of a component (len bytes without '/') that is its token: up to its first dot,
 * whole for "tmp.XXXXXX", up to the second hex number for "tmpxft_<hex>_<hex>". */
size_t name_token(const char *component, size_t len);

/* Appends the spec form of one argument to out (no leading 'A'/'C'). New volatile names get the next
 * number when `learn`; without it unknown generated names stay literal. */
void names_arg(struct names *n, const char *arg, int learn, struct buf *out);
/* The same of a variable's value; never learns. quoted: it is a list of arguments, each in
 * quotes. */
void names_env(struct names *n, const char *value, int quoted, struct buf *out);
/* Appends the spec form of a path, with its leading byte. Never learns. */
void names_path(struct names *n, const char *path, struct buf *out);
/* Resolves a path spec under these names to a path usable from the cwd (relative ones stay relative).
 * NULL when the spec is malformed or uses a name that is not there. In the arena. */
const char *names_resolve(const struct names *n, const char *spec, size_t len, struct arena *a);
/* Spec text for people: "@T0", "@B1" instead of the escapes. A path spec is given without its first
 * byte. In the arena. */
const char *names_print(const char *spec, size_t len, struct arena *a);

#endif
