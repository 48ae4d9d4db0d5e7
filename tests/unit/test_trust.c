/* Keys: made, read back, refused; signatures; what the settings may say. */
#include "store/trust.h"

#include <errno.h>

#include "scratch.h"
#include "shim/digest.h"

static struct arena arena;
static struct fault fault;
static struct settings set;
static struct trust trust;

TestSuite(trust, .init = scratch_make, .fini = scratch_remove);

static int load(const char *sign_key, const char *list)
{
	static char one[8192], two[8192];
	char *env[] = {one, two, NULL};

	snprintf(one, sizeof one, "REPRISE_SIGN_KEY=%s", sign_key);
	snprintf(two, sizeof two, "REPRISE_TRUST=%s", list);
	settings_defaults(&set);
	settings_merge_env(&set, env, &arena);
	fault = (struct fault){0};
	return trust_load(&trust, &set, &arena, &fault);
}

static const char *keygen(const char *name)
{
	static char texts[8][TRUST_TEXT];
	static int next;
	char *out = texts[next++ % 8];

	cr_assert_eq(trust_keygen(scratch(name), out, &fault), 0, "%s", fault.text);
	return out;
}

Test(trust, nothing_configured)
{
	cr_expect_eq(load("", ""), 0);
	cr_expect_eq(trust_configured(&set), 0);
	cr_expect_eq(trust.signing, 0);
	cr_expect_eq(trust.count, 0);
}

Test(trust, a_pair_is_made_and_used)
{
	unsigned char signature[TRUST_SIGNATURE], public[TRUST_PUBLIC];
	const char *text = keygen("key");
	char item[TRUST_TEXT];
	struct stat st;

	cr_assert_eq(strlen(text), 43);
	cr_expect_eq(strspn(
		text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), 43);
	cr_assert_eq(stat(scratch("key"), &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0600);
	strcpy(item, text);
	cr_assert_eq(load(scratch("key"), ""), 0, "%s", fault.text);
	cr_expect(trust_configured(&set));
	cr_expect(trust.signing);
	cr_expect_eq(trust.count, 1, "who signs trusts itself");
	trust_sign(&trust, "message", 7, signature, public);
	/* A reader with the public key alone. */
	cr_assert_eq(load("", item), 0, "%s", fault.text);
	cr_expect_eq(trust.signing, 0);
	cr_expect_eq(trust.count, 1);
	cr_expect_eq(memcmp(trust.key[0], public, TRUST_PUBLIC), 0);
	cr_expect_eq(trust_check(&trust, "message", 7, signature, public), 1);
	cr_expect_eq(trust_check(&trust, "massage", 7, signature, public), -1);
	cr_expect_eq(trust_check(&trust, "message", 6, signature, public), -1);
	for (int at = 0; at < TRUST_SIGNATURE; at++) {
		signature[at] ^= 16;
		cr_expect_eq(trust_check(&trust, "message", 7, signature, public), -1, "byte %d",
		             at);
		signature[at] ^= 16;
	}
	public[0] ^= 1;
	cr_expect_eq(trust_check(&trust, "message", 7, signature, public), 0,
	             "a key nobody trusts");
}

Test(trust, an_existing_file_is_not_overwritten)
{
	char out[TRUST_TEXT];

	scratch_write("file", "precious");
	cr_expect_eq(trust_keygen(scratch("file"), out, &fault), -1);
	cr_expect_eq(fault.code, EEXIST);
	cr_assert_eq(symlink("nowhere", scratch("link")), 0);
	cr_expect_eq(trust_keygen(scratch("link"), out, &fault), -1);
	cr_expect_eq(access(scratch("nowhere"), F_OK), -1);
	cr_expect_eq(trust_keygen(scratch("no/such/dir"), out, &fault), -1);
	cr_expect_eq(fault.code, ENOENT);
}

Test(trust, a_secret_that_others_may_read_is_refused)
{
	static const mode_t bad[] = {0640, 0604, 0660, 0601, 0777};

	keygen("key");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		cr_assert_eq(chmod(scratch("key"), bad[i]), 0);
		cr_expect_eq(load(scratch("key"), ""), -1, "%o", bad[i]);
		cr_expect_eq(trust.signing, 0);
		cr_expect_not_null(strstr(fault.text, "chmod 600"), "%s", fault.text);
	}
	cr_assert_eq(chmod(scratch("key"), 0400), 0);
	cr_expect_eq(load(scratch("key"), ""), 0);
	if (geteuid() != 0) {
		cr_log_warn("that another's key is refused needs root");
		return;
	}
	cr_assert_eq(chown(scratch("key"), 65534, 65534), 0);
	cr_expect_eq(load(scratch("key"), ""), -1);
	cr_expect_not_null(strstr(fault.text, "another user"), "%s", fault.text);
}

Test(trust, odd_secret_files)
{
	static const char *const bad[] = {
		"", "reprise-secret-1 ", "reprise-secret-1 AAAA\n", "something else\n",
		"reprise-secret-2 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
		"reprise-secret-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
		"reprise-secret-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB\n",
		"reprise-secret-1 AAAAAAAAAAAAAAAAAAAA=AAAAAAAAAAAAAAAAAAAAAA\n",
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		unlink(scratch("key"));
		scratch_write("key", bad[i]);
		chmod(scratch("key"), 0600);
		cr_expect_eq(load(scratch("key"), ""), -1, "%s", bad[i]);
		cr_expect_not_null(strstr(fault.text, "not a secret key file"), "%s", fault.text);
	}
	cr_expect_eq(load(scratch("none"), ""), -1);
	cr_expect_eq(fault.code, ENOENT);
	cr_assert_eq(mkfifo(scratch("fifo"), 0600), 0);
	cr_expect_eq(load(scratch("fifo"), ""), -1);
	cr_expect_eq(load(scratch_dir, ""), -1);
	cr_assert_eq(truncate(scratch("key"), 1 << 20), 0);
	cr_expect_eq(load(scratch("key"), ""), -1);
}

Test(trust, a_list_of_keys_and_files)
{
	char list[4096], file[4096];
	const char *a = keygen("a"), *b = keygen("b"), *c = keygen("c");

	snprintf(file, sizeof file, "# writers\n\n  %s  # build farm\r\n\t%s", a, b);
	scratch_write("keys", file);
	chmod(scratch("keys"), 0644);
	snprintf(list, sizeof list, ":%s:%s::%s:", c, scratch("keys"), a);
	cr_assert_eq(load("", list), 0, "%s", fault.text);
	cr_expect_eq(trust.count, 3, "one of them is named twice");
	cr_expect_eq(load(scratch("a"), list), 0);
	cr_expect_eq(trust.count, 3, "our own is among them");
	cr_expect(trust.signing);
}

Test(trust, a_malformed_list_turns_trust_off_for_no_process)
{
	static const char *const bad[] = {
		":", "AAAA", "relative/path", "~/keys", "/no/such/file",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/",
		"reprise-secret-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	};
	char list[4096];

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		cr_expect_eq(load("", bad[i]), -1, "%s", bad[i]);
		cr_expect_eq(trust.count, 0);
		cr_expect(trust_configured(&set));
		cr_expect(fault.text[0]);
		cr_expect_null(strstr(fault.text, "AAAA"), "a key in a message: %s", fault.text);
	}
	snprintf(list, sizeof list, "%s:%s", keygen("k"), "x");
	cr_expect_eq(load("", list), -1, "one bad item spoils all");
	scratch_write("empty", "# nothing\n\n");
	chmod(scratch("empty"), 0644);
	cr_expect_eq(load("", scratch("empty")), -1);
	scratch_write("bad", "\n\nnot a key\n");
	chmod(scratch("bad"), 0644);
	cr_expect_eq(load("", scratch("bad")), -1);
	cr_expect_not_null(strstr(fault.text, "line 3"), "%s", fault.text);
}

Test(trust, a_list_that_others_may_write_is_refused)
{
	char text[TRUST_TEXT + 1];

	snprintf(text, sizeof text, "%s\n", keygen("k"));
	scratch_write("keys", text);
	chmod(scratch("keys"), 0664);
	cr_expect_eq(load("", scratch("keys")), -1);
	chmod(scratch("keys"), 0646);
	cr_expect_eq(load("", scratch("keys")), -1);
	chmod(scratch("keys"), 0644);
	cr_expect_eq(load("", scratch("keys")), 0, "%s", fault.text);
}

Test(trust, as_many_as_there_is_room_for)
{
	char list[TRUST_KEYS_MAX * TRUST_TEXT + 256] = "", name[32];

	for (int i = 0; i < TRUST_KEYS_MAX; i++) {
		snprintf(name, sizeof name, "k%d", i);
		strcat(strcat(list, ":"), keygen(name));
	}
	cr_expect_eq(load("", list), 0, "%s", fault.text);
	cr_expect_eq(trust.count, TRUST_KEYS_MAX);
	strcat(strcat(list, ":"), keygen("more"));
	cr_expect_eq(load("", list), -1);
}

/* RFC 8032, 7.1, test 2: seed, public key, signature of the byte 0x72. */
Test(trust, known_signature)
{
	static const unsigned char want[] = {0x92, 0xa0, 0x09, 0xa9, 0xf0, 0xd4, 0xca, 0xb8, 0x72,
	                                     0x0e};
	unsigned char signature[TRUST_SIGNATURE], public[TRUST_PUBLIC];

	scratch_write("key", "reprise-secret-1 TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs\n");
	chmod(scratch("key"), 0600);
	cr_assert_eq(load(scratch("key"), "PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw"), 0, "%s",
	             fault.text);
	cr_expect_eq(trust.count, 1, "the file's own key");
	trust_sign(&trust, "\x72", 1, signature, public);
	cr_expect_eq(memcmp(signature, want, sizeof want), 0);
	cr_expect_eq(trust_check(&trust, "\x72", 1, signature, public), 1);
}

Test(trust, wiped)
{
	static const struct trust nothing;

	cr_assert_eq(load((keygen("k"), scratch("k")), ""), 0);
	trust_wipe(&trust);
	cr_expect_eq(memcmp(&trust, &nothing, sizeof trust), 0);
}

/* The question of a long-lived process before it trusts an entry. */
Test(trust, files_of_keys_that_change)
{
	char item[TRUST_TEXT], other[TRUST_TEXT], list[4096];

	strcpy(item, keygen("key"));
	strcpy(other, keygen("other"));
	cr_assert_eq(load("", ""), 0);
	cr_expect_not(trust_changed(&trust));
	cr_assert_eq(load("", item), 0);
	cr_expect_not(trust_changed(&trust), "no file");
	scratch_write("one", item);
	scratch_write("two", other);
	snprintf(list, sizeof list, "%s:", item);
	snprintf(list + strlen(list), sizeof list - strlen(list), "%s:", scratch("one"));
	snprintf(list + strlen(list), sizeof list - strlen(list), "%s", scratch("two"));
	cr_assert_eq(load(scratch("key"), list), 0, "%s", fault.text);
	cr_expect_eq(trust.count, 2);
	cr_expect_not(trust_changed(&trust));
	/* A new file with the same bytes; a file written in place; a secret; a file that is
	 * gone. */
	scratch_write("new", other);
	cr_assert_eq(rename(scratch("new"), scratch("two")), 0);
	cr_expect(trust_changed(&trust));
	cr_assert_eq(load(scratch("key"), list), 0, "%s", fault.text);
	cr_expect_not(trust_changed(&trust));
	scratch_write("one", other);
	cr_expect(trust_changed(&trust));
	cr_assert_eq(load(scratch("key"), list), 0, "%s", fault.text);
	cr_assert_eq(rename(scratch("other"), scratch("key")), 0);
	cr_expect(trust_changed(&trust));
	cr_assert_eq(load(scratch("key"), list), 0, "%s", fault.text);
	cr_expect_not(trust_changed(&trust));
	cr_assert_eq(unlink(scratch("two")), 0);
	cr_expect(trust_changed(&trust));
	cr_expect_eq(load(scratch("key"), list), -1);
	cr_expect_not(trust_changed(&trust), "nothing is loaded");
}
