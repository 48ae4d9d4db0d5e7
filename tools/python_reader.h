/* tools/python_reader.h - a text in Python while it is read: where it stands, and its names.
 *
 * The text is read several times. In each pass the kind of a name is widened until it covers each
 * value that the text gives it anywhere. The passes end when one of them changes nothing. So
 * neither the order of statements nor scopes count. Pure code. THREAD. */
#ifndef TOOLS_PYTHON_READER_H
#define TOOLS_PYTHON_READER_H

#include "tools/python_names.h"
#include "tools/python_tokens.h"

/* Functions with more parameters are not read. */
#define PYTHON_PARAMETERS_MAX 16

struct python_found {
	/* A variable that the text names. May repeat. */
	void (*variable)(void *ctx, const char *name);
	/* A module that is another text. */
	void (*helper)(void *ctx, const char *module);
	void *ctx;
};
struct python_name {
	const char *s;
	size_t n;
	enum python_kind kind;
	enum python_module module;          /* MODULE */
	const struct python_member *member; /* FUNCTION: NULL: of this or another text */
	size_t defined;                     /* a function's place + 1 in the text, 0: elsewhere */
	size_t parameter[PYTHON_PARAMETERS_MAX]; /* places among the names */
	size_t parameters;
};
struct python_value {
	enum python_kind kind;
	enum python_module module;
	const struct python_member *member; /* where it may be called */
	size_t name;                        /* place + 1 of a function of the text */
	const struct python_token *literal; /* a plain text, and nothing else */
	int subscript;                      /* ends with [...]: may be given a value; 2: a slice */
};
struct python_reader {
	struct python_tokens t;
	size_t at;
	struct arena *a;
	const struct python_found *found;
	struct python_name *name;
	size_t names, name_cap;
	enum python_kind returned; /* by any function of the text */
	int mixed;                 /* lists may hold other elements than they began with */
	int pipes;                 /* a process may run: its stdout is a file, not a text */
	int types;                 /* at a place that may name a TYPE; other places may not */
	int imported;              /* other texts call the functions */
	int changed, depth;
	int last;                  /* all kinds are known: this pass reports what it finds */
	const char *refused;
};

const struct python_token *python_at(const struct python_reader *r, size_t ahead);
/* 1, and goes on, where the word stands. */
int python_take(struct python_reader *r, const char *word);
void python_expect(struct python_reader *r, const char *word);
/* why: NULL: the token that stands here is not known. */
void python_refuse(struct python_reader *r, const char *why, const struct python_token *t);
/* The place of a name in the table. */
size_t python_place(struct python_reader *r, const char *s, size_t n);
/* 1: other texts take such a name for a constant: it has no small letter. */
int python_is_constant(const struct python_token *t);
/* A name of the text gets its only meaning: a module, a function, a type. */
void python_declare(struct python_reader *r, const struct python_token *t, enum python_kind kind,
                    enum python_module module, const struct python_member *member);
/* A name of the text gets one more value. */
void python_bind(struct python_reader *r, const struct python_token *t, enum python_kind kind);
/* From now on an element of a list may be anything. */
void python_mix(struct python_reader *r);
/* From now on a value may be a process. */
void python_open_pipes(struct python_reader *r);
enum python_kind python_join(enum python_kind x, enum python_kind y);
/* Neither a number nor None, as far as the passes know. */
int python_is_text(enum python_kind k);
/* What the elements of a value are. */
enum python_kind python_element(const struct python_reader *r, enum python_kind k);
/* What a member is where it is not called. */
enum python_kind python_kind_of(const struct python_member *m);
/* 1: stdin, stdout or stderr. */
int python_is_stream(const struct python_token *t);
/* Refuses a value that may not go anywhere. */
void python_use(struct python_reader *r, const struct python_value *v);
/* The literal names a variable of the environment; NULL: a value does, which is refused. */
void python_use_variable(struct python_reader *r, const struct python_token *t);
/* The kind of the elements of a value that a loop goes through. */
enum python_kind python_iterated(struct python_reader *r, const struct python_value *v);
/* The expression `x in all`: *all may be of a kind that no other use allows. */
void python_contains(struct python_reader *r, const struct python_value *x,
                     const struct python_value *all);
/* What [i], or [i:k], of a value is. */
enum python_kind python_item_kind(const struct python_reader *r, enum python_kind kind, int slice);

#endif
