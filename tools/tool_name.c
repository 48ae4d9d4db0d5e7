/* tools/tool_name.c - targets, versions and words of people who rename a program. */
#include "tools/tool_name.h"

#include <string.h>

#include "shim/ascii.h"
#include "shim/list.h"

#include "shim/banned.h"

#define TRIPLET_WORDS_MAX 5 /* x86_64-pc-linux-gnu, x86_64-conda-linux-gnu and one word to spare */

/* Words by which people rename a compiler, and words of releases. "br_real" is buildroot's. Words
 * of other programs are left out: gcc-ar, g++-mapper-server, ld-linux.so, rustc-wrapper. */
static const char renaming[] =
	"actual\0" "backup\0" "bak\0" "base\0" "beta\0" "bin\0" "binary\0" "br\0" "copy\0" "cross\0"
	"custom\0" "default\0" "dev\0" "elf\0" "exe\0" "final\0" "git\0" "head\0" "hidden\0"
	"host\0" "impl\0" "inner\0" "latest\0" "local\0" "moved\0" "my\0" "native\0" "new\0"
	"nightly\0" "old\0" "orig\0" "original\0" "plain\0" "pre\0" "prev\0" "program\0" "raw\0"
	"rc\0" "real\0" "release\0" "renamed\0" "save\0" "saved\0" "snapshot\0" "stable\0" "stock\0"
	"svn\0" "system\0" "target\0" "toolchain\0" "true\0" "trunk\0" "underlying\0" "unwrapped\0"
	"upstream\0" "v\0" "vanilla\0" "vendor\0" "wrapped\0";
/* Letters of a target's first word up to its number: x86_64, i686, armv7a, riscv64. */
static const char processors[] =
	"aarch\0" "alpha\0" "amdgcn\0" "arc\0" "arm\0" "armeb\0" "armv\0" "avr\0" "bpf\0" "csky\0"
	"h\0" "hppa\0" "i\0" "ia\0" "lm\0" "loongarch\0" "m\0" "microblaze\0" "mips\0" "mipsel\0"
	"mipsisa\0" "msp\0" "nds\0" "nios\0" "nvptx\0" "or\0" "powerpc\0" "ppc\0" "riscv\0" "rl\0"
	"s\0" "sh\0" "sparc\0" "sparcv\0" "thumbv\0" "v\0" "vax\0" "x\0" "xtensa\0" "z\0";

static size_t letters(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && !ascii_digit(s[i]))
		i++;
	return i;
}

static int is_processor(const char *s, size_t n)
{
	size_t word = letters(s, n);

	/* Short words are processors only with their number: i686, m68k, s390x. */
	return (word > 2 || word < n) && list_has_n(processors, s, word);
}

/* A number, a word of renaming, or such a word and a number: 12, real, rc1. */
static int is_addition(const char *s, size_t n)
{
	size_t word = letters(s, n);

	for (size_t i = word; i < n; i++)
		if (!ascii_digit(s[i]))
			return 0;
	return !word || list_has_n(renaming, s, word);
}

static int are_additions(const char *s, size_t n)
{
	for (size_t at = 0, len; at < n; at += len + 1) {
		for (len = 0; at + len < n && !tool_name_separates(s[at + len]); len++)
			;
		if (!is_addition(s + at, len))
			return 0;
	}
	return 1;
}

/* True when s[0..n) is a target prefix: words, each with its hyphen. A single word is a processor.
 * So is the first word, where other programs have names of that form (protoc-gen-cpp). */
static int is_target(const char *s, size_t n, int common)
{
	int words = 0, length = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '-') {
			if (!length)
				return 0;
			words++;
			length = 0;
		} else if (ascii_alnum(s[i]) || (length && (s[i] == '_' || s[i] == '.'))) {
			length++;
		} else {
			return 0;
		}
	}
	return length == 0 && words >= 1 && words <= TRIPLET_WORDS_MAX &&
	       ((words > 1 && !common) || is_processor(s, strcspn(s, "-_.")));
}

/* --- public, in header order --- */

enum tool_name tool_name_around(const char *base, size_t at, size_t len, int common)
{
	size_t n = strlen(base), end = at + len, first = 0;
	enum tool_name is = TOOL_NAME_VERSION;

	/* gcc12 and clang16 are compilers of FreeBSD; as86, cc65 and ld65 are other programs. */
	if (end < n && !tool_name_separates(base[end]) &&
	    (!ascii_digit(base[end]) || ascii_digit(base[end - 1]) || common))
		return TOOL_NAME_OTHER;
	if (base[0] == '-' || base[n - 1] == '-' || base[n - 1] == '.')
		return TOOL_NAME_OTHER;
	if (end < n && tool_name_version_cut(base, n) != end) {
		if (!are_additions(base + end, n - end))
			return TOOL_NAME_OTHER;
		is = TOOL_NAME_RENAMED;
	}
	while (first < at && (base[first] == '.' || base[first] == '_'))
		first++;
	if (at == first || is_target(base + first, at - first, common))
		return first ? TOOL_NAME_RENAMED : is;
	return are_additions(base + first, at - first) ? TOOL_NAME_RENAMED : TOOL_NAME_OTHER;
}

size_t tool_name_version_cut(const char *s, size_t n)
{
	size_t i = n;

	while (i > 0 && (ascii_digit(s[i - 1]) || s[i - 1] == '.'))
		i--;
	return i > 1 && i < n && s[i - 1] == '-' && s[i] != '.' && s[n - 1] != '.' ? i - 1 : n;
}
