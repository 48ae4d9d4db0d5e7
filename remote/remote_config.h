/* remote/remote_config.h - where the remote stores are (remote/remote_place.h), and what the
 * settings say of all of them. THREAD. */
#ifndef REMOTE_REMOTE_CONFIG_H
#define REMOTE_REMOTE_CONFIG_H

#include "remote/remote_place.h"

struct remote_config {
	struct remote_place place[PLACES_MAX];
	unsigned places;           /* 0: no remote store is configured, or it is off */
	const char *prefix;        /* of all names; default "reprise" */
	unsigned ttl_s;            /* 0: entries do not expire */
	unsigned classes;          /* bits 1 << enum store_class that are exchanged */
	unsigned units;            /* for UNIT and SET: bits 1 << enum unit_class */
	/* limit of one transfer, unless its size at min_rate allows more */
	int64_t transfer_ns;
	uint64_t min_rate;         /* bytes a second */
	uint64_t max_entry;        /* larger entries stay local */
};

/* 0: *c is filled, places may be 0. -1 with *fault: a setting is malformed, and the remote store is
 * off. Uses only settings and reads no file. */
int remote_config_load(struct remote_config *c, const struct settings *set, char *const envp[],
                       struct arena *a, struct fault *fault);
/* The part of it that depends on no store. NULL, or what is wrong. */
const char *remote_config_limits(struct remote_config *c, const struct settings *set);

#endif
