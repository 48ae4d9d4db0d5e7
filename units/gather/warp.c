/* units/gather/warp.c - <module>.meta (JSON), .cpp, .cu, .o, .cubin and .ptx. */
#include "units/gather/gather.h"

#include <string.h>

#include "shim/ascii.h"
#include "shim/path.h"
#include "units/format/whole.h"

/* What every source of Warp begins with. */
static const char own[] = "#include \"builtin.h\"\n\0#include \"deterministic.h\"\n\0";

/* 1: each "include" of the source is one of Warp's own lines. Users' snippets are part of it. */
static int includes_own(const char *p, size_t n)
{
	static const char include[] = "include";
	const char *at = p, *end = p + n, *o;

	while ((at = memmem(at, (size_t)(end - at), include, sizeof include - 1))) {
		if (at == p || (at - 1 != p && at[-2] != '\n'))
			return 0;
		for (o = own; *o; o += strlen(o) + 1)
			if ((size_t)(end - at) + 1 >= strlen(o) && !memcmp(at - 1, o, strlen(o)))
				break;
		if (!*o)
			return 0;
		at += sizeof include - 1;
	}
	return 1;
}

/* 1: a backslash at a line's end stands in a word, which is then not seen as a whole. */
static int splits_word(const char *p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		size_t at = i + 1;

		if (p[i] != '\\' || ascii_blank(p[i - 1]) || p[i - 1] == '\n')
			continue;
		while (at < n && ascii_blank(p[at]))
			at++;
		if (at + 1 < n && p[at] == '\n' && !ascii_blank(p[at + 1]) && p[at + 1] != '\n')
			return 1;
	}
	return 0;
}

/* 1: a line of the source is one of these directives, or a comment hides which one it is. */
static int directs(const char *p, size_t n, const char *const words[])
{
	for (size_t i = 0; i < n; i++) {
		size_t at = i + 1;

		if (p[i] != '#' && !(p[i] == '%' && at < n && p[at++] == ':'))
			continue;
		while (at < n && ascii_blank(p[at]))
			at++;
		if (n - at > 1 && p[at] == '/' && p[at + 1] == '*')
			return 1;
		for (size_t w = 0; words[w]; w++)
			if (n - at >= strlen(words[w]) &&
			    memcmp(p + at, words[w], strlen(words[w])) == 0)
				return 1;
	}
	return 0;
}

static int holds(const char *p, size_t n, const char *what)
{
	return memmem(p, n, what, strlen(what)) != NULL;
}

int source_reads_otherwise(const char *p, size_t n)
{
	static const char *const words[] = {"embed", "import", NULL};

	return holds(p, n, "incbin") || directs(p, n, words) || splits_word(p, n);
}

/* 1: the source asks for its own path (__FILE__ and its like), or spells the path of the user's
 * file, as Warp does for lines of debug information. */
static int tells_path(const char *p, size_t n)
{
	static const char *const words[] = {"line", NULL};

	return holds(p, n, "FILE") || holds(p, n, "source_location") || directs(p, n, words);
}

static const char *source_refusal(const char *p, size_t n)
{
	if (!n || p[n - 1] != '\n' || memchr(p, 0, n))
		return "is damaged";
	if (!includes_own(p, n) || source_reads_otherwise(p, n))
		return "reads a file whose content Warp's hash does not hold";
	return tells_path(p, n) ? "tells a path that Warp's hash does not hold" : NULL;
}

/* "<kernel>_<8 hex>_cuda_kernel_forward_smem_bytes" */
static const char *meta_refusal(const char *p, size_t n)
{
	static const char after[] = "_cuda_kernel_";
	const char *at;

	if (!whole_json(p, n))
		return "is damaged";
	at = memmem(p, n, after, sizeof after - 1);
	if (!at || at - p < 10 || at[-9] != '_')
		return "names no kernel with a hash";
	for (int i = 1; i <= 8; i++)
		if (!memchr("0123456789abcdef", at[-i], 16))
			return "names no kernel with a hash";
	return NULL;
}

const char *warp_refusal(const char *name, const void *bytes, size_t n)
{
	if (path_ends(name, ".meta"))
		return meta_refusal(bytes, n);
	if (path_ends(name, ".cpp") || path_ends(name, ".cu"))
		return source_refusal(bytes, n);
	if (path_ends(name, ".o") || path_ends(name, ".cubin"))
		return whole_elf(bytes, n) ? NULL : "is damaged";
	if (path_ends(name, ".ptx"))
		return whole_ptx(bytes, n) ? NULL : "is damaged";
	return "is no file that Warp keeps";
}
