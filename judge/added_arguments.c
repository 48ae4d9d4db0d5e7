/* judge/added_arguments.c - files that add arguments to a compiler's command line (tools/specs.h).
 * They are inputs like any other file, but the key was made of the command line without these
 * arguments. */
#include "judge/added_arguments.h"

#include <string.h>

#include "judge/start.h"
#include "judge/tree_file.h"
#include "shim/sys.h"
#include "tools/specs.h"

#include "shim/banned.h"

/* A larger file is refused unread. */
#define FILE_MOST (1u << 20)

void collect_added_arguments(struct collect *k, const struct tree_file *f)
{
	int config = specs_is_config(f->path) &&
	             (k->start->cmd.flags & CMD_CONFIG || start_nests(k->start));
	struct statx st;
	char *text = NULL;
	ssize_t n = -1;
	int fd;

	if (!config && !specs_is(f->path))
		return;
	k->bound = 1;
	fd = sys_open(f->path, O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0 && sys_statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &st) == 0 &&
	    st.stx_size <= FILE_MOST)
		text = arena_alloc(&k->start->arena, st.stx_size + 1);
	if (text)
		n = sys_read_all(fd, text, st.stx_size);
	if (fd >= 0)
		sys_close(fd);
	if (n < 0 || (config ? specs_config_adds(text, (size_t)n) : specs_adds(text, (size_t)n)))
		collect_refuse(k, REASON_UNSTORED_OUTPUT, f->path);
}
