/* Candidates that differ in the streams or the environment of their runs alone. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "judge/recorded.h"
#include "judge/start.h"
#include "shim/digest.h"

static struct start start;

/* A candidate with a file's content and its surroundings: a stream or an environment. */
static struct candidate *made(const char *content, unsigned kind, const char *value, int64_t at)
{
	static struct { struct candidate c; struct input v[3]; } pool[64];
	static size_t used;
	struct input *v = pool[used].v;
	struct candidate *c = &pool[used++].c;
	char all[64];

	v[0] = (struct input){.kind = INPUT_FILE, .spec = "A/f", .spec_len = 3};
	digest_of(&v[0].value, content, strlen(content));
	v[1] = (struct input){.kind = kind, .spec = ""};
	digest_of(&v[1].value, value, strlen(value));
	v[2] = (struct input){.kind = INPUT_ENV, .spec = "FLAG", .spec_len = 4};
	digest_of(&v[2].value, value, strlen(value));
	*c = (struct candidate){.v = v, .count = kind == INPUT_VARIABLES ? 3 : 2, .made_at = at};
	snprintf(all, sizeof all, "%s %u %s", content, kind, value);
	digest_of(&c->result, all, strlen(all));
	return c;
}

static void seen(int slot, struct candidate *c)
{
	start.verdict.seen_slot[start.verdict.seen_count] = slot;
	start.verdict.seen[start.verdict.seen_count++] = c;
}

static void oldest_of_four(unsigned kind)
{
	struct candidate *c = made("x", kind, "new", 200);

	start.verdict.seen_count = 0;
	seen(0, made("x", kind, "0", 100));
	seen(1, made("y", kind, "1", 50));
	seen(2, made("x", kind, "2", 60));
	seen(-1, made("x", kind, "remote", 10));
	seen(3, made("x", kind, "3", 70));
	cr_expect_eq(variants_slot(&start.verdict, c), -1, "three are kept");
	seen(5, made("x", kind, "4", 80));
	cr_expect_eq(variants_slot(&start.verdict, c), 2);
	cr_expect_eq(variants_slot(&start.verdict, made("y", kind, "new", 200)), -1,
	             "of another file's content there is one");
	cr_expect_eq(variants_slot(&start.verdict, made("x", kind, "4", 200)), -1, "it is there");
	cr_expect_eq(variants_slot(&start.verdict, made("x", INPUT_FILE, "new", 200)), -1,
	             "it depends on no surroundings");
}

Test(variants, the_oldest_of_four_is_replaced)
{
	oldest_of_four(INPUT_STREAM);
	oldest_of_four(INPUT_VARIABLES);
}
