/* keying/machine.h - facts about the machine: the processor as -march=native sees it, by raw CPUID
 * leaves of model, features and caches (aarch64: /proc/cpuinfo and hwcaps), and its memory.
 *
 * This costs some microseconds, and more where CPUID traps: ask only for native flags. THREAD. */
#pragma once

#include "shim/digest.h"

/* Leaves that differ between cores of one machine (APIC ids, topology) are masked out. */
void cpu_digest(struct digest *out);
/* Digests only the instructions that code generators choose by (vectors, matrices, bits, ciphers),
 * and the registers that the kernel saves for them. Two models with the same instructions have the
 * same digest. */
void cpu_features_digest(struct digest *out);

/* The memory that gcc's collector is tuned by, and that its compilers print (-v, -fverbose-asm,
 * --help=params).
 *
 * Source: gcc's gcc/ggc-common.cc, ggc_min_expand_heuristic() and ggc_min_heapsize_heuristic(). */

/* Bytes. Above HOST_MEMORY_ENOUGH nothing that is printed changes, so no value is larger. */
#define HOST_MEMORY_ENOUGH (2ull << 30)
struct host_memory {
	unsigned long long physical, space, resident; /* space, resident: limits of this process */
};
/* THREAD. What the kernel does not tell is HOST_MEMORY_ENOUGH. */
void host_memory(struct host_memory *out);
