/* tools/options/f_options.h - options -f of gcc and clang. Pure. THREAD. */
#ifndef TOOLS_OPTIONS_F_OPTIONS_H
#define TOOLS_OPTIONS_F_OPTIONS_H

/* True for an -f option, or its negation, that only decides how code is made. */
int options_f_known(const char *arg);

#endif
