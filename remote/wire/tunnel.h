/* remote/wire/tunnel.h - TLS, done by a separate program: reprise-remote (remote/tls/).
 *
 * OpenSSL in the object would double the start of every process of a job. So a separate program
 * does TLS. It is started only for rediss://. It gets one end of a socket pair, and host, port and
 * file names as arguments (no secret, no environment). It connects, and checks the server's
 * certificate (at least TLS 1.2, name or address, chain). It writes one line: "ok", or "<word>
 * text" with a word of tunnel_status_word(). Then it copies bytes both ways until either side
 * closes. THREAD. */
#ifndef REMOTE_WIRE_TUNNEL_H
#define REMOTE_WIRE_TUNNEL_H

#include <sys/types.h>

#include "remote/redis/redis_config.h"
#include "remote/wire/status.h"

#define TUNNEL_PROGRAM "reprise-remote"
/* Arguments of the program, all of them required; descriptor 0 is the caller. Unset values are
 * empty strings; the deadline is CLOCK_MONOTONIC ns. */
enum { TUNNEL_HOST = 1, TUNNEL_PORT, TUNNEL_NAME, TUNNEL_CA, TUNNEL_CERT, TUNNEL_KEY,
       TUNNEL_RUNTIME, TUNNEL_DEADLINE, TUNNEL_ARGC };

/* Connects to host and port through the program. *fd: a non-blocking stream socket for the data
 * inside TLS. *pid: the child to give to tunnel_end. */
enum wire_status tunnel_open(int *fd, pid_t *pid, const struct redis_config *c, const char *host,
                             unsigned port, int64_t deadline, struct fault *fault);
/* To be called after the descriptor was closed. */
void tunnel_end(pid_t pid);

#endif
