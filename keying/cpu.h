/* keying/cpu.h - what -march=native sees: raw CPUID leaves of model, features and caches
 * (aarch64: MIDR and hwcaps). Costs some microseconds, more where CPUID traps: ask only for native
 * flags. THREAD. */
#ifndef KEYING_CPU_H
#define KEYING_CPU_H
#include "shim/digest.h"
/* Leaves that differ between cores of one machine (APIC ids, topology) are masked out. */
void cpu_digest(struct digest *out);
#endif
