/* shim/loader/stand_in.h - ends a served tool in place of its main.
 *
 * A hit ends the process in our constructor, before the constructors of other objects. A library
 * that somebody else preloads, such as a site's tracker, would then never see the tool. So where
 * there is one, the constructors run, and libc's exit runs in place of the tool's main, with the
 * destructors behind it. The tool calls __libc_start_main through a pointer that the loader has
 * filled in: that pointer is replaced.
 *
 *     if (STAND_IN_MARK()) {...}           // the constructor: it gets here a second time
 *     ...
 *     stand_in_leave(status);              // any depth below it
 *     sys_exit_group(status);              // the program has no such pointer
 *
 * Constructor of a tool only. */
#pragma once

extern void *stand_in_mark[5];
/* 0; and 1 when stand_in_leave() goes back to it. No variable of the function that uses it keeps
 * its value. */
#define STAND_IN_MARK() __builtin_setjmp(stand_in_mark)

/* Goes back to the mark, with main replaced; or returns. */
void stand_in_leave(int status);
