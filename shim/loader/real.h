/* shim/loader/real.h - the functions that we replace.
 *
 * hooks/hooks.def has a row for each hooked symbol; real.<name> is the next definition of it. All
 * are looked up at once, in the constructor: a vfork child, or a thread beside a dlopen, must not
 * look anything up. They are looked up in the loader's tables (shim/loader/elfobject.h), since
 * before glibc 2.34 there may be no dlsym.
 *
 * A symbol that this libc lacks is NULL. Before the constructor every pointer is NULL (jemalloc's
 * malloc starts before any constructor). A hook then makes the raw system call, or resolves with
 * real_late() if there is no such call.
 *
 * CHILD: once they are looked up, the pointers may be read anywhere. */
#pragma once

#include <dirent.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

struct real {
#define HOOK(family, ret, name, params) ret(*name) params;
#include "hooks/hooks.def"
#undef HOOK
};
extern struct real real;

/* The next dlsym. Our own calls of it must not be tail calls: RTLD_NEXT would then mean the object
 * after our caller. NULL until it is found; before glibc 2.34 there may be none. Hidden, so that
 * code reaches it without the GOT. */
extern void *(*real_dlsym)(void *, const char *) __attribute__((visibility("hidden")));
/* The constructor calls this, and dlsym itself where it is called earlier, or where libdl is loaded
 * later. It reads the loader's list without the loader's lock, up to the object that has a dlsym:
 * THREAD if such an object was loaded at the start. */
void real_find_dlsym(void);

/* Constructor only. */
void real_resolve(void);
/* Before the constructor only, never in a vfork child. dlsym and dlvsym themselves are looked up so
 * by their first call. */
void *real_late(const char *name);
/* real.name, or looked up late. NULL if this libc has none: the hook then makes the system call, or
 * fails. */
#define REAL(name) (real.name ? real.name : (__typeof__(real.name))real_late(#name))

/* Exported from the object (everything else is hidden by -fvisibility and the version script). */
#define EXPORT __attribute__((visibility("default")))
