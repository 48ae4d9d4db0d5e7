/* cli/pack/oci.h - image of one layer that holds a seed store, as an OCI image layout (version
 * 1.0.0 of the Open Container Initiative's image specification):
 *
 *   oci-layout, index.json
 *   blobs/sha256/<hex>   the image's manifest, its configuration, the layer (cli/pack/layer.h)
 *
 * The manifest's annotations, and the labels of the configuration, say for whom the image is:
 * dev.reprise.version, .entries (their version), .job (--job), and of the exporting machine .cpu
 * (model), .cpu.features, .cpu.key and .gpu (as in the scopes of units, units/scope/scope.h). Equal
 * entries, exported on equal machines, make equal bytes. index.json comes last. TOOL. */
#pragma once

#include "cli/pack/pack_file.h"

/* Makes the directory k->image, or takes an empty one. 0, or -1 after pack_failed. */
int oci_begin(struct pack *k);
/* Writes the image of k->rows, and k->digest. Also after a failure: removes what is there. 0, or -1
 * after pack_failed. */
int oci_end(struct pack *k);
