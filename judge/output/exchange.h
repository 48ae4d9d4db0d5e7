/* judge/output/exchange.h - enters this start's names in a recorded output. THREAD. */
#ifndef JUDGE_OUTPUT_EXCHANGE_H
#define JUDGE_OUTPUT_EXCHANGE_H

#include "judge/start.h"

/* from: the names under which the output was recorded. to: those that it gets. data: its bytes,
 * which may be changed. EXCHANGE_OUT: out has the output, whose length may be another one. Else
 * data has it. EXCHANGE_FAILED: it cannot hold these names. */
enum exchange judge_exchange(struct start *s, const struct patch_name *from, size_t count,
                             const struct patch_name *to, const struct result_output *o,
                             void *data, struct buf *out);

#endif
