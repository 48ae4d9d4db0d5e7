/* keying/probe_table.h - inside of the prober: the answers kept for a path. For keying/probe*.c.
 * THREAD. */
#pragma once

#include "keying/probe.h"

enum { PROBE_HAVE_STAT = 1, PROBE_HAVE_CONTENT = 2, PROBE_HAVE_LINK = 4, PROBE_HAVE_REAL = 8,
       PROBE_HAVE_SELF = 16, PROBE_NO_LINK = 32 /* the last component is none */ };

/* Fresh memory costs a fault of 1.6 us a page, so only the front part of a statx that is used is
 * kept. */
#define PROBE_SEEN (SYS_STATX_MOUNT_AT + sizeof(uint64_t))

struct probe_answer {
	unsigned have;
	int stat_rc, content_rc, link_rc, real_rc, self_rc;
	struct digest content;
	/* prober.by_times() of the content; where it holds, the content is in no memo */
	int by_times;
	const char *target, *resolved;
	unsigned char seen[PROBE_SEEN];
	char path[];
};

/* From this size on, one process at a time digests a file: 16 MiB take a millisecond. */
#define PROBE_LARGE (16u << 20)

/* Returns the record of a path, and makes it if the path is new. NULL when memory is refused. */
struct probe_answer *probe_answer(struct prober *p, const char *path);
/* The path's statx, following links; asked once. */
int probe_answer_stat(struct probe_answer *a);
void probe_keep_seen(struct probe_answer *a, const struct statx *st);
void probe_seen(const struct probe_answer *a, struct statx *st);
