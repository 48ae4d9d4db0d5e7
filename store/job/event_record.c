/* store/job/event_record.c - events as bytes. */
#include "store/job/event_record.h"

#include "shim/buf.h"

#include "shim/banned.h"

enum { VERSION = 2 };
enum { KEY = 64, TOOL = KEY + DIGEST_SIZE, REASON = TOOL + 24, COMMAND = REASON + 32,
       DETAIL = COMMAND + 232, PROOFS = DETAIL + 116, RECORDED_AT = PROOFS + 4,
       END = RECORDED_AT + 8 };
_Static_assert(END == EVENT_BYTES, "the header's table");

/* 1: it may rest on proofs. */
static int rests(const struct event *e)
{
	return e->verdict == EVENT_HIT && (e->kind == EVENT_ACTION || e->kind == EVENT_INSIDE);
}

static void put_text(unsigned char *at, size_t size, const char *text)
{
	if (text)
		memcpy(at, text, strnlen(text, size));
}

void event_encode(unsigned char out[EVENT_BYTES], const struct event *e)
{
	unsigned char *p = out + 8;

	memset(out, 0, EVENT_BYTES);
	memcpy(out, "RPV", 3);
	out[3] = VERSION;
	out[4] = (unsigned char)e->kind;
	out[5] = (unsigned char)e->verdict;
	out[6] = (unsigned char)e->source;
	out[7] = e->step != 0;
	p = le_put(p, (uint64_t)e->start, 8);
	p = le_put(p, (uint64_t)e->duration, 8);
	p = le_put(p, (uint64_t)e->spent, 8);
	p = le_put(p, (uint64_t)e->waited, 8);
	p = le_put(p, (uint64_t)e->worth, 8);
	p = le_put(p, e->bytes, 8);
	p = le_put(p, (uint32_t)e->pid, 4);
	le_put(p, (uint32_t)e->rank, 4);
	memcpy(out + KEY, e->key.b, DIGEST_SIZE);
	put_text(out + TOOL, REASON - TOOL, e->tool);
	put_text(out + REASON, COMMAND - REASON, e->reason);
	put_text(out + COMMAND, DETAIL - COMMAND, e->command);
	put_text(out + DETAIL, PROOFS - DETAIL, e->detail);
	if (rests(e))
		le_put(out + PROOFS, e->proofs, 4);
	le_put(out + RECORDED_AT, (uint64_t)e->recorded_at, 8);
}

static const char *take_text(char *out, const unsigned char *at, size_t size)
{
	memcpy(out, at, size);
	out[size] = '\0';
	return out;
}

int event_decode(struct event *e, struct event_texts *t, const unsigned char in[EVENT_BYTES])
{
	if (memcmp(in, "RPV", 3) != 0 || in[3] != VERSION || in[4] > EVENT_JOB ||
	    in[5] >= EVENT_VERDICTS || in[6] >= EVENT_SOURCES)
		return -1;
	*e = (struct event){.kind = in[4], .verdict = in[5], .source = in[6],
	                    .start = (int64_t)le_get(in + 8, 8),
	                    .duration = (int64_t)le_get(in + 16, 8),
	                    .spent = (int64_t)le_get(in + 24, 8),
	                    .waited = (int64_t)le_get(in + 32, 8),
	                    .worth = (int64_t)le_get(in + 40, 8),
	                    .recorded_at = (int64_t)le_get(in + RECORDED_AT, 8),
	                    .bytes = le_get(in + 48, 8),
	                    .pid = (int)(int32_t)le_get(in + 56, 4),
	                    .rank = (int)(int32_t)le_get(in + 60, 4), .step = in[7] & 1};
	memcpy(e->key.b, in + KEY, DIGEST_SIZE);
	/* The clock was set back meanwhile. */
	e->duration = e->duration > 0 ? e->duration : 0;
	e->tool = take_text(t->tool, in + TOOL, REASON - TOOL);
	e->reason = take_text(t->reason, in + REASON, COMMAND - REASON);
	e->host = "";
	e->command = take_text(t->command, in + COMMAND, DETAIL - COMMAND);
	e->detail = take_text(t->detail, in + DETAIL, PROOFS - DETAIL);
	if (rests(e))
		e->proofs = (unsigned)le_get(in + PROOFS, 4);
	return 0;
}

const char *event_kind_name(enum event_kind kind)
{
	static const char names[EVENT_KINDS + 1][12] = {"action", "inside", "unit", "transfer",
	                                                "job"};

	return names[kind];
}

const char *event_verdict_name(enum event_verdict verdict)
{
	static const char names[EVENT_VERDICTS][12] = {"hit", "miss", "bypass", "unstored",
	                                               "error", "stored"};

	return names[verdict];
}

const char *event_source_name(enum event_source source)
{
	static const char names[EVENT_SOURCES][12] = {"", "local", "remote", "waited",
	                                              "ahead"};

	return names[source];
}
