/* judge/time_texts.c - reads each file that the tree read, other than objects and programs. */
#include "judge/time_texts.h"

#include "judge/tree_file.h"
#include "tools/driver.h"
#include "tools/list.h"
#include "tools/text_kind.h"

#include "shim/banned.h"

/* As for texts that may ask for names. */
#define TEXT_BYTES_MAX (64u << 20)

static int tells(const char *path, struct arena *arena)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), rc = 1;
	struct statx st;
	char *text;
	ssize_t n;

	if (fd < 0)
		return 1;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) < 0) {
		rc = 1;
	} else if ((st.stx_mode & S_IFMT) == S_IFDIR) {
		rc = 0;
	} else if (st.stx_size <= TEXT_BYTES_MAX &&
	           (text = arena_alloc(arena, st.stx_size + 1)) != NULL) {
		n = sys_read_all(fd, text, st.stx_size + 1);
		if (n == (ssize_t)st.stx_size)
			rc = text_kind(text, (size_t)n) != TEXT_OBJECT &&
			     driver_text_takes_time(path, text, (size_t)n);
	}
	sys_close(fd);
	return rc;
}

/* The key holds TZ, and local time then depends on nothing else that a run does not show. */
static int zone_is_keyed(const struct start *s)
{
	return list_has(s->row->env, "TZ") &&
	       driver_zone_is_fixed(invocation_env(&s->call, "TZ"));
}

void collect_time_texts(struct collect *k)
{
	struct arena arena = ARENA_INIT;

	if (!k->t->time_by_text && (!k->t->local_by_text || zone_is_keyed(k->start)))
		return;
	/* The text is gone. */
	if (k->start->cmd.flags & CMD_STDIN)
		collect_refuse(k, REASON_UNSTORED_TIME, "standard input");
	for (size_t i = 0; i < k->t->count && k->reason == REASON_NONE; i++) {
		const struct tree_file *f = &k->t->file[i];

		if (tree_is(f, TREE_READ, TREE_RUN) && tells(f->path, &arena))
			collect_refuse(k, REASON_UNSTORED_TIME, f->path);
	}
	arena_free(&arena);
}
