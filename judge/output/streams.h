/* judge/output/streams.h - what a tool sees of its standard streams: whether they are terminals,
 * how wide, and which files are behind them.
 *
 * Memory: none. action/actionkey.c and action/stream_files.c fill the struct; a compile inside a
 * host leaves it zero. THREAD. */
#pragma once

#include <stdint.h>

#include "shim/kernel/sys.h"

/* State of a standard stream, as far as the tool can see it. */
enum stream_kind { STREAM_CLOSED, STREAM_TERMINAL, STREAM_OTHER };
/* The regular file of a standard stream. ino 0: the stream is no regular file. */
struct stream_file {
	uint64_t ino;
	unsigned major, minor;
};

/* Indexed by descriptor; 0 is unused, as standard input has members of its own. */
struct streams {
	enum stream_kind kind[3];
	long flags[3];             /* of open, or -errno */
	unsigned short columns[3]; /* of a terminal */
	struct stream_file file[3];
	int one_stream;          /* stdout and stderr have one order (action/stream_files.c) */
	int asks_width;          /* the tool asks standard input for a width, terminal or not */
	unsigned stdin_columns;  /* 0: none, or the tool does not ask */
};

/* "output" or "error". */
const char *streams_name(int fd);
/* 1: standard output or error is a terminal. */
int streams_any_terminal(const struct streams *s);
/* 1: standard output or error writes to a regular file. */
int streams_any_file(const struct streams *s);
/* The stream that writes to this file, or 0. */
int streams_of_file(const struct streams *s, const struct statx *st);
