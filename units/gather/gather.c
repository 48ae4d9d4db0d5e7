/* units/gather/gather.c - turns an offered unit into an entry of the store. */
#include "units/gather/gather.h"

#include <stdlib.h>

#include "shim/log.h"
#include "store/job/job_list.h"
#include "store/job/journal.h"
#include "units/find/miss_report.h"
#include "units/format/whole.h"
#include "units/scope/scope.h"
#include "units/shape/declared.h"
#include "units/unit_event.h"

/* To read, merge and write some hundred KB. */
#define JOIN_WAIT_NS 1000000000ll

/* Path, scope and name of an offer must give its key. No other file is ever read. */
static enum gather_status check_offer(struct gathering *g)
{
	const struct offer *o = g->o;
	struct unit_path *u = &g->u;
	struct digest key;
	char path[PATH_SIZE];

	enum unit_part part = unit_shape(u, o->path);
	if (part == PART_NONE || u->class != o->class || o->path[u->unit_len])
		return gather_drop(g, "its path is not a unit's path");
	if (unit_rows[o->class].scope & SCOPE_DECLARED && !declared_owns(u, o->scope))
		return gather_drop(g, "its class is declared otherwise here: %s",
		                   declared_name(u));
	unit_key(&key, o->class, o->scope, o->path + u->name_at, u->name_len);
	if (!digest_equal(&key, &o->key))
		return gather_drop(g, "its key belongs to another unit");
	if (unit_rows[o->class].form == UNIT_FILE || unit_rows[o->class].form == UNIT_MERGED)
		return GATHER_KEPT;
	/* The directory was renamed as one, as FX's bundler does. */
	if (unit_rows[o->class].form == UNIT_WHOLE && !*o->member)
		return GATHER_KEPT;
	if (path_join(path, sizeof path, o->path, o->member) >= sizeof path)
		return gather_drop(g, "its path is too long");
	part = unit_shape(u, path);
	if (u->class != o->class || path[u->unit_len] != '/' || !parcel_name_ok(o->member) ||
	    part != (unit_rows[o->class].form == UNIT_WHOLE ? PART_INDEX : PART_MEMBER))
		return gather_drop(g, "%s is not a file of this unit", o->member);
	return GATHER_KEPT;
}

/* Reads the file of a SET's member, a FILE or a MERGED. */
static enum gather_status read_one(struct gathering *g)
{
	int is_set = unit_rows[g->o->class].form == UNIT_SET;
	struct parcel_file *f = g->parcel.file = arena_alloc(g->a, sizeof *f);
	enum gather_status status;
	struct statx st;

	if (!f)
		return gather_drop(g, "no memory");
	if (is_set) {
		int fd = sys_open(g->o->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0);

		if (fd < 0) {
			fault_sys(g->fault, -fd, "open", g->o->path);
			return GATHER_DROPPED;
		}
		status = gather_read(g, fd, g->o->member, 1, f, &st);
		sys_close(fd);
	} else {
		status = gather_read(g, AT_FDCWD, g->o->path, 1, f, &st);
	}
	g->parcel.files = 1;
	if (status == GATHER_KEPT)
		g->changed_ns = st.stx_ctime.tv_sec * 1000000000ll + st.stx_ctime.tv_nsec;
	g->text = (unsigned char *)f->data;
	g->len = f->len;
	return status;
}

/* A file that was opened in place may be read too early: LATER while its writer may continue and
 * the bytes may become complete; else DROPPED. */
static enum gather_status unfit(struct gathering *g, enum check what, const char *why)
{
	int64_t rested = sys_now_ns(CLOCK_REALTIME) - g->changed_ns;

	if (g->o->opened && what == CHECK_CUT && rested < GATHER_STILL_S * 1000000000ll)
		return gather_wait(g, why);
	return gather_drop(g, "%s", why);
}

static enum gather_status check_content(struct gathering *g)
{
	const char *name = g->parcel.file[0].name, *why = "it is not a complete pickle";
	enum check what = CHECK_WHOLE;

	switch ((enum unit_check)unit_rows[g->o->class].check) {
	case CHECK_AS_MODULE:
		/* TorchAir sets this mode after the last byte, and loads no file of another
		 * mode. */
		if (g->parcel.file[0].mode != MODULE_MODE)
			return unfit(g, CHECK_CUT, "its mode is not 0600");
		g->parcel.file[0].exact = 1;
		what = check_pickle(g->text, g->len);
		break;
	case CHECK_AS_GRAPH:
		if (check_digest_name(name)) {
			what = check_digest(name, g->text, g->len) ? CHECK_WHOLE : CHECK_CUT;
			why = "its bytes are not those of its name";
		} else {
			what = check_pickle(g->text, g->len);
		}
		break;
	case CHECK_AS_JSON:
	case CHECK_AS_CHOICES:
	case CHECK_AS_CONFIGURATION:
		what = check_json(g->text, g->len);
		why = "it is not a JSON object";
		if (unit_rows[g->o->class].check == CHECK_AS_CONFIGURATION &&
		    what == CHECK_WHOLE && !check_configuration(g->text, g->len)) {
			what = CHECK_NEVER;
			why = "it is not a configuration that Helion wrote";
		}
		if (unit_rows[g->o->class].check == CHECK_AS_CHOICES && what == CHECK_WHOLE &&
		    !choices_are(name, g->text, g->len)) {
			what = CHECK_NEVER;
			why = "it is not a file of max-autotune's choices";
		}
		break;
	case CHECK_AS_KERNEL:
		what = check_kernel(name, g->text, g->len) ? CHECK_WHOLE : CHECK_CUT;
		why = "it is not a complete kernel";
		break;
	case CHECK_AS_COMPRESSED:
		what = check_compressed(g->text, g->len) ? CHECK_WHOLE : CHECK_CUT;
		why = "it is not one whole zlib or zstd stream";
		break;
	case CHECK_AS_BYTECODE:
		what = check_bytecode(g->text, g->len) ? CHECK_WHOLE : CHECK_CUT;
		why = "it is not MLIR's bytecode with its checksum";
		break;
	case CHECK_AS_NATIVE:
		why = native_refusal(g->text, g->len);
		what = why ? CHECK_NEVER : CHECK_WHOLE;
		break;
	case CHECK_AS_ANY:
		what = check_damaged(name, g->text, g->len) ? CHECK_CUT : CHECK_WHOLE;
		why = "it is damaged";
		break;
	case CHECK_AS_KERNEL_DIRECTORY:
	case CHECK_AS_ANY_DIRECTORY:
	case CHECK_AS_WARP_DIRECTORY:
	case CHECK_AS_TILELANG_DIRECTORY:
	case CHECK_AS_DEEP_JIT_DIRECTORY:
		break;
	}
	return what == CHECK_WHOLE ? GATHER_KEPT : unfit(g, what, why);
}

/* A note for people: scope and name. */
static const char *note_of(struct gathering *g)
{
	const char *note = arena_cat(g->a, g->o->scope, *g->o->scope ? " " : "", g->o->name, NULL);

	return note ? note : "";
}

static void spool(struct gathering *g, enum store_class class, const struct digest *key,
                  const struct digest *parcel)
{
	struct spool_record r = {.class = class, .key = *key,
	                         .made_at = sys_now_ns(CLOCK_REALTIME) / 1000000000};

	if (!(g->t->remote_classes >> g->o->class & 1) || g->o->local)
		return;
	if (parcel)
		r.result = *parcel;
	else
		spool_set_job(&r, g->o->job);
	spool_add(g->s, &r);
}

/* The unit is in the store: adds it to the spool and to the list of the job that completed it. */
static void add_stored(struct gathering *g, enum store_class class, const struct digest *key,
                   const struct digest *parcel)
{
	job_list_add_for(g->s, g->o->job, class, key, parcel);
	spool(g, class, key, parcel);
}

static uint64_t bytes_of(const struct parcel *p)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->files; i++)
		sum += p->file[i].len;
	return sum;
}

static enum gather_status put(struct gathering *g, const struct digest *key)
{
	struct buf b = BUF_INIT(g->a);

	g->parcel.class = g->o->class;
	g->parcel.note = note_of(g);
	parcel_encode(&b, &g->parcel, g->t->compress);
	if (b.failed)
		return gather_drop(g, "it exceeds the limits of a parcel");
	if (store_put(g->s, STORE_UNIT, key, 0, b.data, b.len, g->fault) < 0)
		return GATHER_DROPPED;
	unit_event_packed(g->s, g->o, bytes_of(&g->parcel));
	return GATHER_KEPT;
}

static enum gather_status known(struct gathering *g)
{
	counters_add(g->s, COUNTER_UNITS_KNOWN, 1);
	return GATHER_KEPT;
}

/* 1: the store has a parcel for the key. */
static int stored_parcel(struct gathering *g, const struct digest *key, struct parcel *p)
{
	struct entry e;
	struct fault ignored;

	return store_get(g->s, STORE_UNIT, key, 0, &e, g->a, &ignored) == ENTRY_OK &&
	       parcel_decode(p, e.payload, e.len, g->a) == 0 && p->class == g->o->class;
}

/* 1: the store has a parcel for the key, and *text is the bytes of its only file; 0: it has none.
 * text NULL: only asks. */
static int stored(struct gathering *g, const struct digest *key, const unsigned char **text,
                  uint64_t *len)
{
	struct parcel p;

	if (!stored_parcel(g, key, &p))
		return 0;
	if (!text)
		return 1;
	*text = NULL;
	if (p.files == 1 && !parcel_refusal(&p, g->parcel.file[0].name, g->a))
		*text = parcel_file_bytes(&p.file[0], NULL, len, g->a);
	return *text != NULL;
}

static enum gather_status read_directory(struct gathering *g)
{
	int triton = unit_rows[g->o->class].check == CHECK_AS_KERNEL_DIRECTORY;
	int fd = sys_open(g->o->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0);

	if (fd < 0) {
		fault_sys(g->fault, -fd, "open", g->o->path);
		return GATHER_DROPPED;
	}
	enum gather_status status = triton ? gather_triton(g, fd) : gather_directory(g, fd);
	sys_close(fd);
	return status;
}

static enum gather_status gather_whole(struct gathering *g)
{
	enum gather_status status = GATHER_KEPT;
	struct parcel older;
	const char *lost;

	/* The name is a full key, so the stored unit is as good; of a directory that grows the
	 * newer one counts. */
	if (!unit_grows(g->o->class) && stored(g, &g->o->key, NULL, NULL)) {
		add_stored(g, STORE_UNIT, &g->o->key, NULL);
		return known(g);
	}
	status = read_directory(g);
	/* A container that was killed may keep a directory whose files were cut. */
	if (status == GATHER_KEPT && unit_grows(g->o->class) &&
	    stored_parcel(g, &g->o->key, &older) && (lost = gather_directory_lost(g, &older)))
		return gather_drop(g, "%s lost its end since it was stored", lost);
	if (status == GATHER_KEPT)
		status = put(g, &g->o->key);
	if (status == GATHER_KEPT)
		add_stored(g, STORE_UNIT, &g->o->key, NULL);
	return status;
}

/* Replaces the file's bytes with this text, and frees it. */
static int replace_text(struct gathering *g, char *text, size_t len)
{
	g->text = (unsigned char *)arena_memdup(g->a, text, len);
	free(text);
	g->len = len;
	g->parcel.file[0].data = g->text;
	g->parcel.file[0].len = len;
	return g->text ? 0 : -1;
}

/* Stores the file. An autotuned configuration's name covers neither candidates nor timings, so the
 * newest one stays. */
static enum gather_status gather_file(struct gathering *g)
{
	const unsigned char *old;
	uint64_t old_len;
	int have = stored(g, &g->o->key, &old, &old_len);

	if (have && unit_rows[g->o->class].form == UNIT_MERGED) {
		size_t len;
		char *merged = json_merge(old, old_len, g->text, g->len, &len);

		if (merged && replace_text(g, merged, len) < 0)
			return gather_drop(g, "no memory");
	}
	int same = have && old_len == g->len && memcmp(old, g->text, g->len) == 0;
	enum gather_status status = same ? known(g) : put(g, &g->o->key);
	if (status == GATHER_KEPT)
		add_stored(g, STORE_UNIT, &g->o->key, NULL);
	return status;
}

/* Merging reads and writes the entry, and publishers for other remote stores merge in the same
 * store. */
static enum gather_status gather_merged(struct gathering *g)
{
	struct lock l = LOCK_INIT;
	char *text;
	size_t len;
	int pruned = json_prune(g->text, g->len, &text, &len);

	if (pruned < 0 || (pruned && replace_text(g, text, len) < 0))
		return gather_drop(g, "it holds no choice that worked");
	if (lock_take(&l, g->s->runtime_dir, &g->o->key, JOIN_WAIT_NS, NULL) == LOCK_TIMEOUT)
		return gather_wait(g, "other publishers merge it");
	enum gather_status status = gather_file(g);
	lock_release(&l);
	return status;
}

/* Adds the member's record to the set, unless the set has it with this content. */
static enum gather_status put_member(struct gathering *g, struct member *m)
{
	struct buf b = BUF_INIT(g->a);
	struct member old;
	struct entry e;
	enum entry_status st;
	struct fault ignored;

	for (int slot = 0; slot >= 0; slot = store_next_slot(g->s, slot, st)) {
		st = store_get(g->s, STORE_SET, &g->o->key, slot, &e, g->a, &ignored);
		if (st != ENTRY_OK || member_decode(&old, e.payload, e.len, g->a) < 0 ||
		    !digest_equal(&old.parcel, &m->parcel))
			continue;
		m->made_at = old.made_at;
		member_encode(&b, m);
		if (!b.failed && b.len == e.len && memcmp(b.data, e.payload, b.len) == 0)
			return GATHER_KEPT;
		break;
	}
	b = (struct buf)BUF_INIT(g->a);
	m->made_at = sys_now_ns(CLOCK_REALTIME) / 1000000000;
	member_encode(&b, m);
	if (b.failed)
		return gather_drop(g, "its member record is too large");
	return store_add_candidate(g->s, STORE_SET, &g->o->key, b.data, b.len, g->fault) < 0
	       ? GATHER_DROPPED : GATHER_KEPT;
}

static enum gather_status gather_member(struct gathering *g)
{
	struct member m = {.name = g->parcel.file[0].name};
	enum gather_status status = GATHER_KEPT;
	struct digest content;

	if (unit_rows[g->o->class].traits & TRAIT_SOURCES)
		status = gather_sources(g, &m);
	if (status != GATHER_KEPT)
		return status;
	digest_of(&content, g->text, g->len);
	unit_member_key(&m.parcel, &g->o->key, m.name, check_digest_name(m.name) ? NULL : &content);
	status = stored(g, &m.parcel, NULL, NULL) ? known(g) : put(g, &m.parcel);
	if (status == GATHER_KEPT)
		status = put_member(g, &m);
	if (status == GATHER_KEPT) {
		spool(g, STORE_UNIT, &m.parcel, NULL);
		add_stored(g, STORE_SET, &g->o->key, &m.parcel);
	}
	return status;
}

/* TorchAir's modules have no guards: TorchAir removes a module when Dynamo compiles the method
 * anew, at any time in the life of the process. */
static enum gather_status check_writer(struct gathering *g)
{
	int lives = offer_writer(g->o);

	if (lives < 0)
		return gather_drop(g, "cannot tell whether the process that wrote it has ended");
	fault_set(g->fault, 0, "the process that wrote it may still remove it");
	return lives ? GATHER_HELD : GATHER_KEPT;
}

static enum gather_status gather(struct gathering *g)
{
	enum unit_form form = unit_rows[g->o->class].form;
	enum gather_status status = check_offer(g);

	if (status == GATHER_KEPT && unit_rows[g->o->class].traits & TRAIT_WITHDRAWN)
		status = check_writer(g);
	if (status != GATHER_KEPT || form == UNIT_WHOLE)
		return status == GATHER_KEPT ? gather_whole(g) : status;
	status = read_one(g);
	if (status == GATHER_KEPT)
		status = check_content(g);
	if (status == GATHER_KEPT)
		status = form == UNIT_SET ? gather_member(g) : form == UNIT_MERGED
		         ? gather_merged(g) : gather_file(g);
	return status;
}

/* For `reprise explain`: only users know what a class of their own should hold. A unit of Reprise's
 * own classes is dropped for reasons of its framework, as when it is replaced. */
static void report(const struct gathering *g)
{
	struct journal_record r = {.time = sys_now_ns(CLOCK_REALTIME) / 1000000000,
	                           .pid = sys_getpid(), .job = g->o->job, .verdict = "unstored",
	                           .reason = reason_rows[REASON_UNSTORED_UNIT].name,
	                           .detail = g->fault->text, .cwd = g->o->scope,
	                           .argv = g->o->path};

	r.tool = g->u.class == g->o->class ? declared_name(&g->u) : unit_name(g->o->class);
	journal_add(g->s, &r);
}

enum gather_status gather_unit(struct store *s, const struct offer *o, const struct gather_terms *t,
                               struct arena *a,
                               struct fault *fault)
{
	struct gathering g = {.s = s, .o = o, .t = t, .a = a, .fault = fault};
	enum gather_status status = gather(&g);

	if (status == GATHER_KEPT && o->local) {
		counters_add(s, COUNTER_UNITS_LOCAL, 1);
		log_write(LOG_INFO, "not sent: %s %s: its key is of one process",
		          declared_name(&g.u), o->path);
	}
	if (status == GATHER_DROPPED) {
		counters_add(s, COUNTER_UNITS_DROPPED, 1);
		log_write(LOG_INFO, "not kept: %s %s/%s: %s",
		          g.u.class == o->class ? declared_name(&g.u) : unit_name(o->class),
		          o->path, o->member, fault->text);
		if (unit_rows[o->class].scope & SCOPE_DECLARED)
			report(&g);
	}
	return status;
}

int gather_merge(struct buf *out, const void *older, size_t older_len, const void *newer,
                size_t newer_len,
                struct fault *fault)
{
	struct parcel a, b;
	uint64_t a_len, b_len;
	size_t len;
	const unsigned char *a_text = NULL, *b_text = NULL;
	char *merged = NULL;

	if (parcel_decode(&a, older, older_len, out->arena) == 0 && a.files == 1 &&
	    parcel_decode(&b, newer, newer_len, out->arena) == 0 && b.files == 1 &&
	    a.class == b.class) {
		a_text = parcel_file_bytes(&a.file[0], NULL, &a_len, out->arena);
		b_text = parcel_file_bytes(&b.file[0], NULL, &b_len, out->arena);
	}
	if (a_text && b_text && choices_are(b.file[0].name, a_text, a_len) &&
	    choices_are(b.file[0].name, b_text, b_len))
		merged = json_merge(a_text, a_len, b_text, b_len, &len);
	if (!merged)
		return fault_set(fault, EBADMSG, "no choices to merge");
	b.file[0].data = (unsigned char *)merged;
	b.file[0].len = len;
	b.file[0].packed = NULL;
	parcel_encode(out, &b, COMPRESS_AUTO);
	free(merged);
	if (out->failed)
		fault_set(fault, EFBIG, "the merged choices are too large");
	return out->failed ? -1 : 0;
}
