/* cli/pack/pack_write.h - writes a pack. Each returns 0, or -1 after pack_failed. TOOL. */
#ifndef CLI_PACK_PACK_WRITE_H
#define CLI_PACK_PACK_WRITE_H

#include "cli/pack/pack_file.h"

/* Writes to a new file beside the pack's name: a pack is complete or absent, and two exports do not
 * mix. */
int pack_write_begin(struct pack *k);
int pack_write_entry(struct pack *k, const struct entry *e);
/* Also after a failure: removes the new file then. */
int pack_write_end(struct pack *k);

#endif
