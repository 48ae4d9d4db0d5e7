/* remote/http/net_backends.h - the rows of HTTP and S3 for remote/backends.h. */
#ifndef REMOTE_HTTP_NET_BACKENDS_H
#define REMOTE_HTTP_NET_BACKENDS_H

#include "remote/backend.h"

/* Weak: NULL in a program that is linked without them. */
extern const struct backend_ops *const net_backends[] __attribute__((weak));

#endif
