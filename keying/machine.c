/* keying/machine.c - the processor as compilers ask about it. */
#include "keying/machine.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__x86_64__)

#define LEAF1_ECX_OSXSAVE (1u << 27)

/* Leaves that gcc 12 (driver-i386.cc, cpuinfo.h) and LLVM 14 (Host.cpp) read, and leaves with
 * features of later processors. Masks remove bits that differ between cores or over time. */
static const struct cpu_leaf {
	unsigned leaf, subleaf;
	unsigned mask[4]; /* eax, ebx, ecx, edx */
} leaves[] = {
#define ALL 0xffffffffu
	{0x0, 0, {ALL, ALL, ALL, ALL}},
	{0x1, 0, {ALL, 0x0000ffff, ALL, ALL}}, /* ebx: APIC id and count of threads above */
	{0x2, 0, {ALL, ALL, ALL, ALL}},
	{0x4, 0, {0x3fff, ALL, ALL, ALL}},     /* eax: which threads share the cache, above */
	{0x4, 1, {0x3fff, ALL, ALL, ALL}},
	{0x4, 2, {0x3fff, ALL, ALL, ALL}},
	{0x4, 3, {0x3fff, ALL, ALL, ALL}},
	{0x7, 0, {ALL, ALL, ALL, ALL}},
	{0x7, 1, {ALL, ALL, ALL, ALL}},
	{0xd, 1, {ALL, 0, 0, 0}},              /* ebx: size for the features in use at the moment */
	{0x14, 0, {ALL, ALL, ALL, ALL}},
	{0x19, 0, {ALL, ALL, ALL, ALL}},
	{0x24, 0, {ALL, ALL, ALL, ALL}},
	{0x80000000, 0, {ALL, ALL, ALL, ALL}},
	{0x80000001, 0, {ALL, ALL, ALL, ALL}},
	{0x80000005, 0, {ALL, ALL, ALL, ALL}},
	{0x80000006, 0, {ALL, ALL, ALL, ALL}},
	{0x80000008, 0, {0, ALL, 0, 0}},       /* ecx: threads of the package */
	{0x80000021, 0, {ALL, 0, 0, 0}},
#undef ALL
};

/* The instructions in these leaves that a program without privileges can compute with.
 * Transactions, shadow stacks, keys, power and tracing are left out: firmware and hypervisors
 * switch them. SSE4A, XOP, FMA4 and TBM are left out: one vendor has them, and no generator of
 * vector code asks for them. AVX512's former 4VNNIW and 4FMAPS are left out too. */
static const struct cpu_leaf feature_leaves[] = {
	{0x0, 0, {0, 0, 0, 0}},
	{0x1, 0, {0, 0,
	          LEAF1_ECX_OSXSAVE | 1u << 0 | 1u << 1 | 1u << 9 | 1u << 12 | 1u << 13 |
	          1u << 19 | 1u << 20 | 1u << 22 | 1u << 23 | 1u << 25 | 1u << 28 | 1u << 29 |
	          1u << 30,
	          1u << 8 | 1u << 15 | 1u << 23 | 1u << 24 | 1u << 25 | 1u << 26}},
	/* ebx: BMI, AVX2, BMI2, AVX512 F DQ RDSEED ADX IFMA CD SHA BW VL; ecx: VBMI, VBMI2, GFNI,
	 * VAES, VPCLMUL, VNNI, BITALG, VPOPCNTDQ; edx: VP2INTERSECT, AMX BF16, FP16, AMX TILE
	 * INT8 */
	{0x7, 0, {0,
	          1u << 3 | 1u << 5 | 1u << 8 | 1u << 16 | 1u << 17 | 1u << 18 | 1u << 19 |
	          1u << 21 | 1u << 28 | 1u << 29 | 1u << 30 | 1u << 31,
	          1u << 1 | 1u << 6 | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 14,
	          1u << 8 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25}},
	/* eax: SHA512, SM3, SM4, AVX VNNI, AVX512 BF16, AMX FP16, AVX IFMA; edx: AVX VNNI INT8, NE
	 * CONVERT, AMX COMPLEX, AVX VNNI INT16, AVX10, APX */
	{0x7, 1, {1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | 1u << 21 | 1u << 23, 0, 0,
	          1u << 4 | 1u << 5 | 1u << 8 | 1u << 10 | 1u << 19 | 1u << 21}},
	{0x24, 0, {0, 0x000700ff, 0, 0}}, /* ebx: version of AVX10 and its lengths */
	{0x80000000, 0, {0, 0, 0, 0}},
	{0x80000001, 0, {0, 0, 1u << 0 | 1u << 5, 1u << 29}}, /* LAHF, LZCNT; 64 bits */
};
#define XCR0_REGISTERS 0x000e00e6u /* SSE, AVX, AVX512, AMX, APX */

/* words: one row for each leaf, in their order, zeros for leaves that this processor lacks; then
 * XCR0. */
static void read_leaves(const struct cpu_leaf *l, size_t n, unsigned xcr0, unsigned (*words)[4])
{
	unsigned max = 0, max_extended = 0, osxsave = 0;

	memset(words, 0, (n + 1) * sizeof *words);
	for (; n; n--, l++, words++) {
		unsigned *w = *words;

		if (l->leaf && l->leaf != 0x80000000 &&
		    l->leaf > (l->leaf & 0x80000000 ? max_extended : max))
			continue;
		__cpuid_count(l->leaf, l->subleaf, w[0], w[1], w[2], w[3]);
		if (l->leaf == 0)
			max = w[0];
		else if (l->leaf == 0x80000000)
			max_extended = w[0];
		else if (l->leaf == 1)
			osxsave = w[2] & LEAF1_ECX_OSXSAVE;
		for (int r = 0; r < 4; r++)
			w[r] &= l->mask[r];
	}
	if (osxsave) {
		unsigned *w = *words;

		/* The registers that the kernel saves: without them AVX is not native. */
		__asm__ volatile("xgetbv" : "=a"(w[0]), "=d"(w[1]) : "c"(0));
		w[0] &= xcr0;
	}
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

void cpu_digest(struct digest *out)
{
	unsigned words[COUNT(leaves) + 1][4];

	read_leaves(leaves, COUNT(leaves), ~0u, words);
	digest_of(out, words, sizeof words);
}

void cpu_features_digest(struct digest *out)
{
	unsigned words[COUNT(feature_leaves) + 1][4];

	read_leaves(feature_leaves, COUNT(feature_leaves), XCR0_REGISTERS, words);
	digest_of(out, words, sizeof words);
}

#else

#define CPUINFO_MAX (1u << 20) /* more than 1000 cores with 1 KiB each */

/* Adds the lines of /proc/cpuinfo that gcc and clang read. A line counts where it differs from the
 * one before with the same key, so that the number of equal cores does not matter, while the order
 * of unequal ones does: clang takes the last. */
static void add_cpuinfo(struct digest_state *s, const char *text, size_t n)
{
	static const char *const keys[] = {"CPU implementer", "CPU variant", "CPU part",
	                                   "CPU architecture", "Features", "Hardware"};
	struct digest last[sizeof keys / sizeof *keys] = {{{0}}}, d;
	const char *end = text + n, *eol;

	for (; (eol = memchr(text, '\n', (size_t)(end - text))); text = eol + 1)
		for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
			if ((size_t)(eol - text) <= strlen(keys[i]) ||
			    memcmp(text, keys[i], strlen(keys[i])))
				continue;
			digest_of(&d, text, (size_t)(eol - text));
			if (!digest_equal(&last[i], &d))
				digest_add(s, &d, sizeof d);
			last[i] = d;
		}
}

static void add_auxv(struct digest_state *s)
{
	unsigned long pairs[64];
	ssize_t n = sys_read_file("/proc/self/auxv", 0, pairs, sizeof pairs);

	for (ssize_t i = 0; i + 1 < n / (ssize_t)sizeof *pairs; i += 2)
		/* AT_HWCAP, AT_HWCAP2, AT_HWCAP3, AT_HWCAP4 */
		if (pairs[i] == 16 || pairs[i] == 26 || pairs[i] == 29 || pairs[i] == 30)
			digest_add(s, &pairs[i], 2 * sizeof *pairs);
}

void cpu_digest(struct digest *out)
{
	struct digest_state s;
	char *text = sys_mmap(NULL, CPUINFO_MAX, PROT_READ | PROT_WRITE,
	                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	digest_init(&s);
	if (!sys_mmap_failed(text)) {
		ssize_t n = sys_read_file("/proc/cpuinfo", 0, text, CPUINFO_MAX);

		if (n >= 0)
			add_cpuinfo(&s, text, (size_t)n);
		sys_munmap(text, CPUINFO_MAX);
	}
	add_auxv(&s);
	digest_final(&s, out);
}

#ifndef PR_SVE_GET_VL
#define PR_SVE_GET_VL 51
#endif

void cpu_features_digest(struct digest *out)
{
	/* Length of SVE's registers, which no hwcap bit says. */
	long sve = SYS2(SYS_prctl, PR_SVE_GET_VL, 0);
	struct digest_state s;

	digest_init(&s);
	add_auxv(&s);
	digest_add(&s, &sve, sizeof sve);
	digest_final(&s, out);
}

#endif

/* Asks the kernel for the machine's memory and this process's limits. */

static unsigned long long bounded(unsigned long long bytes)
{
	return bytes < HOST_MEMORY_ENOUGH ? bytes : HOST_MEMORY_ENOUGH;
}

static unsigned long long limit(int resource)
{
	struct {
		unsigned long long now, most;
	} l;

	return SYS4(SYS_prlimit64, 0, resource, NULL, &l) == 0 ? bounded(l.now)
	                                                       : HOST_MEMORY_ENOUGH;
}

void host_memory(struct host_memory *out)
{
	struct sysinfo all;

	*out = (struct host_memory){HOST_MEMORY_ENOUGH, limit(RLIMIT_AS), limit(RLIMIT_RSS)};
	if (SYS1(SYS_sysinfo, &all) == 0)
		out->physical = bounded((unsigned long long)all.totalram * all.mem_unit);
}
