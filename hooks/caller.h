/* hooks/caller.h - which library asks, in a tool that also runs foreign libraries.
 *
 * rustc loads procedural macros and calls them. rustc's own random bytes never reach a result, but
 * those of a macro may (tools/chance.h). So the stack is walked from the hook down, past libc and
 * Rust's standard library: the first other object is the one that asks. */
#ifndef HOOKS_CALLER_H
#define HOOKS_CALLER_H

/* Not 0 where it matters which object asks. Hooks check only this. */
extern int caller_matters;

/* Constructor only, in a traced process. */
void caller_begin(void);
struct caller {
	/* Path of the object that asks, if it was loaded after the program's start, as the loader
	 * has it; "?" if the stack does not show who asks; "" for the tool itself. */
	const char *guest;
	int shared; /* it asks through a standard library that the tool uses, too */
};
/* THREAD. Keeps errno. */
struct caller caller_find(void);

#endif
