/* remote/backends.h - the backends that this program has (remote/backend.h).
 *
 * Every program has those that need libc alone; `reprise` and reprise-agent-net are linked with
 * those of HTTP and S3 as well (remote/http/net_backends.h), and with TLS for Redis
 * (remote/tls/session.h). THREAD. */
#pragma once

#include "remote/backend.h"
#include "remote/remote_place.h"

/* 1: this program speaks it. Pure. */
int backends_have(const char *scheme);
/* Loads what the n stores need, before workers are forked: libraries take some milliseconds. */
void backends_prepare(const struct remote_place *place, int n);
/* Opens the place's store: 0, or -1 with *fault: this store is off. */
int backend_open(struct backend *b, const struct remote_place *place, struct arena *a,
                 struct fault *fault);
