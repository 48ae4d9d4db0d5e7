/* remote/tls/session.h - TLS over a connected socket, by the system's OpenSSL.
 *
 * The server must show a certificate for the configured name or address, with a chain to a trusted
 * authority, and speak TLS 1.2 or later. Bytes pass through memory: OpenSSL touches no descriptor,
 * so no signal comes, and each wait is the caller's.
 *
 *     if (session_begin(&s, config, fault) == WIRE_OK) {   // before a connection is made
 *             ... connect fd ...
 *             status = session_connect(s, fd, host, deadline, fault);
 *             ... session_send, session_receive, session_wait ...
 *     }
 *     session_end(s);                                     // also where the session is not complete
 *
 * The functions are weak: NULL in a program that is linked without this module, such as
 * reprise-agent. A session belongs to one process and one thread. TOOL. */
#pragma once

#include <sys/types.h>

#include "remote/redis/redis_config.h"
#include "remote/wire/status.h"

#define SESSION_WEAK __attribute__((weak))

struct session;
/* Loads OpenSSL, for this process and those that it forks. NULL, or what is missing. */
const char *session_load(void) SESSION_WEAK;
/* Loads the certificates that the settings name. WIRE_DENIED: one cannot be used, or there is no
 * OpenSSL. On failure *s is NULL. */
enum wire_status session_begin(struct session **s, const struct redis_config *c,
                               struct fault *fault) SESSION_WEAK;
enum wire_status session_connect(struct session *s, int fd, const struct redis_config *c,
                                 const char *host, int64_t deadline,
                                 struct fault *fault) SESSION_WEAK;
/* How many of n bytes were taken, or -errno. What was taken may still wait here:
 * session_is_full(). */
ssize_t session_send(struct session *s, const void *p, size_t n) SESSION_WEAK;
/* Bytes, 0 at the end, or -errno. */
ssize_t session_receive(struct session *s, void *p, size_t n) SESSION_WEAK;
/* After a receive that failed before any byte came: why the server refuses, such as "tlsv13 alert
 * certificate required". With TLS 1.3 it says so after the handshake. NULL: it gave no reason. */
const char *session_refused(const struct session *s) SESSION_WEAK;
/* As dial_wait(); returns at once where session_receive() may have more without a wait. */
enum wire_status session_wait(struct session *s, short events, int64_t deadline) SESSION_WEAK;
/* 1: bytes wait until the socket takes more. */
int session_is_full(const struct session *s) SESSION_WEAK;
/* quietly: without a word to the server, as in a child of the session's process. The caller closes
 * the descriptor. NULL is allowed. */
void session_end(struct session *s, int quietly) SESSION_WEAK;
