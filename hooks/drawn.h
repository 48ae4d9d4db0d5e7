/* hooks/drawn.h - numbers that a traced program drew by chance, until each has become a digit of a
 * name.
 *
 * LLVM names its temporary files so (Process::GetRandomNumber(), createUniquePath()): it reads four
 * bytes of /dev/urandom once, gives them to srand(), and each hex digit of a name is rand() & 15.
 * Where libc has arc4random(), each digit comes from there. The trace says (enum chance_kind):
 *
 *   SEEDED  the four bytes that came from the device went to srand(): they count as draws from now
 *           on, and the open of the device does not;
 *   DRAWN   a number was drawn, and all before it are accounted for;
 *   NAMED   all numbers drawn so far are, in this order, digits in the name of a file or directory
 *           that the program has just made.
 *
 * A DRAWN without its NAMED is a random number that may have gone anywhere. So is any other use of
 * the device: another read of it, another size, another value for srand(). The kernel counts what a
 * thread reads between open and close, by whichever function.
 *
 * State is that of the process, as libc's rand() has it. Nothing happens in a process that is not
 * traced. CHILD, errno kept. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* The descriptor of a random device that a traced program opened, or -1. Hooks check only this. */
extern int drawn_device;

/* open() gave this descriptor for the path. */
void drawn_opened(const char *path, int fd);
/* read() of the device gave got bytes. */
void drawn_read(const void *bytes, size_t asked, ssize_t got);
/* The device is being closed. */
void drawn_closed(void);
/* Another descriptor or process has the device too. */
void drawn_copied(void);
/* A program has made a file or directory. */
void drawn_named(const char *path);
/* A number of arc4random(). */
void drawn_number(const char *what, unsigned number);
/* In the child of a fork: what the parent drew, the parent accounts for. */
void drawn_after_fork(void);
