/* tools/python_names.h - what a text in Python may use: modules and their members, functions that
 * are built in, and attributes of values. Whatever has no row keeps a text from being read. Pure
 * code. THREAD. */
#ifndef TOOLS_PYTHON_NAMES_H
#define TOOLS_PYTHON_NAMES_H

#include <stddef.h>

/* What is known of a value. */
enum python_kind {
	PYTHON_UNSET,    /* a name that has no value yet */
	PYTHON_TEXT,     /* neither a number nor None: no descriptor, and no request for input */
	PYTHON_TEXTS,    /* holds such values, one after the other; is a TEXT itself */
	PYTHON_MAYBE,    /* a TEXT or None */
	PYTHON_ANY,      /* any other value that prints neither an address nor an order */
	/* The others may be used in a few places alone. */
	PYTHON_ITERATOR, /* prints an address, or is a set in disguise (keys of a dictionary) */
	PYTHON_LISTING,  /* in the order of a directory */
	PYTHON_SET,      /* in an order of its own: asked whether it holds a value */
	PYTHON_TYPE,     /* its attributes are properties, which print addresses */
	PYTHON_PIPE,     /* prints the number of its descriptor */
	PYTHON_PROCESS,  /* runs: the text has to wait for it at once */
	PYTHON_FUNCTION, /* may be called alone: it prints an address */
	PYTHON_MODULE,
	PYTHON_ENVIRON,  /* os.environ or a copy */
	PYTHON_STDOUT,   /* its buffer depends on the terminal */
	PYTHON_STDERR
};
enum python_module {
	PYTHON_BUILTIN, PYTHON_OS, PYTHON_OS_PATH, PYTHON_SYS, PYTHON_SUBPROCESS, PYTHON_SHLEX,
	PYTHON_RE, PYTHON_JSON, PYTHON_SHUTIL, PYTHON_GLOB, PYTHON_ERRNO, PYTHON_PATHLIB,
	PYTHON_TYPING, PYTHON_FUTURE, PYTHON_HELPER /* another text */
};
enum { /* facts of a function */
	PYTHON_CALL = 1,      /* a function; else a value */
	PYTHON_PATH = 2,      /* a number would be a descriptor: the first argument is a TEXT */
	PYTHON_PATHS = 4,     /* so is the second one */
	PYTHON_TAKES = 8,     /* takes an ITERATOR */
	PYTHON_TAKES_LISTING = 16,
	PYTHON_SINGLE = 32,   /* has one positional argument at most, and no *arguments */
	PYTHON_NO_ARGUMENT = 64,
	PYTHON_VARIABLE = 128,/* the first argument names a variable */
	PYTHON_PRINTS = 256,  /* print: to stdout it has to flush */
	PYTHON_KEEPS = 512,   /* the answer's elements are those of the argument */
	PYTHON_MUTATES = 1024,/* the arguments become elements of the object */
	PYTHON_ARGUMENT = 2048, /* has one positional argument at least, and no *arguments */
	PYTHON_FORMAT = 4096, /* of a literal without attributes */
	PYTHON_VALUE = 8192,  /* it may be called, and prints no address: a type */
	PYTHON_ENV = 16384,   /* takes the environment as its last argument or by env= */
	PYTHON_PARSED = 32768,/* the rules of tools/python_expr.c say more */
	PYTHON_COPIES = 65536,/* of the environment it makes a copy */
	PYTHON_TAKES_EACH = 131072, /* with TAKES: also as another argument than the first one */
	PYTHON_IS_TYPE = 262144, /* as a value it is a TYPE */
	PYTHON_STREAMS = 524288 /* stdin=, stdout= and stderr= are no numbers */
};
enum python_keywords {
	WITH_NONE, WITH_ANY, WITH_COUNT_FLAGS, WITH_DEFAULT, WITH_EXIST_OK, WITH_FLAGS, WITH_INPUT,
	WITH_JSON, WITH_MAXSPLIT_FLAGS, WITH_MAXSPLIT_SEP, WITH_OPEN, WITH_PRINT, WITH_RECURSIVE,
	WITH_REVERSE, WITH_RUN, WITH_SHLEX, WITH_WHICH_PATH
};
/* No pointers: each would be relocated in every process of a job. */
struct python_member {
	unsigned char module;
	unsigned char kind;     /* of the value, or of the answer */
	unsigned flags;
	char name[22];
	unsigned char keywords; /* enum python_keywords */
};

/* A member of a module; of PYTHON_BUILTIN: a function that is built in. NULL: no row. */
const struct python_member *python_member(enum python_module m, const char *name, size_t n);
/* The names of a function's keywords, each with its NUL; "*": any name. */
const char *python_keywords(const struct python_member *m);
/* An attribute of any value. */
const struct python_member *python_attribute(const char *name, size_t n);
/* The module, or -1. name: with dots. */
int python_module(const char *name, size_t n);
/* 1: Python, of any version, has a function of this name, so that no text may give it another
 * value. */
int python_is_builtin(const char *name, size_t n);
/* 1: a module of the library of Python 3.9 to 3.14, with a row or without. */
int python_is_library(const char *name, size_t n);
/* 1: a word of the language. */
int python_is_keyword(const char *name, size_t n);

#endif
