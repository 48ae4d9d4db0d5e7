/* judge/proof_verbs.h - the functions that proofs/proofs.def calls. A file that expands a verb
 * includes this header, and names no proof. */
#ifndef JUDGE_PROOF_VERBS_H
#define JUDGE_PROOF_VERBS_H

#include "judge/input/inherited.h"
#include "judge/name/bind_files.h"
#include "judge/name/key_files.h"
#include "judge/name/names_proof.h"
#include "judge/object/directory.h"
#include "judge/object/object_link.h"
#include "judge/object/object_names.h"
#include "judge/object/order.h"
#include "judge/output/outputs.h"
#include "judge/text/comment_free.h"
#include "judge/text/defines.h"
#include "judge/text/expanded.h"
#include "judge/text/source_names.h"

#endif
