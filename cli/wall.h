/* cli/wall.h - the wall time that replays saved. TOOL.
 *
 * Parallel work overlaps, so its times cannot be added up. A hit spared its job the interval in
 * which the replayed work ran when it was recorded. A node was spared the union of these intervals,
 * in which the work of ranks and workers that ran side by side counts once. What the node spent in
 * Reprise is the union of its own intervals there. Saved is the first length less the second; of
 * several nodes, the largest value. */
#ifndef CLI_WALL_H
#define CLI_WALL_H

#include <stddef.h>
#include <stdint.h>

enum wall_kind { WALL_SPARED, WALL_SPENT };
struct wall_span {
	size_t group;     /* index in the result */
	const char *host;
	enum wall_kind kind;
	int64_t from, to; /* ns since 1970; from <= to */
};

/* Sorts the spans. saved: what each group saved, ns; 0 for a group without spans. */
void wall_saved(int64_t *saved, size_t groups, struct wall_span *v, size_t count);

#endif
