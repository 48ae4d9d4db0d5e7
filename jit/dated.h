/* jit/dated.h - what a source's text says that no file call shows.
 *
 * NVRTC asks for the time of day in every compile, whether the source uses it or not, so a date in the output has to be seen
 * in the text: __TIME__, __DATE__, __TIMESTAMP__, or a piece of one that the preprocessor could paste together. And what
 * names a file by a path of its own, or a directory above the working one, may reach below that without a search that begins there.
 * Pure but for dated_read. THREAD. */
#ifndef JIT_DATED_H
#define JIT_DATED_H

#include <stddef.h>

struct arena;
enum { DATED_TIME = 1, DATED_NAMES_CWD = 2, DATED_NAMES_ITSELF = 4 /* tools/asks.h; or it spells a generated name */ };
#define DATED_ALL (DATED_TIME | DATED_NAMES_CWD | DATED_NAMES_ITSELF)
/* cwd: absolute. "": where it will be compiled is not known, so any absolute path that may be there counts as one into it. */
int dated_text(const char *text, size_t n, const char *cwd, size_t cwd_len);
/* Of an option or the directory of a program's name: 1 when its path is the directory's, or one above or below, or goes by "..". */
int dated_reaches(const char *text, const char *cwd);
/* Room for one file's text after the other: each is void as the next one is read, unless `data` is cleared before. */
struct dated_room {
	struct arena *arena;
	char *data;
	size_t size;
};
/* A regular file's text. NULL: it cannot be read whole, or there is no memory: it may say everything. */
const char *dated_read(struct dated_room *room, const char *path, size_t *n);

#endif
