/* units/process.c - /proc/<pid>/stat. */
#include "units/process.h"

#include <string.h>

#include "shim/format.h"
#include "shim/sys.h"

#include "shim/banned.h"

/* proc(5) counts its fields from 1. */
enum { FIELD_NAME = 2, FIELD_STATE = 3, FIELD_PARENT = 4, FIELD_START = 22 };

static int64_t number(const char *p)
{
	int64_t v = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (*p - '0');
	return v;
}

int process_read(struct process *p, pid_t pid)
{
	char path[32], text[1024];
	int fd;

	*p = (struct process){0};
	format_text(path, sizeof path, pid ? "/proc/%d/stat" : "/proc/self/stat", (int)pid);
	fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	ssize_t n = sys_read_all(fd, text, sizeof text - 1);
	sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	p->pid = (pid_t)number(text);
	/* The name in parentheses may contain any character. */
	const char *at = strrchr(text, ')');
	for (int field = FIELD_NAME; at && field < FIELD_START; field++) {
		at = strchr(at + 1, ' ');
		if (at && field + 1 == FIELD_STATE)
			p->state = at[1];
		if (at && field + 1 == FIELD_PARENT)
			p->parent = (pid_t)number(at + 1);
	}
	if (at)
		p->began = number(at + 1);
	return p->began ? 0 : -1;
}
