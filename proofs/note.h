/* proofs/note.h - what a proof frees in a candidate: an input of kind INPUT_PROOF.
 *
 * A candidate has a note for each proof that the run's result may rest on. A look-up compares the
 * note with the start: where nothing differs, no proof is needed. THREAD. */
#ifndef PROOFS_NOTE_H
#define PROOFS_NOTE_H

#include "judge/start.h"

/* The proof frees name i of the candidate that is recorded. */
void proof_frees(struct start *s, enum proof proof, size_t i);
/* Every hit of the candidate that is recorded rests on the proof. */
void proof_always(struct start *s, enum proof proof);
/* Name i of the judged candidate is not the start's. */
void proof_differs(struct start *s, size_t i);
/* The judged candidate holds by this proof. */
void proof_rests(struct start *s, enum proof proof);

/* Adds the notes to a candidate whose names are bound. -1: no memory. */
int proof_notes(struct start *s, struct candidate *c);
/* 1, and notes a proof that this start needs. 0 and a detail: a proof of a later version. */
int proof_note_holds(struct start *s, const struct input *in);

#endif
