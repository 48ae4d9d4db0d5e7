/* tools/python_attribute.h - what a name or an attribute stands for. Pure code. THREAD. */
#ifndef TOOLS_PYTHON_ATTRIBUTE_H
#define TOOLS_PYTHON_ATTRIBUTE_H

#include "tools/python_reader.h"

/* The value of the name that stands here. */
struct python_value python_name_value(struct python_reader *r);
/* The attribute t of a value, other than the environment. */
struct python_value python_attribute_value(struct python_reader *r, const struct python_value *base,
                                           const struct python_token *t);
/* Sets the kind of v, the answer of the method m: parts of a text are texts. */
void python_split_kind(struct python_value *v, const struct python_member *m,
                       enum python_kind base);
/* A method of the environment that is called, or NULL. */
const struct python_member *python_environ_member(const struct python_token *t);

#endif
