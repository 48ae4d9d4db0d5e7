/* units/declared.h - the user's own classes: the UNIT lines of settings files.
 *
 *     UNIT=<name> path=<shape> complete=rename|close kind=file|dir scope=env:A,file:B
 *
 * name      a-z, 0-9, '_' and '-', at most 31; no class of units/units.def. Part of the keys
 * path      a pattern of units/pattern.h, of the unit's path below any root
 * complete  rename: it is whole when it is renamed to its path; close: when the process that opened
 *           it for writing has closed it, and length and digest are still the same when it is
 *           packed. A directory with close is one that grows: it is whole when the processes that
 *           closed files in it, or renamed files there, have ended
 * scope     what the unit depends on besides its name: cpu (model and features), gpu (models and
 *           driver), variables by value, files by content. May be left out. Processes share a unit
 *           if all of these agree
 *
 * A line is a row of one of three classes of units/units.def: USER_FILES, USER_DIRS, USER_CACHES.
 * Of two lines of one name the last one counts, unless '!' begins an earlier one.
 *
 * The rows are compiled from the settings files into a table of fixed size, when a framework's
 * process (units/host.h) makes its first look-up. A process without such lines writes nothing there
 * and reads one variable. THREAD. */
#ifndef UNITS_DECLARED_H
#define UNITS_DECLARED_H

#include <stddef.h>

#include "shim/arena.h"
#include "shim/settings.h"
#include "units/pattern.h"
#include "units/shape.h"

#define DECLARED_NAME 32
#define DECLARED_SCOPE 512
struct declared {
	char name[DECLARED_NAME];
	unsigned char class;      /* UNIT_USER_... */
	unsigned char complete;   /* one bit of enum unit_complete */
	unsigned char components; /* of path */
	unsigned char fixed;      /* no later line of the name counts */
	char path[PATTERN_MOST + 1];
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
/* In a forked child: what a thread of the parent was compiling is compiled anew. */
void declared_after_fork(void);

/* CHILD. As unit_shape, of these classes alone. */
enum unit_part declared_shape(struct unit_path *u, const char *path, size_t n);
/* CHILD. The user's name of the class; of any other class its own. */
const char *declared_name(const struct unit_path *u);
/* What the class's line has for scope=, or "". CHILD. */
const char *declared_list(const struct unit_path *u);
/* 1: the scope text, as declared_scope makes it, belongs to this class. Pure. */
int declared_owns(const struct unit_path *u, const char *scope);

/* The scope of a unit of these classes: "unit=<name> kind=file A=<value> /b=<digest>", or NULL with
 * *why. began: start of this process, s since 1970; 0: not known. A file that changed since then,
 * or is not here, cannot be told from the one that the unit was made from. */
const char *declared_scope(const struct unit_path *u, char *const envp[], int64_t began,
                           struct arena *a, const char **why);

#endif
