/* store/shared_page.h - a few words that all processes of the user and store share on a node.
 *
 * <runtime>/<name> is a file of whole pages, mapped shared. Memory is allocated for each page: a
 * hole would be a SIGBUS on a full tmpfs. A new file is zeros. The first process claims the file by
 * compare-and-swap on the first word, its magic. All other words are changed by atomics alone, so a
 * killed process leaves nothing locked. A file with another magic is damaged and is replaced:
 * otherwise nothing would be counted or limited until the next boot. THREAD; the mapping survives
 * fork. */
#ifndef STORE_SHARED_PAGE_H
#define STORE_SHARED_PAGE_H

#include <stddef.h>
#include <stdint.h>

/* bytes: a multiple of 4096. *made: the page is new, and zero but for the magic. NULL without a
 * runtime directory or without space. */
int64_t *shared_page_open(const char *runtime_dir, const char *name, size_t bytes, int64_t magic,
                          int *made);
/* The process may keep the page mapped, for its next shared_page_open. */
void shared_page_close(int64_t *page, size_t bytes);

#endif
