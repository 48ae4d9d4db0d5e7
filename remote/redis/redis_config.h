/* remote/redis/redis_config.h - how to reach one Redis: a place, and what REPRISE_REDIS_* say where
 * the place is silent.
 *
 * REPRISE_REDIS_USER, _PASSWORD, _PASSWORD_FILE and _TLS_* are used for each Redis whose element
 * does not say otherwise. A password file may be readable by others, as secrets that a cluster
 * manager mounts are. A user without a password needs none. Secrets stay in this structure. THREAD.
 */
#pragma once

#include <stdint.h>

#include "remote/remote_place.h"
#include "shim/arena.h"
#include "shim/fault.h"

enum remote_scheme { REMOTE_NONE, REMOTE_TCP, REMOTE_TLS, REMOTE_UNIX };
struct redis_config {
	enum remote_scheme scheme;
	const char *host;          /* TCP, TLS: name or numeric address, without brackets */
	unsigned port;
	const char *socket;        /* UNIX: path */
	const char *user, *password; /* NULL: none; user NULL with a password is the old AUTH */
	unsigned db;
	const char *shown;         /* for people: "redis://host:6379/0" */
	int64_t stall_ns;          /* time without a byte that counts as a timeout; 0: none */
	/* "": the system's CA (SSL_CERT_FILE and SSL_CERT_DIR of envp are already in it); no
	 * certificate; no key; the host. The CA may be a directory. */
	const char *tls_ca, *tls_cert, *tls_key, *tls_name;
	const char *runtime_dir;   /* the node's; NULL: none */
};

/* 0, or -1 with *fault: a setting or file is malformed or unreadable, or TLS is not available (a
 * plaintext connection never replaces TLS). */
int redis_config_load(struct redis_config *c, const struct remote_place *place, struct arena *a,
                      struct fault *fault);
