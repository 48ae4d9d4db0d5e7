/* cli/pack.c - `reprise export` and `reprise import`: what a job used, in one file, for an image or a site without network.
 *
 * pack, little-endian:
 *   offset 0   8  magic    "RPPACK1\n"
 *          8      records: u32 1, u32 class (STORE_CLASSES), u64 length, key 32, then `length` bytes: a blob (remote/blob.h)
 *                 with its head, signed where REPRISE_SIGN_KEY is set
 *     last        u32 2, u32 0, u64 records before it, 32 zeros
 * A result or parcel comes before the manifest or set that names it. A file that ends before its last record was cut:
 * what it holds is good, and import says so.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "remote/blob.h"
#include "remote/config.h"
#include "shim/le.h"
#include "store/gc.h"
#include "units/member.h"
#include "units/parcel.h"

static const char magic[8] = "RPPACK1\n";
enum { RECORD_ENTRY = 1, RECORD_END = 2, RECORD = 48 };
/* An entry and what it takes to carry it. */
#define BLOB_MAX (ENTRY_PAYLOAD_MAX + (1u << 20))

struct pack {
	struct cli *c;
	const char *who, *path;
	struct store store;
	struct trust trust;
	FILE *file;
	struct arena work; /* of one entry */
	int manifests;     /* the second walk: of what names others */
	int64_t since;     /* s since 1970, 0: all */
	unsigned classes, units; /* bits of enum store_class, of enum unit_class */
	unsigned long long entries, bytes, refused;
	int failed;
};

static int write_record(struct pack *k, unsigned tag, unsigned class, uint64_t n, const struct digest *key)
{
	unsigned char head[RECORD] = {0};

	le_put(head, tag, 4);
	le_put(head + 4, class, 4);
	le_put(head + 8, n, 8);
	if (key)
		memcpy(head + 16, key->b, DIGEST_SIZE);
	return fwrite(head, sizeof head, 1, k->file) == 1 ? 0 : -1;
}

/* The framework's class of a parcel, or of the parcel that a member names; 0: cannot be told. */
static unsigned unit_class_of(struct pack *k, const struct entry *e)
{
	struct entry unit = *e;
	struct fault ignored;
	struct member m;
	struct parcel p;

	if (e->class == STORE_SET &&
	    (member_decode(&m, e->payload, e->len, &k->work) < 0 ||
	     store_get(&k->store, STORE_UNIT, &m.parcel, 0, &unit, &k->work, &ignored) != ENTRY_OK))
		return 0;
	return parcel_decode(&p, unit.payload, unit.len, &k->work) == 0 ? p.class : 0;
}

static int wanted(struct pack *k, const struct entry *e)
{
	switch (e->class) {
	case STORE_MANIFEST:
	case STORE_RESULT:
		return k->classes >> e->class & 1;
	case STORE_UNIT:
	case STORE_SET:
		return k->units >> unit_class_of(k, e) & 1;
	default:
		return 0;
	}
}

static int write_entry(struct pack *k, const struct entry *e)
{
	unsigned char head[BLOB_HEAD];
	const unsigned char *stored;
	struct fault fault;
	size_t n;

	if (blob_make(head, &stored, &n, e->class, &e->key, e->payload, e->len, &k->trust, &k->work, &fault) < 0) {
		cli_progress_end();
		fprintf(stderr, "%s: left out: %s\n", k->who, fault.text);
		k->refused++;
		return 0;
	}
	if (write_record(k, RECORD_ENTRY, e->class, BLOB_HEAD + n, &e->key) < 0 ||
	    fwrite(head, BLOB_HEAD, 1, k->file) != 1 || fwrite(stored, n, 1, k->file) != 1)
		return -1;
	k->entries++;
	k->bytes += n;
	return 0;
}

static int export_one(void *ctx, enum store_class class, const char *path)
{
	struct pack *k = ctx;
	struct fault ignored;
	struct entry e;
	struct stat st;
	int rc = 0;

	if ((class == STORE_MANIFEST || class == STORE_SET) != k->manifests || class == STORE_TRAIL)
		return 0;
	/* Use is noted to the hour (STORE_TOUCH_S). */
	if (k->since && (stat(path, &st) < 0 || st.st_mtime < k->since - STORE_TOUCH_S))
		return 0;
	if (entry_read(&e, path, class, NULL, &k->work, &ignored) == ENTRY_OK && wanted(k, &e))
		rc = write_entry(k, &e);
	arena_free(&k->work);
	cli_progress("%llu entries, %llu MiB", k->entries, k->bytes >> 20);
	k->failed |= rc < 0;
	return rc;
}

static int finish(struct pack *k)
{
	if (!k->failed && write_record(k, RECORD_END, 0, k->entries, NULL) == 0 && fflush(k->file) == 0 &&
	    fsync(fileno(k->file)) == 0)
		return 0;
	return -1;
}

/* Written beside its name and renamed: a pack is whole or not there. */
static int export_all(struct pack *k)
{
	char *part = arena_cat(&k->c->arena, k->path, ".part", NULL);

	k->file = part ? fopen(part, "we") : NULL;
	if (!k->file) {
		fprintf(stderr, "%s: %s: %s\n", k->who, part ? part : k->path, strerror(errno));
		return CLI_STORE;
	}
	k->failed = fwrite(magic, sizeof magic, 1, k->file) != 1;
	for (k->manifests = 0; !k->failed && k->manifests < 2; k->manifests++)
		k->failed |= gc_each(&k->store, export_one, k) < 0;
	cli_progress_end();
	int rc = finish(k);
	int error = errno;
	if (fclose(k->file) != 0 && rc == 0) {
		error = errno;
		rc = -1;
	}
	if (rc == 0 && rename(part, k->path) < 0) {
		error = errno;
		rc = -1;
	}
	if (rc < 0) {
		unlink(part);
		fprintf(stderr, "%s: %s: %s\n", k->who, k->path, strerror(error));
		return CLI_STORE;
	}
	char size[CLI_SIZE_TEXT];
	printf("%llu entries (%s) in %s\n", k->entries, cli_size(size, k->bytes), k->path);
	return k->refused ? CLI_FINDING : CLI_OK;
}

static int keep(struct pack *k, const struct entry *e, struct fault *fault)
{
	if (e->class == STORE_MANIFEST || e->class == STORE_SET)
		return store_add_candidate(&k->store, e->class, &e->key, e->payload, e->len, fault);
	return store_put_entry(&k->store, 0, e, fault);
}

/* 0; -1: the file ends here, or the store takes no more. */
static int import_one(struct pack *k, enum store_class class, const struct digest *key, uint64_t n)
{
	unsigned char *value = n >= BLOB_HEAD && n <= BLOB_MAX ? arena_alloc(&k->work, n) : NULL;
	struct fault fault = {0, ""};
	struct blob_head h;
	struct entry e;

	if (!value || fread(value, n, 1, k->file) != 1)
		return -1;
	enum blob_status st = class == STORE_TRAIL ? BLOB_DAMAGED
	                      : blob_head_read(&h, value, n, class, key, BLOB_MAX, &k->trust);
	if (st == BLOB_OK)
		st = h.stored == n - BLOB_HEAD ? blob_open(&e, &h, value, value + BLOB_HEAD, class, key, &k->work)
		                               : BLOB_DAMAGED;
	if (st != BLOB_OK) {
		char hex[DIGEST_HEX + 1];

		digest_hex(key, hex);
		cli_progress_end();
		fprintf(stderr, "%s: refused %s: %s\n", k->who, hex, blob_status_text(st));
		k->refused++;
		return 0;
	}
	if (keep(k, &e, &fault) < 0) {
		fprintf(stderr, "%s: %s\n", k->who, fault.text);
		k->failed = 1;
		return -1;
	}
	k->entries++;
	k->bytes += e.len;
	return 0;
}

static int import_all(struct pack *k)
{
	unsigned char head[RECORD];
	char first[sizeof magic], size[CLI_SIZE_TEXT];
	unsigned long long records = 0;
	int whole = 0;

	k->file = strcmp(k->path, "-") == 0 ? stdin : fopen(k->path, "re");
	if (!k->file) {
		fprintf(stderr, "%s: %s: %s\n", k->who, k->path, strerror(errno));
		return CLI_STORE;
	}
	if (fread(first, sizeof first, 1, k->file) != 1 || memcmp(first, magic, sizeof magic) != 0) {
		fprintf(stderr, "%s: %s is no pack of this version\n", k->who, k->path);
		return CLI_STORE;
	}
	while (!whole && fread(head, sizeof head, 1, k->file) == 1) {
		uint64_t tag = le_get(head, 4), n = le_get(head + 8, 8);
		struct digest key;

		memcpy(key.b, head + 16, DIGEST_SIZE);
		if (tag == RECORD_END) {
			whole = n == records;
			break;
		}
		if (tag != RECORD_ENTRY || import_one(k, (enum store_class)le_get(head + 4, 4), &key, n) < 0)
			break;
		records++;
		arena_free(&k->work);
		cli_progress("%llu entries, %llu MiB", k->entries, k->bytes >> 20);
	}
	arena_free(&k->work);
	cli_progress_end();
	printf("%llu entries (%s) from %s", k->entries, cli_size(size, k->bytes), k->path);
	if (k->refused)
		printf(", %llu refused", k->refused);
	putchar('\n');
	if (!whole && !k->failed)
		fprintf(stderr, "%s: %s ends before its last record: it was cut, or damaged\n", k->who, k->path);
	return k->failed ? CLI_STORE : whole && !k->refused ? CLI_OK : CLI_FINDING;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct pack *k = state->input;
	const char *wrong;
	uint64_t ms;

	switch (key) {
	case 's':
		wrong = *arg ? setting_parse(SETTING_TIME, arg, &ms) : "a time";
		if (wrong)
			argp_error(state, "--since takes %s", wrong);
		k->since = time(NULL) - (int64_t)(ms / 1000);
		return 0;
	case 'c':
		if (remote_classes_parse(arg, &k->classes, &k->units) < 0)
			argp_error(state, "no such class in \"%s\"", arg);
		return 0;
	case ARGP_KEY_ARG:
		if (k->path)
			argp_error(state, "too many arguments");
		k->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!k->path)
			argp_error(state, "name the pack's file");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int begin(struct cli *c, struct pack *k, const char *who)
{
	struct fault fault;
	int status = cli_open_store(c, &k->store, who);

	k->c = c;
	k->who = who;
	if (status == CLI_OK && trust_load(&k->trust, &c->settings, &c->arena, &fault) < 0) {
		fprintf(stderr, "%s: %s\n", who, fault.text);
		status = CLI_STORE;
	}
	return status;
}

int cli_export(struct cli *c, int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"since", 's', "TIME", 0, "Only what was made or used in the last TIME: seconds, or with ms s m h d; use is "
		 "noted to the hour", 0},
		{"class", 'c', "LIST", 0, "Only these: compile, or a framework's class (REPRISE_CLASSES)", 0},
		{0},
	};
	struct argp argp = {options, parse, "PACK",
	                    "Writes what the local store holds into one file, for an image or a cluster without network; "
	                    "signed where REPRISE_SIGN_KEY is set.", NULL, NULL, NULL};
	struct pack k = {.classes = ~0u, .units = ~0u, .work = ARENA_INIT};

	argp_parse(&argp, argc, argv, 0, NULL, &k);
	int status = begin(c, &k, argv[0]);
	if (status == CLI_OK)
		status = export_all(&k);
	trust_wipe(&k.trust);
	return status;
}

int cli_import(struct cli *c, int argc, char **argv)
{
	struct argp argp = {NULL, parse, "PACK",
	                    "Puts what a pack holds into the local store; - reads it from standard input. Every entry is checked; "
	                    "with REPRISE_TRUST set only those that carry a trusted signature are taken.\v"
	                    "Exit status: 0 all is in the store; 1 something was refused, or the pack was cut.",
	                    NULL, NULL, NULL};
	struct pack k = {.work = ARENA_INIT};

	argp_parse(&argp, argc, argv, 0, NULL, &k);
	int status = begin(c, &k, argv[0]);
	if (status == CLI_OK)
		status = import_all(&k);
	trust_wipe(&k.trust);
	return status;
}
