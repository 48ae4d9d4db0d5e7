/* judge/proof_notes.h - what a proof frees in a candidate: an input of kind INPUT_PROOF.
 *
 * A candidate has a note for each proof that the run's result may rest on. A look-up compares the
 * note with the start: where nothing differs, no proof is needed. THREAD. */
#pragma once

#include "judge/start.h"

/* Adds the notes to a candidate whose names are bound. -1: no memory. */
int proof_notes(struct start *s, struct candidate *c);
/* 1, and notes a proof that this start needs. 0 and a detail: a proof of a later version. */
int proof_note_holds(struct start *s, const struct input *in);
