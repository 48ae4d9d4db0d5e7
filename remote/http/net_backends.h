/* remote/http/net_backends.h - the rows of HTTP and S3 for remote/backends.h. */
#pragma once

#include "remote/backend.h"

/* Both are weak: NULL in a program that is linked without them. load: loads libcurl, for the
 * processes that are forked later. */
extern const struct backend_ops *const net_backends[] __attribute__((weak));
void net_backends_load(void) __attribute__((weak));
