/* judge/proof_verbs.h - the functions that proofs/proofs.def calls. A file that expands a verb
 * includes this header, and names no proof. */
#pragma once

#include "judge/input/input.h"
#include "judge/name/name.h"
#include "judge/object/directory.h"
#include "judge/object/object_names.h"
#include "judge/object/order.h"
#include "judge/output/output.h"
#include "judge/text/text.h"
