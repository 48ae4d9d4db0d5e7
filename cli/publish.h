/* cli/publish.h - a publisher, for `reprise publish` and for the end of a job. TOOL. */
#ifndef CLI_PUBLISH_H
#define CLI_PUBLISH_H

#include "cli/cli.h"
#include "units/gather/publisher.h"

/* Opens the remote store and a publisher for it, with its log. 0; -1 with *fault:
 * the settings of the remote store are wrong, so it is off; the publisher packs framework files all
 * the same. */
int cli_publisher_open(struct cli *c, struct publisher *p, struct store *s, struct remote *r,
                       struct fault *fault);
/* The progress of a publisher, as a line on a terminal; cli_progress_end() is due. */
void cli_publish_progress(size_t left);
/* Publishes until everything is sent, for at most ms. hurried: stops if the server refuses, or does
 * not answer for CLI_STALL_NS. 0, or -1 with *fault. */
#define CLI_STALL_NS 500000000ll
int cli_drain(struct publisher *p, uint64_t ms, int hurried, struct fault *fault);

#endif
