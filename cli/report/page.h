/* cli/report/page.h - a job as one page of HTML and SVG: no other file, no link to a host, no
 * script that reading needs. TOOL. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include <stdio.h>

#include "cli/cli.h"
#include "cli/report/job_remote.h"
#include "cli/report/lanes.h"

struct report {
	const char *job;
	const struct events *e;
	const struct figures *all;
	struct job_remote nodes;
	struct lanes lanes;
	struct arena *a;
	struct cli *c;
};
void report_html(FILE *to, const struct report *r);

#endif
