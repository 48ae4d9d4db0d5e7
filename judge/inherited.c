/* judge/inherited.c - looks at descriptors and signals that this process has inherited. */
#include "judge/inherited.h"

#include <string.h>

#include "judge/start.h"
#include "judge/tree_file.h"
#include "shim/format.h"
#include "shim/signals.h"
#include "shim/trace.h"

#include "shim/banned.h"

/* With more descriptors nothing is stored where a script took part. */
#define DESCRIPTORS_MOST 64
#define DENTS_SIZE 2048
/* libc's own signals, which glibc's posix_spawn leaves ignored (2.36). No program can use them. */
enum { LIBC_CANCEL = 32, LIBC_SETXID = 33 };
/* Offset of the name in the kernel's directory entry, and of the entry's length. */
enum { DENT_LENGTH = 16, DENT_NAME = 19 };

struct inherited {
	int known; /* 0: there is no /proc, or there are too many descriptors */
	int reads; /* one is a file that may be read, and its content is no input */
	size_t count;
	unsigned identity[DESCRIPTORS_MOST];
	struct buf text;
};

static int is_number(const char *name, int *fd)
{
	*fd = 0;
	for (; *name >= '0' && *name <= '9' && *fd < 100000000; name++)
		*fd = *fd * 10 + (*name - '0');
	return !*name;
}

/* A close-on-exec descriptor is one of Reprise: none survives the exec of a tool. */
static void add_descriptor(struct inherited *in, int fd)
{
	char text[64];
	struct statx st;
	int flags = sys_fcntl(fd, F_GETFD, 0), is_null;
	long how = sys_fcntl(fd, F_GETFL, 0);

	if (fd <= 2 || flags < 0 || flags & FD_CLOEXEC)
		return;
	if (in->count == DESCRIPTORS_MOST ||
	    sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0) {
		in->known = 0;
		return;
	}
	in->reads |= (st.stx_mode & S_IFMT) == S_IFREG && !(how & O_PATH) &&
	             (how & O_ACCMODE) != O_WRONLY;
	/* A shell opens /dev/null itself. What it writes there is lost, whoever opened it. */
	is_null = st.stx_rdev_major == 1 && st.stx_rdev_minor == 3;
	in->identity[in->count++] = is_null ? 0 : trace_identity_at(fd, "");
	format_text(text, sizeof text, " %d (type %x, open for %d)", fd,
	            (unsigned)st.stx_mode & S_IFMT, (int)(how & O_ACCMODE));
	buf_str(&in->text, text);
}

static void add_descriptors(struct inherited *in)
{
	char dents[DENTS_SIZE];
	int dir = sys_open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), fd;
	ssize_t n;

	in->known = dir >= 0;
	while (dir >= 0 && (n = sys_getdents(dir, dents, sizeof dents)) != 0) {
		if (n < 0) {
			in->known = 0;
			break;
		}
		for (ssize_t at = 0; at < n;) {
			unsigned short length;

			memcpy(&length, dents + at + DENT_LENGTH, sizeof length);
			if (is_number(dents + at + DENT_NAME, &fd))
				add_descriptor(in, fd);
			at += length;
		}
	}
	if (dir >= 0)
		sys_close(dir);
}

/* From 1000 levels on, bash says so. Fewer levels shape nothing. */
static void add_level(struct start *s, struct inherited *in)
{
	const char *level = invocation_env(&s->call, "SHLVL");
	size_t n = level ? strlen(level) : 0;

	if (n < 3 || (n == 3 && *level >= '0' && *level < '9'))
		return;
	buf_str(&in->text, ", SHLVL=");
	buf_str(&in->text, level);
}

/* A declared wrapper may ask for the mask; no text that Reprise reads does. */
static void add_mask(struct start *s, struct inherited *in)
{
	char text[32];

	if (!*setting_text(&s->set, SETTING_WRAPPERS))
		return;
	format_text(text, sizeof text, ", umask %x", s->call.umask);
	buf_str(&in->text, text);
}

/* --- public, in header order --- */

void inherited_look(struct start *s)
{
	struct inherited *in = s->inherited ? NULL : arena_alloc(&s->arena, sizeof *in);
	unsigned long long ignored = 0;
	uint64_t blocked = 0;
	char text[96];

	if (!in)
		return;
	memset(in, 0, sizeof *in);
	in->text = (struct buf)BUF_INIT(&s->arena);
	for (int sig = 1; sig <= 64; sig++)
		if (sig != LIBC_CANCEL && sig != LIBC_SETXID && inherited_ignores(sig))
			ignored |= 1ull << (sig - 1);
	SYS4(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, SIGNALS_SET_SIZE);
	format_text(text, sizeof text, "signals ignored %llx, blocked %llx, descriptors", ignored,
	            (unsigned long long)blocked);
	buf_str(&in->text, text);
	add_descriptors(in);
	if (!in->count)
		buf_str(&in->text, " none");
	add_level(s, in);
	add_mask(s, in);
	buf_u8(&in->text, 0);
	in->known &= !in->text.failed;
	s->inherited = in;
}

static int is_copied(const struct tree *t, unsigned identity)
{
	for (size_t i = 0; i < t->copied_count; i++)
		if (t->copied[i] == identity)
			return 1;
	return 0;
}

void collect_inherited(struct collect *k)
{
	const struct inherited *now = k->start->inherited;
	struct input *in;

	if (!k->t->script_count && !k->t->inherits)
		return;
	if (!now || !now->known || now->reads) {
		collect_refuse(k, REASON_UNSTORED_SCRIPT, "descriptors that it may have inherited");
		return;
	}
	for (size_t i = 0; i < now->count; i++)
		if (is_copied(k->t, now->identity[i])) {
			collect_refuse(k, REASON_UNSTORED_SCRIPT, "a descriptor that it inherited");
			return;
		}
	in = collect_input(k, INPUT_INHERITED);
	if (in)
		collect_text(k, in, (const char *)now->text.data);
}

int inherited_holds(struct start *s, const struct input *in)
{
	struct digest d;
	const char *now;

	inherited_look(s);
	now = s->inherited && s->inherited->known ? (const char *)s->inherited->text.data : "";
	digest_of(&d, now, strlen(now));
	if (*now && digest_equal(&d, &in->value))
		return 1;
	start_detail(s, "a script may see what it inherits: recorded with %s; now %s", in->text,
	             now);
	return 0;
}

int inherited_ignores(int sig)
{
	struct signals_kernel was = {0};

	return SYS4(SYS_rt_sigaction, sig, NULL, &was, SIGNALS_SET_SIZE) == 0 &&
	       was.handler == SIG_IGN;
}
