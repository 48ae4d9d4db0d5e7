/* store/page.h - a few words that all processes of the user and store share on a node.
 *
 * <runtime>/<name>: a file of whole pages, with memory behind each (a hole would be a SIGBUS on a full
 * tmpfs), mapped shared. A new file is zeros; its users claim it by compare-and-swap on the first word,
 * their magic, and change all others by atomics alone, so that a killed process leaves nothing locked.
 * THREAD; the mapping survives fork. */
#ifndef STORE_PAGE_H
#define STORE_PAGE_H

#include <stddef.h>
#include <stdint.h>

/* bytes: a multiple of 4096. NULL when there is no runtime directory or no room. */
int64_t *page_map(const char *runtime_dir, const char *name, size_t bytes);
void page_unmap(int64_t *page, size_t bytes);
/* 1: the page was new and is ours now. 0: it was ours. -1: it is something else. */
int page_claim(int64_t *page, int64_t magic);
/* Who has it mapped keeps it; the next one gets a new page. */
void page_remove(const char *runtime_dir, const char *name);

#endif
