/* cli/pack/import.c - `reprise import`: adds the entries of a pack (cli/pack/pack_file.h) to the
 * store. */

#include "cli/pack/pack_file.h"
#include "units/gather/gather.h"

/* True if one of the key's slots holds a candidate of the same content. */
static int has_candidate(struct pack *k, const struct entry *e)
{
	struct fault ignored;

	for (int slot = 0; slot < STORE_SLOTS; slot++) {
		struct entry there;
		enum entry_status st = store_get(&k->store, e->class, &e->key, slot, &there,
		                                 &k->work, &ignored);

		if (st == ENTRY_ABSENT)
			break;
		if (st == ENTRY_OK && there.len == e->len &&
		    memcmp(there.payload, e->payload, e->len) == 0)
			return 1;
	}
	return 0;
}

/* Keeps the entry that the store has. A parcel of max-autotune choices gets the pack's choices that
 * it lacks. */
static int keep_beside(struct pack *k, const struct entry *there, const struct entry *e,
                       struct fault *fault)
{
	struct buf joined = {.arena = &k->work};
	struct parcel p;

	if (e->class == STORE_UNIT &&
	    parcel_decode(&p, there->payload, there->len, &k->work) == 0 &&
	    unit_rows[p.class].form == UNIT_MERGED &&
	    gather_merge(&joined, e->payload, e->len, there->payload, there->len, fault) == 0 &&
	    (joined.len != there->len || memcmp(joined.data, there->payload, joined.len) != 0))
		return store_put(&k->store, e->class, &e->key, 0, joined.data, joined.len, fault);
	k->known++;
	return 0;
}

static int keep(struct pack *k, const struct entry *e, struct fault *fault)
{
	struct fault ignored;
	struct entry there;

	if (e->class == STORE_MANIFEST || e->class == STORE_SET) {
		if (!has_candidate(k, e))
			return store_add_candidate(&k->store, e->class, &e->key, e->payload, e->len,
			                           fault);
		k->known++;
		return 0;
	}
	if (store_get(&k->store, e->class, &e->key, 0, &there, &k->work, &ignored) == ENTRY_OK)
		return keep_beside(k, &there, e, fault);
	return store_put_entry(&k->store, 0, e, fault);
}

static int carried(unsigned class)
{
	return class == STORE_MANIFEST || class == STORE_RESULT || class == STORE_UNIT ||
	       class == STORE_SET;
}

/* Imports one record. 0; -1: the file ends here, or the store accepts no more. */
static int import_one(struct pack *k, unsigned number, const struct digest *key, uint64_t n)
{
	unsigned char *value = n >= BLOB_HEAD && n <= PACK_BLOB_MAX ? arena_alloc(&k->work, n)
	                                                            : NULL;
	enum store_class class = (enum store_class)number;
	enum blob_status st = BLOB_DAMAGED;
	struct fault fault = {0, ""};
	struct blob_head h;
	struct entry e;

	if (!value || fread(value, n, 1, k->file) != 1)
		return -1;
	if (carried(number))
		st = blob_head_read(&h, value, n, class, key, PACK_BLOB_MAX, &k->trust);
	if (st == BLOB_OK)
		st = h.stored == n - BLOB_HEAD
		     ? blob_open(&e, &h, value, value + BLOB_HEAD, class, key, &k->work)
		     : BLOB_DAMAGED;
	if (st != BLOB_OK) {
		pack_refuse(k, "refused", key, blob_status_text(st));
		return 0;
	}
	if (keep(k, &e, &fault) < 0) {
		cli_progress_end();
		fprintf(stderr, "%s: %s\n", k->who, fault.text);
		k->failed = 1;
		return -1;
	}
	k->entries++;
	k->bytes += h.stored; /* as export counts it */
	return 0;
}

/* Imports records up to the pack's last one. True if the last record is there, its count is right
 * and the rest of it is zeros. */
static int import_records(struct pack *k)
{
	static const unsigned char zeros[DIGEST_SIZE];
	unsigned char head[PACK_RECORD];
	unsigned long long records = 0;

	while (fread(head, sizeof head, 1, k->file) == 1) {
		uint64_t tag = le_get(head, 4), n = le_get(head + 8, 8);
		struct digest key;

		memcpy(key.b, head + 16, DIGEST_SIZE);
		if (tag == PACK_END)
			return n == records && le_get(head + 4, 4) == 0 &&
			       memcmp(key.b, zeros, DIGEST_SIZE) == 0;
		if (tag != PACK_ENTRY || import_one(k, (unsigned)le_get(head + 4, 4), &key, n) < 0)
			break;
		records++;
		arena_free(&k->work);
		cli_progress("%llu entries, %llu MiB", k->entries, k->bytes >> 20);
	}
	return 0;
}

/* Imports a file: one pack, or several that were joined. */
static int import_all(struct pack *k)
{
	char first[sizeof pack_magic];
	int whole = 0;
	size_t n;

	k->file = strcmp(k->path, "-") == 0 ? stdin : fopen(k->path, "re");
	if (!k->file) {
		fprintf(stderr, "%s: %s: %s\n", k->who, k->path, strerror(errno));
		return CLI_STORE;
	}
	if (fread(first, sizeof first, 1, k->file) != 1 ||
	    memcmp(first, pack_magic, sizeof pack_magic) != 0) {
		fprintf(stderr, "%s: %s is not a pack of this version\n", k->who, k->path);
		return CLI_STORE;
	}
	do {
		whole = import_records(k);
		n = whole ? fread(first, 1, sizeof first, k->file) : 0;
	} while (n == sizeof first && memcmp(first, pack_magic, sizeof pack_magic) == 0);
	arena_free(&k->work);
	cli_progress_end();
	pack_sum_up(k, stdout, "from");
	if (ferror(k->file) || (!whole && !k->failed))
		fprintf(stderr, "%s: %s %s\n", k->who, k->path,
		        ferror(k->file)
		                ? "cannot be read to its end"
		                : "ends before its last record: it is truncated or damaged");
	else if (n)
		fprintf(stderr,
		        "%s: %s continues after its last record with data that is not a pack of "
		        "this version\n", k->who, k->path);
	if (k->failed)
		return CLI_STORE;
	return whole && !n && !ferror(k->file) && !k->refused ? CLI_OK : CLI_FINDING;
}

int cli_import(struct cli *c, int argc, char **argv)
{
	struct pack k = {.work = ARENA_INIT};
	const struct cli_option options[] = {CLI_JSON(&k.json), {0}};
	const struct cli_syntax syntax = {
		.options = options, .operands = "PACK", .operand = &k.path,
		.missing = "the name of the pack",
		.text = "Adds the entries of a pack, or of several packs joined with cat, to the "
			"local store; - means standard input. Every entry is checked; if "
			"REPRISE_TRUST is set, only entries with a trusted signature are accepted. "
			"Entries that the store already has are kept.\vExit status: 0 all entries "
			"are in the store; 1 an entry was refused, or the pack is truncated or "
			"followed by other data; 3 the file is not a pack, or the store accepts no "
			"more."};

	cli_parse(argc, argv, &syntax);
	int status = pack_begin(&k, c, argv[0]);
	if (status == CLI_OK)
		status = import_all(&k);
	trust_wipe(&k.trust);
	return status;
}
