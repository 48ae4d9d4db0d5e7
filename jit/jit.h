/* jit/jit.h - compilers that are libraries of the job: NVRTC and nvJitLink.
 *
 * A program of theirs is always the library's own, made by its own Create, and the handle the caller has is that one: making
 * one costs some microseconds, and no function that this table does not know is ever given a handle it cannot use. What is
 * left out on a hit is the compile. Its answers then come from the store; a call that they do not cover compiles for
 * real first (program_materialise) and is answered by the library.
 *
 * Reach: hooks/dlsym.c hands out the functions below in place of the library's. Which library is meant follows from the
 * address that dlsym found: several builds in one process keep apart (jit/library.c). No executable memory is made: each
 * library has a slot, and each slot has functions of its own (jit/stubs.c). An object that is linked against a library finds our
 * exported functions, by the version node that says which library it means (hooks/linked.c).
 *
 * The compile is an action of action/'s kind: looked up, recorded and judged by the same code. Its trace is of the calling
 * thread alone (trace_thread_begin). The key holds the library's build, the source, names, headers, options and what the
 * libraries ask of the environment; files read from disk and absent ones are inputs.
 *
 * THREAD: any thread may call with any program, as long as two do not use one program at once, which the
 * libraries forbid as well. After fork the child has what the parent had. Nothing here writes to the job's
 * streams, starts a thread, or keeps a descriptor. */
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include <stddef.h>
#include <stdint.h>

#include "action/action.h"
#include "shim/elfobject.h"
#include "shim/path.h"

enum jit_kind { JIT_NVRTC, JIT_NVJITLINK };
/* Functions of a kind, in the order of jit/entries.def. */
enum nvrtc_entry {
#define NVRTC(id, parameters, arguments) NVRTC_##id,
#include "jit/entries.def"
#undef NVRTC
	NVRTC_ENTRIES
};
enum nvjitlink_entry {
#define NVJITLINK(id, parameters, arguments) NVJITLINK_##id,
#include "jit/entries.def"
#undef NVJITLINK
	NVJITLINK_ENTRIES
};
#define JIT_ENTRIES_MAX 24
_Static_assert((int)NVRTC_ENTRIES <= JIT_ENTRIES_MAX && (int)NVJITLINK_ENTRIES <= JIT_ENTRIES_MAX, "a library's functions");

/* jit/library.c: a loaded build of a library, and one version of its functions. */
#define JIT_SLOTS 12
#define JIT_VERSION 8 /* "_13_0" */
struct jit_library {
	enum jit_kind kind;
	unsigned slot;
	char version[JIT_VERSION]; /* of nvJitLink's functions; "" for the plain names */
	uintptr_t base;
	char build[2 * ELFOBJECT_BUILD_ID + 1]; /* hex; "" where the library does not say: the file's content then */
	char name[32];             /* "libnvrtc.so.13", for people */
	char path[PATH_SIZE];
	uint64_t changes;          /* of the loader's list, at jit_library_passed_by's last look, */
	int passed_by;             /* and what it saw */
	char builtins[PATH_SIZE];  /* NVRTC: the file that was keyed last; "" not known */
	void *real[JIT_ENTRIES_MAX]; /* NULL where this build lacks it */
	int release;               /* 1305 of CUDA 13.5; 0 not known */
};
/* The library whose code this is, of that kind and version. NULL: it is none, or there are no more slots. */
struct jit_library *jit_library_at(enum jit_kind kind, const char *version, const void *code);
/* This object as that kind and version, whatever it is. NULL: no more slots. */
struct jit_library *jit_library_of(enum jit_kind kind, const char *version, const struct elfobject *o);
struct jit_library *jit_slot(unsigned slot);
/* Its i-th function, ours. jit/stubs.c. */
void *jit_stub(const struct jit_library *l, int entry);

/* jit/linked.c: what a call of a linked object is about. major and minor: one of jit/linked.h; minor 0 for NVRTC. library: the
 * one that is meant; else the function itself, NULL for none. */
struct jit_linked {
	struct jit_library *library;
	void *real;
};
struct jit_linked jit_linked(enum jit_kind kind, int major, int minor, int entry);
/* 1 when an object that is linked against it asks for names that are not ours: its calls, about any program, do not come by us. */
int jit_library_passed_by(struct jit_library *l);

/* From CUDA 12.9 on the libraries keep what they compiled in the driver's cache, by libcuda, and this option keeps them from it.
 * What is recorded is a compile, not another cache's word, and reads none of the driver's files. */
#define JIT_NO_CACHE "--no-cache"
static inline int jit_has_cache(const struct jit_library *l)
{
	return l->release >= 1209;
}

/* jit/names.c: which function of which kind a name is: its entry, -1 for none of ours. version is set for "__nvJitLink..".
 * jit_name_might: false for nearly all names, at once. */
int jit_name(const char *name, enum jit_kind *kind, char version[JIT_VERSION]);
const char *jit_entry_name(enum jit_kind kind, int entry);
/* 1: one of these words is somewhere in the text. "word\0word\0": a row of pointers would be relocated in every process. */
int jit_mentions(const char *text, const char *words);
static inline int jit_name_might(const char *name)
{
	return (name[0] == 'n' && name[1] == 'v') || (name[0] == '_' && name[1] == '_' && name[2] == 'n' && name[3] == 'v');
}

/* jit/stays.c: options that outlive their compile in the process. note: they are given to the library now. from_others: an
 * earlier compile gave one that these have not, so that what comes of these is nobody else's. adds_up: one of these joins what
 * was given before. */
void stays_note(int n, const char *const *options);
int stays_from_others(int n, const char *const *options);
int stays_adds_up(int n, const char *const *options);

/* jit/spare.c: 1 when the process could open so many files more. */
int jit_spare_descriptors(unsigned need);

/* jit/failed.c: 1 when the log of a failed compile says nothing, or speaks of the machine and not of the source. */
int jit_failed_by_machine(const char *log);

/* jit/program.c: what is known of a handle. */
struct answers; /* jit/answers.h */
struct program_text {
	const char *s;
	size_t len;
	int own; /* no header */
	struct program_text *next;
};
enum program_state { PROGRAM_NEW, PROGRAM_REAL, PROGRAM_HIT };
/* What a kind of library knows of its compiles. By value: pointers of a table would be relocated in every process. */
struct program;
struct program_row {
	int (*run)(struct program *p);     /* the real compile; its status */
	int (*keeps)(int status);          /* 1: a success, or a failure that would come again */
	void (*take)(struct program *p, struct answers *a); /* the library's answers after such a status */
};
struct program {
	void *handle;
	struct jit_library *library;
	struct program_row row;
	struct program *next;
	enum program_state state;
	int off;             /* nothing is served: a callback, an option that writes files, a second compile */
	struct key parts;    /* what Create and Add brought, without a trail */
	struct arena arena;
	const char *name;    /* NVRTC: of the program */
	const char **expression; /* NVRTC: name expressions, in order */
	unsigned expressions;
	size_t expressions_cap;
	int recorded;        /* its compile is: from the sources alone */
	int worth;           /* nvJitLink: something is compiled, not only put together */
	int mixed;           /* it was compiled beside or after one with other options, which shows in it */
	int dated;           /* jit/dated.h, of its texts */
	struct program_text *texts; /* the program and its headers, where its name holds a generated one */
	const char *const *options; /* as compiled */
	int option_count;
	const struct answers *answers; /* HIT: in served */
	struct arena served;
};
struct program *program_new(struct jit_library *l, void *handle, struct program_row row);
struct program *program_find(void *handle);
/* Forgets it, as its handle dies. */
void program_drop(struct program *p);
/* A compile that was left out is made up for. */
void program_materialise(struct program *p);
/* Its own library, whoever asks; else that of the caller, which may be NULL. */
static inline struct jit_library *program_library(const struct program *p, struct jit_library *l)
{
	return p ? p->library : l;
}
/* Copies into its arena. 0, or -1. */
int program_keep_text(struct program *p, const char *text, int own);
int program_keep_options(struct program *p, int n, const char *const *options);

/* jit/named.c: 1 when the compile that a is of did with the program's generated name nothing that another one of that length
 * would have changed, but for the log, where it is exchanged. texts: dated.h, of what it read. */
struct tree;
int named_shown(const struct program *p, const struct action *a, const struct tree *t, const struct answers *now, int texts);

/* jit/keyed.c: a->k1, of everything but inputs; its row, names and directory are there. 0, or -1: it cannot be keyed. The rows
 * of tools by kind: what is asked of the environment. */
int jit_key(struct action *a, struct program *p);
extern const struct tool_row jit_rows[];

/* jit/serve.c: the compile of a program whose key is complete. Its status, real or replayed; p->state says which. */
int jit_serve(struct program *p);

/* What a function answers that the library lacks. */
static inline int jit_missing_of(enum jit_kind kind)
{
	enum { NVRTC_ERROR_INTERNAL_ERROR = 11, NVJITLINK_ERROR_INTERNAL = 6 };

	return kind == JIT_NVJITLINK ? NVJITLINK_ERROR_INTERNAL : NVRTC_ERROR_INTERNAL_ERROR;
}
static inline int jit_missing(const struct jit_library *l)
{
	return jit_missing_of(l ? l->kind : JIT_NVRTC);
}

/* The functions: l may be NULL: there is no such library. */
#define NVRTC(id, parameters, arguments) int nvrtc_##id(struct jit_library *l, JIT_PARAMETERS parameters);
#define NVJITLINK(id, parameters, arguments) int nvjitlink_##id(struct jit_library *l, JIT_PARAMETERS parameters);
#define JIT_PARAMETERS(...) __VA_ARGS__
#include "jit/entries.def"
#undef NVRTC
#undef NVJITLINK

#endif
