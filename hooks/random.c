/* hooks/random.c - random bytes. /dev/urandom is an ordinary file here (hooks/open.c). */
#include <sys/random.h>

#include "hooks/caller.h"
#include "hooks/drawn.h"

/* In headers since glibc 2.36. */
EXPORT unsigned arc4random(void);
EXPORT void arc4random_buf(void *to, size_t n);
EXPORT unsigned arc4random_uniform(unsigned below);

/* glibc's limit: the kernel returns this many bytes at once. */
#define ENTROPY_MAX 256
/* Bytes without a promise (since glibc 2.35 in headers): Rust's standard library from 1.62 on takes
 * two numbers for its hash tables so, and nothing else does. */
#ifndef GRND_INSECURE
#define GRND_INSECURE 4
#endif
#define SEED_SIZE 16

static ssize_t raw_random(void *to, size_t n, unsigned flags)
{
	return SYS3(SYS_getrandom, to, n, flags);
}

/* Fills all n bytes: 0, or -errno. */
static long fill(void *to, size_t n)
{
	unsigned char *p = to;
	unsigned tries = 0;

	while (n) {
		ssize_t got = raw_random(p, n, 0);

		if (sys_interrupted(got, &tries))
			continue;
		if (got <= 0)
			return got < 0 ? got : -EIO;
		p += got;
		n -= (size_t)got;
		tries = 0;
	}
	return 0;
}

/* For callers that cannot learn of a failure: like libc, it ends the program. */
static void fill_or_end(void *to, size_t n)
{
	if (fill(to, n) < 0)
		__builtin_trap();
}

EXPORT ssize_t getrandom(void *to, size_t n, unsigned flags)
{
	if (HOOK_FAST(getrandom))
		return real.getrandom(to, n, flags);
	if (n == SEED_SIZE && flags == GRND_INSECURE)
		CHANCE_EVENT(CHANCE_RANDOM, CHANCE_SEED);
	else
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
	return hook_result(fill(to, n));
}

/* Since glibc 2.36; on an older one, programs that look them up find these. */
EXPORT unsigned arc4random(void)
{
	unsigned answer;

	if (HOOK_FAST(arc4random))
		return real.arc4random();
	if (caller_matters)
		CHANCE_EVENT(CHANCE_RANDOM, "arc4random");
	if (real.arc4random)
		answer = real.arc4random();
	else
		fill_or_end(&answer, sizeof answer);
	if (trace_active && trace_process() && !caller_matters)
		drawn_number("arc4random", answer);
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
		fill_or_end(to, n);
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
	fill_or_end(&answer, sizeof answer);
	return below ? (unsigned)(answer % below) : 0;
}
