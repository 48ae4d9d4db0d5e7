/* remote/remote_config.h - where the remote store is and how it may be used, from settings.
 *
 * REPRISE_REDIS_URL is redis://[user[:password]@]host[:port][/db] (an IPv6 host in brackets; user
 * and password percent-encoded), rediss:// for TLS, or redis+unix:///path[?db=N]. Alternatives are
 * REPRISE_REDIS_HOST, _PORT and _SOCKET. _USER, _PASSWORD, _PASSWORD_FILE and _DB are used where
 * the URL does not say. A password file may be readable by others, as secrets that a cluster
 * manager mounts are. A user without a password needs none. Secrets stay in this structure: no text
 * made here holds one. THREAD. */
#ifndef REMOTE_REMOTE_CONFIG_H
#define REMOTE_REMOTE_CONFIG_H

#include <stdint.h>

#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings/settings.h"

#define REMOTE_PORT 6379
/* A password file is one line; a longer one is a mistake. */
#define REMOTE_PASSWORD_MAX 512

enum remote_scheme { REMOTE_NONE, REMOTE_TCP, REMOTE_TLS, REMOTE_UNIX };
struct remote_config {
	enum remote_scheme scheme; /* NONE: no remote is configured, or it is off */
	const char *host;          /* TCP, TLS: name or numeric address, without brackets */
	unsigned port;
	const char *socket;        /* UNIX: path */
	const char *user, *password; /* NULL: none; user NULL with a password is the old AUTH */
	unsigned db;
	const char *prefix;        /* of all keys; default "reprise" */
	unsigned ttl_s;            /* 0: entries do not expire */
	unsigned classes;          /* bits 1 << enum store_class that are exchanged */
	unsigned units;            /* for UNIT and SET: bits 1 << enum unit_class */
	int readonly;              /* no publishing, no leases */
	/* limit of one look-up, from connect to the last byte of a small answer */
	int64_t lookup_ns;
	/* limit of one transfer, unless its size at min_rate allows more */
	int64_t transfer_ns;
	uint64_t min_rate;         /* bytes a second */
	int64_t stall_ns;          /* time without a byte that counts as a timeout; 0: none */
	uint64_t max_entry;        /* larger entries stay local */
	/* "": the system's CA (SSL_CERT_FILE and SSL_CERT_DIR of envp are already in it); no
	 * certificate; no key; the host. The CA may be a directory. */
	const char *tls_ca, *tls_cert, *tls_key, *tls_name;
	/* the node's (node_dir of struct store), set by the caller after loading; NULL: none */
	const char *runtime_dir;
};

/* Parses a URL into *c. NULL, or the fault as a constant text without any of the URL's bytes.
 * Strings live in the arena. Pure. */
const char *remote_url_parse(struct remote_config *c, const char *url, struct arena *a);
/* remote_config_load: 0: *c is filled, scheme may be NONE. -1 with *fault: a setting or file is
 * malformed or unreadable, and the remote is off (a plaintext connection never replaces TLS).
 * remote_config_where: uses only settings and reads no files. So the only password is the URL's,
 * and it does not check whether TLS is available. */
int remote_config_where(struct remote_config *c, const struct settings *set, char *const envp[],
                        struct arena *a, struct fault *fault);
int remote_config_load(struct remote_config *c, const struct settings *set, char *const envp[],
                       struct arena *a, struct fault *fault);
/* "redis://host:6379/0" for people: never user or password. "none" without a remote. */
const char *remote_config_print(const struct remote_config *c, struct arena *a);

#endif
