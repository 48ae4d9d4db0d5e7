/* judge/stdin_source.h - standard input, where the tool reads it as a source.
 *
 * action/stdin.c fills it. Memory: the start's arena. */
#ifndef JUDGE_STDIN_SOURCE_H
#define JUDGE_STDIN_SOURCE_H

#include <stddef.h>
#include <sys/types.h>

#include "shim/digest.h"
#include "shim/sys.h"

enum stdin_kind { STDIN_UNREAD, STDIN_NULL, STDIN_FILE, STDIN_PIPE };
struct stdin_source {
	enum stdin_kind kind;
	struct digest content;     /* of all bytes that the tool will read */
	size_t len;
	off_t at;                  /* FILE: where reading begins */
	struct statx st;           /* FILE */
	const unsigned char *text; /* PIPE */
};

#endif
