/* cli/report_lanes.h - the lanes of a report, as SVG. TOOL. */
#ifndef CLI_REPORT_LANES_H
#define CLI_REPORT_LANES_H

#include <stdio.h>

#include "cli/lanes.h"

void report_lanes(FILE *to, const struct lanes *l);

#endif
