/* tools/cmdline/input_text.h - the only input of a command, read as a text that names its sources.
 *
 * One compiler may write such a text for another one, and put the names of its own sources there.
 * They differ between ranks, users and directories although the code is the same. The driver of the
 * tool that compiles the text (read_text() in tools/driver.h) takes the names out of the
 * key. The key holds the digest of the text with its names *blanked*, and a result is patched to
 * the names of the new run. A name that may reach the result in another form stays in the text, and
 * so in the key. The engine does the rest with the functions below, and knows no form of text. The
 * forms are known to the drivers: tools/text/ptx.h for ptxas.
 *
 * A tool may also ask for time and size of the sources, and enter them into its result. So each
 * source has an *entry*, which is one more name. It begins with the source's file name and a zero.
 * Its index is INPUT_TEXT_SOURCES_MAX + the source's.
 *
 * Memory: the arenas of the request. Pure code. THREAD. */
#pragma once

#include "names/patch.h"
#include "shim/digest.h"

/* A larger text is an input like any other. */
#define INPUT_TEXT_MAX (512u << 20)
/* Memory that reading takes: the text, its blanked form, and 12 bytes for each place of a name. */
#define INPUT_TEXT_WORK(size) (2 * (size) + (24u << 10))
/* distinct names, and sources; number of bits in asked */
#define INPUT_TEXT_SOURCES_MAX 64
#define INPUT_TEXT_NAMES_MAX (2 * INPUT_TEXT_SOURCES_MAX) /* names, then entries */

/* A source that the tool may look at. */
struct input_source {
	const char *path;   /* as the text spells it */
	unsigned directory; /* the number of its directory, for the driver alone */
	long long mtime;    /* before the tool ran; zeros where the file was missing */
	unsigned long long size;
};
struct input_text {
	int count; /* blanked names, then entries; NAME_KIND_TEXT, index by first appearance */
	struct patch_name names[INPUT_TEXT_NAMES_MAX];
	int source_count;
	struct input_source sources[INPUT_TEXT_SOURCES_MAX];
	int unnumbered; /* all sources are one, whose directory may have any of these numbers */
	/* bit i: the tool asked for source i; set by the caller, after the tool ran */
	unsigned long long asked;
	struct digest canonical; /* of the blanked text */
	const char *blanked;     /* the blanked text, valid as long as the arena `work` */
	size_t blanked_len;
	int sloppy;              /* made with INPUT_TEXT_SLOPPY */
};

/* How the names are treated. PATCHED: a result with other names of equal length is patched. SLOPPY:
 * a result serves whatever names it holds, and no name is listed. BOUND: names are text like any
 * other, for a command with CMD_HASHES_SOURCES. */
enum input_text_names { INPUT_TEXT_PATCHED, INPUT_TEXT_SLOPPY, INPUT_TEXT_BOUND };

/* Asks for time (in seconds) and size of a source. 0 and both values, or -1: the file is
 * missing. */
typedef int input_text_ask(const char *path, long long *mtime, unsigned long long *size);

/* What read_text() reads, and how. */
struct input_text_request {
	const char *text;
	size_t n;
	enum input_text_names names;
	input_text_ask *ask;
	struct arena *work;  /* for the reading, and for the blanked text */
	struct arena *arena; /* for names and paths, which stay */
};

/* True when this string stands in the text. A driver may look for its names with it. */
int input_text_stands_in(const void *text, size_t n, const char *name, size_t len);
/* True when this string stands in the blanked text: in a name that is not blanked, in a comment, or
 * anywhere. */
int input_text_mentions(const struct input_text *x, const char *text, size_t len);
/* Copies names and paths to arena a. 0, or -1 without memory. */
int input_text_keep(struct input_text *x, struct arena *a);
/* The source that has this path, as the text spells it; -1: none. */
int input_text_source_of(const struct input_text *x, const char *path);
/* Adds the entry of source i, with its time and size, to the names. 0, or -1 without memory. */
int input_text_enter(struct input_text *x, int i, struct arena *a);
/* False when data, an output, lacks the expected entry for a source that it names and that the tool
 * asked for. Then the result is bound to its names exactly. A source with several entries needs one
 * of them. If no number of a directory is known, no other name may end as the source's does: its
 * entry could be taken for the source's. Zeros in the place of time and size are expected, too: the
 * tool did not ask then, although it was said to. */
int input_text_entries_hold(const struct input_text *x, const void *data, size_t n);
