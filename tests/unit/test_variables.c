/* Environments as one input. */
#include "store_fixture.h"

#include "judge/script/variables.h"

TestSuite(variables, .init = fixture_start, .fini = fixture_stop);

static struct start start;

static struct variables of(const char *spec, char **envp)
{
	struct variables v;

	start.call.envp = envp;
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
	cr_expect(equal(VARIABLES_NONE, ENV("A=1"), ENV("A=2")));
}

static const char *says(char **was, char **is)
{
	struct variables v = of(VARIABLES_MOST, was);
	struct input in = {.kind = INPUT_VARIABLES, .spec = "", .value = v.digest,
	                   .names = v.name, .name_count = v.count};

	start.call.envp = is;
	start.verdict.detail[0] = '\0';
	return judge_variables_hold(&start, &in) ? "holds" : start.verdict.detail;
}

Test(variables, the_one_that_differs)
{
	cr_expect_str_eq(says(ENV("A=1"), ENV("A=1")), "holds");
	cr_expect_str_eq(says(ENV("A=1", "B=1"), ENV("A=1", "B=2")),
	                 "variable B changed, which a script or macro may use");
	cr_expect_str_eq(says(ENV("A=1"), ENV("A=1", "B=2")),
	                 "variable B is new, which a script or macro may use");
	cr_expect_str_eq(says(ENV("A=1", "C=1"), ENV("A=1", "B=2", "C=1")),
	                 "variable B is new, which a script or macro may use");
	cr_expect_str_eq(says(ENV("A=1", "B=1"), ENV("B=1")),
	                 "variable A is not set, which a script or macro may use");
}
