/* cli/pack/seed.h - seed store in a layer.
 *
 * The layer's root is a store (store/store.h): VERSION, then <class>/<2 hex>/<62 hex>[.slot]. With
 * REPRISE_SIGN_KEY a signature (cli/pack/seal.h) is its last file. The order is that of the keys,
 * so equal entries make equal bytes. TOOL. */
#ifndef CLI_PACK_SEED_H
#define CLI_PACK_SEED_H

#include "cli/pack/layer.h"
#include "cli/pack/pack_file.h"

/* For k->write: notes an entry in k->rows. */
int seed_note(struct pack *k, const struct entry *e);
/* Writes the noted entries. 0, or -1 after pack_failed. */
int seed_write(struct pack *k, struct layer *l);

#endif
