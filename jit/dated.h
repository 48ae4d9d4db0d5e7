/* jit/dated.h - what a source's text says that no file call shows.
 *
 * NVRTC asks for the time of day in every compile, whether the source uses it or not, so a date in the output has to be seen
 * in the text: __TIME__, __DATE__, __TIMESTAMP__, or a piece of one that the preprocessor could paste together. And a
 * text that spells the working directory may include from there by name. Pure but for dated_file. THREAD. */
#ifndef JIT_DATED_H
#define JIT_DATED_H

#include <stddef.h>

enum { DATED_TIME = 1, DATED_NAMES_CWD = 2, DATED_NAMES_ITSELF = 4 };
/* cwd: absolute, or "" for none. */
int dated_text(const char *text, size_t n, const char *cwd, size_t cwd_len);
/* DATED_NAMES_ITSELF: the text may ask what it is called: __FILE__, __builtin_FILE and the like, #line, or ## and what stands
 * for it, by which anything can be put together. */
int dated_itself(const char *text, size_t n);
/* Of a file; itself: that as well. One that cannot be read says everything. */
int dated_file(const char *path, const char *cwd, size_t cwd_len, int itself);

#endif
