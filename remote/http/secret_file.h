/* remote/http/secret_file.h - small files that hold credentials. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/fault.h"

/* The whole text of a regular file, with a NUL. Its length, or -1 with *fault: it cannot be read,
 * has cap bytes or more, or contains a NUL. Such files may be readable by others, as those that a
 * cluster manager mounts are. */
int secret_file_read(char *out, size_t cap, const char *path, struct fault *fault);
/* The same for a file of one line, without the line's end; it holds no control characters. */
int secret_file_line(char *out, size_t cap, const char *path, struct fault *fault);
