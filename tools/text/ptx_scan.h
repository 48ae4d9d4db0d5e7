/* tools/text/ptx_scan.h - where source names can stand in a PTX text (part of tools/text/ptx.c).
 *
 * One pass by lines, without judgement: it offers places, and ptx.c decides what to blank.
 * THREAD. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"
#include "shim/buf.h"

/* Positions are 32 bits wide. ptxas itself takes minutes for a hundredth of this. */
#define PTX_TEXT_MAX (1u << 30)

struct ptx_piece {
	uint32_t at, len;
};
struct ptx_file {
	uint32_t at, len;   /* the path, without quotes */
	uint32_t number;
	uint32_t has_times; /* modification time and size stand there too */
};
/* The place of a data byte. len 0: the byte is written in a way or place that may not be blanked.
 * len covers the number and the blanks between it and the comment, since their width depends on the
 * number. */
struct ptx_byte {
	uint32_t at, len;
};
struct ptx_scan {
	const char *text;
	size_t n;
	struct buf files;    /* ptx_file for each .file directive, in order */
	struct buf comments; /* ptx_piece: the text behind "//" on a .loc line */
	struct buf sections; /* ptx_piece: each .debug_* section, from .section to its '}' */
	struct buf bytes;    /* the data of .debug_* sections and initialisers, separated by 0x01 */
	struct buf where;    /* ptx_byte for each of bytes */
};

/* Returns 0. -1: memory is refused, or the text may not be blanked at all (a block comment, a debug
 * target, a byte 0 or 1, too long). */
int ptx_scan(struct ptx_scan *s, const char *text, size_t n, struct arena *a);
