/* remote/tunnel.h - TLS, spoken by a process of its own: libexec/reprise-remote.
 *
 * OpenSSL in the object would double the start of every process of a job; so a program of ours speaks it, started for
 * rediss:// alone. It gets one end of a socket pair, host, port and file names as arguments (no
 * secret, no environment), connects, checks the server's certificate (TLS 1.2 at least, name or address,
 * chain), says one line - "ok", or "<word> text" with a word of tunnel_word() - and then copies bytes both
 * ways until either side closes. THREAD. */
#ifndef REMOTE_TUNNEL_H
#define REMOTE_TUNNEL_H

#include <sys/types.h>

#include "remote/config.h"
#include "remote/status.h"
#include "shim/path.h"

/* The first line is not longer. */
#define TUNNEL_LINE 256
/* Both sides of that line (remote/tunnel_status.c). The word for a status; "fault" where it has none of its own. */
const char *tunnel_word(enum wire_status s);
/* The status of n bytes that are a word. 1; 0: they are none. */
int tunnel_status(enum wire_status *s, const char *word, size_t n);
/* Its arguments, all there: descriptor 0 is the caller. Empty strings stand for what is not set; the deadline
 * is CLOCK_MONOTONIC ns. */
enum { TUNNEL_HOST = 1, TUNNEL_PORT, TUNNEL_NAME, TUNNEL_CA, TUNNEL_CERT, TUNNEL_KEY, TUNNEL_RUNTIME,
       TUNNEL_DEADLINE, TUNNEL_ARGC };

/* 0 and its path: beside the object (or this program) in the build tree, else below its prefix. -1: it is
 * not there, as where it was built without OpenSSL: rediss:// must be refused. */
int tunnel_find(char out[PATH_SIZE]);

/* A connection to host and port through the program. *fd is a non-blocking stream socket that carries what
 * is inside TLS, *pid the child to give to tunnel_end. */
enum wire_status tunnel_open(int *fd, pid_t *pid, const struct remote_config *c, const char *host,
                             unsigned port, int64_t deadline, struct fault *fault);
/* After the descriptor was closed. */
void tunnel_end(pid_t pid);

#endif
