/* action/write_output.h - writes one output of a result, as its tool would.
 *
 * Constructor of a tool only. Memory: the action's arena. */
#pragma once

#include "action/action.h"
#include "judge/output/in_place.h"
#include "judge/output/output.h"
#include "shim/digest.h"

/* An output that is prepared. All outputs are prepared before the first file is touched. */
struct ready {
	const struct result_output *o;
	const char *path;
	unsigned char *data;
	size_t len;
	int streams; /* unpacked while it is written; data is NULL */
	int made;    /* by us: no file was there before */
	int listed;  /* before it is written: its texts are wanted if it is a precompiled header;
	              * then: it is one, with this content */
	struct digest content;
	struct older older; /* when all paths were checked */
};
/* 0; -EBADMSG: the output does not unpack, and a file that was made for it is gone; -1: the detail
 * says what failed. Sets w->made, w->listed and w->content. An output is written once: its memory
 * may be gone. */
int write_output(struct action *a, struct ready *w);
