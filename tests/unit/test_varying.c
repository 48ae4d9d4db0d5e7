/* tests/unit/test_varying.c - variables of ranks, jobs, pods and sessions. */
#include "tools/script/script.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(varying, names)
{
	static const char *const yes[] = {"RANK", "LOCAL_RANK", "TORCHELASTIC_RUN_ID",
	"SLURM_JOB_ID", "PMI_RANK", "PMIX_NAMESPACE", "OMPI_COMM_WORLD_RANK", "HOSTNAME",
		"KUBERNETES_SERVICE_HOST", "MY_SERVICE_PORT_HTTPS", "REDIS_PORT_6379_TCP",
		"REDIS_PORT_6379_TCP_ADDR", "SSH_TTY", "SHLVL", "TMPDIR", "PBS_JOBID"};
	static const char *const no[] = {"RANKS", "MY_RANK", "CFLAGS", "OMPI_CC", "OMPI_CFLAGS",
	"MPICH_CC", "I_MPI_CC", "PE_ENV", "PATH", "HOME", "USER", "REDIS_PORT_X_TCP",
		"USE_TCP", "GCC_EXEC_PREFIX", "LD_LIBRARY_PATH", "SPACK_CC", "", "LANG"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(varying(yes[i], ""), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(varying(no[i], ""), "%s", no[i]);
	cr_expect(varying("REDIS_PORT", "tcp://10.0.0.1:6379"));
	cr_expect_not(varying("MY_PORT", "80"));
}

Test(varying, patterns)
{
	cr_expect(varying_matches("A*", "AB"));
	cr_expect_not(varying_matches("A*", "BA"));
	cr_expect(varying_matches("*A", "BA"));
	cr_expect(varying_matches("*A*", "BAB"));
	cr_expect_not(varying_matches("A", "AB"));
	cr_expect(varying_matches("*", "AB"));
	cr_expect_not(varying_matches("AB*", "A"));
}

static void note(void *ctx, const char *pattern)
{
	strcat(ctx, pattern);
	strcat(ctx, " ");
}

Test(varying, what_a_text_names)
{
	static const struct { const char *text, *patterns; } rows[] = {
		{"exec gcc", ""}, {"$RANK", "RANK "}, {"$RANKS $MY_RANK", ""},
		{"startswith('SLURM_')", "SLURM_* "}, {"X_SERVICE_HOST", "*_SERVICE_HOST "},
		{"os.environ['OMPI_COMM_WORLD_RANK']", "OMPI_COMM_WORLD_* "}, {"A_PORT_8_TCP",
		"*_PORT* "},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char patterns[256] = "";

		varying_named(rows[i].text, note, patterns);
		cr_expect_str_eq(patterns, rows[i].patterns, "%s: %s", rows[i].text, patterns);
	}
}
