/* units/scope.h - with whom a unit is shared: the text that enters its key beside the name.
 *
 * GRAPH: "world=8 rank=3 isa=<hex> torch=<hex>". torch's key for a graph holds neither the global rank (wrong code for
 * another rank) nor the CPU's vector instructions (wrong numbers under others). World and rank are what this
 * process was told when asked, since programs set them late: RANK and WORLD_SIZE, OMPI_COMM_WORLD_*, PMI_*, SLURM_PROCID
 * and SLURM_NTASKS, in this order; without them world 1, rank 0, except in a child of multiprocessing (forked, or
 * started by spawn), which shares nothing. isa covers CPUID's features that code generators look at and
 * ATEN_CPU_CAPABILITY. torch is the build id and version file of the libtorch_cpu.so in this process; none, and
 * nothing is shared. REPRISE_FX_SCOPE: rank (default), shared (rank and world are left out), off.
 * DEVICE: GPU models and driver's version as /proc/driver/nvidia says; else the CPU's model and isa.
 * SOURCE: rank and world, as for GRAPH, and the versions in this process. ALL: nothing.
 *
 * Reads small files of /proc once a call; allocates from the arena only. THREAD; not in a vfork child. */
#ifndef UNITS_SCOPE_H
#define UNITS_SCOPE_H

#include "shim/arena.h"
#include "shim/settings.h"
#include "units/shape.h"

struct unit_rank {
	unsigned long rank, world;             /* global */
	unsigned long local_rank, local_world; /* of this host; 0, 1 where nobody says */
	int known;                             /* some variable said so */
};
/* THREAD. From an environment; numbers that are none, or a rank beyond the world, are not known. */
void unit_rank_read(struct unit_rank *r, char *const envp[]);

/* The text, or NULL: shares nothing, *why says so in some words. rank may be another of this host's, for
 * unit_scope_of_rank. forked: this process was made by fork without an exec since. */
const char *unit_scope(enum unit_class class, const struct settings *set, char *const envp[], int forked,
                       struct arena *a, const char **why);
const char *unit_scope_of_rank(enum unit_class class, const struct unit_rank *r, const struct settings *set,
                               char *const envp[], struct arena *a, const char **why);
/* 1: classes are on (REPRISE_CLASSES, REPRISE_FX_SCOPE, and the frameworks' own switches: TORCHINDUCTOR_FX_GRAPH_CACHE=0,
 * TORCHINDUCTOR_AUTOGRAD_CACHE=0, TORCHINDUCTOR_AUTOTUNE_LOCAL_CACHE=0, USE_PYTORCH_KERNEL_CACHE=0). 0: *why. */
int unit_class_on(enum unit_class class, const struct settings *set, char *const envp[], const char **why);
/* Parses a REPRISE_CLASSES text ("+triton,-fxgraph"; "none"; "all"): bits 1 << class. 0, or -1 with the unknown
 * word in bad. */
int unit_classes_parse(const char *text, unsigned *bits, char bad[32]);

#endif
