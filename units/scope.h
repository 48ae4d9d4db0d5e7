/* units/scope.h - with whom a unit is shared: the text that enters its key beside the name.
 *
 * GRAPH: "world=8 rank=3 isa=<hex> torch=<hex>". torch's key for a graph holds neither the global rank (wrong code for
 * another rank) nor the CPU's vector instructions (wrong numbers under others). World and rank are what this
 * process was told when asked, since programs set them late: RANK and WORLD_SIZE, OMPI_COMM_WORLD_*, PMI_*, SLURM_PROCID
 * and SLURM_NTASKS, in this order; without them world 1, rank 0. isa covers CPUID's features that code generators look at and
 * ATEN_CPU_CAPABILITY. torch is the build id and version file of the libtorch_cpu.so in this process; none, and
 * nothing is shared. REPRISE_FX_SCOPE: rank (default), shared (rank and world are left out), off.
 * DEVICE: GPU models and driver's version as /proc/driver/nvidia says; without an accelerator the CPU's model and isa.
 * SOURCE: world and rank, whatever REPRISE_FX_SCOPE says, torch, Python, torch_npu and NPUs. ALL: "".
 *
 * What inherits a rank is not of that rank: a worker that multiprocessing, Ray or an engine made (vLLM, SGLang) has the
 * variables of the process it came from, and learns its rank by argument. So a process made by fork shares neither GRAPH
 * nor SOURCE, and one that was started as a worker only with a RANK and WORLD_SIZE that it has set since. A process that has
 * given itself a title hides how it was started, and shares neither.
 *
 * Reads small files of /proc once a call; allocates from the arena only. THREAD; not in a vfork child. */
#ifndef UNITS_SCOPE_H
#define UNITS_SCOPE_H

#include "shim/arena.h"
#include "shim/settings.h"
#include "units/shape.h"

struct unit_rank {
	unsigned long rank, world;             /* global */
	unsigned long local_rank, local_world; /* of this host; 0, 1 where nobody says; where nobody says how many: as many
	                                        * as there may be, at most 64 */
	const char *local_name;                /* variable that says the local rank; NULL: none does */
	unsigned long from, to;                /* global ranks that may be of this host, this one among them: from <= rank < to */
	int known;                             /* 1: some variable said so; 0: none is there; -1: one is, and makes no sense */
};
/* THREAD. From an environment: the first launcher's variables that are there. Numbers that are none, a rank without a
 * world or beyond it: -1, world 1, rank 0. What that launcher does not say of the host, another one that says the same rank of the
 * same world does, as in a script under srun. Ranks of a host are taken to be numbered in a row, unless it is known that
 * they are not; then, or where nobody says the local rank, those up to 63 before and after may be of this host. */
void unit_rank_read(struct unit_rank *r, char *const envp[]);
/* THREAD. The same, for this process: NULL, or why its rank cannot be told. cmdline and block are /proc/self/cmdline and
 * environ (as they were at its start), of n and m bytes; of a block of UNIT_ENVIRON_MAX more may follow. */
#define UNIT_ENVIRON_MAX (256u << 10) /* the system allows 2 MiB */
const char *unit_rank_judge(struct unit_rank *r, char *const envp[], const char *cmdline, size_t n,
                            const char *block, size_t m);

/* The text, or NULL: shares nothing, *why says so in some words. forked: this process was made by fork without an exec
 * since. */
const char *unit_scope(enum unit_class class, const struct settings *set, char *const envp[], int forked,
                       struct arena *a, const char **why);
/* What unit_scope gave to this process, of rank `me`, for a peer on this host, who is like it but for the rank. NULL: it is
 * not of that rank, or no memory. Pure. */
const char *unit_scope_of_peer(const char *scope, const struct unit_rank *me, const struct unit_rank *peer,
                               struct arena *a);
/* 1: classes are on (REPRISE_CLASSES, REPRISE_FX_SCOPE, and the frameworks' own switches: TORCHINDUCTOR_FX_GRAPH_CACHE=0,
 * TORCHINDUCTOR_AUTOGRAD_CACHE=0, USE_PYTORCH_KERNEL_CACHE=0, TRITON_ALWAYS_COMPILE=1, and the directories of torch's
 * fresh_cache(); Inductor has none for its autotuning in the environment). 0: *why. */
int unit_class_on(enum unit_class class, const struct settings *set, char *const envp[], const char **why);

#endif
