/* keying/memo_file.h - the file of the memo: opened, mapped, closed. THREAD. */
#pragma once

#include "keying/memo.h"

/* Opens or makes <runtime_dir>/memo. A failure leaves an empty memo and is never an error.
 * runtime_dir is kept by reference and may be NULL.
 *
 * The first pages are read by read(2), the first answers are kept by write(2), and a descriptor
 * stays open. The MEMO_READS-th page, and memo_map, map the memo and close the descriptor;
 * memo_close closes it too. The descriptor is never one of the numbers 0 to 2.
 */
void memo_open(struct memo *m, const char *runtime_dir);
/* Maps the memo, so that no descriptor stays open. Call it before a fork whose child goes on as
 * another program. */
void memo_map(struct memo *m);
void memo_close(struct memo *m);
