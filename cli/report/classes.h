/* cli/report/classes.h - `reprise config classes`. TOOL. */
#ifndef CLI_REPORT_CLASSES_H
#define CLI_REPORT_CLASSES_H

#include "cli/cli.h"

/* Lists the classes of units, those of UNIT lines last: whether each is on, and where this node or
 * a node with this store saw a unit of it last. Returns the exit status. */
int cli_classes(struct cli *c, int json, const char *who);

#endif
