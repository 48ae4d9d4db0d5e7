/* remote/dir/responds.h - whether a file server answers.
 *
 * A call on a mounted directory may hang for as long as its server does, and no deadline ends it.
 * So a child asks first, which can be killed. It opens the directory, which asks the server even
 * where attributes come from a cache. Only where no other thread runs. */
#ifndef REMOTE_DIR_RESPONDS_H
#define REMOTE_DIR_RESPONDS_H

#include <stdint.h>

/* 1; 0: no answer by the deadline (CLOCK_MONOTONIC, ns). Also 1 if no child can be made. */
int directory_responds(const char *path, int64_t deadline);

#endif
