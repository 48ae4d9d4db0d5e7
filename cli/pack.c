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
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "remote/blob.h"
#include "remote/config.h"
#include "shim/le.h"
#include "store/gc.h"
#include "units/gather.h"
#include "units/member.h"
#include "units/parcel.h"

static const char magic[8] = "RPPACK1\n";
enum { RECORD_ENTRY = 1, RECORD_END = 2, RECORD = 48 };
/* An entry and what it takes to carry it. */
#define BLOB_MAX (ENTRY_PAYLOAD_MAX + (1u << 20))
/* Of what was refused, line by line; thousands more say nothing new. */
#define TOLD_MAX 10

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
	unsigned long long entries, bytes, refused, known;
	int failed, error; /* errno of the first call that failed */
};

/* What an export has not finished. Removed by signals, too. */
static char *volatile part;

static void drop_part(int sig)
{
	if (part)
		unlink(part);
	signal(sig, SIG_DFL);
	raise(sig);
}

static int failed(struct pack *k)
{
	if (!k->failed)
		k->error = errno;
	k->failed = 1;
	return -1;
}

static void refuse(struct pack *k, const char *what, const struct digest *key, const char *why)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(key, hex);
	if (k->refused++ < TOLD_MAX) {
		cli_progress_end();
		fprintf(stderr, "%s: %s %s: %s\n", k->who, what, hex, why);
	}
}

static void sum_up(struct pack *k, FILE *to, const char *word)
{
	char size[CLI_SIZE_TEXT];

	fprintf(to, "%llu entries (%s) %s %s", k->entries, cli_size(size, k->bytes), word,
	        strcmp(k->path, "-") == 0 ? "the stream" : k->path);
	if (k->known)
		fprintf(to, ", %llu were there", k->known);
	if (k->refused)
		fprintf(to, ", %llu refused", k->refused);
	putc('\n', to);
}

static int write_record(struct pack *k, unsigned tag, unsigned class, uint64_t n, const struct digest *key)
{
	unsigned char head[RECORD] = {0};

	le_put(head, tag, 4);
	le_put(head + 4, class, 4);
	le_put(head + 8, n, 8);
	if (key)
		memcpy(head + 16, key->b, DIGEST_SIZE);
	return fwrite(head, sizeof head, 1, k->file) == 1 ? 0 : failed(k);
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
		refuse(k, "left out", &e->key, fault.text);
		return 0;
	}
	if (write_record(k, RECORD_ENTRY, e->class, BLOB_HEAD + n, &e->key) < 0)
		return -1;
	if (fwrite(head, BLOB_HEAD, 1, k->file) != 1 || fwrite(stored, n, 1, k->file) != 1)
		return failed(k);
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
	switch (entry_read(&e, path, class, NULL, &k->work, &ignored)) {
	case ENTRY_OK:
		rc = wanted(k, &e) ? write_entry(k, &e) : 0;
		break;
	case ENTRY_BAD:
		if (k->refused++ < TOLD_MAX) {
			cli_progress_end();
			fprintf(stderr, "%s: left out %s: damaged\n", k->who, path);
		}
		break;
	default:
		break;
	}
	arena_free(&k->work);
	cli_progress("%llu entries, %llu MiB", k->entries, k->bytes >> 20);
	return rc;
}

/* A new file beside the pack's name, so that a pack is whole or not there, and two at once do not mix. */
static int open_part(struct pack *k)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	mode_t mask = umask(0);
	struct stat st;
	int fd;

	umask(mask);
	if (stat(k->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
		return -1;
	}
	part = arena_cat(&k->c->arena, k->path, ".XXXXXX", NULL);
	if (!part || (fd = mkostemp(part, O_CLOEXEC)) < 0) {
		part = NULL;
		return -1;
	}
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (signal(ends[i], drop_part) == SIG_IGN)
			signal(ends[i], SIG_IGN);
	k->file = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
	return k->file ? 0 : -1;
}

static int close_part(struct pack *k)
{
	if ((fflush(k->file) != 0 || fsync(fileno(k->file)) < 0) && !k->failed)
		failed(k);
	if (fclose(k->file) != 0 && !k->failed)
		failed(k);
	if (k->failed || rename(part, k->path) < 0)
		return failed(k);
	part = NULL;
	return 0;
}

static int export_all(struct pack *k)
{
	int stream = strcmp(k->path, "-") == 0;

	if (stream && isatty(STDOUT_FILENO)) {
		fprintf(stderr, "%s: a pack is nothing for a terminal\n", k->who);
		return CLI_USAGE;
	}
	k->file = stdout;
	if (!stream && open_part(k) < 0)
		failed(k);
	if (!k->failed && fwrite(magic, sizeof magic, 1, k->file) != 1)
		failed(k);
	for (k->manifests = 0; !k->failed && k->manifests < 2; k->manifests++)
		gc_each(&k->store, export_one, k);
	cli_progress_end();
	if (!k->failed)
		write_record(k, RECORD_END, 0, k->entries, NULL);
	if (!stream && k->file && k->file != stdout)
		close_part(k);
	else if (stream && !k->failed && fflush(stdout) != 0)
		failed(k);
	if (k->failed) {
		if (part)
			unlink(part);
		fprintf(stderr, "%s: %s: %s\n", k->who, k->path, strerror(k->error));
		return CLI_STORE;
	}
	sum_up(k, stream ? stderr : stdout, "in");
	return k->refused ? CLI_FINDING : CLI_OK;
}

/* A candidate of the same content is among the slots. */
static int has_candidate(struct pack *k, const struct entry *e)
{
	struct fault ignored;

	for (int slot = 0; slot < STORE_SLOTS; slot++) {
		struct entry there;
		enum entry_status st = store_get(&k->store, e->class, &e->key, slot, &there, &k->work, &ignored);

		if (st == ENTRY_ABSENT)
			break;
		if (st == ENTRY_OK && there.len == e->len && memcmp(there.payload, e->payload, e->len) == 0)
			return 1;
	}
	return 0;
}

/* What the store has stays; of max-autotune's choices the pack adds those that it lacks. */
static int keep_beside(struct pack *k, const struct entry *there, const struct entry *e, struct fault *fault)
{
	struct buf joined = {.arena = &k->work};
	struct parcel p;

	if (e->class == STORE_UNIT && parcel_decode(&p, there->payload, there->len, &k->work) == 0 &&
	    unit_rows[p.class].form == UNIT_MERGED &&
	    gather_join(&joined, e->payload, e->len, there->payload, there->len, fault) == 0 &&
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
			return store_add_candidate(&k->store, e->class, &e->key, e->payload, e->len, fault);
		k->known++;
		return 0;
	}
	if (store_get(&k->store, e->class, &e->key, 0, &there, &k->work, &ignored) == ENTRY_OK)
		return keep_beside(k, &there, e, fault);
	return store_put_entry(&k->store, 0, e, fault);
}

static int carried(unsigned class)
{
	return class == STORE_MANIFEST || class == STORE_RESULT || class == STORE_UNIT || class == STORE_SET;
}

/* 0; -1: the file ends here, or the store takes no more. */
static int import_one(struct pack *k, unsigned number, const struct digest *key, uint64_t n)
{
	unsigned char *value = n >= BLOB_HEAD && n <= BLOB_MAX ? arena_alloc(&k->work, n) : NULL;
	enum store_class class = (enum store_class)number;
	enum blob_status st = BLOB_DAMAGED;
	struct fault fault = {0, ""};
	struct blob_head h;
	struct entry e;

	if (!value || fread(value, n, 1, k->file) != 1)
		return -1;
	if (carried(number))
		st = blob_head_read(&h, value, n, class, key, BLOB_MAX, &k->trust);
	if (st == BLOB_OK)
		st = h.stored == n - BLOB_HEAD ? blob_open(&e, &h, value, value + BLOB_HEAD, class, key, &k->work)
		                               : BLOB_DAMAGED;
	if (st != BLOB_OK) {
		refuse(k, "refused", key, blob_status_text(st));
		return 0;
	}
	if (keep(k, &e, &fault) < 0) {
		cli_progress_end();
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
	char first[sizeof magic];
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
		if (tag != RECORD_ENTRY || import_one(k, (unsigned)le_get(head + 4, 4), &key, n) < 0)
			break;
		records++;
		arena_free(&k->work);
		cli_progress("%llu entries, %llu MiB", k->entries, k->bytes >> 20);
	}
	arena_free(&k->work);
	cli_progress_end();
	sum_up(k, stdout, "from");
	if (!whole && !k->failed)
		fprintf(stderr, "%s: %s %s\n", k->who, k->path,
		        ferror(k->file) ? "cannot be read to its end" : "ends before its last record: it was cut, or damaged");
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

	/* The store itself, not what it may read besides. */
	k->store.seeds[0] = NULL;
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
	                    "Writes what the local store holds into one file, for an image or a cluster without network; - writes "
	                    "it to standard output. Signed where REPRISE_SIGN_KEY is set, as it has to be for the jobs as well.\v"
	                    "Exit status: 0 it is written; 1 it is, but something was left out; 3 it could not be.",
	                    NULL, NULL, NULL};
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
	                    "with REPRISE_TRUST set only those that carry a trusted signature are taken. What the store has "
	                    "already stays.\v"
	                    "Exit status: 0 all is in the store; 1 something was refused, or the pack was cut; 3 it is no pack, "
	                    "or the store takes no more.",
	                    NULL, NULL, NULL};
	struct pack k = {.work = ARENA_INIT};

	argp_parse(&argp, argc, argv, 0, NULL, &k);
	int status = begin(c, &k, argv[0]);
	if (status == CLI_OK)
		status = import_all(&k);
	trust_wipe(&k.trust);
	return status;
}
