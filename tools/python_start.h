/* tools/python_start.h - what an interpreter of Python runs before and beside a script: its command
 * line, its variables, its library and what site.py brings. Pure code. THREAD. */
#ifndef TOOLS_PYTHON_START_H
#define TOOLS_PYTHON_START_H

#include <stddef.h>

#include "tools/script.h"

/* 1: a version whose scripts are read. base: of the program that runs. */
int python_interpreter(const char *base);
/* As script_form(). */
enum script_form python_form(int argc, char *const argv[], const char **what);
/* A variable with which the interpreter does more than run the script. "HOME" if HOME is not set:
 * the directory of the user's modules then depends on the user. NULL: none. */
const char *python_variable(char *const envp[]);

/* The variables that the interpreter itself may use, each with its NUL; a pattern has a star. */
extern const char python_variables[];

enum python_file {
	PYTHON_FILE_LIBRARY, /* of the interpreter itself */
	PYTHON_FILE_SITE,    /* site.py runs it: its text must be known (python_site_known) */
	PYTHON_FILE_HACK,    /* of setuptools, the same */
	PYTHON_FILE_PATHS,   /* a .pth file */
	PYTHON_FILE_SOURCE,  /* another text */
	PYTHON_FILE_COMPILED,/* the compiled form of another text */
	PYTHON_FILE_OBJECT,  /* machine code */
	PYTHON_FILE_DATA
};
/* exe: the interpreter's program, by its real path. */
enum python_file python_file(const char *exe, const char *path);
/* Writes to out, of n bytes, the path of the text that a compiled form was made from. For a text,
 * its own path. -1: no room. */
int python_source(const char *path, char *out, size_t n);
/* 1: a text of SITE or HACK, and nothing that it does could differ between two runs. */
int python_site_known(const char *text, size_t n);
/* The first line of a .pth file that runs an unknown program, or NULL; *len: its length. */
const char *python_paths_run(const char *text, size_t *len);
/* 1: the file may be an archive, from which modules are imported. */
int python_archive(const char *bytes, size_t n);

#endif
