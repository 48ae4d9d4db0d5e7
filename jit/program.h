/* jit/program.h - what is known of a program of a library, by its handle.
 *
 * The handle is the library's own, made by its Create. Making a handle takes microseconds, and no
 * function of the library ever gets a handle that it does not know. A hit leaves out only the
 * compile. THREAD; two threads do not use one program at once, which the libraries forbid as well.
 * A forked child has the programs of its parent. */
#pragma once

#include <stddef.h>

#include "jit/library.h"
#include "keying/key.h"
#include "shim/arena.h"
#include "shim/reason.h"

struct answers; /* jit/product.h */
/* A text that may depend on the program's generated name. */
struct program_text {
	const char *s;
	size_t len;
	int own; /* the source, not a header */
	struct program_text *next;
};
/* An input of a library that compiles it as it is added. */
struct program_input {
	int type;
	const void *data;
	size_t size;
	const char *name; /* NULL without */
	int given;        /* the library has it */
	struct program_input *next;
};
enum program_state { PROGRAM_NEW, PROGRAM_REAL, PROGRAM_HIT };
struct program;
/* By value: pointers of a table would be relocated in every process. */
struct program_compile {
	int (*run)(struct program *p); /* the real compile; its status */
	int (*keeps)(int status); /* 1: a compile of this status is stored: a success, or a failure
	                             that comes again */
	int (*settle)(struct program *p); /* gives the library what hits left out before the
	                                     compile; NULL where nothing is */
};
/* Why a compile runs for real without Reprise. */
struct program_bypass {
	enum reason reason;
	const char *text; /* for people; NULL: the reason says all */
};
struct program {
	void *handle;
	struct jit_library *library;
	struct program_compile compile;
	struct program *next;
	enum program_state state;
	int off; /* not served: a callback, an option that writes files, a second compile */
	struct program_bypass bypass; /* of a program that is off, or of its last compile */
	int counted;                  /* its last compile is a hit or a miss, or not to be said */
	struct key parts;        /* what Create and Add brought, without fields */
	struct arena arena;      /* holds the program itself */
	const char *name;        /* of the source; NULL without */
	const char **expression; /* names that were added, in order */
	unsigned expressions;
	size_t expressions_cap;
	int recorded; /* its compile is being recorded */
	int worth;    /* the compile takes longer than a look-up */
	struct program_input *adding;   /* the action is its addition; NULL: the compile */
	struct program_input *left_out; /* in order */
	int additions; /* an addition was an action, and so are those that follow it */
	int lost;     /* status of an input that was left out, and then refused; 0 without */
	uint64_t rounding; /* of the thread that adds and compiles (jit/jit.h); 0: not yet */
	int mixed;    /* compiles with other options, before or at the same time, affect its code */
	int directory_free;         /* no option makes the product contain the working directory */
	int source_flags;           /* source_text.h, of the program and its headers */
	struct program_text *texts; /* of a program whose name contains a generated one */
	const char *const *options; /* of the compile; room for one more */
	int option_count;
	const struct answers *answers; /* of a hit; in served */
	struct arena served;
};

/* Replaces a program of the same handle, whose destruction was not seen. NULL: no memory. */
struct program *program_new(struct jit_library *l, void *handle, struct program_compile compile);
/* The program of a handle that was given to this entry. NULL: unknown, or of another library. */
struct program *program_of(void *handle, int entry);
/* Forgets a program, as its handle dies. */
void program_drop(struct program *p);
/* After a hit: does for real what was left out, so that the library can answer. The thread computes
 * meanwhile as it did when it was left out. */
void program_materialise(struct program *p);
/* A compile, or an input, of a program that was compiled before: the program is refused. NULL does
 * nothing. */
void program_reopen(struct program *p);
/* A compile, or an input: in a thread that computes as in the calls before, or the program is
 * refused. NULL does nothing. */
void program_round(struct program *p);
/* Its compiles are not served from now on. text is a part of the binary. word is copied, and shown
 * behind the text; NULL: none. */
void program_refuse(struct program *p, enum reason reason, const char *text, const char *word);
/* Copies into its arena. 0, or -1: no memory, and the program is refused. */
int program_keep_text(struct program *p, const char *text, int own);
int program_keep_options(struct program *p, int n, const char *const *options);
int program_keep_expression(struct program *p, const char *expression);
