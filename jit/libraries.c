/* jit/libraries.c - the tables of jit/libraries.def. */
#include "jit/libraries.h"

#include <string.h>


#include "shim/list.h"
#include "store/job/counters.h"

#include "shim/banned.h"

enum { TEXT = 20, NAME = 28 };

/* A text that does not fit fails to compile: initializer-string is too long. */
static const struct {
	char label[TEXT], symbols[TEXT], linked[TEXT], release[TEXT], companion[TEXT];
	unsigned char failure, hits, misses;
} libraries[] = {
#define LIBRARY(id, rules, label, symbols, linked, release, companion, failure) \
	{label,     symbols, linked,              release, \
	 companion, failure, COUNTER_##id##_HITS, COUNTER_##id##_MISSES},
#include "jit/libraries.def"
};
static const struct {
	char text[TEXT];
	unsigned char id;
} sonames[] = {
#define SONAME(library, text) {text, JIT_##library},
#include "jit/libraries.def"
};
static const char harmless[] =
#define HARMLESS(library, name) name "\0"
#include "jit/libraries.def"
	;
static const struct {
	char name[NAME], signature[CALL_WORDS + 2], answer[TEXT];
	unsigned char library, role;
} entries[] = {
#define ENTRY(library, name, signature, role, answer) \
	{#name, signature, answer, JIT_##library, ROLE_##role},
#include "jit/libraries.def"
};
static const short first[] = {
#define LIBRARY(id, ...) JIT_FIRST_##id,
#include "jit/libraries.def"
	JIT_ENTRIES
};

int libraries_first(enum jit_id id)
{
	return first[id];
}

int libraries_count(enum jit_id id)
{
	return first[id + 1] - first[id];
}

const char *libraries_label(enum jit_id id)
{
	return libraries[id].label;
}

const char *libraries_symbols(enum jit_id id)
{
	return libraries[id].symbols;
}

const char *libraries_linked(enum jit_id id)
{
	return libraries[id].linked;
}

const char *libraries_release(enum jit_id id)
{
	return libraries[id].release;
}

const char *libraries_companion(enum jit_id id)
{
	return libraries[id].companion;
}

int libraries_failure(enum jit_id id)
{
	return libraries[id].failure;
}

int libraries_hits(enum jit_id id)
{
	return libraries[id].hits;
}

int libraries_misses(enum jit_id id)
{
	return libraries[id].misses;
}

int libraries_is(enum jit_id id, const char *soname)
{
	for (size_t i = 0; i < sizeof sonames / sizeof *sonames; i++)
		if (sonames[i].id == id &&
		    strncmp(soname, sonames[i].text, strlen(sonames[i].text)) == 0)
			return 1;
	return 0;
}

int libraries_harmless(const char *name)
{
	return list_has(harmless, name);
}

enum jit_id entry_library(int entry)
{
	return (enum jit_id)entries[entry].library;
}

const char *entry_name(int entry)
{
	return entries[entry].name;
}

const char *entry_signature(int entry)
{
	return entries[entry].signature;
}

enum jit_role entry_role(int entry)
{
	return (enum jit_role)entries[entry].role;
}

const char *entry_answer(int entry)
{
	return entries[entry].answer;
}
