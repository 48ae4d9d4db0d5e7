/* shim/fault.h - an error: a code and a text in the caller's context.
 *
 * A function that can fail for several reasons takes a struct fault, fills it once and returns; the
 * caller logs it or adds to it. Nothing here allocates or ends the process. */
#pragma once

struct fault {
	int code;        /* errno value, 0 where none applies */
	/* "open entry /x/y: No such file or directory"; cut at the end, never empty */
	char text[256];
};

/* Both return -1, so that a function that failed can return them. */

/* THREAD. "what path: strerror(code)". path may be NULL. */
int fault_sys(struct fault *f, int code, const char *what, const char *path);
/* THREAD. printf with only %s %d %u %ld %lu %x %c: our own, since hosts must not use stdio. */
int fault_set(struct fault *f, int code, const char *fmt,
              ...) __attribute__((format(printf, 3, 4)));
