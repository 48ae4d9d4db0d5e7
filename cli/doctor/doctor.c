/* cli/doctor/doctor.c - `reprise doctor`: checks what works on this node, and says what to do about
 * the rest. */
#include "cli/doctor/doctor.h"

#include <inttypes.h>
#include <linux/magic.h>

#include "cli/run/run.h"
#include "remote/remote.h"
#include "shim/kernel/sandbox.h"
#include "store/job/counters.h"
#include "units/offer.h"

/* Headers of some kernels lack these. */
#define CIFS_MAGIC 0xff534d42u
#define FUSE_MAGIC 0x65735546u
#define LUSTRE_MAGIC 0x0bd00bd0u
#define GPFS_MAGIC 0x47504653u
#define BEEGFS_MAGIC 0x19830326u
#define CEPH_MAGIC 0x00c36400u
/* With less free space, one C++ object with debug information may not fit. */
#define SPACE_LEAST (256ull << 20)
#define STORE_REMEDY "set REPRISE_CACHE_DIR to a directory of yours that nobody else can write"
#define RUNTIME_REMEDY "set REPRISE_RUNTIME_DIR to a directory of yours on this node, mode 0700"

struct wanted {
	int json, launcher; /* index in argv, 0 for none */
	const char *token;  /* token of a probe */
	const char *there;
};

/* Returns the name of a file system; *shared: other nodes see it, too. */
static const char *file_system(const char *path, int *shared, uint64_t *available)
{
	static const struct {
		unsigned long magic;
		const char *name;
		int shared;
	} known[] = {
		{EXT4_SUPER_MAGIC, "ext4", 0}, {XFS_SUPER_MAGIC, "xfs", 0},
		{BTRFS_SUPER_MAGIC, "btrfs", 0},
		{TMPFS_MAGIC, "tmpfs", 0}, {OVERLAYFS_SUPER_MAGIC, "overlay", 0},
		{SQUASHFS_MAGIC, "squashfs", 0},
		{NFS_SUPER_MAGIC, "NFS", 1}, {SMB_SUPER_MAGIC, "SMB", 1}, {CIFS_MAGIC, "CIFS", 1},
		{FUSE_MAGIC, "FUSE", 1}, {LUSTRE_MAGIC, "Lustre", 1}, {GPFS_MAGIC, "GPFS", 1},
		{BEEGFS_MAGIC, "BeeGFS", 1}, {CEPH_MAGIC, "Ceph", 1},
	};
	struct statfs fs;

	*shared = 0;
	*available = UINT64_MAX;
	if (statfs(path, &fs) < 0)
		return "an unknown file system";
	*available = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if ((unsigned long)fs.f_type == known[i].magic) {
			*shared = known[i].shared;
			return known[i].name;
		}
	return "another file system";
}

static void mend_setting(void *d, const char *line)
{
	doctor_say(d, DOCTOR_MEND, "settings", "see settings.md", "%s", line);
}

static void note_setting(void *d, const char *line)
{
	doctor_say(d, DOCTOR_NOTE, "settings", NULL, "%s", line);
}

/* Settings that turn the remote store off are reported by doctor_remote(). */
static void check_settings(struct doctor *d)
{
	const struct settings *set = &d->cli->settings;

	if (settings_disabled(d->cli->envp) || setting_number(set, SETTING_FORCE_DISABLE))
		doctor_say(d, DOCTOR_NOTE, "settings", NULL,
		           "a setting turns Reprise off: all processes run without it");
	if (!setting_number(set, SETTING_LOCAL))
		doctor_say(d, DOCTOR_NOTE, "settings", NULL,
		           "REPRISE_LOCAL is 0: no tool is served");
	if (setting_number(set, SETTING_READONLY))
		doctor_say(d, DOCTOR_NOTE, "settings", NULL,
		           "REPRISE_READONLY is set: nothing new is stored");
	cli_check_services(d->cli, note_setting, d);
	if (!cli_check_settings(d->cli, mend_setting, d))
		doctor_say(d, DOCTOR_OK, "settings", NULL, "all settings are valid");
}

/* The first check: the filter may kill this process in any other check. */
static void check_filter(struct doctor *d)
{
	if (!sandbox_begin(0))
		doctor_say(d, DOCTOR_MEND, "filter",
		           "allow the system calls that docs/troubleshooting.md lists, or let them "
		           "fail with an error",
		           "a system call filter (seccomp) kills processes for system calls of "
		           "Reprise: tools run uncached");
}

static void check_store(struct doctor *d, struct store *s, const char *why)
{
	char space[CLI_SIZE_TEXT], limit[CLI_SIZE_TEXT];
	uint64_t available;
	int shared;

	if (!s->dir) {
		doctor_say(d, DOCTOR_MEND, "store", STORE_REMEDY, "not usable: %s", why);
		return;
	}
	const char *name = file_system(s->dir, &shared, &available);
	if (s->passed)
		doctor_say(d, DOCTOR_MEND, "store", STORE_REMEDY, "%s: the store is %s", s->passed,
		           s->dir);
	cli_size(space, available);
	if (s->max_size)
		cli_size(limit, s->max_size);
	else
		strcpy(limit, "no limit");
	doctor_figure(d, "store_free_bytes", (double)available);
	if (!s->writable)
		doctor_say(d, DOCTOR_NOTE, "store", NULL,
		           "%s is not writable: entries are replayed, none are added", s->dir);
	else if (available < SPACE_LEAST)
		doctor_say(d, DOCTOR_MEND, "store", "free some space, or set REPRISE_CACHE_DIR",
		           "%s (%s) has only %s free", s->dir, name, space);
	else
		doctor_say(d, DOCTOR_OK, "store", NULL, "%s (%s), %s free, limit %s", s->dir, name,
		           space, limit);
	if (s->max_size > available && available >= SPACE_LEAST && s->writable)
		doctor_say(d, DOCTOR_NOTE, "store",
		           "set REPRISE_MAX_SIZE to what the store may use",
		           "the size limit (%s) exceeds the free space", limit);
	if (shared)
		doctor_say(d, DOCTOR_NOTE, "store",
		           "a local disk and a remote store (REPRISE_REDIS_URL) are faster",
		           "%s is shared with other nodes: it works, but every hit waits for the "
		           "network", name);
}

static void check_runtime(struct doctor *d, struct store *s, const char *why)
{
	uint64_t available;
	int shared;

	if (!s->dir)
		return;
	if (!s->runtime_dir) {
		doctor_say(d, DOCTOR_MEND, "runtime", RUNTIME_REMEDY,
		           "no usable runtime directory: nothing can be recorded%s%s",
		           *why ? ": " : "", why);
		return;
	}
	const char *name = file_system(s->node_dir, &shared, &available);
	if (s->passed_runtime)
		doctor_say(d, DOCTOR_MEND, "runtime", RUNTIME_REMEDY, "%s: it is %s",
		           s->passed_runtime, s->node_dir);
	if (shared)
		doctor_say(d, DOCTOR_MEND, "runtime",
		           "set REPRISE_RUNTIME_DIR to a directory on this node, for example below "
		           "/dev/shm",
		           "%s (%s) is shared with other nodes, but locks and the digest memo "
		           "belong to one node", s->node_dir, name);
	else
		doctor_say(d, DOCTOR_OK, "runtime", NULL, "%s (%s)", s->node_dir, name);
}

static void check_counters(struct doctor *d, struct store *s)
{
	int64_t v[COUNTERS_ALL];
	struct fault fault;

	if (!s->dir || counters_read(s, v, &fault) < 0)
		return;
	if (v[COUNTER_ERRORS])
		doctor_say(d, DOCTOR_NOTE, "history", "`reprise explain` and the log say which",
		           "%" PRId64 " failures inside Reprise; the real tool ran",
		           v[COUNTER_ERRORS]);
	if (v[COUNTER_CORRUPT])
		doctor_say(d, DOCTOR_NOTE, "history",
		           "check the disk, then `reprise verify --repair`",
		           "%" PRId64 " damaged entries were removed", v[COUNTER_CORRUPT]);
	if (v[COUNTER_REFUSED_ENTRIES])
		doctor_say(d, DOCTOR_NOTE, "history",
		           "`reprise explain` and the log say which; see security.md",
		           "%" PRId64 " entries of the remote store were refused",
		           v[COUNTER_REFUSED_ENTRIES]);
	if (v[COUNTER_SPOOL_DROPPED])
		doctor_say(d, DOCTOR_NOTE, "history", NULL,
		           "%" PRId64 " entries were not published: the spool was full or broken",
		           v[COUNTER_SPOOL_DROPPED]);
}

static int finish(struct doctor *d)
{
	if (d->checks) {
		struct json_object *all = json_report();

		json_object_object_add(all, "mend", json_object_new_int64(d->mend));
		json_object_object_add(all, "figures", d->figures);
		json_object_object_add(all, "checks", d->checks);
		if (d->ranks)
			json_object_object_add(all, "ranks", d->ranks);
		json_print(stdout, all);
	} else if (d->mend) {
		printf("\n%u to mend\n", d->mend);
	} else {
		puts("\nnothing to mend");
	}
	return d->mend ? CLI_FINDING : CLI_OK;
}

/* Checks the shell that called us: its programs start as this one did. */
static void check_preload(struct doctor *d)
{
	if (doctor_is_preloaded())
		doctor_say(d, DOCTOR_OK, "preload", NULL,
		           "programs started from this shell run under Reprise");
	else
		doctor_say(d, DOCTOR_NOTE, "preload", "start jobs with reprise-run",
		           "programs started from this shell do not run under Reprise");
}

static void check_all(struct doctor *d)
{
	struct fault fault = {0, ""};
	struct cli *c = d->cli;
	struct store s;

	check_filter(d);
	cli_find_store(c, &s, &fault);
	remote_tag(&s, &c->settings, c->envp, &c->arena);
	doctor_job(d);
	check_preload(d);
	check_settings(d);
	check_store(d, &s, *fault.text ? fault.text : "none is configured");
	doctor_seeds(d);
	check_runtime(d, &s, fault.text);
	doctor_remote(d, &s);
	doctor_waiting(d, &s, &(struct doctor_queue){
		"units", "units_waiting", "framework files wait to be packed",
		"framework files wait under other remote store settings", 1, offers_pending,
		offers_elsewhere});
	check_counters(d, &s);
}

int cli_doctor(struct cli *c, int argc, char **argv)
{
	struct doctor d = {.cli = c};
	struct wanted w = {0};
	const struct cli_option options[] = {
		{"json", 'j', NULL,
		 "Print one JSON object: checks, an array of objects with name, level (ok, note or "
		 "mend), text and remedy; mend, the number of things to mend; figures, numbers by "
		 "name; ranks, with a launcher, what each rank reported", &w.json},
		{"there", 't', "PATH",
		 "With a launcher: where this command is on the ranks, such as in an image, if not "
		 "under the same path as here", &w.there},
		{"probe", 'p', "TOKEN", NULL, &w.token},
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options, .operands = "[-- LAUNCHER [ARGUMENT...]]",
		.command = &w.launcher,
		.text = "Checks what Reprise needs on this node, from the object to the remote "
			"store, and says what to do if something is wrong. It writes one or two "
			"keys to the remote store, which expire within a second.\nWith a "
			"launcher (`reprise doctor -- srun -n2`, `-- ssh node`, `-- torchrun "
			"--nproc-per-node 2`) it starts itself through the launcher instead and "
			"compiles a small file twice on each rank. It reports whether the "
			"preload arrived there, whether the second compile was a hit, and which "
			"user, store, remote store and job each rank saw.\vExit status: 0 "
			"nothing to mend; 1 something to mend; 2 wrong usage."};

	cli_parse(argc, argv, &syntax);
	if (w.launcher && strcmp(argv[w.launcher - 1], "--") != 0)
		cli_wrong_usage(argv[0], "put the launcher after --");
	if (w.there && !w.launcher)
		cli_wrong_usage(argv[0], "--there needs a launcher");
	d.there = w.there;
	if (w.token)
		return doctor_probe(c, w.token);
	if (w.launcher && cli_launch(c, argv[0], NULL, NULL, 0) < 0)
		return CLI_FINDING;
	if (w.json) {
		d.checks = json_object_new_array();
		d.figures = json_object_new_object();
	}
	if (w.launcher)
		doctor_launch(&d, argc - w.launcher, argv + w.launcher);
	else
		check_all(&d);
	return finish(&d);
}
