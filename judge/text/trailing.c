/* judge/text/trailing.c - keys sources without the comments at their ends. */
#include "judge/text/text.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "tools/comment/comments.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* No source is larger. */
#define SOURCE_MOST (16u << 20)

static int open_source(const struct primary *p)
{
	return sys_open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
}

/* 0: the last bytes show that no comment is there. Most sources have none. */
static int may_end_so(const struct primary *p)
{
	char tail[1024];
	off_t at = p->st.stx_size > sizeof tail ? (off_t)(p->st.stx_size - sizeof tail) : 0;
	int fd = open_source(p);
	ssize_t n = fd < 0 ? -1 : sys_pread(fd, tail, sizeof tail, at);

	if (fd >= 0)
		sys_close(fd);
	/* A line that is longer than the tail counts as a comment if it could be a comment.
	 * Inductor writes such lines. */
	return n >= 3 && tail[n - 1] == '\n' &&
	       (comments_strip(tail, (size_t)n) != (size_t)n ||
	        !memchr(tail, '\n', (size_t)n - 1));
}

static void strip(struct start *s, struct primary *p)
{
	struct statx st;
	char *text = NULL;
	ssize_t n = -1;
	int fd;

	if (p->st.stx_size > SOURCE_MOST || !comments_drop(s->row, &s->cmd, p->path))
		return;
	p->strippable = 1;
	if (!may_end_so(p))
		return;
	fd = open_source(p);
	if (fd < 0)
		return;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) == 0 &&
	    (st.stx_mode & S_IFMT) == S_IFREG && st.stx_size <= SOURCE_MOST &&
	    (text = arena_alloc(&s->arena, st.stx_size + 1)) != NULL)
		n = sys_read_all(fd, text, st.stx_size);
	sys_close(fd);
	if (n < 0)
		return;
	digest_of(&p->content, text, (size_t)n);
	digest_of(&p->keyed, text, comments_strip(text, (size_t)n));
}

void trailing_command(struct start *s)
{
	for (size_t i = 0; i < s->primaries.count && !s->text; i++)
		if (!s->primaries.v[i].response)
			strip(s, &s->primaries.v[i]);
}
