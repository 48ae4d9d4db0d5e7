/* tests/fuzz/fuzz_breaker.c - the page that all processes of a node share, and the table of
 * absences, with any content.
 *
 * The first byte chooses. Even: the breaker's page holds the input, repeated; then calls follow as
 * its bytes say, on the target's own clock. Whatever the page held, no call waits long. After two
 * days at most every job and class asks the remote again. Odd: the file of absences is the input,
 * cut at its end. What was noted is known, unless it is torn. Nothing is known for longer than
 * NEGATIVE_CACHE_S. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "remote/breaker.h"
#include "store/negative_cache.h"
#include "tests/fuzz/expect.h"

#define PAGE_BYTES 4096
#define S 1000000000ll
#define HOUR (3600 * S)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t page[PAGE_BYTES / 8];
static int64_t time_now;
static char table[64];

static int64_t test_now(void)
{
	return time_now;
}
static void test_sleep(int64_t ns)
{
	time_now += ns;
}
static const struct breaker_clock test_clock = {test_now, test_sleep};

static void one_call(struct breaker *b, uint8_t what, uint8_t how)
{
	unsigned class = how % (BREAKER_CLASSES + 2);
	int64_t before = time_now;
	struct breaker_state state;

	switch (what % 7) {
	case 0: /* as another process of the node would */
	case 1:
		b->failed = 0;
		switch (breaker_ask(b, class)) {
		case BREAKER_GO:
		case BREAKER_PROBE:
			expect(breaker_limit(b, S) <= S && breaker_limit(b, S) > 0);
			time_now += how * 1000000ll;
			breaker_done(b, class, (enum breaker_outcome)(how % 5), how * 1000000ll,
			             what & 8 ? S : 0);
			break;
		case BREAKER_OPEN:
		case BREAKER_CLASS:
			break;
		default:
			abort();
		}
		/* The time of waits for other processes, and of its own waits. */
		expect(time_now - before <= 4 * BREAKER_PATIENCE_NS + how * 1000000ll);
		break;
	case 2: breaker_note_duration(b, class, how * S); break;
	case 3: breaker_note_answer(b); break;
	case 4: how & 1 ? breaker_set_publishing_off(b, how & 2) : breaker_lease_wait_failed(b);
		break;
	case 5: time_now += how * S; break;
	case 6:
		expect(breaker_read(b, &state) == 0 && state.last && strlen(state.last) < 24);
		expect(state.retry_in_ns >= 0 && state.retry_in_ns <= 2 * BREAKER_LONGEST_NS);
		break;
	}
}

static void fuzz_page(const uint8_t *data, size_t size)
{
	static struct store store;
	struct breaker b = {.page = page, .store = &store, .job = 7, .clock = &test_clock};
	int asked = 0;

	for (size_t i = 0; i < PAGE_BYTES; i++)
		((uint8_t *)page)[i] = data[i % size];
	time_now = 1000 * S;
	for (size_t i = 0; i + 1 < size && i < 64; i += 2)
		one_call(&b, data[i], data[i + 1]);
	/* A time that was far ahead may now be near, but it does not last. */
	int muted = breaker_publishing_is_off(&b), impatient = breaker_lease_wait_is_off(&b);
	time_now += BREAKER_PUBLISHING_OFF_NS + 1;
	expect(!muted || !breaker_publishing_is_off(&b));
	expect(!impatient || !breaker_lease_wait_is_off(&b));
	/* After two days at most, the state is as at the start. */
	for (int i = 0; i < 48 && !asked; i++, time_now += HOUR) {
		b.failed = 0;
		enum breaker_answer answer = breaker_ask(&b, 1);
		asked = answer == BREAKER_GO;
		if (answer <= BREAKER_PROBE)
			breaker_done(&b, 1, BREAKER_SUCCESS, 1000000, 0);
	}
	expect(asked);
	/* Failures still open the breaker. */
	for (int i = 0; i < BREAKER_FAILURES && asked; i++) {
		b.failed = 0;
		asked = breaker_ask(&b, 1) == BREAKER_GO;
		if (asked)
			breaker_done(&b, 1, BREAKER_REFUSED, 1000, 0);
	}
	expect(!asked || page[3]);
}

static void fuzz_absent(const uint8_t *data, size_t size)
{
	struct negative_cache t = {.path = table};
	struct digest key;
	FILE *f;

	if (!*table) {
		snprintf(table, sizeof table, "%s/fuzz-absent-%d",
		         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
	}
	/* A key whose slot is one of the first. */
	memset(&key, 0, sizeof key);
	memcpy(&key, data, size < sizeof key ? size : sizeof key);
	key.b[8] = size & 31;
	key.b[9] = key.b[10] = key.b[11] = 0;
	f = fopen(table, "wb");
	expect(f && fwrite(data, 1, size, f) == size);
	fclose(f);
	negative_cache_known(&t, &key);
	negative_cache_note(&t, &key);
	expect(negative_cache_known(&t, &key));
	negative_cache_forget(&t, &key);
	expect(!negative_cache_known(&t, &key));
	unlink(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	if (data[0] & 1)
		fuzz_absent(data + 1, size - 1);
	else
		fuzz_page(data + 1, size - 1);
	return 0;
}
