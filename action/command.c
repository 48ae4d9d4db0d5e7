/* action/command.c - what a command line names on this machine: primary inputs, outputs, PTX. */
#include <string.h>

#include "action/action.h"
#include "keying/comments.h"
#include "shim/sys.h"

/* Response files beyond this are not worth keying; nvcc's and ninja's are some hundred KiB. */
#define RESPONSE_BYTES_MAX (16u << 20)
#define PTX_BYTES_MAX (512u << 20)

struct visit {
	struct action *a;
	enum reason reason;
	const struct cmdline_arg *arg;
};

static char *read_file(struct action *a, const char *path, size_t max, size_t *n)
{
	struct statx st;
	char *text = NULL;
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

	if (fd < 0)
		return NULL;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) == 0 &&
	    (st.stx_mode & S_IFMT) == S_IFREG && st.stx_size <= max) {
		text = arena_alloc(&a->arena, st.stx_size + 1);
		ssize_t got = text ? sys_read_all(fd, text, st.stx_size) : -1;
		if (got < 0)
			text = NULL;
		else
			text[*n = (size_t)got] = '\0';
	}
	sys_close(fd);
	return text;
}

static const char *response_text(void *ctx, const char *path, size_t *n)
{
	return read_file(ctx, path, RESPONSE_BYTES_MAX, n);
}

static int is_descriptor_path(const char *path)
{
	return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0 ||
	       strcmp(path, "/dev/stdin") == 0 || strcmp(path, "/dev/stdout") == 0 ||
	       strcmp(path, "/dev/stderr") == 0;
}

/* Trailing comments of a C++ source leave the key where nothing but an object file comes of it. Most
 * sources have none: a look at their last bytes says so. */
static void strip_comments(struct action *a, struct primary *p)
{
	char tail[1024], *text;
	ssize_t n;
	size_t len;
	off_t at = p->st.stx_size > sizeof tail ? (off_t)(p->st.stx_size - sizeof tail) : 0;
	int fd;

	if (a->row->family != FAMILY_GCC || !comments_in(p->path) || p->st.stx_size > RESPONSE_BYTES_MAX ||
	    a->cmd.flags & (CMD_PREPROCESS | CMD_PCH | CMD_COVERAGE | CMD_DUMP | CMD_LTO))
		return;
	p->strippable = 1;
	fd = sys_open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	n = fd < 0 ? -1 : sys_pread(fd, tail, sizeof tail, at);
	if (fd >= 0)
		sys_close(fd);
	/* A line longer than that counts as one if it could be: Inductor's are. */
	if (n < 3 || tail[n - 1] != '\n' ||
	    (comments_strip(tail, (size_t)n) == (size_t)n && memchr(tail, '\n', (size_t)n - 1)))
		return;
	text = read_file(a, p->path, RESPONSE_BYTES_MAX, &len);
	if (!text)
		return;
	digest_of(&p->content, text, len);
	digest_of(&p->keyed, text, comments_strip(text, len));
}

static int add_primary(struct action *a, const char *path, int response)
{
	struct primary *p;

	for (size_t i = 0; i < a->primary_count; i++)
		if (strcmp(a->primary[i].path, path) == 0)
			return 0;
	if (a->primary_count == a->primary_cap) {
		size_t cap = a->primary_cap ? 2 * a->primary_cap : 16;
		struct primary *v = arena_alloc(&a->arena, cap * sizeof *v);

		if (!v)
			return -1;
		if (a->primary_count)
			memcpy(v, a->primary, a->primary_count * sizeof *v);
		a->primary = v;
		a->primary_cap = cap;
	}
	p = &a->primary[a->primary_count];
	p->response = response;
	p->path = arena_strdup(&a->arena, path);
	if (!p->path || probe_file(&a->prober, p->path, &p->content, &p->st) < 0)
		return 0; /* unreadable: the tool will say so, and the trace see it */
	p->keyed = p->content;
	if (!response)
		strip_comments(a, p);
	a->primary_count++;
	return 0;
}

/* One path that an argument names. */
static void visit_path(void *ctx, const char *path)
{
	struct visit *v = ctx;
	struct statx st;

	if (v->reason != REASON_NONE || !path[0])
		return;
	if (is_descriptor_path(path)) {
		action_detail(v->a, "%s", path);
		v->reason = REASON_BYPASS_SPECIAL_FILE;
		return;
	}
	if (strcmp(path, "/dev/null") == 0 ||
	    sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &st) < 0)
		return;
	switch (st.stx_mode & S_IFMT) {
	case S_IFREG:
		if (v->arg->role != ARG_OUTPUT && v->arg->role != ARG_OUTPUT_JOINED &&
		    add_primary(v->a, path, 0) < 0)
			v->reason = REASON_BYPASS_TOO_LARGE;
		break;
	case S_IFDIR:
		break;
	default:
		action_detail(v->a, "%s", path);
		v->reason = REASON_BYPASS_SPECIAL_FILE;
	}
}

/* What ptxas up to 13.0 asks of the sources that the PTX names. */
static int ask_source(void *ctx, const char *path, long long *mtime, unsigned long long *size)
{
	struct statx st;

	(void)ctx;
	if (sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) < 0)
		return -1;
	*mtime = st.stx_mtime.tv_sec;
	*size = st.stx_size;
	return 0;
}

int action_sources_changed(struct action *a)
{
	for (int i = 0; a->ptx && i < a->ptx->source_count; i++) {
		const struct ptx_source *s = &a->ptx->sources[i];
		unsigned long long size = 0;
		long long mtime = 0;

		if (!(a->ptx->asked >> i & 1))
			continue;
		if (ask_source(NULL, s->path, &mtime, &size) < 0)
			mtime = 0, size = 0;
		if (mtime != s->mtime || size != s->size) {
			action_detail(a, "%s", s->path);
			return 1;
		}
	}
	return 0;
}

/* The one PTX input of a ptxas call, with its source names taken out of the key. Several, or none, or one
 * that is not understood: plain bytes. */
static void find_ptx(struct action *a)
{
	size_t n;
	char *text;
	struct ptx *x;
	int sloppy;

	if (!(a->row->flags & TOOL_PTX) || a->primary_count != 1)
		return;
	text = read_file(a, a->primary[0].path, PTX_BYTES_MAX, &n);
	x = text ? arena_alloc(&a->arena, sizeof *x) : NULL;
	if (!x || !ptx_recognise(text, n))
		return;
	/* The digest that is checked after the run must be of the bytes that were canonicalised. */
	digest_of(&a->primary[0].content, text, n);
	sloppy = strstr(setting_text(&a->set, SETTING_SLOPPY), "lineinfo") != NULL;
	if (ptx_canonical(x, text, n, sloppy, &a->arena) < 0)
		return;
	/* Whatever source the line table names will do: the names are neither key nor patched. */
	if (sloppy)
		x->count = 0;
	else if (ptx_add_sources(x, ask_source, NULL, &a->arena) < 0)
		return;
	a->ptx = x;
}

/* Compilers named a source of `-` read standard input once, to its end. Under other names (/dev/stdin) it is a
 * file that the trace must tell from others, and a precompiled header holds the times of its source. */
static int stdin_is_source(const struct action *a)
{
	if ((a->row->family != FAMILY_GCC && a->row->family != FAMILY_CLANG) || a->cmd.flags & CMD_PCH ||
	    (a->cmd.count > 1 && strncmp(a->cmd.v[1].text, "-cc1", 4) == 0))
		return 0;
	for (int i = 1; i < a->cmd.count; i++)
		if (a->cmd.v[i].role != ARG_LITERAL && strstr(a->cmd.v[i].text, "/dev/stdin"))
			return 0;
	return 1;
}

enum reason action_command(struct action *a)
{
	struct cmdline_reader reader = {response_text, a};
	struct visit v = {a, REASON_NONE, NULL};

	if (a->argc < 1 || !a->argv[0]) {
		action_detail(a, "no argv[0]");
		return REASON_BYPASS_ARGUMENTS;
	}
	if (cmdline_expand(&a->cmd, a->row->family, a->argc, a->argv, &reader, &a->arena) < 0)
		return REASON_BYPASS_TOO_LARGE;
	cmdline_classify(&a->cmd, a->row);
	if (a->cmd.bypass != REASON_NONE) {
		action_detail(a, "%s", a->cmd.bypass_detail ? a->cmd.bypass_detail : "");
		return a->cmd.bypass;
	}
	if (a->cmd.flags & CMD_STDIN && !stdin_is_source(a))
		return REASON_BYPASS_STDIN;
	for (int i = 1; i < a->cmd.count && v.reason == REASON_NONE; i++) {
		v.arg = &a->cmd.v[i];
		if (strlen(v.arg->text) >= PATH_SIZE && v.arg->text[0] != '-')
			continue; /* no path the kernel would take */
		cmdline_each_path(v.arg, visit_path, &v);
	}
	if (v.reason != REASON_NONE)
		return v.reason;
	find_ptx(a);
	for (int i = 1; i < a->argc; i++)
		if (a->argv[i][0] == '@' && add_primary(a, a->argv[i] + 1, 1) < 0)
			return REASON_BYPASS_TOO_LARGE;
	return a->cmd.flags & CMD_STDIN ? action_stdin(a) : REASON_NONE;
}
