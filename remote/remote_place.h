/* remote/remote_place.h - where the remote stores are: the elements of REPRISE_REMOTE_URL, in
 * order.
 *
 * An element is SCHEME://[user[:password]@]host[:port][/path][?option=value&...], separated by
 * blanks; parts are percent-decoded. Without that setting, REPRISE_REDIS_* name one Redis. For a
 * Redis the path is a number of a database, and for redis+unix the path is the socket.
 *
 *   option    schemes     value
 *   readonly  all         0 or 1: nothing is sent there
 *   timeout   all         time of one look-up, as 500ms or 2s
 *   db        redis+unix  number of the database
 *   endpoint  s3          http:// or https:// URL of the server
 *   region    s3          name of the region
 *
 * Secrets stay in this structure: no text made here holds one. THREAD. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings/settings.h"

#define PLACES_MAX 8
/* A password file is one line; a longer one is a mistake. */
#define PLACE_PASSWORD_MAX 512
struct remote_place {
	const char *scheme;          /* "s3" */
	const char *host;            /* of s3 the bucket; "" of file and of redis+unix */
	unsigned port;               /* 0: not given; of redis and rediss never 0 */
	unsigned db;                 /* of a Redis */
	const char *path;            /* "" or from the first '/' on; "" of redis and rediss */
	const char *user, *password; /* NULL: not given */
	const char *endpoint, *region; /* options; NULL: not given */
	int readonly;                /* nothing is sent there */
	int64_t timeout_ns;          /* of one look-up: 250 ms, of HTTP and S3 1 s */
	const char *prefix;          /* of keys in Redis: REPRISE_REDIS_PREFIX, "reprise" */
	const char *shown;           /* for people: "s3://bucket/prefix" */
	const struct settings *set;  /* other settings, by reference */
	char *const *envp;           /* environment of the job, for its credentials */
	const char *node_dir;        /* runtime directory of the node; NULL: none */
};

/* Fills *p from the n bytes of an element, without what the settings say; port and db are those
 * that count if the element gives none. NULL, or what is wrong: a text that holds no more of the
 * element than a scheme's or an option's name. Pure. */
const char *place_parse(struct remote_place *p, const char *element, size_t n, struct arena *a);
/* Adds what the settings say of a place, and of s3 AWS's variables: where it is, and the profile,
 * as the user. */
void place_add_settings(struct remote_place *p, const struct settings *set, char *const envp[]);
/* The places that the settings name: their number, 0: none, or -1 with *fault. Reads no file. */
int places_load(struct remote_place out[PLACES_MAX], const struct settings *set,
                char *const envp[], struct arena *a, struct fault *fault);
/* 1: the settings name at least one. */
int places_are_named(const struct settings *set);
/* 1: REPRISE_REMOTE_URL is set, and so is a server of REPRISE_REDIS_*, which is then not used. */
int places_conflict(const struct settings *set);
/* 1: a Redis, of whatever scheme. Pure. */
int place_is_redis(const struct remote_place *p);
