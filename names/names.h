/* names/names.h - names that change from run to run.
 *
 * A *name* is a string that differs between starts that are otherwise one action. There are two
 * sorts. A volatile name is a generated path component below a temporary root, or one with a shape
 * of its own anywhere: @T<n>, numbered by first appearance in argv. A base is a complete
 * REPRISE_BASE_DIRS prefix: @B<n>, numbered by first appearance as well. The bases that Reprise
 * adds are kinds of their own, and have the last numbers.
 * Paths and arguments are kept in keys and entries in *spec* form, with names replaced. The same
 * spec resolves to other paths in another run.
 *
 * nvcc has one more name, @X0: the name with its own pid in it (names_own).
 *
 * @F<n> is a file that the command line names and whose name reaches nothing: an output, or the
 * text of ptxas (names/name_files.c). It stands for the complete path up to the last dot of the
 * last component, so "@F0.d" is the dependency file beside "@F0.o".
 *
 * Spec bytes are literal except 0x01. It is followed by 'T', 'B', 'X' or 'F' and the index byte
 * '0' + n, or by 0x01 for a literal 0x01 byte. A path spec begins with one more byte. 'A': the path
 * as spelled was absolute. 'C': it was relative to the cwd, which is left out. 'F': it begins with
 * @F<n>, and is absolute if that path is.
 *
 * Only the complete token of a component is replaced. The token ends at the component's first dot,
 * other than a dot at its beginning.
 * "tmp." + 6 or more characters, mktemp -d's shape, is one token. "tmpxft_<hex>_<hex>-6" ends
 * before nvcc's "_x.ptx".
 *
 * Names are replaced only inside a path. The path is an argument that is an absolute path, or an
 * absolute path inside an argument. Inside an argument it begins after one of "= , : @" or after a
 * flag's letters such as -I, -o or -isystem. It ends at the next of these four characters. Nothing
 * is replaced after a quote. "tmpxft_<hex>_<hex>-6" is also replaced where such a path could begin,
 * since nvcc passes the bare name to its steps as well. A component that no program calls so
 * otherwise (name_is_unique, name_is_uv) is replaced in any path, relative ones included. Names are
 * replaced nowhere else: /tmp/sm_80 does not make -arch=sm_80 a name.
 *
 * Pure code, no system calls. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/arena.h"
#include "shim/buf.h"

#define NAMES_MARK 0x01    /* begins an escape in a spec */
#define NAMES_MAX 32       /* bases */
/* a torch job's compile uses 1; fatbinary uses 2 for each architecture */
#define NAMES_VOLATILE_MAX 64
#define NAME_VOLATILE_MIN 8 /* shorter names could be words, and are never patched */
#define NAMES_FILES_MAX 8   /* gcc names an object and a dependency file; with more, none is free */

/* What a name is. Keys and entries hold a letter and a number: names_put_kind(). */
enum name_kind {
	/* Bases of which there is one at most. Each is written as a base with its value as the
	 * number: no list of bases is as long. */
	NAME_KIND_MAPPED_MORE = NAMES_MAX - 6, /* two more such as NAME_KIND_MAPPED */
	NAME_KIND_TRIED = NAMES_MAX - 4, /* of CMake's try_compile, or of nvcc's source */
	NAME_KIND_DIRECTORY, /* the cwd, if a result can be moved elsewhere */
	NAME_KIND_MAPPED,    /* what the command's prefix maps hide */
	NAME_KIND_TMPDIR,    /* the value of TMPDIR */
	NAME_KIND_BASE = 'B', /* of a variable or REPRISE_BASE_DIRS */
	NAME_KIND_TEMP = 'T', /* a volatile name */
	NAME_KIND_OWN = 'X',  /* the tool's name with its pid; n is 0 */
	NAME_KIND_FILE = 'F', /* a file that the command line names */
	/* a name in the input text (tools/cmdline/input_text.h); not in specs */
	NAME_KIND_TEXT = 'P',
	/* the hash of a source's path (tools/drivers/drivers.h); not in specs */
	NAME_KIND_HASH = 'H'
};
#define NAME_KINDS_OF_ONE NAME_KIND_MAPPED_MORE /* the first kind of which there is one */
/* The first byte of a path spec. */
enum { SPEC_ABSOLUTE = 'A', SPEC_RELATIVE = 'C', SPEC_FILE = 'F' };
/* 1: a directory that is replaced whole. */
static inline int name_is_base(unsigned kind)
{
	return kind < NAMES_MAX || kind == NAME_KIND_BASE;
}
/* The kind of the n-th directory that prefix maps hide. */
static inline enum name_kind name_mapped(int n)
{
	return n ? (enum name_kind)(NAME_KIND_MAPPED_MORE + n - 1) : NAME_KIND_MAPPED;
}
static inline int name_is_mapped(unsigned kind)
{
	return kind == NAME_KIND_MAPPED ||
	       (kind >= NAME_KIND_MAPPED_MORE && kind < NAME_KIND_TRIED);
}

struct name {
	const char *text; /* the component, or the base directory without a final slash */
	size_t len;
};
struct names {
	struct arena *arena;
	const char *const *temp_roots; /* NULL-terminated, absolute, tidy */
	/* @B<n>, absolute and tidy: `bases` of lists, and those that are kinds; len 0: none */
	struct name base[NAMES_MAX];
	int bases;
	struct name own;               /* @X0; len 0: none */
	int files;                     /* files of the command line: names/name_files.c */
	struct name file[NAMES_FILES_MAX];
	int target_of;                 /* n + 1: file n is the target of the dependency file */
	/* n + 1: the dependency file has the name of file n with the ending ".d"; 0: it has not */
	int depfile_of;
	int count;                     /* volatile names seen */
	struct name v[NAMES_VOLATILE_MAX];
	unsigned base_used;            /* bit n: base[n] occurred */
	int closed;                    /* names_close() */
	/* more than NAMES_VOLATILE_MAX: the action cannot be keyed */
	int overflow;
};

/* The part of nvcc's file names before the count, for this pid: "tmpxft_<pid>_00000000". The second
 * call, for the process that really runs, rewrites the first call's text. */
void names_own(struct names *n, unsigned pid);
/* Appends the spec form of one argument to out (no leading 'A'/'C'). With `learn`, new volatile
 * names get the next number; without it, unknown generated names stay literal. */
void names_arg(struct names *n, const char *arg, int learn, struct buf *out);
/* The same for a variable's value; never learns. quoted: the value is a list of arguments, each in
 * quotes. */
void names_env(struct names *n, const char *value, int quoted, struct buf *out);
/* Appends the spec form of a path, with its leading byte. Never learns. */
void names_path(struct names *n, const char *path, struct buf *out);
/* Resolves a path spec under these names to a path that is usable from the cwd (relative paths stay
 * relative). NULL when the spec is malformed or uses an absent name. In the arena. */
const char *names_resolve(const struct names *n, const char *spec, size_t len, struct arena *a);
/* Writes kind and index of a name as candidates and results hold them, and reads them. */
void names_put_kind(struct buf *out, unsigned kind, unsigned index);
void names_read_kind(struct reader *r, unsigned char *kind, unsigned char *index);
/* Sets both of the name whose escape in a spec has these two bytes. */
void names_spec_kind(const char spec[2], unsigned char *kind, unsigned char *index);
/* Returns spec text for people: "@T0", "@B1" instead of the escapes. Pass a path spec without its
 * first byte. In the arena. */
const char *names_print(const char *spec, size_t len, struct arena *a);

/* --- name_files.c: @F<n>, files that a command line names, and whose names reach nothing --- */

/* Makes a path of the command line the next @F<n>. Its index, or -1: no room, or nothing stands
 * before its last dot. The path must outlive n. */
int names_file(struct names *n, const char *path);
/* Appends "@F<i>" and what follows it in the path that names_file() received. */
void names_put_file(const struct names *n, int i, struct buf *out);
/* Appends the path spec of `path` if it is one of these files, or the dependency file beside one
 * (depfile_of). Absolute and tidy; dir is the cwd. 1: done. */
int names_put_output(const struct names *n, const char *dir, const char *path, struct buf *out);

/* The i of the @F<i> whose path spec names_put_output() made. -1: it made the spec of no such
 * file. */
int names_output_file(const char *spec, size_t len);
