/* tools/perl_start.h - what an interpreter of Perl does before and beside a script: its command
 * line, its variables and its library. Pure code. THREAD. */
#ifndef TOOLS_PERL_START_H
#define TOOLS_PERL_START_H

#include "tools/script.h"

/* 1: a version whose scripts are read. base: of the program that runs. */
int perl_interpreter(const char *base);
/* As script_form(). */
enum script_form perl_form(int argc, char *const argv[], const char **what);
/* A variable with which the interpreter does more than run the script. NULL: none. */
const char *perl_variable(char *const envp[]);
/* 1: the interpreter reads the seed of its hashes at this path, or its own path ($^X). */
int perl_starts_with(const char *path);
/* The variables that the interpreter itself may use, each with its NUL; a pattern has a star. */
extern const char perl_variables[];
/* 1: a module that a text may use. With no PERL5LIB, and no option, it comes from a directory that
 * the interpreter was built for, and is trusted as that is. */
int perl_module(const char *path);

#endif
