/* units/shape/declared.h - the user's own classes: the UNIT lines of settings files.
 *
 *     UNIT=<name> path=<shape> complete=rename|close kind=file|dir scope=env:A,file:B
 *
 * name      a-z, 0-9, '_' and '-', at most 31; no class of units/units.def. Part of the keys
 * path      a pattern of units/shape/pattern.h, of the unit's path below any root
 * complete  rename: the unit is whole when it is renamed to its path. close: a file is whole when
 *           the process that opened it for writing has closed it, and length and digest are still
 *           the same when it is packed. A directory with close grows: it is whole when the
 *           processes that closed files in it, or renamed files there, have ended
 * scope     what the unit depends on besides its name: cpu (model and features), gpu (models and
 *           driver), variables by value, files by content. May be left out. Processes share a unit
 *           if all of these, the name and the shape agree
 *
 * A line is a row of one of three classes of units/units.def: USER_FILES, USER_DIRS, USER_CACHES.
 * If two lines have one name, the last line counts, unless an earlier line begins with '!'.
 *
 * The rows are compiled from the settings files into a table of fixed size, when a framework's
 * process (units/host.h) makes its first look-up. A process without such lines writes nothing to
 * the table and reads one variable. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/arena.h"
#include "shim/settings/settings.h"
#include "units/shape/pattern.h"
#include "units/shape/shape.h"

#define DECLARED_NAME 32
#define DECLARED_PATH 200
#define DECLARED_SCOPE 512
struct declared {
	char name[DECLARED_NAME];
	unsigned char class;      /* UNIT_USER_... */
	unsigned char complete;   /* one bit of enum unit_complete */
	unsigned char components; /* of path */
	unsigned char fixed;      /* no later line of the name counts */
	char path[DECLARED_PATH + 1];
	char scope[DECLARED_SCOPE]; /* as written: "cpu,env:A", or "" */
	struct pattern_guard guard; /* of path's last component */
};

enum { DECLARED_NONE, DECLARED_WAITING, DECLARED_MAKING, DECLARED_READY };
extern int declared_state;

/* One line's text, without "UNIT=". NULL, or what is wrong with it. Pure. */
const char *declared_parse(struct declared *out, const char *text);
/* Constructor: settings files have UNIT lines. */
static inline void declared_expect(void)
{
	declared_state = DECLARED_WAITING;
}
/* Compiles the lines of these settings; malformed ones are left out. Once in a process, also when
 * several threads call it. */
void declared_load(const struct settings *set);
/* In a forked child: lines that a thread of the parent was compiling are compiled anew. */
void declared_after_fork(void);

/* CHILD. As unit_shape, but only for these classes. */
enum unit_part declared_shape(struct unit_path *u, const char *path, size_t n);
/* CHILD. The user's name of the class; of any other class its own. */
const char *declared_name(const struct unit_path *u);
/* The value of path= in the class's line, and that of scope= or "". CHILD. */
const char *declared_path(const struct unit_path *u);
const char *declared_list(const struct unit_path *u);
/* Bits of enum unit_complete that the user's own class has. CHILD. */
unsigned declared_complete(const struct unit_path *u);
/* 1: the unit (for a SET: the member) is complete when this part is renamed into place. opened:
 * when it has been opened for writing there, as some versions do. */
static inline int unit_completes(const struct unit_path *u, int opened)
{
	const struct unit_row *row = &unit_rows[u->class];
	unsigned complete = row->scope & SCOPE_DECLARED ? declared_complete(u) : row->complete;

	if (unit_grows(u->class))
		return u->part == PART_MEMBER;
	if (!(complete & (opened ? COMPLETE_CLOSE | COMPLETE_LOCK | COMPLETE_CLOSED
	                  : COMPLETE_RENAME)))
		return 0;
	return row->form == UNIT_WHOLE ? u->part != PART_MEMBER
	       : u->part == (row->form == UNIT_SET ? PART_MEMBER : PART_UNIT);
}
