/* remote/read_ahead.h - what came before it was asked for (remote_read_ahead). Only for remote/. */
#pragma once

#include "remote/server.h"

/* What server i said of that list (max elements) or object (max 0), once; NULL: the server has to
 * be asked. THREAD. */
struct backend_read *read_ahead_take(struct remote *r, unsigned i, const struct backend_name *name,
                                     unsigned max);
