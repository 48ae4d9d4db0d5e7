/* keying/cpu.h - the processor as -march=native sees it: raw CPUID leaves of model, features and
 * caches (aarch64: MIDR and hwcaps).
 *
 * This costs some microseconds, and more where CPUID traps: ask only for native flags. THREAD. */
#ifndef KEYING_CPU_H
#define KEYING_CPU_H
#include "shim/digest.h"
/* Leaves that differ between cores of one machine (APIC ids, topology) are masked out. */
void cpu_digest(struct digest *out);
/* Digests only the instructions that code generators choose by (vectors, matrices, bits, ciphers),
 * and the registers that the kernel saves for them. Two models with the same instructions have the
 * same digest. */
void cpu_features_digest(struct digest *out);
#endif
