/* judge/text/text_marks.c - what a text may do with names of files, whatever the names are.
 *
 * A slot of the memo, under the content and ASKS_CODE (Makefile): the TEXT_MARK_ bits that were
 * looked for, and, KNOWN bits higher, those that were found. */
#include "judge/text/text.h"

#include <string.h>

#include "keying/memo.h"
#include "tools/cmdline/language.h"
#include "tools/text/line_marks.h"

#include "shim/banned.h"

/* The rules' number in the memo. */
#define MARKS_RULES 1003
#define KNOWN 8

static unsigned find_marks(const char *text, size_t n, unsigned wanted)
{
	unsigned marks = 0;

	if (wanted & TEXT_MARK_COMPUTES && computed_files(text, n))
		marks |= TEXT_MARK_COMPUTES;
	if (wanted & TEXT_MARK_ASSEMBLES && (assembled_files(text, n) || asks_looks(text, n)))
		marks |= TEXT_MARK_ASSEMBLES;
	if (wanted & TEXT_MARK_DIRECTS && assembler_directs(text, n))
		marks |= TEXT_MARK_DIRECTS;
	if (wanted & TEXT_MARK_SCRIPT && text_sees_names(text, n))
		marks |= TEXT_MARK_SCRIPT;
	if (wanted & TEXT_MARK_RENAMES && line_marks_rename(text, n))
		marks |= TEXT_MARK_RENAMES;
	return marks;
}

unsigned text_marks(struct memo *m, const struct digest *content, const char *text, size_t n,
                    unsigned wanted)
{
	struct digest code, key, found;
	uint64_t number = 0;

	if (!content)
		return find_marks(text, n, wanted);
	digest_of(&code, ASKS_CODE, strlen(ASKS_CODE));
	digest_both(&key, &code, content);
	if (!memo_text_get(m, MARKS_RULES, &key, &found, &number) || !digest_equal(&key, &found))
		number = 0;
	if (wanted & ~(unsigned)number) {
		unsigned more = wanted & ~(unsigned)number;

		number |= more | (uint64_t)find_marks(text, n, more) << KNOWN;
		memo_text_put(m, MARKS_RULES, &key, &key, number);
	}
	return (unsigned)(number >> KNOWN) & wanted;
}
