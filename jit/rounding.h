/* jit/rounding.h - how a thread computes: rounding, small numbers, traps. THREAD.
 *
 * The libraries fold constants with the processor's own arithmetic. In a thread that rounds upward
 * NVRTC 12.1 and 13.5 make other code. So does 12.1 in one that flushes denormals to zero, as a
 * program does that is linked with -ffast-math. */
#ifndef JIT_ROUNDING_H
#define JIT_ROUNDING_H

#include <stdint.h>

/* No state is 0. */
#define ROUNDING_KNOWN (1ull << 63)

#if defined(__x86_64__)
#define ROUNDING_USUAL (ROUNDING_KNOWN | 0x37full << 32 | 0x1f80)
/* The flags of what happened so far are no part of the state. */
#define ROUNDING_FLAGS 0x3fu

static inline uint32_t rounding_mxcsr(void)
{
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	return mxcsr;
}

static inline uint64_t rounding_now(void)
{
	uint16_t x87;

	__asm__ volatile("fnstcw %0" : "=m"(x87));
	return ROUNDING_KNOWN | (uint64_t)x87 << 32 | (rounding_mxcsr() & ~ROUNDING_FLAGS);
}

static inline void rounding_set(uint64_t state)
{
	uint32_t mxcsr = (uint32_t)state | (rounding_mxcsr() & ROUNDING_FLAGS);
	uint16_t x87 = (uint16_t)(state >> 32);

	__asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87) : "memory");
}
#elif defined(__aarch64__)
#define ROUNDING_USUAL ROUNDING_KNOWN

static inline uint64_t rounding_now(void)
{
	uint64_t state;

	__asm__ volatile("mrs %0, fpcr" : "=r"(state));
	return ROUNDING_KNOWN | state;
}

static inline void rounding_set(uint64_t state)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(state & ~ROUNDING_KNOWN) : "memory");
}
#endif

#endif
