/* keying/cpu.h - what -march=native sees: raw CPUID leaves of model, features and caches
 * (aarch64: MIDR and hwcaps). Costs some microseconds, more where CPUID traps: ask only for native
 * flags. THREAD. */
#ifndef KEYING_CPU_H
#define KEYING_CPU_H
#include "shim/digest.h"
/* Leaves that differ between cores of one machine (APIC ids, topology) are masked out. */
void cpu_digest(struct digest *out);
/* Only the instructions that code generators choose by (vectors, matrices, bits, ciphers) and the registers the kernel
 * saves for them: the same on two models with the same instructions. */
void cpu_features_digest(struct digest *out);
#endif
