/* shim/fault.h - an error is a code and a text in the caller's context.
 *
 * A function that can fail for more than one reason takes a struct fault, fills it once and returns;
 * whoever acts on the failure words or logs it. Nothing here allocates or ends the process. */
#ifndef SHIM_FAULT_H
#define SHIM_FAULT_H

struct fault {
	int code;        /* errno value, 0 where none applies */
	char text[256];  /* "open entry /x/y: No such file or directory"; cut at the end, never empty */
};

/* THREAD. "what path: strerror(code)". path may be NULL. */
void fault_sys(struct fault *f, int code, const char *what, const char *path);
/* THREAD. printf of %s %d %u %ld %lu %x %c only: our own, since stdio is not for hosts. */
void fault_set(struct fault *f, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
