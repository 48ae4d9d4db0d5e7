/* units/gather/triton.c - a kernel's directory: its index, and the files that the index names. */
#include "units/gather/gather.h"

#include <sys/stat.h>

#include "store/walk.h"
#include "units/format/index.h"

/* Triton writes the children and then the index, which the offer names; FX's bundler writes all of
 * them and renames the directory. A file that is younger by more belongs to another compile, whose
 * index is not there yet. */
#define SPREAD_NS 2000000000ll

/* 1: the index names another directory. */
static int other_directory(struct gathering *g, int fd, const char *dir)
{
	struct statx here, there;

	return strcmp(dir, g->o->path) != 0 &&
	       (sys_statx(fd, "", AT_EMPTY_PATH, STATX_INO, &here) < 0 ||
	        sys_statx(AT_FDCWD, dir, 0, STATX_INO, &there) < 0 ||
	        !sys_same_file(&here, &there));
}

static enum gather_status read_children(struct gathering *g, int fd, const struct index *x)
{
	int64_t now = sys_now_ns(CLOCK_REALTIME), written = g->o->ctime_ns;
	uint64_t sum = 0;
	struct statx st;

	for (unsigned i = 0; i < x->names; i++) {
		struct parcel_file *f = &g->parcel.file[g->parcel.files];

		if (path_ends(x->name[i], ".so"))
			return gather_drop(g, "%s holds for this host alone", x->name[i]);
		if (index_is_of_npu(x->name[i]))
			return gather_drop(g,
			                   "%s is of a key that may not hold the compiler's "
			                   "version",
			                   x->name[i]);
		enum gather_status status = gather_read(g, fd, x->name[i], 0, f, &st);
		if (status != GATHER_KEPT)
			return status;
		if (gather_ctime(&st) > written && now - gather_ctime(&st) < SPREAD_NS)
			return gather_wait(g, "a file is younger than the index");
		if (gather_ctime(&st) > written + SPREAD_NS)
			return gather_drop(g, "%s is younger than the index", x->name[i]);
		f->name = x->name[i];
		if (index_is_overridden(f->name, f->data, f->len))
			return gather_drop(g, "it was made by ir_override");
		if (index_file_is_damaged(f->name, f->data, f->len))
			return gather_drop(g, "%s is damaged", x->name[i]);
		sum += f->len;
		if (sum > PARCEL_BYTES_MAX)
			return gather_drop(g, "the kernel's files are too large");
		g->parcel.files++;
	}
	return GATHER_KEPT;
}

struct found {
	struct gathering *g;
	const char *name;
	unsigned count;
};

static int find_index(void *ctx, int dirfd, const char *path, const char *name)
{
	struct found *f = ctx;
	struct unit_path u;
	char whole[PATH_SIZE];

	if (path_join(whole, sizeof whole, f->g->o->path, name) < sizeof whole &&
	    unit_shape(&u, whole) == PART_INDEX &&
	    f->count++ == 0)
		f->name = arena_strdup(f->g->a, name);
	return 0;
}

/* 1: the offered index or directory is unchanged. */
static int is_same(struct gathering *g, int fd)
{
	struct statx st;

	return sys_statx(fd, g->o->member, *g->o->member ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH,
	                 OFFER_STATX, &st) == 0 &&
	       offer_same(g->o, &st);
}

enum gather_status gather_triton(struct gathering *g, int fd)
{
	struct found index = {g, g->o->member, 1};
	struct statx st;
	struct parcel_file *f;
	struct index *x;
	uint64_t *mark;
	size_t len;

	f = g->parcel.file = arena_alloc(g->a, PARCEL_FILES_MAX * sizeof *f);
	x = arena_alloc(g->a, sizeof *x);
	if (!f || !x)
		return gather_drop(g, "no memory");
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_UID, &st) < 0 || st.stx_uid != g->o->uid)
		return gather_drop(g, "the directory belongs to another user");
	if (!*g->o->member) {
		if (!is_same(g, fd))
			return gather_drop(g, "it was replaced or changed since");
		index.count = 0;
		walk_names_at(fd, ".", find_index, &index);
	}
	if (index.count != 1 || !index.name)
		return gather_drop(g, "it has %u indexes", index.count);
	enum gather_status status = gather_read(g, fd, index.name, *g->o->member != '\0', f, &st);
	if (status != GATHER_KEPT)
		return status;
	if (index_parse(x, f->data, f->len, g->a) < 0)
		return gather_drop(g, "%s is no index", index.name);
	if (other_directory(g, fd, x->dir))
		return gather_drop(g, "its index names files in %s", x->dir);
	unsigned char *text = index_strip(x, f->data, f->len, &len, &mark, g->a);
	if (!text)
		return gather_drop(g, "no memory");
	f->name = index.name;
	f->data = text;
	f->len = len;
	f->mark = mark;
	f->marks = x->names;
	g->parcel.files = 1;
	status = read_children(g, fd, x);
	/* Another compile may have replaced all files meanwhile, one by one, and the index last. */
	if (status == GATHER_KEPT && !is_same(g, fd))
		return gather_drop(g, "it was replaced while it was read");
	return status;
}
