/* judge/output/linker_time.h - a linker that always asks for the time. */
#ifndef JUDGE_OUTPUT_LINKER_TIME_H
#define JUDGE_OUTPUT_LINKER_TIME_H

#include "judge/start.h"
#include "store/entry/result.h"
#include "trace/tree.h"

/* THREAD. GNU ld asks for the time in each run (tools/chance.h, chance_measures()). It is in no ELF
 * output. REASON_NONE, or REASON_UNSTORED_TIME: an ld did that made no output which is ELF, or the
 * times are to be printed (--stats, LD_STATS). */
enum reason judge_linker_time(struct start *s, struct tree *t, const struct result *r);

#endif
