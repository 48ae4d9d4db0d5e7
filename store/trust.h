/* store/trust.h - signatures: Ed25519 keys of writers and readers (libsodium).
 *
 * REPRISE_SIGN_KEY names a secret key file (0600, ours, made by `reprise keygen`). REPRISE_TRUST is
 * a colon list. Its elements are public keys, each 43 characters of base64url, or absolute paths of
 * files. Such a file contains keys, one a line, with '#' comments. It belongs to root or us, and
 * nobody else can write it. A signer also trusts its own key: otherwise it would sign results that
 * it replayed from others' entries in the remote store.
 *
 * If one of the two is set, all digests are BLAKE2b-256 (shim/digest.h: digest_use). So entries
 * made with signatures never match entries made without. sodium_init is never called. It queries
 * the processor, which traps on some virtual machines, and asks the kernel for randomness. It would
 * only speed up BLAKE2b by an eighth.
 *
 * Long-running processes call trust_changed before they check or sign: a stolen key is withdrawn by
 * a change of the file that contains it. Text forms: above trust.c. No text made here holds a key.
 * THREAD. */
#pragma once

#include "shim/arena.h"
#include "shim/digest.h"
#include "shim/fault.h"
#include "shim/settings/settings.h"

#define TRUST_KEYS_MAX 32 /* a rotation needs two; sites may have a key per team */
#define TRUST_PUBLIC 32
#define TRUST_SECRET 64
#define TRUST_SIGNATURE 64

struct trust {
	const struct settings *set; /* that the keys were loaded from; NULL: none */
	struct digest files;      /* identifies the key files as they were when loaded */
	int signing;              /* secret is filled */
	unsigned char secret[TRUST_SECRET];
	/* > 0: entries need a signature by one of these; our own is the first */
	unsigned count;
	unsigned char key[TRUST_KEYS_MAX][TRUST_PUBLIC];
};

/* True if the settings ask for signing or trust, and so for BLAKE2b; reads no key. */
int trust_configured(const struct settings *set);
/* Keeps the settings by reference. 0, also with nothing configured. -1 with *fault (unreadable,
 * malformed, or a secret that others may read): the remote must stay off, since publishing unsigned
 * entries instead would be wrong. */
int trust_load(struct trust *t, const struct settings *set, struct arena *a, struct fault *fault);
/* True if a key file was replaced, written or removed since it was loaded. One system call for each
 * file. */
int trust_changed(const struct trust *t);
/* Writes the public key first: it may be part of the message. */
void trust_sign(const struct trust *t, const void *message, size_t n,
                unsigned char signature[TRUST_SIGNATURE], unsigned char public_key[TRUST_PUBLIC]);
/* 1: a right signature by a trusted key. 0: the key is not trusted. -1: the signature is wrong. */
int trust_check(const struct trust *t, const void *message, size_t n,
                const unsigned char signature[TRUST_SIGNATURE],
                const unsigned char public_key[TRUST_PUBLIC]);
/* Makes a pair: the secret goes to a new file (0600, never over an existing one), the public key as
 * text (with NUL) to out. 0 or -1 with *fault. */
#define TRUST_TEXT 64
int trust_keygen(const char *secret_path, char out[TRUST_TEXT], struct fault *fault);
/* Wipes secrets from memory. */
void trust_wipe(struct trust *t);
