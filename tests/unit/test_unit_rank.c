/* The rank of a process, by its environment and by how it was started. */
#include "tests/unit/scratch.h"

#include "units/scope/scope.h"

#define ENV(...) ((char *[]){__VA_ARGS__, NULL})
static char *no_env[] = {NULL};

static const struct {
	const char *env[7];
	int known;
	unsigned long world, rank, local_world, local_rank, from, to;
} launchers[] = {
	{{NULL}, 0, 1, 0, 1, 0, 0, 1},
	{{"RANK=3", "WORLD_SIZE=8"}, 1, 8, 3, 1, 0, 0, 8},
	{{"RANK=11", "WORLD_SIZE=16", "LOCAL_RANK=3", "LOCAL_WORLD_SIZE=8"}, 1, 16, 11, 8,
	 3, 8, 16},
	{{"RANK=1", "WORLD_SIZE=4", "SLURM_PROCID=0", "SLURM_NTASKS=2"}, 1, 4, 1, 1, 0, 0,
	 4},
	{{"OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=4",
	  "OMPI_COMM_WORLD_LOCAL_RANK=0",
	  "OMPI_COMM_WORLD_LOCAL_SIZE=2", "PMI_RANK=1", "PMI_SIZE=9"}, 1, 4, 2, 2, 0, 2, 4},
	{{"PMI_RANK=1", "PMI_SIZE=2", "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=2"}, 1, 2, 1, 2,
	 1, 0, 2},
	{{"SLURM_PROCID=5", "SLURM_NTASKS=8", "SLURM_LOCALID=1", "SLURM_NTASKS_PER_NODE=4"},
	 1, 8, 5, 4, 1, 4, 8},
	{{"SLURM_PROCID=5", "SLURM_NTASKS=8", "SLURM_LOCALID=1",
	  "SLURM_NTASKS_PER_NODE=4(x2)"}, 1, 8, 5, 4, 1, 4, 8},
	{{"SLURM_PROCID=5", "SLURM_NTASKS=8", "SLURM_LOCALID=1",
	  "SLURM_STEP_TASKS_PER_NODE=4(x2)"}, 1, 8, 5, 4, 1, 4, 8},
	/* the same rank of the same world by other launchers */
	{{"RANK=6", "WORLD_SIZE=8", "LOCAL_RANK=2", "LOCAL_SIZE=4"}, 1, 8, 6, 4, 2, 4, 8},
	{{"RANK=5", "WORLD_SIZE=8", "LOCAL_RANK=1", "SLURM_PROCID=5", "SLURM_NTASKS=8",
	  "SLURM_LOCALID=1", "SLURM_NTASKS_PER_NODE=4"}, 1, 8, 5, 4, 1, 4, 8},
	{{"RANK=5", "WORLD_SIZE=8", "SLURM_PROCID=5", "SLURM_NTASKS=8", "SLURM_LOCALID=1",
	  "SLURM_NTASKS_PER_NODE=4"}, 1, 8, 5, 4, 1, 4, 8},
	{{"RANK=0", "WORLD_SIZE=8", "LOCAL_RANK=0", "SLURM_PROCID=0", "SLURM_NTASKS=1",
	  "SLURM_LOCALID=0", "SLURM_NTASKS_PER_NODE=1"}, 1, 8, 0, 8, 0, 0, 8},
	/* the number of ranks on the host is not given */
	{{"RANK=5", "WORLD_SIZE=8", "LOCAL_RANK=2"}, 1, 8, 5, 5, 2, 3, 8},
	{{"RANK=70", "WORLD_SIZE=1000", "LOCAL_RANK=2"}, 1, 1000, 70, 64, 2, 68, 132},
	{{"RANK=70", "WORLD_SIZE=1000", "LOCAL_RANK=69"}, 1, 1000, 70, 70, 69, 1, 71},
	{{"SLURM_PROCID=1", "SLURM_NTASKS=6", "SLURM_LOCALID=1",
	  "SLURM_STEP_TASKS_PER_NODE=4,2"}, 1, 6, 1, 6, 1, 0, 6},
	{{"SLURM_PROCID=1", "SLURM_NTASKS=6", "SLURM_LOCALID=1",
	  "SLURM_STEP_TASKS_PER_NODE=x"}, 1, 6, 1, 6, 1, 0, 6},
	{{"PMI_RANK=5", "PMI_SIZE=8", "PMI_LOCAL_RANK=1", "PMI_LOCAL_SIZE=4"}, 1, 8, 5, 4,
	 1, 4, 8},
	/* a request of the allocation that the step did not follow */
	{{"SLURM_PROCID=3", "SLURM_NTASKS=8", "SLURM_LOCALID=3",
	  "SLURM_STEP_TASKS_PER_NODE=8", "SLURM_NTASKS_PER_NODE=1"},
	 1, 8, 3, 8, 3, 0, 8},
	{{"SLURM_PROCID=0", "SLURM_NTASKS=12", "SLURM_LOCALID=0",
	  "SLURM_STEP_TASKS_PER_NODE=8,4", "SLURM_NTASKS_PER_NODE=1"},
	 1, 12, 0, 12, 0, 0, 12},
	/* the rank's number on its host is not given */
	{{"RANK=70", "WORLD_SIZE=1000"}, 1, 1000, 70, 1, 0, 7, 134},
	{{"RANK=63", "WORLD_SIZE=64"}, 1, 64, 63, 1, 0, 0, 64},
	{{"RANK=5", "WORLD_SIZE=8", "LOCAL_WORLD_SIZE=1"}, 1, 8, 5, 1, 0, 5, 6},
	{{"RANK=5", "WORLD_SIZE=8", "LOCAL_WORLD_SIZE=2"}, 1, 8, 5, 1, 0, 0, 8},
	/* not in a row */
	{{"SLURM_PROCID=4", "SLURM_NTASKS=8", "SLURM_LOCALID=2",
	  "SLURM_STEP_TASKS_PER_NODE=4(x2)", "SLURM_DISTRIBUTION=cyclic"},
	 1, 8, 4, 4, 2, 0, 8},
	{{"RANK=0", "WORLD_SIZE=8", "SLURM_PROCID=0", "SLURM_NTASKS=8", "SLURM_LOCALID=0",
	  "SLURM_NTASKS_PER_NODE=4", "SLURM_DISTRIBUTION=plane=2"}, 1, 8, 0, 4, 0, 0, 8},
	{{"SLURM_PROCID=4", "SLURM_NTASKS=8", "SLURM_LOCALID=0",
	  "SLURM_STEP_TASKS_PER_NODE=4(x2)", "SLURM_DISTRIBUTION=block:cyclic"},
	 1, 8, 4, 4, 0, 4, 8},
	{{"RANK=4", "WORLD_SIZE=8", "LOCAL_RANK=0", "LOCAL_WORLD_SIZE=4",
	  "SLURM_DISTRIBUTION=cyclic"}, 1, 8, 4, 4, 0, 4, 8},
	{{"RANK=9", "WORLD_SIZE=14", "LOCAL_RANK=1", "LOCAL_WORLD_SIZE=6"}, 1, 14, 9, 6, 1,
	 0, 14},
	/* an allocation's shell, a batch script */
	{{"SLURM_NTASKS=8"}, 0, 1, 0, 1, 0, 0, 1},
	{{"SLURM_PROCID=0", "SLURM_LOCALID=0"}, 0, 1, 0, 1, 0, 0, 1},
	{{"SLURM_PROCID=1"}, -1, 1, 0, 1, 0, 0, 1},
	/* impossible local numbers */
	{{"RANK=0", "WORLD_SIZE=8", "LOCAL_RANK=3", "LOCAL_WORLD_SIZE=8"}, 1, 8, 0, 1, 0, 0,
	 8},
	{{"RANK=5", "WORLD_SIZE=8", "LOCAL_RANK=8", "LOCAL_WORLD_SIZE=8"}, 1, 8, 5, 1, 0, 0,
	 8},
	{{"RANK=5", "WORLD_SIZE=8", "LOCAL_RANK=5", "LOCAL_WORLD_SIZE=9"}, 1, 8, 5, 8, 5, 0,
	 8},
	/* malformed: the variables of the next launcher are not read */
	{{"RANK=8", "WORLD_SIZE=8", "PMI_RANK=1", "PMI_SIZE=2"}, -1, 1, 0, 1, 0, 0, 1},
	{{"RANK=", "WORLD_SIZE=8"}, -1, 1, 0, 1, 0, 0, 1},
	{{"RANK=0x1", "WORLD_SIZE=8"}, -1, 1, 0, 1, 0, 0, 1},
	{{"RANK=-1", "WORLD_SIZE=8"}, -1, 1, 0, 1, 0, 0, 1},
	{{"RANK= 1", "WORLD_SIZE=8"}, -1, 1, 0, 1, 0, 0, 1},
	{{"RANK=0", "WORLD_SIZE=0"}, -1, 1, 0, 1, 0, 0, 1},
	{{"RANK=0"}, -1, 1, 0, 1, 0, 0, 1},
	{{"WORLD_SIZE=2"}, -1, 1, 0, 1, 0, 0, 1},
	{{"LOCAL_RANK=2"}, -1, 1, 0, 1, 0, 0, 1},
	{{"RANK=1", "WORLD_SIZE=18446744073709551617"}, -1, 1, 0, 1, 0, 0, 1},
	{{"RANKS=1", "XRANK=2", "RANK_=3"}, 0, 1, 0, 1, 0, 0, 1},
};

Test(unit_rank, what_launchers_say)
{
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		char *env[8] = {NULL};
		struct rank r;

		for (int k = 0; k < 7 && launchers[i].env[k]; k++)
			env[k] = (char *)launchers[i].env[k];
		memset(&r, 0xff, sizeof r);
		rank_read(&r, env);
		cr_expect_eq(r.known, launchers[i].known, "row %zu: %d", i, r.known);
		cr_expect_eq(r.world, launchers[i].world, "row %zu: %lu", i, r.world);
		cr_expect_eq(r.rank, launchers[i].rank, "row %zu: %lu", i, r.rank);
		cr_expect_eq(r.local_world, launchers[i].local_world, "row %zu: %lu", i,
		             r.local_world);
		cr_expect_eq(r.local_rank, launchers[i].local_rank, "row %zu: %lu", i,
		             r.local_rank);
		cr_expect_eq(r.from, launchers[i].from, "row %zu: %lu", i, r.from);
		cr_expect_eq(r.to, launchers[i].to, "row %zu: %lu", i, r.to);
	}
}

/* Length with the NUL: arguments and blocks are NULs and texts. */
#define TEXT(t) t, sizeof(t)
static const struct {
	const char *cmdline;
	size_t n;
	int worker;
} command_lines[] = {
	{TEXT("/usr/bin/python3\0train.py\0--rank\0" "3"), 0},
	{TEXT("python\0-m\0torch.distributed.run\0a::b"), 0},
	{TEXT("python\0train.py\0--start-method\0forkserver"), 0},
	/* as CPython 3.11 and 3.13 start them */
	{TEXT("python\0-B\0-c\0from multiprocessing.spawn import spawn_main; "
	      "spawn_main(tracker_fd=6, pipe_handle=8)\0"
	      "--multiprocessing-fork"), 1},
	{TEXT("python\0-c\0from multiprocessing.forkserver import main; main(3, 4, "
	      "['__main__'])"), 1},
	{TEXT("python\0-c\0from billiard.spawn import spawn_main; "
	      "spawn_main(pipe_handle=8)"), 1},
	{TEXT("./frozen\0--multiprocessing-fork\0tracker_fd=6"), 1},
	{TEXT("python\0-m\0joblib.externals.loky.backend.popen_loky_posix\0--process-name"),
	 1},
	{TEXT("python\0/x/ray/_private/workers/default_worker.py\0"
	      "--node-ip-address=10.0.0.1"), 1},
	{TEXT("ray::RayWorkerWrapper.execute_method"), 1},
	{TEXT("VLLM::Worker_TP1\0\0\0"), 1},
	{TEXT("sglang::scheduler_TP0"), 1},
};

/* The present rank of a process, and the environment with which it began. */
static const struct {
	char *rank;
	const char *block;
	size_t m;
	int set_since; /* -1: it cannot be seen */
} blocks[] = {
	{"RANK=3", TEXT("PATH=/bin\0HOME=/"), 1},
	{"RANK=3", TEXT("PATH=/bin\0RANK=0\0HOME=/"), 1},
	{"RANK=3", TEXT("PATH=/bin\0RANK=31\0HOME=/"), 1},
	{"RANK=3", TEXT("PATH=/bin\0RANK=3\0HOME=/"), 0},
	{"RANK=3", TEXT("RANK=3"), 0},
	{"RANK=3", TEXT("XRANK=3\0RANKS=3"), 1},
	{"RANK=3", "", 0, 0},                      /* not read */
	{"RANK=3", TEXT("\0\0\0\0\0\0"), -1},      /* a process title */
	{"RANK=3", TEXT("ker_TP1\0\0\0\0"), -1},
	{"SLURM_PROCID=3", TEXT("PATH=/bin"), 0},
};

Test(unit_rank, workers_inherit_no_rank)
{
	for (size_t i = 0; i < sizeof command_lines / sizeof *command_lines; i++) {
		for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
			char **env = ENV(blocks[k].rank, "WORLD_SIZE=8", "SLURM_NTASKS=8");
			int slurm = blocks[k].rank[0] == 'S';
			struct rank r;
			const char *why;

			why = unit_rank_judge(&r, slurm ? ENV(env[0], env[2]) : env,
			                      command_lines[i].cmdline, command_lines[i].n,
			                      blocks[k].block, blocks[k].m);
			cr_expect_eq(!why, blocks[k].set_since == 1 || (!blocks[k].set_since &&
				!command_lines[i].worker),
			             "%zu %zu: %s", i, k, why);
			cr_expect_eq(r.rank, 3);
			cr_expect_eq(r.world, 8);
		}
		struct rank r;
		cr_expect_eq(!unit_rank_judge(&r, no_env, command_lines[i].cmdline,
		                              command_lines[i].n, TEXT("A=b")),
		             !command_lines[i].worker);
		cr_expect_not_null(unit_rank_judge(&r, ENV("RANK=9"), command_lines[i].cmdline,
		                                   command_lines[i].n, TEXT("A=b")));
	}
}

Test(unit_rank, of_a_long_environment_the_begin_is_seen)
{
	static const char worker[] =
		"python\0-c\0from multiprocessing.spawn import spawn_main; spawn_main()";
	static char block[UNIT_ENVIRON_MAX];
	char **env = ENV("RANK=3", "WORLD_SIZE=8");
	struct rank r;

	memset(block, 'A', sizeof block);
	memcpy(block, "A=b", 4);
	cr_expect_null(unit_rank_judge(&r, env, TEXT("python"), block, sizeof block));
	cr_expect_not_null(unit_rank_judge(&r, env, worker, sizeof worker, block, sizeof block),
	                   "RANK may follow");
	cr_expect_null(unit_rank_judge(&r, env, worker, sizeof worker, block, sizeof block - 1));
	memset(block, 0, sizeof block);
	cr_expect_not_null(unit_rank_judge(&r, env, TEXT("worker 3"), block, sizeof block),
	                   "a title");
}
