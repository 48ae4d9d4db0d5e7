/* cli/pack.h - a pack: what a job used, in one file, for an image or a site without network.
 *
 * pack, little-endian:
 *   offset 0   8  magic    "RPPACK1\n"
 *          8      records: u32 1, u32 class (STORE_CLASSES), u64 length, key 32, then `length` bytes: a blob (remote/blob.h)
 *                 with its head, signed where REPRISE_SIGN_KEY is set
 *     last        u32 2, u32 0, u64 records before it, 32 zeros
 * A result or parcel comes before the manifest or set that names it. A file that ends before its last record was cut:
 * what it holds is good, and import says so. Packs that follow one another in a file are all taken.
 *
 * `reprise export` (cli/export.c) writes one, `reprise import` (cli/import.c) reads it. TOOL. */
#ifndef CLI_PACK_H
#define CLI_PACK_H

#include <argp.h>

#include "cli/cli.h"
#include "remote/blob.h"

extern const char pack_magic[8];
enum { PACK_ENTRY = 1, PACK_END = 2, PACK_RECORD = 48 };
/* An entry and what it takes to carry it. */
#define PACK_BLOB_MAX (ENTRY_PAYLOAD_MAX + (1u << 20))

struct pack {
	struct cli *c;
	const char *who, *path;
	struct store store;
	struct trust trust;
	FILE *file;
	struct arena work; /* of one entry */
	unsigned long long entries, bytes, refused, known;
	int failed, error; /* errno of the first call that failed */
	/* Of an export. */
	const char *job;         /* what is listed as used by it (store/job_list.h); NULL: all */
	int64_t since;           /* s since 1970, 0: all */
	unsigned classes, units; /* bits of enum store_class, of enum unit_class */
	int manifests;           /* the second walk: of what names others */
	unsigned long long gone; /* listed, and in the store no more */
	size_t waiting;          /* units that jobs completed on this node, not packed and not listed yet */
};

/* Opens the store (without its seeds, except for a job, whose hits came from there as well) and what signs and is
 * trusted. CLI_OK, or the exit status after a message; trust_wipe in either case. */
int pack_begin(struct pack *k, struct cli *c, const char *who);
/* Notes that a call failed, and errno of the first. -1. */
int pack_failed(struct pack *k);
/* Counts what was left out or refused; the first PACK_TOLD_MAX are told: thousands more say nothing new. */
#define PACK_TOLD_MAX 10
void pack_refuse(struct pack *k, const char *what, const struct digest *key, const char *why);
/* "5 entries (...) in FILE" */
void pack_sum_up(struct pack *k, FILE *to, const char *word);
/* arguments: the pack's name, once. For parsers of both commands; argp's answer. */
error_t pack_parse(struct pack *k, int key, char *arg, struct argp_state *state);

#endif
