/* store/trust.c - signing keys; as text:
 *
 *   public key    43 characters: the 32 bytes in base64url (RFC 4648, section 5) without '='
 *   secret file   one line: "reprise-secret-1 ", then 43 characters: the 32-byte seed, likewise
 *   public file   lines of one public key each; blank lines and text after a '#' are skipped
 *
 * base64url has neither '/', with which a path begins in REPRISE_TRUST, nor ':', which ends an item
 * there. */
#include "store/trust.h"

#include <sodium/crypto_sign.h>
#include <sys/stat.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"

#include "shim/banned.h"

#define SECRET_MAGIC "reprise-secret-1 "
#define KEY_TEXT 43
/* Some hundred keys with comments; a larger file is a mistake. */
#define PUBLIC_FILE_MAX (64u << 10)
#define SECRET_FILE_MAX 256

_Static_assert(TRUST_PUBLIC == crypto_sign_PUBLICKEYBYTES, "Ed25519");
_Static_assert(TRUST_SECRET == crypto_sign_SECRETKEYBYTES, "Ed25519");
_Static_assert(TRUST_SIGNATURE == crypto_sign_BYTES, "Ed25519");
_Static_assert(crypto_sign_SEEDBYTES == 32 && TRUST_PUBLIC == 32, "both are KEY_TEXT characters");
_Static_assert(TRUST_TEXT > KEY_TEXT, "room for a NUL");

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* 43 characters for 32 bytes: the two low bits of the last one are zero. */
static void key_print(char out[KEY_TEXT], const unsigned char key[32])
{
	unsigned bits = 0, have = 0;
	size_t at = 0;

	for (int i = 0; i < 32; i++) {
		bits = bits << 8 | key[i];
		for (have += 8; have >= 6; have -= 6)
			out[at++] = digits[bits >> (have - 6) & 63];
	}
	out[at] = digits[bits << (6 - have) & 63];
}

static int key_parse(unsigned char out[32], const char *text, size_t n)
{
	unsigned bits = 0, have = 0;
	size_t at = 0;

	if (n != KEY_TEXT)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

		if (!digit)
			return -1;
		bits = bits << 6 | (unsigned)(digit - digits);
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[at++] = (unsigned char)(bits >> have);
		}
	}
	return bits & ((1u << have) - 1) ? -1 : 0; /* so that a key has only one text */
}

/* Why a file with this status cannot be trusted, or NULL. */
static const char *public_unsafe(const struct statx *st)
{
	if (st->stx_uid != 0 && st->stx_uid != sys_geteuid())
		return "belongs to another user";
	return st->stx_mode & 022 ? "can be written by others" : NULL;
}

static const char *secret_unsafe(const struct statx *st)
{
	if (st->stx_uid != sys_geteuid())
		return "belongs to another user";
	return st->stx_mode & 077 ? "can be read by others: chmod 600" : NULL;
}

/* Adds a file to the mark: attributes that change with every write and every replacement. */
static void add_mark(struct digest *mark, const struct statx *st)
{
	struct { struct digest before; uint64_t v[8]; } all = {*mark, {
		st->stx_dev_major, st->stx_dev_minor, st->stx_ino, st->stx_size,
		(uint64_t)st->stx_mtime.tv_sec,
		st->stx_mtime.tv_nsec, (uint64_t)st->stx_ctime.tv_sec, st->stx_ctime.tv_nsec}};

	digest_name(mark, &all, sizeof all);
}

/* Reads a small file, if it is safe, and adds it to the mark. Returns its length, or -1 with
 * *fault. */
static ssize_t read_key_file(char *out, size_t cap, const char *path, struct digest *mark,
                             const char *(*unsafe)(const struct statx *st), struct fault *fault)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	const char *why = NULL;
	struct statx st;
	ssize_t n = fd;

	if (fd >= 0) {
		n = sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st);
		if (n == 0)
			why = !S_ISREG(st.stx_mode) ? "is not a file" : unsafe(&st);
		if (n == 0)
			add_mark(mark, &st);
		if (n == 0 && !why)
			n = sys_read_all(fd, out, cap);
		sys_close(fd);
	}
	if (n < 0)
		fault_sys(fault, (int)-n, "read key file", path);
	else if (why)
		fault_set(fault, EPERM, "key file %s %s", path, why);
	else if ((size_t)n == cap)
		fault_set(fault, EFBIG, "key file %s is too large", path);
	else
		return n;
	return -1;
}

static int add_key(struct trust *t, const unsigned char key[TRUST_PUBLIC], struct fault *fault)
{
	for (unsigned i = 0; i < t->count; i++)
		if (memcmp(t->key[i], key, TRUST_PUBLIC) == 0)
			return 0;
	if (t->count == TRUST_KEYS_MAX)
		return fault_set(fault, E2BIG, "more than %d trusted keys", TRUST_KEYS_MAX);
	memcpy(t->key[t->count++], key, TRUST_PUBLIC);
	return 0;
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int add_file(struct trust *t, const char *path, struct arena *a, struct fault *fault)
{
	char *text = arena_alloc(a, PUBLIC_FILE_MAX), *p = text, *end;
	unsigned char key[TRUST_PUBLIC];
	int keys = 0;
	ssize_t n;

	if (!text)
		return fault_set(fault, ENOMEM, "no memory for the keys of %s", path);
	n = read_key_file(text, PUBLIC_FILE_MAX, path, &t->files, public_unsafe, fault);
	if (n < 0)
		return -1;
	for (int line = 1; p < text + n; line++, p = end + 1) {
		char *stop;

		end = memchr(p, '\n', (size_t)(text + n - p));
		if (!end)
			end = text + n;
		stop = memchr(p, '#', (size_t)(end - p));
		if (!stop)
			stop = end;
		while (p < stop && is_blank(*p))
			p++;
		while (stop > p && is_blank(stop[-1]))
			stop--;
		if (p == stop)
			continue;
		if (key_parse(key, p, (size_t)(stop - p)) < 0)
			return fault_set(fault, EINVAL, "line %d of %s is not a public key", line,
			                 path);
		if (add_key(t, key, fault) < 0)
			return -1;
		keys++;
	}
	if (keys)
		return 0;
	return fault_set(fault, EINVAL, "%s holds no key", path);
}

static int add_list(struct trust *t, const char *list, struct arena *a, struct fault *fault)
{
	unsigned char key[TRUST_PUBLIC];
	unsigned before = t->count;

	for (int item = 1; *list; item++) {
		size_t n = strcspn(list, ":");

		if (*list == '/') {
			char *path = arena_memdup(a, list, n);

			if (!path)
				return fault_set(fault, ENOMEM, "no memory for a path in "
				                 "REPRISE_TRUST");
			if (add_file(t, path, a, fault) < 0)
				return -1;
		} else if (n) {
			if (key_parse(key, list, n) < 0)
				return fault_set(fault, EINVAL, "item %d of REPRISE_TRUST is "
				                 "neither a public key nor an absolute path", item);
			if (add_key(t, key, fault) < 0)
				return -1;
		}
		list += n + (list[n] == ':');
	}
	if (t->count > before || t->signing)
		return 0;
	return fault_set(fault, EINVAL, "REPRISE_TRUST holds no key");
}

static int load_secret(struct trust *t, const char *path, struct fault *fault)
{
	const size_t magic = sizeof SECRET_MAGIC - 1;
	unsigned char seed[crypto_sign_SEEDBYTES], public[TRUST_PUBLIC];
	char text[SECRET_FILE_MAX];
	ssize_t n = read_key_file(text, sizeof text, path, &t->files, secret_unsafe, fault);
	int rc = -1;

	if (n < 0)
		return -1;
	while (n && (is_blank(text[n - 1]) || text[n - 1] == '\n'))
		n--;
	if ((size_t)n < magic || memcmp(text, SECRET_MAGIC, magic) != 0 ||
	    key_parse(seed, text + magic, (size_t)n - magic) < 0) {
		fault_set(fault, EINVAL, "%s is not a secret key file", path);
	} else {
		crypto_sign_seed_keypair(public, t->secret, seed);
		t->signing = 1;
		rc = add_key(t, public, fault);
	}
	explicit_bzero(text, sizeof text);
	explicit_bzero(seed, sizeof seed);
	return rc;
}

int trust_configured(const struct settings *set)
{
	return setting_text(set, SETTING_SIGN_KEY)[0] || setting_text(set, SETTING_TRUST)[0];
}

int trust_load(struct trust *t, const struct settings *set, struct arena *a, struct fault *fault)
{
	const char *secret = setting_text(set, SETTING_SIGN_KEY),
	           *list = setting_text(set, SETTING_TRUST);

	memset(t, 0, sizeof *t);
	t->set = set;
	if ((*secret && load_secret(t, secret, fault) < 0) ||
	    (*list && add_list(t, list, a, fault) < 0)) {
		trust_wipe(t);
		return -1;
	}
	return 0;
}

static int add_mark_of(struct digest *mark, const char *path)
{
	struct statx st;

	/* Forces a sync: on a network file system, another node's write must be seen now, not when
	 * cached attributes expire. */
	if (sys_statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &st) < 0)
		return -1;
	add_mark(mark, &st);
	return 0;
}

int trust_changed(const struct trust *t)
{
	struct digest now = {{0}};
	char path[PATH_SIZE];

	if (!t->set)
		return 0;
	const char *secret = setting_text(t->set, SETTING_SIGN_KEY),
	           *list = setting_text(t->set, SETTING_TRUST);
	if (*secret && add_mark_of(&now, secret) < 0)
		return 1;
	for (size_t n; *list; list += n + (list[n] == ':')) {
		n = strcspn(list, ":");
		if (*list != '/')
			continue;
		if (n >= sizeof path)
			return 1;
		memcpy(path, list, n);
		path[n] = '\0';
		if (add_mark_of(&now, path) < 0)
			return 1;
	}
	return !digest_equal(&now, &t->files);
}

void trust_sign(const struct trust *t, const void *message, size_t n,
                unsigned char signature[TRUST_SIGNATURE], unsigned char public_key[TRUST_PUBLIC])
{
	/* The last half of Ed25519's secret key is the public key. */
	memcpy(public_key, t->secret + TRUST_SECRET - TRUST_PUBLIC, TRUST_PUBLIC);
	crypto_sign_detached(signature, NULL, message, n, t->secret);
}

int trust_check(const struct trust *t, const void *message, size_t n,
                const unsigned char signature[TRUST_SIGNATURE],
                const unsigned char public_key[TRUST_PUBLIC])
{
	for (unsigned i = 0; i < t->count; i++)
		if (memcmp(t->key[i], public_key, TRUST_PUBLIC) == 0)
			return crypto_sign_verify_detached(signature, message, n, public_key) == 0
			       ? 1 : -1;
	return 0;
}

int trust_keygen(const char *secret_path, char out[TRUST_TEXT], struct fault *fault)
{
	unsigned char seed[crypto_sign_SEEDBYTES], public[TRUST_PUBLIC], secret[TRUST_SECRET];
	char text[sizeof SECRET_MAGIC + KEY_TEXT + 1] = SECRET_MAGIC;
	const size_t magic = sizeof SECRET_MAGIC - 1;
	ssize_t n;
	int fd;

	if (SYS3(SYS_getrandom, seed, sizeof seed, 0) != (long)sizeof seed)
		return fault_set(fault, EIO, "the system gives no random numbers");
	crypto_sign_seed_keypair(public, secret, seed);
	key_print(out, public);
	out[KEY_TEXT] = '\0';
	key_print(text + magic, seed);
	text[magic + KEY_TEXT] = '\n';
	fd = sys_open(secret_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	n = fd;
	if (fd >= 0) {
		n = sys_write_all(fd, text, magic + KEY_TEXT + 1);
		if (n >= 0)
			n = SYS1(SYS_fsync, fd);
		sys_close(fd);
		if (n < 0)
			sys_unlink(secret_path);
	}
	explicit_bzero(text, sizeof text);
	explicit_bzero(seed, sizeof seed);
	explicit_bzero(secret, sizeof secret);
	if (n >= 0)
		return 0;
	return fault_sys(fault, (int)-n, "make key file", secret_path);
}

void trust_wipe(struct trust *t)
{
	explicit_bzero(t, sizeof *t);
}
