/* cli/trace_event.h - events in the Trace Event Format, which Perfetto and chrome://tracing open.
 *
 * Source: the format's public description ("Trace Event Format"): one JSON object; complete events
 * ("ph": "X") with times in microseconds; names of processes as metadata events ("ph": "M").
 * TOOL. */
#ifndef CLI_TRACE_EVENT_H
#define CLI_TRACE_EVENT_H

#include <stdio.h>

#include "cli/lanes.h"

/* A lane is a process, the process id is the thread. */
void trace_event_print(FILE *to, const struct lanes *l);

#endif
