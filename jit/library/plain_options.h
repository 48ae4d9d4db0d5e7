/* jit/library/plain_options.h - options that only say what code is made. Pure. THREAD.
 *
 * Other options read or write files of their own, start threads, or ask the driver. The trace
 * follows one thread, so a compile that has such an option is not served. */
#pragma once

#include <stddef.h>

/* The words of other options, wherever they occur: "word\0word\0". Not in a path, a macro or the
 * name of a kernel that an option gives. */
#define UNPLAIN_NVRTC "pch\0use-bundled-headers\0jobserver\0keep\0dump\0save\0"
#define UNPLAIN_NVJITLINK "jobserver\0keep\0dump\0native\0"

/* Of an option or variable, in a reason. */
#define NOT_SERVED "not served:"

/* The first option of a list that is not plain, or NULL. An option that is NULL is not, and is
 * said as "". -split-compile of one thread is plain. but: options that begin so are plain as well;
 * "" for none. */
const char *options_unplain(int n, const char *const *options, const char *words, const char *but);
/* 1: all options of a variable's text, with blanks between them, are plain. NULL: there is none. */
int options_text_plain(const char *text, const char *words);
