/* remote/config.h - where the remote store is and how it may be used, from settings.
 *
 * remote/ is the far side of the store: it moves sealed entries (store/entry.h) between this node and a
 * Redis. It uses shim/ and store/, knows nothing of compilers, and is used by action/ and cli/. It
 * runs in a tool's constructor, in supervisors and in the publisher, never in a host's hook: it may
 * allocate (hiredis does), it makes no thread, no signal handler and no SIGPIPE.
 *
 * REPRISE_REDIS_URL redis://[user[:password]@]host[:port][/db] (an IPv6 host in brackets; user and
 * password percent-encoded), rediss:// for TLS, redis+unix:///path[?db=N]; or REPRISE_REDIS_HOST,
 * _PORT, _SOCKET; _USER, _PASSWORD, _PASSWORD_FILE and _DB count where the URL says nothing of them.
 * A password file may be readable by others: secrets that a cluster manager mounts are. A user without
 * a password is one that needs none. Secrets stay in this structure: no text made here holds one.
 * THREAD. */
#ifndef REMOTE_CONFIG_H
#define REMOTE_CONFIG_H

#include <stdint.h>

#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings.h"

#define REMOTE_PORT 6379
/* A password file is one line; more is somebody's mistake. */
#define REMOTE_PASSWORD_MAX 512

enum remote_scheme { REMOTE_NONE, REMOTE_TCP, REMOTE_TLS, REMOTE_UNIX };
struct remote_config {
	enum remote_scheme scheme; /* NONE: no remote is asked for, or it is off */
	const char *host;          /* TCP, TLS: name or numeric address, without brackets */
	unsigned port;
	const char *socket;        /* UNIX */
	const char *user, *password; /* NULL: none; user NULL with a password is the old AUTH */
	unsigned db;
	const char *prefix;        /* of all keys; default "reprise" */
	unsigned ttl_s;            /* 0: entries do not expire */
	unsigned classes;          /* bits 1 << enum store_class that may come and go */
	unsigned units;            /* of UNIT and SET: bits 1 << enum unit_class */
	int readonly;              /* publishes nothing, takes no lease */
	int64_t lookup_ns;         /* one look-up, from connect to the last byte of a small answer */
	int64_t transfer_ns;       /* one transfer, unless its size at min_rate allows more */
	uint64_t min_rate;         /* bytes a second */
	int64_t stall_ns;          /* a time without a byte that is a timeout, too; 0: none */
	uint64_t max_entry;        /* larger ones stay local */
	/* "": the system's (SSL_CERT_FILE, SSL_CERT_DIR of envp are in it); none; none; the host. The CA
	 * may be a directory. */
	const char *tls_ca, *tls_cert, *tls_key, *tls_name;
	const char *runtime_dir;   /* node's (struct store: node_dir), set by who loads this; NULL: none */
};

/* Pure: the parts of a URL over *c. NULL, or what is wrong with it, a constant text without any of
 * the URL's bytes. Strings live in the arena. */
const char *remote_url_parse(struct remote_config *c, const char *url, struct arena *a);
/* 0: *c is filled, scheme may be NONE. -1 with *fault: something is malformed or unreadable, the
 * remote is off (never a plaintext connection in place of TLS). where: by settings alone, without a look at
 * files: no password but the URL's, and not whether TLS can be spoken here. */
int remote_config_where(struct remote_config *c, const struct settings *set, char *const envp[],
                        struct arena *a, struct fault *fault);
int remote_config_load(struct remote_config *c, const struct settings *set, char *const envp[],
                       struct arena *a, struct fault *fault);
/* For people who want to know before they ask for a remote: -1 with *fault also where none is, but what is set would turn one
 * off. */
int remote_config_check(const struct settings *set, char *const envp[], struct arena *a, struct fault *fault);
/* A REMOTE_CLASSES text. Keys of units say nothing of their class: hosts ask for none, and the publisher
 * sends none, whose bit is not in units. 0, or -1: an unknown word. CHILD. */
int remote_classes_parse(const char *text, unsigned *classes, unsigned *units);
/* "redis://host:6379/0" for people: never user or password. "none" without a remote. */
const char *remote_config_print(const struct remote_config *c, struct arena *a);
/* A value of REDIS_URL for people: "redis://..@host:6379/0"; of a malformed one nothing is shown. */
const char *remote_url_print(const char *url, struct arena *a);

#endif
