/* shim/settings/job.c - the name of the job this process belongs to. */
#include "shim/settings/job.h"

#include <string.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

const char *settings_job(const struct settings *s, char *const envp[], struct arena *a,
                         const char **variable)
{
	/* Slurm, PBS, LSF, Grid Engine, Flux, torchrun's rendezvous, Open MPI's mpirun. */
	static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID",
	                                    "FLUX_JOB_ID", "TORCHELASTIC_RUN_ID",
	                                    "PMIX_NAMESPACE", NULL};
	char text[32];

	if (variable)
		*variable = NULL;
	if (*setting_text(s, SETTING_JOB)) {
		if (variable)
			*variable = "REPRISE_JOB";
		return setting_text(s, SETTING_JOB);
	}
	for (int i = 0; names[i]; i++) {
		const char *value = env_get(envp, names[i]);
		/* torchrun without a rendezvous id sets "none" */
		if (!value || !*value || strcmp(value, "none") == 0)
			continue;
		if (variable)
			*variable = names[i];
		return value;
	}
	/* In a Kubernetes pod HOSTNAME is the pod's name; session ids are the same in many pods. */
	if (env_get(envp, "KUBERNETES_SERVICE_HOST") && env_get(envp, "HOSTNAME")) {
		if (variable)
			*variable = "HOSTNAME";
		return env_get(envp, "HOSTNAME");
	}
	long sid = SYS1(SYS_getsid, 0);
	format_text(text, sizeof text, "session-%ld", sid > 0 ? sid : 0);
	const char *job = arena_strdup(a, text);
	return job ? job : "session";
}

/* Reads the variables of launchers. */

/* No job has more processes; keeps sums in range. */
#define WORLD_MAX 100000000ul
/* At most so many ranks are taken for a host's, where no variable tells their number. */
#define LOCALS_UNTOLD 64ul

/* In this order: torchrun and tools that set its variables, such as DeepSpeed; Open MPI; MPICH and
 * Intel MPI; PALS (Cray); srun. A step of srun may leave the allocation's request in the variables,
 * so the step's own variable is read first. */
static const struct launcher {
	const char *rank, *world, *local_rank, *local_world[2];
} launchers[] = {
	{"RANK", "WORLD_SIZE", "LOCAL_RANK", {"LOCAL_WORLD_SIZE", "LOCAL_SIZE"}},
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
	 {"OMPI_COMM_WORLD_LOCAL_SIZE"}},
	{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", {"MPI_LOCALNRANKS"}},
	{"PMI_RANK", "PMI_SIZE", "PMI_LOCAL_RANK", {"PMI_LOCAL_SIZE"}},
	{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID",
	 {"SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE"}},
};
/* The shell of a Slurm allocation has some of these variables and no rank. */
enum { SRUN = 4, LAUNCHERS = sizeof launchers / sizeof *launchers };

static int number(const char *text, unsigned long *out)
{
	unsigned long v = 0;

	if (!text || !*text)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || v > WORLD_MAX)
			return -1;
		v = v * 10 + (unsigned long)(*text - '0');
	}
	*out = v;
	return v <= WORLD_MAX ? 0 : -1;
}

static void no_rank(struct rank *r, int known)
{
	*r = (struct rank){.world = 1, .local_world = 1, .to = 1, .known = known};
}

/* "8", or Slurm's "8(x2)": eight on each of two nodes. "8,4" does not tell which number is this
 * host's. */
static int count(const char *text, unsigned long *out)
{
	char digits[16];
	size_t n = text ? strspn(text, "0123456789") : 0;

	if (!n || n >= sizeof digits || (text[n] && strncmp(text + n, "(x", 2)) ||
	    strchr(text, ','))
		return -1;
	memcpy(digits, text, n);
	digits[n] = '\0';
	return number(digits, out);
}

/* The first variable that is set counts; the second one may be older. */
static int count_locals(const struct launcher *l, char *const envp[], unsigned long *out)
{
	const char *first = env_get(envp, l->local_world[0]);

	return count(first || !l->local_world[1] ? first : env_get(envp, l->local_world[1]), out);
}

/* 1: this launcher gives the same rank and world. A script under srun sets RANK, WORLD_SIZE and
 * LOCAL_RANK for torch, and only Slurm's own variables tell the number of ranks of the host. */
static int says_the_same(const struct launcher *l, const struct rank *r, char *const envp[])
{
	unsigned long rank, world;

	return number(env_get(envp, l->rank), &rank) == 0 &&
	       number(env_get(envp, l->world), &world) == 0 &&
	       rank == r->rank && world == r->world;
}

/* 1: a variable tells the number of the host's ranks. */
static int read_local(struct rank *r, char *const envp[])
{
	for (int i = 0; i < LAUNCHERS; i++) {
		const struct launcher *l = &launchers[i];
		unsigned long local = 0, locals = 0;
		int told;

		if (!says_the_same(l, r, envp))
			continue;
		told = count_locals(l, envp, &locals) == 0;
		/* The only rank of its host is local rank 0. */
		if ((number(env_get(envp, l->local_rank), &local) < 0 && !(told && locals == 1)) ||
		    local > r->rank)
			continue;
		/* An upper bound, until a variable tells the number. */
		if (!r->local_name) {
			r->local_name = l->local_rank;
			r->local_rank = local;
			r->local_world = r->world - (r->rank - local);
			if (r->local_world > LOCALS_UNTOLD)
				r->local_world = LOCALS_UNTOLD > local ? LOCALS_UNTOLD : local + 1;
		}
		if (local == r->local_rank && told && local < locals && locals <= r->world) {
			r->local_world = locals;
			return 1;
		}
	}
	return 0;
}

/* 1: the host's ranks are numbered in a row, as far as is known; `srun -m cyclic` numbers them
 * otherwise. Hosts before this one that have another number of ranks look so, too. */
static int in_a_row(const struct rank *r, int told, char *const envp[])
{
	const char *order = says_the_same(&launchers[SRUN], r, envp)
	                    ? env_get(envp, "SLURM_DISTRIBUTION") : NULL;

	if (order && strncmp(order, "block", 5) != 0 && *order != '*')
		return 0;
	return !told || (r->rank - r->local_rank) % r->local_world == 0;
}

static void read_host(struct rank *r, char *const envp[])
{
	int told = read_local(r, envp);

	if (r->local_name && in_a_row(r, told, envp)) {
		r->from = r->rank - r->local_rank;
		r->to = r->from + r->local_world;
	} else {
		r->from = r->rank < LOCALS_UNTOLD ? 0 : r->rank - LOCALS_UNTOLD + 1;
		r->to = r->rank + LOCALS_UNTOLD;
	}
	if (r->to > r->world)
		r->to = r->world;
}

void rank_read(struct rank *r, char *const envp[])
{
	no_rank(r, 0);
	for (int i = 0; i < LAUNCHERS; i++) {
		const struct launcher *l = &launchers[i];
		const char *rank = env_get(envp, l->rank), *world = env_get(envp, l->world);

		if (!rank && !world && !env_get(envp, l->local_rank))
			continue;
		if (i == SRUN && (!rank || (!world && !strcmp(rank, "0"))))
			continue;
		if (number(rank, &r->rank) < 0 || number(world, &r->world) < 0 ||
		    r->rank >= r->world) {
			no_rank(r, -1);
			return;
		}
		r->known = 1;
		read_host(r, envp);
		return;
	}
}
