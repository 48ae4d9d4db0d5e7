/* agent/ahead.h - brings what a job will use, before it asks.
 *
 * The last job of a name left a list of what it used (store/job/job_used.h). Processes of their
 * own, below the agent, bring what the node lacks, in the list's order, while the job starts. They
 * have their own connections, a lower priority, and pause while the agent has questions. Units go
 * to the local store, and actions to the inbox, so all is used through a look-up alone. They end at
 * the bytes that the asker allows, and before the last 10 % of the disk and of the store's limit.
 *
 * What they share with the agent and its workers is memory that is mapped before any fork. TOOL. */
#pragma once

#include <sys/types.h>

#include "agent/worker.h"

/* A list is not brought again for so long. */
#define AHEAD_AGAIN_NS 60000000000ll

/* Before the first fork. Without memory nothing is brought ahead. */
void ahead_open(void);
/* AGENT_PREFETCH: begins, unless this list is being brought or was so lately. */
struct agent_reply ahead_ask(const struct worker_terms *t, const struct agent_question *q);
/* To be called now and then. questions: that the agent has; all pause while there are any. Ends
 * what lasts too long. */
void ahead_yield(unsigned questions);
/* 1: this child of the agent brought something, and has ended. */
int ahead_ended(pid_t pid);
int ahead_at_work(void);
/* For workers: 1: all members of this set came less than AHEAD_AGAIN_NS ago. */
int ahead_has_set(const struct digest *key);
