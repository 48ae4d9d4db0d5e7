/* cli/pack/oci_about.h - what an image says about its entries and the exporting machine. TOOL. */
#ifndef CLI_PACK_OCI_ABOUT_H
#define CLI_PACK_OCI_ABOUT_H

#include "cli/pack/pack_file.h"

/* An object of texts, for annotations and labels. */
struct json_object *oci_about(struct pack *k);

#endif
