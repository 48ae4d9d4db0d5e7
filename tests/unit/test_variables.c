/* Environments as one input, and candidates that differ in variables alone. */
#include "store_fixture.h"

#include "judge/variables.h"
#include "keying/probe.h"

TestSuite(variables, .init = fixture_start, .fini = fixture_stop);

static struct start start;

static struct variables of(const char *spec, char **envp)
{
	struct variables v;

	start.envp = envp;
	start.names.arena = &start.arena;
	cr_assert_eq(judge_variables(&start, spec, &v), 0);
	return v;
}

static int equal(const char *spec, char **x, char **y)
{
	struct variables a = of(spec, x), b = of(spec, y);

	return digest_equal(&a.digest, &b.digest);
}

#define ENV(...) (char *[]){__VA_ARGS__, NULL}

Test(variables, which_count)
{
	struct variables v = of(VARIABLES_MOST, ENV("B=2", "A=1", "RANK=3", "REPRISE_X=1",
	"LD_PRELOAD=x", "_=y", "PWD=/x", "odd"));

	cr_assert_eq(v.count, 2);
	cr_expect_eq(strncmp(v.name[0], "A=", 2), 0);
	cr_expect_eq(strncmp(v.name[1], "B=", 2), 0);
	cr_expect_eq(strlen(v.name[0]), 6);
	cr_expect_eq(of(VARIABLES_ALL, ENV("A=1", "RANK=3", "LD_PRELOAD=x")).count, 2);
	cr_expect_eq(of(VARIABLES_NONE, ENV("A=1", "RANK=3")).count, 0);
	cr_expect_eq(of("SLURM_*", ENV("A=1", "SLURM_JOB_ID=3", "SLURM_PROCID=")).count, 2);
}

Test(variables, what_makes_a_difference)
{
	cr_expect(equal(VARIABLES_MOST, ENV("A=1", "B=2"), ENV("B=2", "A=1")));
	cr_expect(equal(VARIABLES_MOST, ENV("A=1", "RANK=1"), ENV("A=1", "RANK=2",
	"LOCAL_RANK=2")));
	cr_expect_not(equal(VARIABLES_MOST, ENV("A=1"), ENV("A=2")));
	cr_expect_not(equal(VARIABLES_MOST, ENV("A=1"), ENV("A=1", "B=")));
	cr_expect_not(equal(VARIABLES_MOST, ENV("A=1", "B=2"), ENV("A=12", "B=")));
	cr_expect_not(equal(VARIABLES_ALL, ENV("RANK=1"), ENV("RANK=2")));
	cr_expect(equal(VARIABLES_NONE, ENV("A=1"), ENV("A=2")));
}

static const char *says(char **was, char **is)
{
	struct variables v = of(VARIABLES_MOST, was);
	struct input in = {.kind = INPUT_VARIABLES, .spec = "", .value = v.digest,
	                   .names = v.name, .name_count = v.count};

	start.envp = is;
	start.verdict.detail[0] = '\0';
	return judge_variables_hold(&start, &in) ? "holds" : start.verdict.detail;
}

Test(variables, the_one_that_differs)
{
	cr_expect_str_eq(says(ENV("A=1"), ENV("A=1")), "holds");
	cr_expect_str_eq(says(ENV("A=1", "B=1"), ENV("A=1", "B=2")),
	"variable B changed, which a script may use");
	cr_expect_str_eq(says(ENV("A=1"), ENV("A=1", "B=2")),
	"variable B is new, which a script may use");
	cr_expect_str_eq(says(ENV("A=1", "C=1"), ENV("A=1", "B=2", "C=1")),
	"variable B is new, which a script may use");
	cr_expect_str_eq(says(ENV("A=1", "B=1"), ENV("B=1")),
	"variable A is not set, which a script may use");
}

/* A stored candidate of this action with a file's content and an environment. */
static struct candidate made(struct input v[2], const char *content, const char *value, int64_t at)
{
	struct candidate c = {.v = v, .count = 2, .made_at = at};

	v[0] = (struct input){.kind = INPUT_FILE, .spec = "A/f", .spec_len = 3,
	                      .text = "", .value = key_of(content)};
	v[1] = (struct input){.kind = INPUT_VARIABLES, .spec = "", .text = "",
	                      .value = key_of(value)};
	candidate_result_key(&c, &start.k1, &c.result);
	return c;
}

static void put(const char *content, const char *value, int64_t at)
{
	struct input v[2];
	struct candidate c = made(v, content, value, at);
	struct buf b = BUF_INIT(&arena);

	candidate_encode(&b, &c);
	cr_assert_eq(store_add_candidate(&store, STORE_MANIFEST, &start.k1, b.data, b.len,
	                                 &fault), 0);
}

Test(variables, the_oldest_of_four_is_replaced)
{
	struct input v[2];
	struct candidate c;

	start.k1 = key_of("action");
	start.store = store;
	put("x", "0", 100);
	put("y", "1", 50);
	put("x", "2", 60);
	put("x", "3", 70);
	c = made(v, "x", "new", 200);
	cr_expect_eq(judge_variables_slot(&start, &c), -1, "three are kept");
	put("x", "4", 80);
	cr_expect_eq(judge_variables_slot(&start, &c), 2);
	c = made(v, "y", "new", 200);
	cr_expect_eq(judge_variables_slot(&start, &c), -1,
	"of another file's content there is one");
	c = made(v, "x", "4", 200);
	cr_expect_eq(judge_variables_slot(&start, &c), -1, "it is there");
	c.count = 1;
	cr_expect_eq(judge_variables_slot(&start, &c), -1, "without an environment");
}
