/* tools/python_call.h - a call: what each function may get, and what it answers. Pure code.
 * THREAD. */
#ifndef TOOLS_PYTHON_CALL_H
#define TOOLS_PYTHON_CALL_H

#include "tools/python_reader.h"

struct python_arguments {
	const struct python_member *member; /* NULL: a function of a text */
	struct python_name *function;
	size_t function_place;
	enum python_kind base;              /* a method's object */
	const struct python_token *text;    /* the object, if it is a literal */
	int count, stars, flushes, to_stderr;
	struct python_value first;
	int rest_is_text;                   /* all arguments behind the first are texts */
};

/* One argument: t=v. */
void python_keyword(struct python_reader *r, struct python_arguments *a,
                    const struct python_token *t, const struct python_value *v);
/* One argument without a name. star: it is *v, which stands for several arguments. */
void python_positional(struct python_reader *r, struct python_arguments *a, int star,
                       const struct python_value *v);
/* Any parameter of the text's own function may get anything. */
void python_unknown_arguments(struct python_reader *r, struct python_arguments *a);
/* Call it when all arguments are known. Checks the arguments of a member. */
void python_check_arguments(struct python_reader *r, const struct python_arguments *a);
struct python_value python_answer(const struct python_arguments *a);

#endif
