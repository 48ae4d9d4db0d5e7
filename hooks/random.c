/* hooks/random.c - random bytes. /dev/urandom is a file like others (hooks/open.c). */
#include <sys/random.h>

#include "hooks/chance.h"

/* What libc gives at once, and glibc as its own limit. */
#define ENTROPY_MAX 256

static ssize_t raw_random(void *to, size_t n, unsigned flags)
{
	return SYS3(SYS_getrandom, to, n, flags);
}

/* All of it, as what never fails must. */
static void fill(void *to, size_t n)
{
	unsigned char *p = to;

	while (n) {
		ssize_t got = raw_random(p, n, 0);

		if (got <= 0)
			continue; /* a signal */
		p += got;
		n -= (size_t)got;
	}
}

EXPORT ssize_t getrandom(void *to, size_t n, unsigned flags)
{
	if (HOOK_FAST(getrandom))
		return real.getrandom(to, n, flags);
	CHANCE_EVENT(CHANCE_RANDOM, "getrandom");
	return HOOK_CALL(getrandom, raw_random(to, n, flags), (to, n, flags));
}

EXPORT int getentropy(void *to, size_t n)
{
	if (HOOK_FAST(getentropy))
		return real.getentropy(to, n);
	CHANCE_EVENT(CHANCE_RANDOM, "getentropy");
	if (real.getentropy)
		return real.getentropy(to, n);
	if (n > ENTROPY_MAX)
		return hook_result(-EIO);
	fill(to, n);
	return 0;
}

/* From glibc 2.36 on; on an older one they are here all the same for who looks them up. */
EXPORT unsigned arc4random(void)
{
	unsigned answer;

	if (HOOK_FAST(arc4random))
		return real.arc4random();
	CHANCE_EVENT(CHANCE_RANDOM, "arc4random");
	if (real.arc4random)
		return real.arc4random();
	fill(&answer, sizeof answer);
	return answer;
}

EXPORT void arc4random_buf(void *to, size_t n)
{
	if (HOOK_FAST(arc4random_buf)) {
		real.arc4random_buf(to, n);
		return;
	}
	CHANCE_EVENT(CHANCE_RANDOM, "arc4random_buf");
	if (real.arc4random_buf)
		real.arc4random_buf(to, n);
	else
		fill(to, n);
}

EXPORT unsigned arc4random_uniform(unsigned below)
{
	unsigned long long answer;

	if (HOOK_FAST(arc4random_uniform))
		return real.arc4random_uniform(below);
	CHANCE_EVENT(CHANCE_RANDOM, "arc4random_uniform");
	if (real.arc4random_uniform)
		return real.arc4random_uniform(below);
	/* 64 bits: no value is likelier than another by more than 2^-32. */
	fill(&answer, sizeof answer);
	return below ? (unsigned)(answer % below) : 0;
}
