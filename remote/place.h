/* remote/place.h - where the remote stores are: the elements of REPRISE_REMOTE_URL, in order.
 *
 * An element is SCHEME://[user[:password]@]host[:port][/path][?option=value&...], separated by
 * spaces; parts are percent-decoded. Options: endpoint, region, readonly, timeout. Without that
 * setting, REPRISE_REDIS_* name one Redis. Secrets stay in this structure: no text made here holds
 * one. THREAD. */
#ifndef REMOTE_PLACE_H
#define REMOTE_PLACE_H

#include <stdint.h>

#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings/settings.h"

#define PLACES_MAX 8
struct remote_place {
	const char *scheme;          /* "s3" */
	const char *host;            /* of s3 the bucket; "" of file and of redis+unix */
	unsigned port;               /* 0: not given */
	const char *path;            /* "" or from the first '/' on */
	const char *user, *password; /* NULL: not given */
	const char *endpoint, *region; /* options; NULL: not given */
	int readonly;                /* nothing is sent there */
	int64_t timeout_ns;          /* of one look-up: 250 ms, of HTTP and S3 1 s */
	const char *prefix;          /* of all names: REPRISE_REMOTE_PREFIX, "reprise" */
	const char *shown;           /* for people: "s3://bucket/prefix" */
	const struct settings *set;  /* other settings, by reference */
	char *const *envp;           /* environment of the job, for its credentials */
	const char *node_dir;        /* runtime directory of the node; NULL: none */
};

#endif
