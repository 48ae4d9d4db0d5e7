/* cli/pack/seal.c - signs a seed store, and checks its signature. */
#include "cli/pack/seal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "shim/kernel/sys.h"
#include "store/trust.h"

#define MAGIC "reprise-seed-1\n"
#define MAGIC_LEN (sizeof MAGIC - 1)
#define MESSAGE (MAGIC_LEN + DIGEST_SIZE)

void entry_file(struct entry_file *out, const struct entry *e)
{
	out->part[0] = (struct tmp_part){out->head, sizeof out->head};
	out->part[1] = (struct tmp_part){e->payload, e->len};
	out->part[2] = (struct tmp_part){out->tail, sizeof out->tail};
	entry_seal(out->head, out->tail, e->class, &e->key, out->part + 1, 1);
}

int seal_add(struct seal *s, const char *name, const struct entry_file *f)
{
	struct digest_state state;

	if (strlen(name) >= SEAL_PATH || !arena_room(s->arena, s->v, s->count, &s->cap, 64))
		return -1;
	digest_init_as(&state, DIGEST_BLAKE2B);
	for (int i = 0; i < 3; i++)
		digest_add(&state, f->part[i].data, f->part[i].len);
	strcpy(s->v[s->count].name, name);
	digest_final(&state, &s->v[s->count++].digest);
	return 0;
}

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct seal_file *)x)->name, ((const struct seal_file *)y)->name);
}

/* What is signed. */
static void message_of(struct seal *s, unsigned char message[MESSAGE])
{
	struct digest_state state;
	struct digest all;

	if (s->count)
		qsort(s->v, s->count, sizeof *s->v, by_name);
	digest_init_as(&state, DIGEST_BLAKE2B);
	for (size_t i = 0; i < s->count; i++) {
		digest_add(&state, s->v[i].name, strlen(s->v[i].name) + 1);
		digest_add(&state, s->v[i].digest.b, DIGEST_SIZE);
	}
	digest_final(&state, &all);
	memcpy(message, MAGIC, MAGIC_LEN);
	memcpy(message + MAGIC_LEN, all.b, DIGEST_SIZE);
}

static char *add_hex(char *out, const unsigned char *p, size_t n)
{
	for (; n; n--, p++, out += 2)
		snprintf(out, 3, "%02x", *p);
	*out++ = '\n';
	*out = '\0';
	return out;
}

void seal_sign(struct seal *s, const struct trust *t, char text[SEAL_TEXT])
{
	unsigned char message[MESSAGE], signature[TRUST_SIGNATURE], key[TRUST_PUBLIC];

	message_of(s, message);
	trust_sign(t, message, sizeof message, signature, key);
	strcpy(text, MAGIC);
	text = add_hex(text + MAGIC_LEN, key, sizeof key);
	add_hex(text, signature, sizeof signature);
}

/* Parses n bytes in hex and a newline. NULL: it is something else. */
static const char *take_hex(const char *text, unsigned char *out, size_t n)
{
	unsigned v;

	for (; n; n--, text += 2) {
		if (strspn(text, "0123456789abcdef") < 2 || sscanf(text, "%2x", &v) != 1)
			return NULL;
		*out++ = (unsigned char)v;
	}
	return *text == '\n' ? text + 1 : NULL;
}

static int parse(const char *text, unsigned char signature[TRUST_SIGNATURE],
                 unsigned char key[TRUST_PUBLIC])
{
	if (strncmp(text, MAGIC, MAGIC_LEN) != 0)
		return -1;
	text = take_hex(text + MAGIC_LEN, key, TRUST_PUBLIC);
	text = text ? take_hex(text, signature, TRUST_SIGNATURE) : NULL;
	return text && !*text ? 0 : -1;
}

const char *seal_check(struct seal *s, const struct trust *t, const char *dir)
{
	unsigned char message[MESSAGE], signature[TRUST_SIGNATURE], key[TRUST_PUBLIC];
	char text[SEAL_TEXT + 1] = "", *path = arena_cat(s->arena, dir, "/" SEAL_NAME, NULL);
	/* A pipe of that name must not block. */
	int fd = path ? sys_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0) : -1;
	ssize_t n = -1;

	if (fd < 0)
		return "it has no signature";
	n = sys_read_all(fd, text, SEAL_TEXT);
	sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (parse(text, signature, key) < 0)
		return "its signature is damaged";
	message_of(s, message);
	switch (trust_check(t, message, sizeof message, signature, key)) {
	case 1: return NULL;
	case 0: return "it is signed by a key that is not trusted";
	default: return "its signature is wrong: files were changed, added or left out";
	}
}

/* --- reprise keygen --- */

int cli_keygen(struct cli *c, int argc, char **argv)
{
	const char *path = NULL;
	int json = 0;
	char public[TRUST_TEXT];
	struct fault fault;

	const struct cli_option options[] = {CLI_JSON(&json), {0}};
	const struct cli_syntax syntax = {
		.options = options, .operands = "FILE", .operand = &path,
		.missing = "the name of the new key file",
		.text = "Makes a pair of keys for a shared remote store. The secret key is written "
			"to FILE, which must not exist, with mode 0600: set REPRISE_SIGN_KEY to "
			"FILE where entries are published. The public key is printed: list it in "
			"REPRISE_TRUST where entries are read."};

	cli_parse(argc, argv, &syntax);
	if (trust_keygen(path, public, &fault) < 0)
		return cli_failed(argv[0], CLI_FINDING, fault.text);
	if (json) {
		struct json_object *o = json_report();

		json_text(o, "public_key", public);
		json_text(o, "secret_file", path);
		return json_print(stdout, o);
	}
	puts(public);
	return CLI_OK;
}
