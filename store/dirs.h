/* store/dirs.h - finds, makes and checks the directories of the store and its runtime directory.
 *
 * Missing directories are made with mode 0700, whatever the umask is; existing ones are checked and
 * never changed. THREAD. */
#pragma once

#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings/settings.h"

/* Version of the layout, in <dir>/VERSION: "reprise 1". */
#define STORE_LAYOUT 1

/* Makes a directory and its missing parents. 0 or -errno. */
int dirs_make(const char *path);
/* The same for directories outside the store, with mode 0777 less the umask. */
int dirs_make_plain(const char *path);
/* Makes the store's root like dirs_make, with its VERSION. 0 or -errno. */
int dirs_make_root(const char *dir);
/* Layout number of a root: STORE_LAYOUT if VERSION is missing, -1 if it is not a VERSION of
 * Reprise. */
int dirs_layout(const char *dir);
struct dirs_cache {
	const char *dir;    /* NULL: none */
	int writable;
	char identity[64];  /* device, inode and time of birth, as text */
	const char *seed;   /* a directory that was passed over but can be read; NULL: none */
	/* why the first directory was passed over, for people; NULL: it was not */
	const char *passed;
};
/* Makes and checks a cache directory. guessed: another user may have made it before, as below /tmp.
 * 0: dir, writable and identity of *out are filled; -1 with *fault. */
int dirs_use_cache(struct dirs_cache *out, const char *dir, int guessed,
                   struct fault *fault);
/* Finds the first cache directory that is writable, or with REPRISE_READONLY usable:
 * REPRISE_CACHE_DIR, $XDG_CACHE_HOME/reprise, ~/.cache/reprise, $TMPDIR/reprise_<user>,
 * /tmp/reprise_<user>. If none is writable, the first that is readable. If none is readable, *fault
 * says what is wrong with the first. */
void dirs_cache(struct dirs_cache *out, const struct settings *set, char *const envp[],
                struct arena *a, struct fault *fault);
/* Checks a seed: a directory that not everyone may write to. 0 or -1. */
int dirs_use_seed(const char *dir);
/* Makes and checks a runtime directory: it must be ours, not a link, and writable by nobody else.
 * parents: make missing parents, too. 0; -1 with *fault. */
int dirs_use_runtime(const char *dir, int parents, struct fault *fault);
/* Finds the first usable runtime directory, and makes it if it is missing: REPRISE_RUNTIME_DIR,
 * $XDG_RUNTIME_DIR/reprise, /run/user/<uid>/reprise, /dev/shm/reprise-<uid>,
 * $TMPDIR/reprise-runtime-<uid>, /tmp/reprise-runtime-<uid>. NULL with *fault of the last one
 * (store_open then uses <store>/node/<host>). *passed: why REPRISE_RUNTIME_DIR was passed over, or
 * NULL. */
const char *dirs_runtime(const struct settings *set, char *const envp[], struct arena *a,
                         const char **passed, struct fault *fault);
/* The first directory that the settings name, whether it exists or not. */
const char *dirs_default_cache(const struct settings *set, char *const envp[], struct arena *a);
const char *dirs_default_runtime(const struct settings *set, char *const envp[], struct arena *a);
/* This host's name as a file name. Files that several hosts would write to are one file or
 * directory a host. */
#define DIRS_HOST 65
void dirs_host(char out[DIRS_HOST]);
