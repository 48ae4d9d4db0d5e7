/* units/find/miss_report.c - records in the journal: the class as tool, the scope as cwd, the
 * unit's path as argv. */
#include "units/find/miss_report.h"

#include <string.h>

#include "shim/buf.h"
#include "shim/kernel/sys.h"
#include "shim/settings/job.h"
#include "store/job/counters.h"
#include "store/job/journal.h"
#include "units/find/listing.h"
#include "units/format/index.h"
#include "units/format/whole.h"
#include "units/shape/declared.h"
#include "units/unit_event.h"

#include "shim/banned.h"

/* --- refusal --- */

/* Earlier versions took any program's file of such a name. */
static int is_choices(const struct parcel *p, const char *name, struct arena *a)
{
	uint64_t n;
	const unsigned char *bytes = p->files == 1 ? parcel_file_bytes(&p->file[0], NULL, &n, a)
	                             : NULL;

	return bytes && choices_are(name, bytes, n);
}

static int is_of_npu(const struct parcel *p)
{
	for (unsigned i = 0; i < p->files; i++)
		if (index_is_of_npu(p->file[i].name))
			return 1;
	return 0;
}

/* A mode that the umask does not limit is TorchAir's alone, and is not for others. */
static int has_odd_mode(const struct parcel *p)
{
	for (unsigned i = 0; i < p->files; i++)
		if (p->file[i].exact && (unit_rows[p->class].check != CHECK_AS_MODULE ||
		                         p->file[i].mode != MODULE_MODE))
			return 1;
	return 0;
}

const char *parcel_refusal(const struct parcel *p, const char *name, struct arena *a)
{
	if (unit_rows[p->class].check == CHECK_AS_CHOICES && !is_choices(p, name, a))
		return "the stored entry is not a file of max-autotune's choices";
	if (unit_rows[p->class].check == CHECK_AS_KERNEL_DIRECTORY && is_of_npu(p))
		return "kernels of the npu backend are not shared";
	if (has_odd_mode(p))
		return "the stored entry gives a file a mode that this class does not give";
	return NULL;
}

static void record(struct unit_lookup *l, enum reason reason, const char *why, const char *unit)
{
	struct journal_record r = {.pid = sys_getpid(), .tool = declared_name(&l->u),
	                           .verdict = "miss",
	                           .reason = reason_rows[reason].name, .detail = why, .argv = unit};
	char hex[DIGEST_HEX + 1];

	r.time = sys_now_ns(CLOCK_REALTIME) / 1000000000;
	r.job = settings_job(&l->set, l->envp, &l->arena, NULL);
	if (reason == REASON_MISS_UNIT) {
		digest_hex(&l->key, hex);
		r.key = hex;
		r.cwd = l->scope;
	}
	journal_add(&l->store, &r);
}

void miss_report_absent(struct unit_lookup *l)
{
	const char *why = l->why;

	if (!why && l->remote > 0)
		why = "neither the local nor the remote store has it";
	else if (!why && l->remote < 0)
		why = "the local store does not have it";
	else if (!why)
		why = "the local store does not have it, and the remote store is not asked for "
		      "this class";

	unit_event_missed(l, why);
	record(l, REASON_MISS_UNIT, why, l->unit);
}

/* 1: this class and cause are reported for the first time. */
static int is_news(const struct unit_lookup *l)
{
	static uint64_t told[MISS_REPORT_CAUSES_MAX]; /* changed by several threads; 0: free */
	struct digest_state s;
	struct digest d;
	uint64_t cause;

	digest_init(&s);
	digest_add(&s, &l->u.class, sizeof l->u.class);
	digest_add(&s, declared_name(&l->u), strlen(declared_name(&l->u)));
	digest_add(&s, l->why, strlen(l->why));
	digest_final(&s, &d);
	cause = le_get(d.b, 8) | 1;
	for (int i = 0; i < MISS_REPORT_CAUSES_MAX; i++) {
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(&told[i], &found, cause, 0, __ATOMIC_RELAXED,
		                                __ATOMIC_RELAXED))
			return 1;
		if (found == cause)
			return 0;
	}
	return 0;
}

/* 1: the miss is reported: a file that was looked for is missing or hidden, or the user's own class
 * refuses a file that was made, or a
 * class whose units read nothing does. */
static int is_told(const struct unit_lookup *l, int completed)
{
	if (completed)
		return l->row->scope & SCOPE_DECLARED || l->row->traits & TRAIT_READS_NOTHING;
	return sys_access(l->path, F_OK) < 0 ||
	       (l->row->scope & SCOPE_RANK_FX && l->u.part == PART_UNIT &&
	        listing_is_empty(l->path, MARK_NONE));
}

void miss_report_off(struct unit_lookup *l, int completed)
{
	struct fault ignored;

	/* Without memory, settings such as the store's may be missing. */
	if (!l->why || !l->row || l->arena.refused || !is_told(l, completed) || !is_news(l))
		return;
	if (!l->store.dir && (store_open(&l->store, &l->set, l->envp, &l->arena, &ignored) < 0 ||
	                      !l->store.dir))
		return;
	counters_add(&l->store, COUNTER_UNITS_OFF, 1);
	record(l, REASON_MISS_UNIT_OFF, l->why, l->path);
}
