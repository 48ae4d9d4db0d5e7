/* shim/kernel/memory.h - what memory a thread may touch, without a fault and without /proc.
 *
 * CHILD, SIGNAL: raw system calls of 0.1 us each; nothing is kept. Below valgrind the kernel is not
 * asked, and all memory but the first page may be touched. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The smallest page of any machine: readable memory begins and ends at such a page. */
#define MEMORY_PAGE 4096
/* 1: the page of this address can be read. */
int memory_page_readable(uintptr_t address);
/* 1: the caller's stack has n more bytes: a thread's guard page ends it. A stack without such a
 * page, with other memory directly below it, looks like a large stack. */
int memory_stack_has(size_t n);
