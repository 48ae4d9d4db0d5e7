/* judge/script_file.c - reads a script. */
#include "judge/script_file.h"

#include "shim/sys.h"

#include "shim/banned.h"

/* No wrapper is larger. */
#define SCRIPT_MAX (1u << 20)

void script_refuse(struct collect *k, const char *where, const char *word)
{
	if (k->reason != REASON_NONE)
		return;
	k->reason = REASON_UNSTORED_SCRIPT;
	start_detail(k->start, "%s: %s", where, word);
}

char *script_read(struct collect *k, const char *path, size_t *n)
{
	struct start *s = k->start;
	struct digest is, was;
	struct statx st;
	ssize_t got = -1;
	char *text = NULL;
	int fd;

	if (probe_file(&s->prober, path, &was, &st) < 0 || st.stx_size > SCRIPT_MAX) {
		script_refuse(k, path, "cannot be read as a script");
		return NULL;
	}
	fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
	if (fd >= 0) {
		text = arena_alloc(&s->arena, st.stx_size + 1);
		got = text ? sys_read_all(fd, text, st.stx_size) : -1;
		sys_close(fd);
	}
	digest_of(&is, text, got < 0 ? 0 : (size_t)got);
	if (got < 0 || !digest_equal(&is, &was)) {
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, path);
		return NULL;
	}
	*n = (size_t)got;
	return text;
}
