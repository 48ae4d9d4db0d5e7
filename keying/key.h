/* keying/key.h - the only way by which bytes enter a key.
 *
 * Every field is tagged and length-prefixed, so two different fields never hash alike. A key keeps
 * its fields, so that `reprise explain` can print and compare them. THREAD. */
#pragma once

#include "shim/arena.h"
#include "shim/buf.h"
#include "shim/digest.h"

/* tag number, name for people, whether the value is text (otherwise it is shown as a hex digest) */
#define KEY_TAGS(X)                                                                                \
	X(FORMAT, 1, "key format", 1)                                                              \
	X(TOOL, 2, "tool content", 0)                                                              \
	X(TOOL_PATH, 3, "tool path", 1)                                                            \
	X(LIBRARY, 4, "loaded library", 0)                                                         \
	X(ARG, 5, "argument", 1)                                                                   \
	X(PRIMARY, 6, "content of", 0)                                                             \
	X(ENV, 7, "variable", 1)                                                                   \
	X(STREAM, 8, "stream", 1)                                                                  \
	X(CPU, 9, "processor", 0)                                                                  \
	X(RESPONSE, 10, "response file argument", 1)                                               \
	X(OUTPUT_TYPE, 11, "type of output path", 1)                                               \
	X(SETTING, 12, "setting", 1)                                                               \
	X(CANDIDATE, 13, "candidate", 0)                                                           \
	X(NAME_LENGTH, 14, "length of name", 1)                                                    \
	X(UNIT, 15, "unit of a framework's cache", 1)                                              \
	X(SCOPE, 16, "shared with", 1)                                                             \
	X(SET, 17, "set of members", 0)                                                            \
	X(MEMBER, 18, "member", 1)                                                                 \
	X(MEMBER_CONTENT, 19, "content of member", 0)                                              \
	X(RESPONSE_FILES, 20, "number of response files", 1)
enum key_tag {
#define X(id, number, name, text) KEY_##id = number,
	KEY_TAGS(X)
#undef X
};

struct key {
	struct digest_state state;
	/* fields in order: u8 tag, lstr label, lstr value; see docs/internals/formats.md */
	struct buf fields;
};

/* fields_arena NULL: the fields are not kept. */
void key_init(struct key *k, struct arena *fields_arena);
/* label distinguishes fields of the same tag ("a.c", "CPATH", "stdout"); it is hashed too and may
 * be "". */
void key_add(struct key *k, enum key_tag tag, const char *label, const void *value, size_t n);
void key_add_str(struct key *k, enum key_tag tag, const char *label, const char *value);
void key_add_digest(struct key *k, enum key_tag tag, const char *label, const struct digest *d);
void key_final(struct key *k, struct digest *out);
/* "argument", "content of", ...; NULL for an unknown number. */
const char *key_tag_name(unsigned tag, int *is_text);
