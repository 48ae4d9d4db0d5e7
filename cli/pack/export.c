/* cli/pack/export.c - `reprise export`: writes entries of the store, or those that a job used, into
 * a pack (cli/pack/pack_file.h). */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/pack/pack_file.h"
#include "remote/remote.h"
#include "store/eviction.h"
#include "store/job/job_list.h"
#include "units/format/member.h"
#include "units/format/parcel.h"
#include "units/offer.h"

/* Name of an unfinished pack. Signal handlers remove it, too. */
static char *volatile part;

static void drop_part(int sig)
{
	if (part)
		unlink(part);
	signal(sig, SIG_DFL);
	raise(sig);
}

static int write_record(struct pack *k, unsigned tag, unsigned class, uint64_t n,
                        const struct digest *key)
{
	unsigned char head[PACK_RECORD] = {0};

	le_put(head, tag, 4);
	le_put(head + 4, class, 4);
	le_put(head + 8, n, 8);
	if (key)
		memcpy(head + 16, key->b, DIGEST_SIZE);
	return fwrite(head, sizeof head, 1, k->file) == 1 ? 0 : pack_failed(k);
}

/* The framework's class of a parcel, or of the parcel that a member names; 0: unknown. */
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

	if (blob_make(head, &stored, &n, e->class, &e->key, e->payload, e->len, &k->trust, &k->work,
	              &fault) < 0) {
		pack_refuse(k, "left out", &e->key, fault.text);
		return 0;
	}
	if (write_record(k, PACK_ENTRY, e->class, BLOB_HEAD + n, &e->key) < 0)
		return -1;
	if (fwrite(head, BLOB_HEAD, 1, k->file) != 1 || fwrite(stored, n, 1, k->file) != 1)
		return pack_failed(k);
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

	if ((class == STORE_MANIFEST || class == STORE_SET) != k->manifests ||
	    class == STORE_KEY_HISTORY || class == STORE_TEXTS)
		return 0;
	/* Use is recorded to the hour (STORE_TOUCH_S). */
	if (k->since && (stat(path, &st) < 0 || st.st_mtime < k->since - STORE_TOUCH_S))
		return 0;
	switch (entry_read(&e, path, class, NULL, 1, &k->work, &ignored)) {
	case ENTRY_OK:
		rc = wanted(k, &e) ? write_entry(k, &e) : 0;
		break;
	case ENTRY_BAD:
		if (k->refused++ < PACK_TOLD_MAX) {
			cli_progress_end();
			fprintf(stderr, "%s: left out %s: damaged\n", k->who, path);
		}
		break;
	case ENTRY_FAULT:
		if (k->refused++ < PACK_TOLD_MAX) {
			cli_progress_end();
			fprintf(stderr, "%s: left out: %s\n", k->who, ignored.text);
		}
		break;
	case ENTRY_ABSENT: /* removed meanwhile, or of a newer version */
		break;
	}
	arena_free(&k->work);
	cli_progress("%llu entries, %llu MiB", k->entries, k->bytes >> 20);
	return rc;
}

/* Finds the candidate of the record's key that names the record's result. */
static int find_candidate(struct pack *k, const struct job_list_record *r, struct entry *e)
{
	enum entry_status st = ENTRY_OK;
	struct fault ignored;

	for (int slot = 0; slot < STORE_SLOTS && st != ENTRY_ABSENT; slot++) {
		st = store_get(&k->store, r->class, &r->key, slot, e, &k->work, &ignored);
		if (st == ENTRY_OK && e->len >= DIGEST_SIZE &&
		    memcmp(e->payload, r->result.b, DIGEST_SIZE) == 0)
			return 0;
	}
	return -1;
}

static int too_old(const struct pack *k, const struct entry *e)
{
	return k->since && e->mtime && e->mtime < k->since - STORE_TOUCH_S;
}

/* Writes the record's result or parcel, then the candidate that names it. 0 or -1. */
static int export_record(struct pack *k, const struct job_list_record *r)
{
	enum store_class class = r->class == STORE_MANIFEST ? STORE_RESULT : STORE_UNIT;
	struct entry candidate, e;
	struct fault ignored;

	if (r->class == STORE_MANIFEST ? !(k->classes >> STORE_MANIFEST & 1) : !k->units)
		return 0;
	if ((r->class != STORE_UNIT && find_candidate(k, r, &candidate) < 0) ||
	    store_get(&k->store, class, &r->result, 0, &e, &k->work, &ignored) != ENTRY_OK) {
		k->gone++;
		return 0;
	}
	if (!wanted(k, &e) || too_old(k, &e))
		return 0;
	if (write_entry(k, &e) < 0)
		return -1;
	return r->class == STORE_UNIT ? 0 : write_entry(k, &candidate);
}

static void export_used(struct pack *k, const struct job_list *l)
{
	for (size_t i = 0; i < l->count && export_record(k, &l->v[i]) == 0; i++) {
		arena_free(&k->work);
		cli_progress("%llu of %llu, %llu MiB", (unsigned long long)i + 1,
		             (unsigned long long)l->count, k->bytes >> 20);
	}
	arena_free(&k->work);
}

static int tell_job(void *ctx, int dirfd, const char *path, const char *name)
{
	int *told = ctx;

	if (!job_list_name_ok(name))
		return 0;
	if (*told == PACK_TOLD_MAX)
		fputs(", ...", stderr);
	else
		fprintf(stderr, "%s%s", *told ? ", " : "jobs with a list: ", name);
	return (*told)++ == PACK_TOLD_MAX;
}

/* Called before the list is read: units that are packed after this count are in the list. */
static void count_waiting(struct pack *k)
{
	int64_t oldest;

	remote_tag(&k->store, &k->c->settings, k->c->envp, &k->c->arena);
	offers_pending(&k->store, &k->waiting, &oldest);
	k->waiting += offers_elsewhere(&k->store);
}

static int read_used(struct pack *k, struct job_list *l)
{
	int rc, told = 0;

	count_waiting(k);
	rc = job_list_read(l, &k->store, k->job, &k->c->arena);

	if (rc == 0)
		return CLI_OK;
	if (rc != -ENOENT) {
		fprintf(stderr, "%s: the list of job %s: %s\n", k->who, k->job, strerror(-rc));
		return CLI_STORE;
	}
	fprintf(stderr,
	        "%s: job %s has no list in %s: run it with `reprise run --job NAME` or "
	        "REPRISE_JOB_LIST=1\n", k->who, k->job, k->store.dir);
	job_list_each(&k->store, tell_job, &told);
	if (told)
		putc('\n', stderr);
	return CLI_STORE;
}

/* Reports what is missing in the pack although the job used it. True if anything is. */
static int left_out(const struct pack *k, const struct job_list *l)
{
	if (k->gone)
		fprintf(stderr, "%s: %llu entries that job %s used are no longer in the store\n",
		        k->who, k->gone, k->job);
	if (k->waiting)
		fprintf(stderr,
		        "%s: %zu units of jobs are not packed yet, perhaps some of this job: run "
		        "`reprise publish` first\n", k->who, k->waiting);
	if (l->damaged)
		fprintf(stderr, "%s: %llu lines of the job's list are damaged\n", k->who,
		        (unsigned long long)l->damaged);
	if (l->refused)
		fprintf(stderr,
		        "%s: %u files of the job's list are ignored: they belong to another user, "
		        "or are not regular files\n", k->who, l->refused);
	if (l->full)
		fprintf(stderr,
		        "%s: the job's list is full: entries that it used later are missing\n",
		        k->who);
	return k->gone || k->waiting || l->damaged || l->refused || l->full;
}

/* Writes to a new file beside the pack's name: a pack is complete or absent, and two exports do not
 * mix. */
static int open_part(struct pack *k)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	mode_t mask = umask(0);
	sigset_t held, before;
	struct stat st;
	int fd;

	umask(mask);
	if (stat(k->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
		return -1;
	}
	/* Blocked, because a signal between mkostemp and its handler would leave the file
	 * behind. */
	sigemptyset(&held);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		sigaddset(&held, ends[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	part = arena_cat(&k->c->arena, k->path, ".XXXXXX", NULL);
	fd = part ? mkostemp(part, O_CLOEXEC) : -1;
	if (fd < 0)
		part = NULL;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (signal(ends[i], drop_part) == SIG_IGN)
			signal(ends[i], SIG_IGN);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (fd < 0)
		return -1;
	k->file = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
	return k->file ? 0 : -1;
}

static int close_part(struct pack *k)
{
	if ((fflush(k->file) != 0 || fsync(fileno(k->file)) < 0) && !k->failed)
		pack_failed(k);
	if (fclose(k->file) != 0 && !k->failed)
		pack_failed(k);
	if (k->failed || rename(part, k->path) < 0)
		return pack_failed(k);
	part = NULL;
	return 0;
}

static int export_all(struct pack *k)
{
	int stream = strcmp(k->path, "-") == 0, status;
	struct job_list used = {0};

	if (stream && isatty(STDOUT_FILENO)) {
		fprintf(stderr,
		        "%s: refusing to write binary data to a terminal: name a file, or redirect "
		        "the output\n", k->who);
		return CLI_USAGE;
	}
	status = k->job ? read_used(k, &used) : CLI_OK;
	if (status != CLI_OK)
		return status;
	k->file = stdout;
	if (!stream && open_part(k) < 0)
		pack_failed(k);
	if (!k->failed && fwrite(pack_magic, sizeof pack_magic, 1, k->file) != 1)
		pack_failed(k);
	if (k->job && !k->failed)
		export_used(k, &used);
	for (k->manifests = 0; !k->job && !k->failed && k->manifests < 2; k->manifests++)
		gc_each(&k->store, export_one, k);
	cli_progress_end();
	if (!k->failed)
		write_record(k, PACK_END, 0, k->entries, NULL);
	if (!stream && k->file && k->file != stdout)
		close_part(k);
	else if (stream && !k->failed && fflush(stdout) != 0)
		pack_failed(k);
	if (k->failed) {
		if (part)
			unlink(part);
		fprintf(stderr, "%s: %s: %s\n", k->who, k->path, strerror(k->error));
		return CLI_STORE;
	}
	pack_sum_up(k, stream ? stderr : stdout, "in");
	return left_out(k, &used) || k->refused ? CLI_FINDING : CLI_OK;
}

struct wish {
	const char *since, *class;
};

/* Ends the program where a value is wrong. */
static void take(struct pack *k, const struct wish *w, const char *who)
{
	uint64_t ms = 0;

	cli_setting(who, "--since", SETTING_TIME, w->since, &ms);
	if (w->since)
		k->since = time(NULL) - (int64_t)(ms / 1000);
	if (w->class && remote_classes_parse(w->class, &k->classes, &k->units) < 0)
		cli_wrong_usage(who, "no such class in \"%s\"", w->class);
	if (!k->classes && !k->units)
		cli_wrong_usage(who, "--class \"%s\" leaves nothing; all,-NAME leaves one out",
		                w->class);
	if (k->job && !job_list_name_ok(k->job))
		cli_wrong_usage(who, JOB_NAME_WRONG, JOB_LIST_NAME_MAX);
}

int cli_export(struct cli *c, int argc, char **argv)
{
	struct pack k = {.classes = ~0u, .units = ~0u, .work = ARENA_INIT};
	struct wish w = {0};
	const struct cli_option options[] = {
		{"since", 's', "TIME",
		 "Only entries made or used in the last TIME: seconds, or with ms s m h d; use is "
		 "recorded to the hour", &w.since},
		{"class", 'c', "LIST",
		 "Only these, separated by commas: compile, or a framework's class "
		 "(REPRISE_CLASSES); all,-NAME leaves one out", &w.class},
		{"job", 'J', "NAME",
		 "Only entries that the job of that name used, hits included; the job must have "
		 "run with `reprise run --job NAME` or REPRISE_JOB_LIST=1", &k.job},
		CLI_JSON(&k.json),
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options, .operands = "PACK", .operand = &k.path,
		.missing = "the name of the pack",
		.text = "Writes entries of the local store into one file, for an image or a "
			"cluster without network; - means standard output. If REPRISE_SIGN_KEY is "
			"set, entries are signed; the jobs then need it as well.\vExit status: 0 "
			"the pack is written; 1 it is written, but something was left out; 3 it "
			"could not be written, or the job has no list."};

	cli_parse(argc, argv, &syntax);
	take(&k, &w, argv[0]);
	int status = pack_begin(&k, c, argv[0]);
	if (status == CLI_OK)
		status = export_all(&k);
	trust_wipe(&k.trust);
	return status;
}

