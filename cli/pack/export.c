/* cli/pack/export.c - `reprise export`: writes entries of the store, or those that a job used, into
 * a pack (cli/pack/pack_file.h) or an image (cli/pack/oci.h). */
#include <sys/stat.h>
#include <unistd.h>

#include "cli/pack/oci.h"
#include "cli/pack/pack_file.h"
#include "cli/pack/layer.h"
#include "remote/remote.h"
#include "store/eviction.h"
#include "store/job/job_list.h"
#include "units/format/member.h"
#include "units/format/parcel.h"
#include "units/offer.h"

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
	switch (entry_read(&e, path, class, NULL, ENTRY_MAPS, &k->work, &ignored)) {
	case ENTRY_OK:
		rc = wanted(k, &e) ? k->write(k, &e) : 0;
		break;
	case ENTRY_BAD:
		fault_set(&ignored, EINVAL, "%s: damaged", path);
		/* fall through */
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

static int too_old(const struct pack *k, const struct entry *e)
{
	return k->since && e->mtime && e->mtime < k->since - STORE_TOUCH_S;
}

/* Writes the record's result or parcel, then the candidate that names it. 0 or -1. */
static int export_record(struct pack *k, const struct job_list_record *r)
{
	const struct job_list_record target = {
		.class = r->class == STORE_MANIFEST ? STORE_RESULT : STORE_UNIT, .key = r->result};
	struct entry candidate, e;

	if (r->class == STORE_MANIFEST ? !(k->classes >> STORE_MANIFEST & 1) : !k->units)
		return 0;
	if ((r->class != STORE_UNIT && pack_find(k, r, &candidate) < 0) ||
	    pack_find(k, &target, &e) < 0) {
		k->gone++;
		return 0;
	}
	if (!wanted(k, &e) || too_old(k, &e))
		return 0;
	if (k->write(k, &e) < 0)
		return -1;
	return r->class == STORE_UNIT ? 0 : k->write(k, &candidate);
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
	rc = job_list_read(l, &k->store, k->job, NULL, 0, &k->c->arena);

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
		fprintf(stderr, "%s: %llu entries%s%s%s are no longer in the store\n", k->who,
		        k->gone, k->job ? " that job " : "", k->job ? k->job : "",
		        k->job ? " used" : "");
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

/* Every entry that is to be written goes to k->write. */
static void export_each(struct pack *k, const struct job_list *used)
{
	if (k->job)
		export_used(k, used);
	for (k->manifests = 0; !k->job && !k->failed && k->manifests < 2; k->manifests++)
		gc_each(&k->store, export_one, k);
	cli_progress_end();
}

static int export_all(struct pack *k)
{
	int stream = !k->image && strcmp(k->path, "-") == 0, status;
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
	if ((k->image ? oci_begin(k) : pack_write_begin(k)) == 0)
		export_each(k, &used);
	if ((k->image ? oci_end(k) : pack_write_end(k)) < 0) {
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
	if (!k->path == !k->image)
		cli_wrong_usage(who, k->path ? "a pack and an image are two exports"
		                             : "the name of the pack is missing");
	if (k->image)
		k->path = k->image;
	k->write = k->image ? seed_note : pack_write_entry;
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
		{"oci", 'o', "DIR",
		 "Write an image (OCI image layout) into DIR instead, which is new or empty; its "
		 "one layer is a seed store (REPRISE_SEED_DIRS)", &k.image},
		CLI_JSON(&k.json),
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options, .operands = "[PACK]", .operand = &k.path,
		.text = "Writes entries of the local store into one file, for an image or a "
			"cluster without network; - means standard output. With --oci it writes "
			"an image for a registry. If REPRISE_SIGN_KEY is set, entries, or the "
			"image's seed store, are signed; the jobs then need it as well.\vExit "
			"status: 0 it is written; 1 it is written, but something was left out; 3 "
			"it could not be written, or the job has no list."};

	cli_parse(argc, argv, &syntax);
	take(&k, &w, argv[0]);
	int status = pack_begin(&k, c, argv[0]);
	if (status == CLI_OK)
		status = export_all(&k);
	trust_wipe(&k.trust);
	return status;
}

