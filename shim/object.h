/* shim/object.h - facts about the object itself, set once by the constructor. */
#ifndef SHIM_OBJECT_H
#define SHIM_OBJECT_H

/* Of every version (Makefile). */
#define OBJECT_SONAME "libreprise.so"

struct dl_phdr_info;
/* SIGNAL. Absolute path of libreprise.so as it was preloaded; "" in programs that link the code. */
const char *object_path(void);
/* SIGNAL. The file name of a library, relative if the loader found it so; NULL for the program, the
 * vdso and this object. */
const char *object_library(const struct dl_phdr_info *info);
/* Constructor only: finds the object. */
void object_locate(void);

#endif
