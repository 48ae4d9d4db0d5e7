/* store/shared_page.h - a few words that all processes of the user and store share on a node.
 *
 * <runtime>/<name>: a file of whole pages, with memory behind each (a hole would be a SIGBUS on a full
 * tmpfs), mapped shared. A new file is zeros; who comes first claims it by compare-and-swap on the first word,
 * its magic, and all change the others by atomics alone, so that a killed process leaves nothing locked. What has another
 * magic is damaged, and made anew: else nothing would be counted, or limited by what is counted, until the next boot.
 * THREAD; the mapping survives fork. */
#ifndef STORE_SHARED_PAGE_H
#define STORE_SHARED_PAGE_H

#include <stddef.h>
#include <stdint.h>

/* bytes: a multiple of 4096. *made: it is new, and zeros but for the magic. NULL when there is no runtime directory or no
 * room. */
int64_t *shared_page_open(const char *runtime_dir, const char *name, size_t bytes, int64_t magic, int *made);
void shared_page_unmap(int64_t *page, size_t bytes);

#endif
