/* units/gather/warp.h - checks a file of a module's directory that Warp made. Pure, over bytes that
 * may be anything. TOOL. */
#ifndef UNITS_GATHER_WARP_H
#define UNITS_GATHER_WARP_H

#include <stddef.h>

/* NULL: the file is whole, and depends on nothing but what the unit's name and scope hold. Else why
 * its directory is not carried: a file of another kind, a damaged one, a source that tells a path
 * or includes a file beside Warp's own (Warp's hash does not hold them), or kernels without a hash
 * in their names (the option strip_hash). */
const char *warp_refusal(const char *name, const void *bytes, size_t n);

#endif
