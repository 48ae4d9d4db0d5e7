/* action/config.h - what a file that was read may add to the command line. THREAD. */
#ifndef ACTION_CONFIG_H
#define ACTION_CONFIG_H

#include "action/collect.h"

void collect_config(struct collect *k, const struct tree_file *f);

#endif
