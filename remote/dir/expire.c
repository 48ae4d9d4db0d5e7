/* remote/dir/expire.c - removes old files from the directory of a file:// remote store. */
#include "remote/dir/expire.h"

#include <string.h>
#include <sys/stat.h>

#include "remote/dir/shared_dir.h"
#include "remote/dir/shared_root.h"
#include "remote/remote_place.h"
#include "shim/ascii.h"
#include "shim/kernel/sys.h"
#include "store/walk.h"

#include "shim/banned.h"

#define FOLDERS 256u
/* Ages are told apart by the hour; the last bucket is for files of seven years and more. */
#define BUCKET_S 3600
#define BUCKETS (1u << 16)

struct walk {
	const struct expire_limits *limits;
	struct expired *out;
	uint64_t *size;          /* of the files of each age; NULL: they are not added up */
	int64_t now;             /* s, of the file server */
	int remove, in_root;     /* in the root only temporary files are ours */
	unsigned bucket;         /* files of an older bucket are removed */
	uint64_t excess;         /* bytes to be removed of this bucket */
	uint64_t left;           /* bytes of files below the age */
};

static unsigned bucket_of(int64_t age)
{
	int64_t hours = age / BUCKET_S;

	return hours < 0 ? 0 : hours < BUCKETS ? (unsigned)hours : BUCKETS - 1;
}

static void drop(struct walk *w, int folder, const char *name, uint64_t *count, uint64_t *bytes,
                 uint64_t size)
{
	long rc = SYS3(SYS_unlinkat, folder, name, 0);

	if (rc == 0) {
		++*count;
		if (bytes)
			*bytes += size;
	} else if (rc != -ENOENT) {
		w->out->refused++;
	}
}

static int visit(void *ctx, int folder, const char *path, const char *name)
{
	struct walk *w = ctx;
	struct statx st;

	if (!root_is_file_name(name) || (w->in_root && *name != '.') ||
	    sys_statx(folder, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_SIZE | STATX_MTIME,
	              &st) < 0 || (st.stx_mode & S_IFMT) != S_IFREG)
		return 0;
	int64_t age = w->now - st.stx_mtime.tv_sec;
	if (*name == '.') {
		if (w->remove && age > EXPIRE_TEMPORARY_S)
			drop(w, folder, name, &w->out->temporary, NULL, 0);
		return 0;
	}
	unsigned bucket = bucket_of(age);
	int is_old = w->limits->age_s && age > (int64_t)w->limits->age_s;
	if (!w->remove) {
		w->size[bucket] += is_old ? 0 : st.stx_size;
		w->left += is_old ? 0 : st.stx_size;
		return 0;
	}
	if (!is_old && bucket == w->bucket && w->excess) {
		is_old = 1;
		w->excess -= w->excess < st.stx_size ? w->excess : st.stx_size;
	}
	if (is_old || bucket > w->bucket) {
		drop(w, folder, name, &w->out->removed, &w->out->removed_bytes, st.stx_size);
	} else {
		w->out->entries++;
		w->out->bytes += st.stx_size;
	}
	return 0;
}

static void walk_folders(struct walk *w, const struct shared_root *root,
                         void (*progress)(void *ctx, unsigned done, unsigned all), void *ctx)
{
	char name[FOLDER_NAME] = "00";

	w->in_root = 1;
	walk_names_at(root->fd, ".", visit, w);
	w->in_root = 0;
	for (unsigned i = 0; i < FOLDERS; i++) {
		ascii_put_hex(name, i, 2);
		walk_names_at(root->fd, name, visit, w);
		if (progress)
			progress(ctx, i + 1, FOLDERS);
	}
}

/* Finds the age from which on files are removed, so that the rest fits. */
static void choose(struct walk *w, uint64_t most)
{
	uint64_t sum = 0;

	w->bucket = BUCKETS;
	if (w->left <= most)
		return;
	for (unsigned i = 0; i < BUCKETS; i++) {
		if (sum + w->size[i] > most) {
			w->bucket = i;
			w->excess = sum + w->size[i] - most;
			return;
		}
		sum += w->size[i];
	}
}

int expire_run(const struct remote_place *place, const struct expire_limits *limits,
               struct expired *out, void (*progress)(void *ctx, unsigned done, unsigned all),
               void *ctx, struct arena *a, struct fault *fault)
{
	struct walk w = {.limits = limits, .out = out, .bucket = BUCKETS};
	const char *path = shared_dir_path(place, a, fault);
	struct shared_root root;
	int rc;

	if (!path || root_init(&root, path, shared_dir_signed(place), a, fault) < 0)
		return -1;
	switch (root_open(&root, 0, INT64_MAX, fault)) {
	case BACKEND_OK:
		break;
	case BACKEND_ABSENT:
		return 0;
	default:
		return -1;
	}
	rc = root_clock(&root, &w.now);
	if (rc < 0)
		fault_sys(fault, -rc, "make a file in", path);
	if (rc == 0 && limits->bytes) {
		w.size = arena_alloc(a, BUCKETS * sizeof *w.size);
		if (w.size) {
			walk_folders(&w, &root, progress, ctx);
			choose(&w, limits->bytes);
		} else {
			rc = fault_set(fault, ENOMEM, "no memory for the sizes of files");
		}
	}
	w.remove = 1;
	if (rc == 0)
		walk_folders(&w, &root, progress, ctx);
	root_close(&root);
	return rc < 0 ? -1 : 0;
}

int expire_places(const struct settings *set, char *const envp[],
                  const struct expire_limits *limits,
                  void (*each)(void *ctx, const char *shown, const struct expired *done),
                  void (*progress)(void *ctx, unsigned done, unsigned all), void *ctx,
                  struct arena *a, struct fault *fault)
{
	struct remote_place places[PLACES_MAX];
	int n = places_load(places, set, envp, a, fault), used = 0, rc = n < 0 ? -1 : 0;

	for (int i = 0; i < n; i++) {
		struct expired done = {0};

		if (strcmp(places[i].scheme, "file") != 0 || places[i].readonly)
			continue;
		if (expire_run(&places[i], limits, &done, progress, ctx, a, fault) < 0) {
			rc = -1;
			continue;
		}
		each(ctx, places[i].shown, &done);
		used++;
	}
	return rc < 0 ? -1 : used;
}
