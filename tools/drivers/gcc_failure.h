/* tools/drivers/gcc_failure.h - what gcc prints when its input is wrong. Pure. THREAD. */
#ifndef TOOLS_DRIVERS_GCC_FAILURE_H
#define TOOLS_DRIVERS_GCC_FAILURE_H

#include <stddef.h>

/* The member `fails_by_input` of gcc's driver (tools/driver.h). */
int gcc_failure(int status, const char *text, size_t n);

#endif
