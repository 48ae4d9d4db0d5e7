/* cli/pack/verify.c - `reprise verify`. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/pack/seal.h"
#include "store/entry/candidate.h"
#include "store/eviction.h"
#include "store/walk.h"
#include "units/format/member.h"
#include "units/format/parcel.h"

struct check {
	const char *who;
	int repair, json;
	struct json_object *list; /* of bad entries, for --json */
	unsigned long long entries, bytes, bad, removed, unreadable;
	/* Of a seed store. */
	const char *seed; /* its directory; NULL: the local store is read */
	struct trust trust;
	struct seal seal;
	int unsealed;     /* no memory */
	const char *wrong; /* with its signature; NULL: nothing, or no key is trusted */
};

/* The key that the path spells: .../<2 hex>/<62 hex>[.slot]. 0 or -1. */
static int key_of_path(struct digest *key, const char *path)
{
	const char *base = strrchr(path, '/');
	char hex[DIGEST_HEX + 1];

	if (!base || base - path < 3 || strcspn(base + 1, ".") != DIGEST_HEX - 2)
		return -1;
	memcpy(hex, base - 2, 2);
	memcpy(hex + 2, base + 1, DIGEST_HEX - 2);
	hex[DIGEST_HEX] = 0;
	return digest_parse(key, hex);
}

/* The check digest covers all bytes; this finds entries that were written with a wrong payload. */
static int payload_is_good(const struct entry *e, struct arena *a)
{
	struct result r;
	struct candidate candidate;
	struct parcel parcel;
	struct member member;
	uint64_t n;

	switch (e->class) {
	case STORE_MANIFEST:
		return candidate_decode(&candidate, e->payload, e->len, a) == 0;
	case STORE_RESULT:
		if (result_decode(&r, e->payload, e->len, a) < 0)
			return 0;
		for (size_t i = 0; i < r.out_count; i++)
			if (!result_output_bytes(&r.out[i], a))
				return 0;
		return 1;
	case STORE_UNIT:
		if (parcel_decode(&parcel, e->payload, e->len, a) < 0)
			return 0;
		for (unsigned i = 0; i < parcel.files; i++)
			if (!parcel_file_bytes(&parcel.file[i], NULL, &n, a))
				return 0;
		return 1;
	case STORE_SET:
		return member_decode(&member, e->payload, e->len, a) == 0;
	case STORE_KEY_HISTORY:
	case STORE_TEXTS:
	case STORE_JOB_NODE:
	case STORE_JOB_USED:
		break;
	}
	return 1;
}

static void add_to_seal(struct check *k, const struct entry *e, const char *path)
{
	const char *name = path + strlen(path);
	struct entry_file f;

	if (!k->trust.count || k->unsealed)
		return;
	/* The last three components. */
	for (int slashes = 0; name > path && (slashes += name[-1] == '/') < 3; name--)
		;
	entry_file(&f, e);
	k->unsealed = seal_add(&k->seal, name, &f) < 0;
}

static void tell_bad(struct check *k, const char *path, const char *why, int gone)
{
	struct json_object *o;

	if (!k->json) {
		printf("%s: %s%s\n", path, why, gone ? ", removed" : "");
		return;
	}
	o = json_object_new_object();
	json_text(o, "path", path);
	json_text(o, "why", why);
	json_flag(o, "removed", gone);
	json_object_array_add(k->list, o);
}

static int check_entry(void *ctx, enum store_class class, const char *path)
{
	struct check *k = ctx;
	struct arena a = ARENA_INIT;
	struct entry e = {0};
	struct fault fault = {0, ""};
	struct digest key;
	const char *why = "damaged";

	enum entry_status st = entry_read(&e, path, class, NULL, ENTRY_MAPS, &a, &fault);
	if (st == ENTRY_OK && (key_of_path(&key, path) < 0 || !digest_equal(&key, &e.key))) {
		st = ENTRY_BAD;
		why = "stored under a wrong name";
	}
	if (st == ENTRY_OK && !payload_is_good(&e, &a)) {
		st = a.refused ? ENTRY_FAULT : ENTRY_BAD;
		if (a.refused)
			fault_set(&fault, ENOMEM, "%s: no memory to check it", path);
		why = "intact, but its payload cannot be decoded";
	}
	if (st == ENTRY_OK) {
		k->entries++;
		k->bytes += e.len + ENTRY_HEAD + ENTRY_TAIL;
		add_to_seal(k, &e, path);
	} else if (st == ENTRY_BAD) {
		k->bad++;
		cli_progress_end();
		int gone = k->repair && unlink(path) == 0;
		k->removed += (unsigned)gone;
		tell_bad(k, path, why, gone);
		if (k->repair && !gone)
			fprintf(stderr, "%s: %s: %s\n", k->who, path, strerror(errno));
	} else if (st == ENTRY_FAULT) {
		/* Entries that were removed meanwhile, or are of a newer version, are ENTRY_ABSENT
		 * and are not reported. */
		k->unreadable++;
		cli_progress_end();
		fprintf(stderr, "%s: %s\n", k->who, fault.text);
	}
	arena_free(&a);
	cli_progress("%llu entries, %llu MiB, %llu bad", k->entries, k->bytes >> 20, k->bad);
	return 0;
}

/* A look-up names an entry's whole path. So it finds entries in directories that cannot be listed,
 * or that are links, which a walk passes over. */
static void check_directories(struct check *k, const struct store *s)
{
	char path[PATH_SIZE];

	for (size_t c = 0; c < WALK_CLASSES; c++)
		for (unsigned i = 0; i < WALK_SHARDS; i++) {
			walk_shard(path, s, c, i);
			int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (fd >= 0) {
				close(fd);
			} else if (errno != ENOENT) {
				fprintf(stderr, "%s: %s: %s\n", k->who, path, strerror(errno));
				k->unreadable++;
				k->wrong = k->seed ? "a directory of it cannot be listed" : NULL;
			}
		}
}

static int print_json(const struct check *k, const struct store *s)
{
	struct json_object *o = json_report();

	json_text(o, "store", s->dir);
	json_number(o, "good_entries", k->entries);
	json_number(o, "good_bytes", k->bytes);
	json_number(o, "bad_entries", k->bad);
	json_number(o, "removed_entries", k->removed);
	json_number(o, "unreadable_entries", k->unreadable);
	json_object_object_add(o, "bad", k->list);
	if (k->seed)
		json_text(o, "signature", !k->trust.count ? "unchecked"
		                          : k->wrong ? k->wrong : "trusted");
	return json_print(stdout, o);
}

static void print_text(const struct check *k)
{
	char size[CLI_SIZE_TEXT];

	printf("%llu good entries (%s), %llu bad", k->entries, cli_size(size, k->bytes), k->bad);
	if (k->repair)
		printf(", %llu removed", k->removed);
	if (k->unreadable)
		printf(", %llu that could not be read", k->unreadable);
	if (k->seed)
		printf("; %s", !k->trust.count ? "no key is trusted, so no signature is checked"
		                : k->wrong ? k->wrong : "signed by a trusted key");
	putchar('\n');
}

/* Opens the store that is read: s->dir. CLI_OK, or the exit status after a message. */
static int open_checked(struct check *k, struct cli *c, struct store *s)
{
	struct fault fault = {0, ""};
	char *seed;

	if (!k->seed)
		return cli_open_store(c, s, k->who);
	*s = (struct store){.reads = ENTRY_MAPS};
	if (access(k->seed, R_OK | X_OK) < 0)
		fault_sys(&fault, errno, "seed store", k->seed);
	if (*fault.text || trust_load(&k->trust, &c->settings, &c->arena, &fault) < 0)
		return cli_failed(k->who, CLI_STORE, fault.text);
	seed = arena_strdup(&c->arena, k->seed);
	if (!seed)
		return cli_failed(k->who, CLI_STORE, "no memory");
	path_tidy(seed);
	s->dir = k->seed = seed;
	k->seal.arena = &c->arena;
	return CLI_OK;
}

/* What `reprise verify` found, as an exit status. */
static int status_of(struct check *k, const struct store *s, int rc, int status)
{
	if (rc < 0 || k->unsealed) {
		fprintf(stderr, "%s: %s could not be read to its end\n", k->who, s->dir);
		return CLI_STORE;
	}
	return k->bad || k->unreadable || k->wrong ? CLI_FINDING : status;
}

int cli_verify(struct cli *c, int argc, char **argv)
{
	struct check k = {.who = argv[0]};
	struct store s;
	const struct cli_option options[] = {
		{"repair", 'r', NULL, "Remove bad entries (they are misses in any case)",
		 &k.repair},
		{"seed", 's', "DIR",
		 "Read this seed store (REPRISE_SEED_DIRS) instead; where REPRISE_TRUST is set, it "
		 "must have the signature of a trusted key (reprise export --oci)", &k.seed},
		CLI_JSON(&k.json),
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options,
		.text = "Reads and checks every entry of the store, and lists the bad ones. Exit "
			"status 1 if an entry is bad, removed or not, or a signature is."};

	cli_parse(argc, argv, &syntax);
	if (k.repair && k.seed)
		cli_wrong_usage(argv[0], "a seed store is not repaired");
	int status = open_checked(&k, c, &s);
	if (status != CLI_OK)
		return status;
	if (k.json)
		k.list = json_object_new_array();
	int rc = gc_each(&s, check_entry, &k);
	cli_progress_end();
	check_directories(&k, &s);
	if (k.trust.count && !k.unsealed && !k.wrong)
		k.wrong = seal_check(&k.seal, &k.trust, s.dir);
	if (k.json)
		status = print_json(&k, &s);
	else
		print_text(&k);
	trust_wipe(&k.trust);
	return status_of(&k, &s, rc, status);
}
