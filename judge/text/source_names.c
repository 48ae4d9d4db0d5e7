/* judge/text/source_names.c - keys a command by its only input without the names in it. */
#include "judge/text/text.h"

#include "judge/input/input.h"
#include "tools/driver.h"

#include "shim/banned.h"

static struct input_text *read_names(struct start *s, struct input_text_request *r,
                                     enum input_text_names names)
{
	struct input_text *x = arena_alloc(&s->arena, sizeof *x);

	r->names = names;
	return x && driver_ask(s->row, read_text, -1, x, r) == 0 ? x : NULL;
}

static void key_by(struct start *s, struct input_text *x)
{
	s->text = x;
	if (x)
		s->primaries.v[0].keyed = x->canonical;
}

void source_names_command(struct start *s, const char *text, size_t n, struct arena *work)
{
	struct input_text_request r = {.text = text, .n = n, .ask = judge_source_times,
	                               .work = work, .arena = &s->arena};
	int hashed = s->cmd.flags & CMD_HASHES_SOURCES;

	if (!text || s->primaries.count != 1)
		return;
	key_by(s, read_names(s, &r, hashed ? INPUT_TEXT_BOUND : INPUT_TEXT_PATCHED));
	if (start_accepts(&s->set, "lineinfo") && !hashed)
		s->text_sloppy = read_names(s, &r, INPUT_TEXT_SLOPPY);
}

int source_names_accept_sloppy(struct start *s)
{
	if (!s->text_sloppy)
		return 0;
	key_by(s, s->text_sloppy);
	s->text_sloppy = NULL;
	return 1;
}
