/* remote/trust.h - who may publish: Ed25519 keys of writers and readers (libsodium).
 *
 * REPRISE_SIGN_KEY names a secret key file (0600, ours, made by `reprise keygen`); REPRISE_TRUST is a colon
 * list of public keys, each 43 characters of base64url, or the absolute path of a file that holds some, one a
 * line, '#' comments (root's or ours, and writable by nobody else). Who signs trusts its own key as well:
 * otherwise what others put into the remote would find its way into what it signs.
 *
 * With either set all digests are BLAKE2b-256 (shim/digest.h: digest_use), so that entries made with and
 * without do not meet. sodium_init is never called: it asks the processor what it can (which traps on some
 * virtual machines) and the kernel for randomness, for an eighth of BLAKE2b's speed.
 * Who stays for longer than a command asks trust_changed before it believes or signs: a key that was found stolen is withdrawn by
 * a change of the file that holds it. Text forms: above trust.c. No text made here holds a key. THREAD. */
#ifndef REMOTE_TRUST_H
#define REMOTE_TRUST_H

#include "shim/arena.h"
#include "shim/digest.h"
#include "shim/fault.h"
#include "shim/settings.h"

#define TRUST_KEYS_MAX 32 /* a rotation needs two; the rest is for sites with a key per team */
#define TRUST_PUBLIC 32
#define TRUST_SECRET 64
#define TRUST_SIGNATURE 64

struct trust {
	const struct settings *set; /* that were loaded; NULL: none */
	struct digest files;      /* which files the keys were read from, as they were then */
	int signing;              /* secret is filled */
	unsigned char secret[TRUST_SECRET];
	unsigned count;           /* > 0: entries need a signature by one of these; our own is the first */
	unsigned char key[TRUST_KEYS_MAX][TRUST_PUBLIC];
};

/* True when the settings ask for signing or trust: strong digests, without reading any key. */
int trust_configured(const struct settings *set);
/* Settings are kept by reference. 0, also with nothing configured. -1 with *fault (unreadable, others may read the secret, malformed): the remote
 * must stay off, never unsigned instead. */
int trust_load(struct trust *t, const struct settings *set, struct arena *a, struct fault *fault);
/* True when a file of keys is another one now than was loaded, was written, or is gone. A system call for each file. */
int trust_changed(const struct trust *t);
/* The public key is written first: it may be part of the message. */
void trust_sign(const struct trust *t, const void *message, size_t n,
                unsigned char signature[TRUST_SIGNATURE], unsigned char public_key[TRUST_PUBLIC]);
/* 1: by a trusted key, and right. 0: the key is not trusted. -1: the signature is wrong. */
int trust_check(const struct trust *t, const void *message, size_t n,
                const unsigned char signature[TRUST_SIGNATURE],
                const unsigned char public_key[TRUST_PUBLIC]);
/* Makes a pair: secret to a new file (0600, never over an existing one), public key as text (with NUL) to
 * out. 0 or -1 with *fault. */
#define TRUST_TEXT 64
int trust_keygen(const char *secret_path, char out[TRUST_TEXT], struct fault *fault);
/* Secrets leave memory. */
void trust_wipe(struct trust *t);

#endif
