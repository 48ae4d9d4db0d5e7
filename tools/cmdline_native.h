/* tools/cmdline_native.h - whether words ask for code for this machine's processor. Pure code.
 * THREAD. */
#ifndef TOOLS_CMDLINE_NATIVE_H
#define TOOLS_CMDLINE_NATIVE_H

/* True for an argument that makes code for this machine's processor. Also for words that a tool
 * makes arguments of (NVCC_APPEND_FLAGS). */
int cmdline_says_native(const char *s);

#endif
