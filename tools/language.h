/* tools/language.h - the language of a source, as gcc and clang choose it. Pure code. THREAD. */
#ifndef TOOLS_LANGUAGE_H
#define TOOLS_LANGUAGE_H

/* C includes C++ and Objective-C. Any language except C and C++ binds a result to the working
 * directory (assembler, whose .loc may take it; CUDA; modules). LANGUAGE_COMPILED: a file of
 * clang's that holds and checks the times of the texts it was made of. */
enum language {
	LANGUAGE_BY_NAME,
	LANGUAGE_C,
	LANGUAGE_HEADER,
	LANGUAGE_CUDA,
	LANGUAGE_COMPILED,
	LANGUAGE_OTHER
};

/* By a value of -x. */
enum language language_named(const char *name);
/* By the ending of a file's name. */
enum language language_of_file(const char *path);

#endif
