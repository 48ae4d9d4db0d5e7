/* hooks/drawn.c - random numbers that become names: read, srand, rand and random. */
#include "hooks/drawn.h"

#include <stdlib.h>
#include <string.h>

#include "hooks/event.h"
#include "shim/kernel/process.h"
#include "shim/path.h"
#include "tools/chance.h"

/* LLVM's shortest pattern of a name is "-%%%%%%". Fewer digits may occur in a name by accident. */
#define DIGITS_LEAST 6
/* No pattern has more. Numbers beyond are no name's. */
#define DIGITS_MOST 32

int drawn_device = -1;
static int device_read;  /* the device gave its bytes since it was opened */
static int64_t reads;    /* THREAD_IO_CALLS when it was opened */
static unsigned seed;    /* these bytes, if they have not yet been given to srand() */
static int seed_waits;
static int seeded;       /* rand() gives random numbers */
/* Drawn and not yet named. A slot is written after its number is taken: a reader between sees a
 * zero, which is no digit. */
static unsigned count;
static char digits[DIGITS_MOST + 1];

static const char hex[] = "0123456789abcdef";

static void tell(enum chance_kind kind, const char *what)
{
	trace_text(TRACE_CHANCE, 0, what, "", kind);
}

/* The device was used in another way than LLVM's. */
static void tell_use(void)
{
	seed_waits = 0;
	tell(CHANCE_RANDOM, CHANCE_DEVICE);
}

void drawn_opened(const char *path, int fd)
{
	if (!trace_active || !trace_process() || fd < 0 || strcmp(path, CHANCE_DEVICE) != 0)
		return;
	if (drawn_device >= 0)
		tell_use();
	drawn_device = fd;
	seed_waits = device_read = 0;
	reads = thread_io(THREAD_IO_CALLS);
}

void drawn_read(const void *bytes, size_t asked, ssize_t got)
{
	int saved = errno;

	if (got == sizeof seed && asked == sizeof seed && !device_read) {
		memcpy(&seed, bytes, sizeof seed);
		seed_waits = 1;
	} else if (got > 0) {
		tell_use();
	}
	device_read = 1;
	errno = saved;
}

void drawn_closed(void)
{
	/* The program's read and ours. Others may have read the device: pread(), readv(). */
	if (seed_waits && (reads < 0 || thread_io(THREAD_IO_CALLS) != reads + 1 + THREAD_IO_READS))
		tell_use();
	drawn_device = -1;
}

void drawn_copied(void)
{
	tell_use();
}

void drawn_number(const char *what, unsigned number)
{
	unsigned at = __atomic_fetch_add(&count, 1, __ATOMIC_ACQ_REL);

	if (at == 0)
		tell(CHANCE_DRAWN, what);
	if (at < DIGITS_MOST)
		__atomic_store_n(&digits[at], hex[number & 15], __ATOMIC_RELEASE);
}

void drawn_named(const char *path)
{
	unsigned n = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
	char text[DIGITS_MOST + 1];

	if (n < DIGITS_LEAST || n > DIGITS_MOST || !trace_active)
		return;
	memcpy(text, digits, n);
	text[n] = '\0';
	if (strlen(text) != n || !strstr(path_base(path), text))
		return;
	memset(digits, 0, n);
	/* Another thread has drawn meanwhile: its number is not accounted for. */
	if (__atomic_compare_exchange_n(&count, &n, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		tell(CHANCE_NAMED, text);
}

void drawn_after_fork(void)
{
	if (drawn_device >= 0)
		drawn_copied();
	count = 0;
	seed_waits = 0;
	memset(digits, 0, sizeof digits);
}

EXPORT ssize_t read(int fd, void *to, size_t n)
{
	ssize_t got = HOOK_CALL(read, sys_read(fd, to, n), (fd, to, n));

	if (__builtin_expect(drawn_device >= 0, 0) && fd == drawn_device)
		drawn_read(to, n, got);
	return got;
}

EXPORT void srand(unsigned value)
{
	char text[2 * sizeof value + 1] = "";

	HOOK_LATE(srand)(value);
	if (__builtin_expect(!seed_waits, 1))
		return;
	seed_waits = 0;
	/* LLVM closes the device first, and nothing more can be read of it. */
	if (value != seed || drawn_device >= 0) {
		tell_use();
		return;
	}
	seeded = 1;
	for (size_t i = 0; i < 2 * sizeof value; i++)
		text[i] = hex[value >> (4 * (2 * sizeof value - 1 - i)) & 15];
	tell(CHANCE_SEEDED, text);
}

EXPORT int rand(void)
{
	int number = HOOK_LATE(rand)();

	if (__builtin_expect(seeded, 0))
		drawn_number(CHANCE_DEVICE, (unsigned)number);
	return number;
}

/* The same numbers as rand(). */
EXPORT long random(void)
{
	long number = HOOK_LATE(random)();

	if (__builtin_expect(seeded, 0))
		drawn_number(CHANCE_DEVICE, (unsigned)number);
	return number;
}
