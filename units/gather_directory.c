/* units/gather_directory.c - a directory of the user's own class: it was renamed as one, and holds
 * plain files. */
#include <string.h>
#include <sys/stat.h>

#include "store/walk.h"
#include "units/gather_read.h"

/* The rename was the last thing that happened to the directory and its files. */
static int is_same(struct gathering *g, int fd)
{
	struct statx st;

	return sys_statx(fd, "", AT_EMPTY_PATH, OFFER_STATX, &st) == 0 && S_ISDIR(st.stx_mode) &&
	       offer_same(g->o, &st);
}

struct names {
	struct gathering *g;
	const char *name[PARCEL_FILES_MAX];
	unsigned count;
	int too_many;
};

static int add_name(void *ctx, int dirfd, const char *path, const char *name)
{
	struct names *n = ctx;

	(void)dirfd;
	(void)path;
	if (n->count == PARCEL_FILES_MAX)
		return n->too_many = 1;
	n->name[n->count] = arena_strdup(n->g->a, name);
	return !n->name[n->count++];
}

static enum gather_status read_file(struct gathering *g, int fd, const char *name, uint64_t *sum)
{
	struct parcel_file *f = &g->parcel.file[g->parcel.files];
	enum gather_status status;
	struct statx st;

	if (!parcel_name_ok(name))
		return gather_drop(g, "it holds a file of a name that is not carried");
	status = gather_read(g, fd, name, 0, f, &st);
	if (status != GATHER_KEPT)
		return status;
	/* Its link count and contents are of before the rename. */
	if (gather_ctime(&st) > g->o->ctime_ns)
		return gather_drop(g, "%s changed since the directory was renamed", name);
	f->name = name;
	*sum += f->len;
	if (*sum > PARCEL_BYTES_MAX)
		return gather_drop(g, "its files are too large");
	g->parcel.files++;
	return GATHER_KEPT;
}

static enum gather_status read_all(struct gathering *g, int fd)
{
	struct names *n = arena_alloc(g->a, sizeof *n);
	enum gather_status status = GATHER_KEPT;
	uint64_t sum = 0;

	g->parcel.file = arena_alloc(g->a, PARCEL_FILES_MAX * sizeof *g->parcel.file);
	if (!n || !g->parcel.file)
		return gather_drop(g, "no memory");
	if (!is_same(g, fd))
		return gather_drop(g, "it was replaced or changed since");
	n->g = g;
	walk_names_at(fd, ".", add_name, n);
	if (n->too_many || !n->count)
		return gather_drop(g, n->count ? "it holds more than 256 files" : "it is empty");
	for (unsigned i = 0; i < n->count && status == GATHER_KEPT; i++)
		status = n->name[i] ? read_file(g, fd, n->name[i], &sum)
		         : gather_drop(g, "no memory");
	if (status == GATHER_KEPT && !is_same(g, fd))
		return gather_drop(g, "it changed while it was read");
	return status;
}

enum gather_status gather_directory(struct gathering *g)
{
	int fd = sys_open(g->o->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0);

	if (fd < 0) {
		fault_sys(g->fault, -fd, "open", g->o->path);
		return GATHER_DROPPED;
	}
	enum gather_status status = read_all(g, fd);
	sys_close(fd);
	return status;
}
