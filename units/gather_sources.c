/* units/gather_sources.c - the sources that a pickle's code was made from, as conditions of its
 * member record.
 *
 * TorchAir's key covers neither the compiled method's body nor the functions that it calls. The
 * process imported the sources as they were when it began. If a source changed later or is missing,
 * its old content is not known, and the module is not carried. */
#include "units/gather_sources.h"

#include <string.h>
#include <sys/stat.h>

#include "units/gather_check.h"
#include "units/gather_pickle.h"
#include "units/gather_read.h"
#include "units/member.h"

static enum gather_status add_source(struct gathering *g, struct member_condition *c,
                                     const char *path)
{
	struct arena bytes = ARENA_INIT;
	struct statx st;

	if (path[0] != '/')
		return gather_drop(g, "it was made from %s, which is not an absolute path", path);
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (fd < 0) {
		fault_sys(g->fault, -fd, "made from", path);
		return GATHER_DROPPED;
	}
	int rc = sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st);
	unsigned char *p = rc == 0 && S_ISREG(st.stx_mode) && st.stx_size <= MEMBER_SOURCE_MAX
	                   ? arena_alloc(&bytes, st.stx_size + 1) : NULL;
	ssize_t n = p ? sys_read_all(fd, p, st.stx_size + 1) : -1;
	sys_close(fd);
	if (n >= 0)
		digest_of(&c->content, p, (size_t)n);
	c->path = path;
	arena_free(&bytes);
	if (n < 0 || (uint64_t)n != st.stx_size)
		return gather_drop(g, "it was made from %s, which cannot be read", path);
	if (!member_is_imported(st.stx_ctime.tv_sec, g->o->began_at))
		return gather_drop(g,
		                   "it was made from %s, which may have changed since it was "
		                   "imported",
		                   path);
	return GATHER_KEPT;
}

enum gather_status gather_sources(struct gathering *g, struct member *m)
{
	const char *path[MEMBER_CONDITIONS_MAX];
	int n = pickle_sources(g->text, g->len, path, MEMBER_CONDITIONS_MAX, g->a);

	if (n < 0)
		return gather_drop(g, "it was made from too many sources");
	if (n == 0)
		return gather_drop(g, "it does not name the sources that it was made from");
	m->condition = arena_alloc(g->a, (size_t)n * sizeof *m->condition);
	if (!m->condition)
		return gather_drop(g, "no memory");
	for (int i = 0; i < n; i++) {
		enum gather_status status = add_source(g, &m->condition[i], path[i]);

		if (status != GATHER_KEPT)
			return status;
	}
	m->conditions = (unsigned)n;
	return GATHER_KEPT;
}
