/* keying/hashfile.c - digest of an open file's content. */
#include "keying/hashfile.h"

#include "shim/kernel/sys.h"

#include "shim/banned.h"

static ssize_t read_some(int fd, void *p, size_t n)
{
	unsigned tries = 0;
	ssize_t r;

	do
		r = sys_read(fd, p, n);
	while (sys_interrupted(r, &tries));
	return r;
}

/* The text searched for may lie across two reads: edge holds the end of the previous read. */
struct look {
	struct hashfile_search *search;
	char edge[2 * HASHFILE_SEARCH_MOST];
	size_t held;
};

static void look(struct look *l, const unsigned char *buffer, size_t n)
{
	const char *text = (const char *)buffer;
	size_t some = n < HASHFILE_SEARCH_MOST ? n : HASHFILE_SEARCH_MOST;
	struct hashfile_search *s;

	if (!l->held && n && (buffer[0] == 0x7f || buffer[0] == '!'))
		l->search = NULL; /* an object or an archive: a search costs several digests */
	s = l->search;
	if (!s || s->found)
		return;
	memcpy(l->edge + l->held, text, some);
	s->found = (l->held && s->in(l->edge, l->held + some)) || s->in(text, n);
	memcpy(l->edge, text + n - some, some);
	l->held = some;
}

int hashfile(int fd, unsigned char *buffer, unsigned long long expect, struct digest *out,
             unsigned long long *bytes, struct hashfile_search *search)
{
	struct look l = {.search = search};
	struct digest_state state;
	ssize_t n = read_some(fd, buffer, HASHFILE_BUFFER);

	*bytes = 0;
	if (search)
		search->found = 0;
	if (n < 0)
		return (int)n;
	/* All of a small file came, and less than was asked for: kernel and statx agree that there
	 * is no more. Files of /proc show size 0 and have content. */
	if ((unsigned long long)n == expect && n && n < (ssize_t)HASHFILE_BUFFER) {
		digest_of(out, buffer, (size_t)n);
		look(&l, buffer, (size_t)n);
		*bytes = (unsigned long long)n;
		return 0;
	}
	digest_init(&state);
	while (n > 0) {
		digest_add(&state, buffer, (size_t)n);
		look(&l, buffer, (size_t)n);
		*bytes += (unsigned long long)n;
		n = read_some(fd, buffer, HASHFILE_BUFFER);
	}
	if (n < 0)
		return (int)n;
	digest_final(&state, out);
	return 0;
}
