/* store/dirs.h - where the store and its runtime directory are, made and judged.
 *
 * What is missing is made with mode 0700 whatever the umask; what is there is judged and never
 * changed. THREAD. */
#ifndef STORE_DIRS_H
#define STORE_DIRS_H

#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings.h"

/* Version of the layout, in <dir>/VERSION: "reprise 1". */
#define STORE_LAYOUT 1

/* path and its missing parents. 0 or -errno. */
int dirs_make(const char *path);
/* The same for directories that are not the store's: 0777 less the umask. */
int dirs_make_plain(const char *path);
/* The store's root: as dirs_make, with its VERSION. 0 or -errno. */
int dirs_make_root(const char *dir);
/* Layout number of a root; STORE_LAYOUT where VERSION is missing, -1 where it is not ours. */
int dirs_layout(const char *dir);
struct dirs_cache {
	const char *dir;    /* NULL: none */
	int writable;
	char identity[64];  /* device and inode, as text */
	const char *seed;   /* one that was passed over and can be read; NULL: none */
	const char *passed; /* why the first one was passed over, for people; NULL: it was not */
};
/* Makes (unless readonly) and judges a cache directory. guessed: anyone may have made it before, as
 * below /tmp. 0: dir, writable and identity of *out are filled; -1 with *fault. */
int dirs_use_cache(struct dirs_cache *out, const char *dir, int readonly, int guessed,
                   struct fault *fault);
/* The first cache directory that can be written, or with REPRISE_READONLY be used:
 * REPRISE_CACHE_DIR, $XDG_CACHE_HOME/reprise, ~/.cache/reprise, $TMPDIR/reprise_<user>,
 * /tmp/reprise_<user>. Where none can be written, the first that can be read. Where none can be
 * read, *fault says what is wrong with the first. */
void dirs_cache(struct dirs_cache *out, const struct settings *set, char *const envp[],
                struct arena *a, struct fault *fault);
/* A seed: a directory that not everyone may write to. */
int dirs_use_seed(const char *dir);
/* Makes and judges a runtime directory: ours, no link, nobody else may write. parents: make these
 * too. 0; -1 with *fault. */
int dirs_use_runtime(const char *dir, int parents, struct fault *fault);
/* The first runtime directory that can be used, made where it is missing: REPRISE_RUNTIME_DIR,
 * $XDG_RUNTIME_DIR/reprise, /run/user/<uid>/reprise, /dev/shm/reprise-<uid>,
 * $TMPDIR/reprise-runtime-<uid>, /tmp/reprise-runtime-<uid>. NULL with *fault of the last one
 * (store_open then takes <store>/node/<host>). *passed: why REPRISE_RUNTIME_DIR was passed over, or
 * NULL. */
const char *dirs_runtime(const struct settings *set, char *const envp[], struct arena *a,
                         const char **passed, struct fault *fault);
/* This host's name as a file name: what several hosts would write to lies in a file or directory each. */
#define DIRS_HOST 65
void dirs_host(char out[DIRS_HOST]);

#endif
