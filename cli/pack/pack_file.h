/* cli/pack/pack_file.h - pack: entries that a job used, or all entries, in one file, for an image
 * or a site without network.
 *
 * pack, little-endian:
 *   offset 0   8  magic    "RPPACK1\n"
 *          8      records: u32 1, u32 class (STORE_CLASSES), u64 length, key 32, then
 *                 `length` bytes: a blob (store/entry/blob.h) with its head, signed if
 *                 REPRISE_SIGN_KEY is set
 *     last        u32 2, u32 0, u64 records before it, 32 zeros
 * A result or parcel comes before the manifest or set that names it. A file that ends before its
 * last record is truncated: the records before are good, and import reports it. A file may hold
 * several packs, one after the other.
 *
 * `reprise export` (cli/pack/export.c) chooses the entries, and `reprise import`
 * (cli/pack/import.c) reads them. TOOL. */
#pragma once

#include "cli/cli.h"
#include "shim/buf.h"
#include "store/entry/blob.h"

extern const char pack_magic[8];
enum { PACK_ENTRY = 1, PACK_END = 2, PACK_RECORD = 48 };
/* An entry and what a blob adds to it. */
#define PACK_BLOB_MAX (ENTRY_PAYLOAD_MAX + (1u << 20))

#define PACK_DIGEST (sizeof "sha256:" + DIGEST_HEX)

struct pack {
	struct cli *c;
	const char *who, *path;
	struct store store;
	struct trust trust;
	FILE *file;
	char *part;        /* name of the file until it is complete */
	struct arena work; /* memory of one entry */
	/* bytes: those of the entries in the pack, as they are packed there */
	unsigned long long entries, bytes, refused, known;
	int json;
	int failed, error; /* errno of the first call that failed */
	/* Of an export. */
	/* takes an entry; 0 or -1: the export fails */
	int (*write)(struct pack *k, const struct entry *e);
	const char *image;       /* directory of an image (cli/pack/oci.h); NULL: a pack is made */
	struct buf rows;         /* of an image: struct job_list_record of each entry */
	char digest[PACK_DIGEST]; /* of the image's manifest: "sha256:<hex>" */
	/* only entries in the list of this job (store/job/job_list.h); NULL: all */
	const char *job;
	int64_t since;           /* s since 1970, 0: all */
	unsigned classes, units; /* bits of enum store_class, of enum unit_class */
	int manifests;           /* the second pass: manifests and sets, which name other entries */
	unsigned long long gone; /* listed, but no longer in the store */
	/* units that jobs completed on this node and that are not packed yet, so not listed
	 * either */
	size_t waiting;
};

/* Opens the store and loads the keys that sign and are trusted. The store's seeds are left out,
 * except for a job, whose hits may come from them. CLI_OK, or the exit status after a message;
 * trust_wipe in either case. */
int pack_begin(struct pack *k, struct cli *c, const char *who);
/* Records that a call failed, and errno of the first such call. Returns -1. */
int pack_failed(struct pack *k);
/* Counts an entry that was left out or refused. Only the first PACK_TOLD_MAX are printed: thousands
 * more would say nothing new. */
#define PACK_TOLD_MAX 10
void pack_refuse(struct pack *k, const char *what, const struct digest *key, const char *why);
/* Reads the entry of a record: the candidate that names the result, or the entry of the key. 0, or
 * -1: it is not in the store. */
struct job_list_record;
int pack_find(struct pack *k, const struct job_list_record *r, struct entry *e);
/* Prints "5 entries (...) in FILE", or --json. */
void pack_sum_up(struct pack *k, FILE *to, const char *word);

/* Writes a pack. Each returns 0, or -1 after pack_failed. */

/* Writes to a new file beside the pack's name: a pack is complete or absent, and two exports do not
 * mix. */
int pack_write_begin(struct pack *k);
int pack_write_entry(struct pack *k, const struct entry *e);
/* Also after a failure: removes the new file then. */
int pack_write_end(struct pack *k);

/* Files and directories of an export that is not finished.
 *
 *     part_begin();                        // SIGINT, SIGTERM and SIGHUP remove them from now on
 *     part_hold(); fd = open(...); part_add(path); part_release();
 *     part_drop();                         // the export failed
 *     part_keep();                         // it is complete
 *
 * Only one export runs in a process. TOOL. */

/* Signals that are ignored stay ignored. */
void part_begin(void);
/* Between the two no signal arrives: it would leave a file behind that is not listed yet. */
void part_hold(void);
void part_release(void);
/* path stays the caller's, and must stay. */
#define PARTS_MOST 16
void part_add(const char *path);
/* Removes them, the last one first. errno is kept. */
void part_drop(void);
void part_keep(void);
