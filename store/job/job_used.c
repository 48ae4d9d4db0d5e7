/* store/job/job_used.c - lists of what jobs used, for the next job. */
#include "store/job/job_used.h"

#include <sys/stat.h>
#include <unistd.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "store/dirs.h"

static const unsigned char magic[4] = {'R', 'P', 'U', 1};

void job_used_key(struct digest *out, const char *name, char *const argv[], const char *cwd,
                  long rank)
{
	static const char about[] = "what a job used";
	struct digest_state d;
	int64_t number = rank;

	digest_init(&d);
	digest_add(&d, about, sizeof about);
	digest_add(&d, name ? "n" : "c", 1);
	digest_add(&d, &number, sizeof number);
	if (name)
		digest_add(&d, name, strlen(name));
	else
		digest_add(&d, path_base(cwd), strlen(path_base(cwd)) + 1);
	for (; !name && *argv; argv++)
		digest_add(&d, *argv, strlen(*argv) + 1);
	digest_final(&d, out);
}

/* This host's file of a list. */
static int path_of(char out[PATH_SIZE], const struct store *s, const char *job)
{
	char dir[PATH_SIZE], host[DIRS_HOST];

	dirs_host(host);
	return job_list_name_ok(job) && job_list_path(dir, s, job) == 0 &&
	       path_join(out, PATH_SIZE, dir, host) < PATH_SIZE ? 0 : -1;
}

uint64_t job_used_mark(const struct store *s, const char *job)
{
	char path[PATH_SIZE];
	struct statx st;

	return path_of(path, s, job) == 0 &&
	       sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_SIZE, &st) == 0 ? st.stx_size
	                                                                             : 0;
}

void job_used_drop(const struct store *s, const char *job)
{
	char path[PATH_SIZE];

	if (path_of(path, s, job) < 0)
		return;
	unlink(path);
	path[path_dir_len(path)] = '\0';
	rmdir(path); /* unless other hosts have a part */
}

int job_used_since(struct job_list *out, const struct store *s, const char *job, uint64_t mark,
                   struct arena *a)
{
	char host[DIRS_HOST];

	dirs_host(host);
	if (job_list_read(out, s, job, host, mark, a) < 0 || out->refused)
		return -1;
	if (out->count > JOB_USED_MOST)
		out->count = JOB_USED_MOST;
	return out->count ? 0 : -1;
}

unsigned char *job_used_encode(size_t *len, const struct job_list *l, struct arena *a)
{
	unsigned char *out, *p;

	*len = JOB_USED_HEAD + l->count * JOB_USED_RECORD;
	p = out = arena_alloc(a, *len);
	if (!out)
		return NULL;
	memcpy(p, magic, sizeof magic);
	p = le_put(p + sizeof magic, l->count, 4);
	for (size_t i = 0; i < l->count; i++, p += JOB_USED_RECORD) {
		p[0] = (unsigned char)l->v[i].class;
		memcpy(p + 1, l->v[i].key.b, DIGEST_SIZE);
		memcpy(p + 1 + DIGEST_SIZE, l->v[i].result.b, DIGEST_SIZE);
	}
	return out;
}

int job_used_decode(struct job_list *out, const unsigned char *in, size_t len, struct arena *a)
{
	const unsigned char *p = in + JOB_USED_HEAD;
	size_t count;

	memset(out, 0, sizeof *out);
	if (len < JOB_USED_HEAD || memcmp(in, magic, sizeof magic) != 0)
		return -1;
	count = (size_t)le_get(in + sizeof magic, 4);
	if (count > JOB_USED_MOST || len != JOB_USED_HEAD + count * JOB_USED_RECORD)
		return -1;
	out->v = arena_alloc(a, (count + 1) * sizeof *out->v);
	if (!out->v)
		return -1;
	for (size_t i = 0; i < count; i++, p += JOB_USED_RECORD) {
		struct job_list_record *r = &out->v[i];

		if (p[0] != STORE_MANIFEST && p[0] != STORE_SET && p[0] != STORE_UNIT)
			return -1;
		r->class = (enum store_class)p[0];
		memcpy(r->key.b, p + 1, DIGEST_SIZE);
		memcpy(r->result.b, p + 1 + DIGEST_SIZE, DIGEST_SIZE);
	}
	out->count = count;
	return 0;
}
