/* keying/host_memory.h - the memory that gcc's collector is tuned by, and that its compilers print
 * (-v, -fverbose-asm, --help=params).
 *
 * Source: gcc's gcc/ggc-common.cc, ggc_min_expand_heuristic() and ggc_min_heapsize_heuristic(). */
#ifndef KEYING_HOST_MEMORY_H
#define KEYING_HOST_MEMORY_H
/* Bytes. Above HOST_MEMORY_ENOUGH nothing that is printed changes, so no value is larger. */
#define HOST_MEMORY_ENOUGH (2ull << 30)
struct host_memory {
	unsigned long long physical, space, resident; /* space, resident: limits of this process */
};
/* THREAD. What the kernel does not tell is HOST_MEMORY_ENOUGH. */
void host_memory(struct host_memory *out);
#endif
