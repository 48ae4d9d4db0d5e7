/* shim/loader/foreign.h - programs that cannot run with the object, judged by their files. */
#pragma once

enum foreign {
	FOREIGN_NONE,      /* the object can be preloaded, or the file cannot be read */
	FOREIGN_CLASS,     /* another class or byte order: the loader complains */
	FOREIGN_LIBC,      /* another loader: musl's, or another machine's */
	FOREIGN_SANITIZER, /* linked against a runtime that must be loaded first */
};

/* CHILD. The program that the kernel would run for this path: a script is judged by its
 * interpreter. NULL: FOREIGN_NONE. */
enum foreign foreign_program(const char *path);
/* CHILD. 1: a library's name, without its directory, is that of such a runtime. It may end at a
 * space or colon. */
int foreign_is_sanitizer(const char *name);
