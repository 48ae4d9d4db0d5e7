/* units/gather/kernel_files.c - files that Warp, TileLang and deep_jit keep of a kernel.
 *
 * Warp: <module>.meta (JSON), .cpp, .cu, .o, .cubin and .ptx. TileLang: device_kernel.cu,
 * host_kernel.cu, executable.so, and JSON files; other back ends than nvcc's write other names:
 * kernel_lib.so, kernel.cubin, kernel.py. deep_jit: kernel.cu, kernel.cubin, meta.json, .committed.
 * Where its user asks for kernel.ptx and kernel.sass, which its key leaves out, none is carried. */
#include "units/gather/gather.h"

#include <string.h>

#include "shim/ascii.h"
#include "shim/path.h"
#include "units/format/whole.h"

#define READS(whose) "reads a file whose content " whose "'s hash does not hold"

/* What every source of Warp begins with. */
static const char of_warp[] = "builtin.h\"\n\0deterministic.h\"\n\0";
/* Headers that the scope holds, and those of the toolkit and of CUTLASS. */
static const char of_cuda[] =
	"tl_templates/cuda/\0cuda\0cutlass/\0cute/\0math\0cooperative_groups\0mma.h\0";
static const char of_host[] =
	"\"tvm/\0<math.h>\0<stdio.h>\0<stdbool.h>\0<Metal/\0<Foundation/\0<torch/mps.h>\0";

/* 1: each "include" of the source is a directive of a line's begin, and names one of these. NULL:
 * any relative path. */
static int includes(const char *p, size_t n, const char *quote, const char *names)
{
	static const char include[] = "include ";
	const char *at = p, *end = p + n, *o;

	while ((at = memmem(at, (size_t)(end - at), include, sizeof include - 2))) {
		size_t quoted = strlen(quote), left;
		const char *line;

		if (at == p || at[-1] != '#' || (at - 1 != p && at[-2] != '\n'))
			return 0;
		at += sizeof include - 1;
		if (at > end || at[-1] != ' ' || (size_t)(end - at) < quoted ||
		    memcmp(at, quote, quoted) != 0)
			return 0;
		at += quoted;
		left = (size_t)(end - at);
		line = memchr(at, '\n', left);
		for (o = names ? names : ""; *o; o += strlen(o) + 1)
			if (left >= strlen(o) && memcmp(at, o, strlen(o)) == 0)
				break;
		if (names ? !*o : !left || *at == '/')
			return 0;
		if (!line || memmem(at, (size_t)(line - at), "..", 2))
			return 0;
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

/* 1: a source in C reads a file by another word than "include": #embed, #import, .incbin. Or it has
 * a trigraph, which C++14 reads as # or as a backslash. */
static int reads_otherwise(const char *p, size_t n)
{
	static const char *const words[] = {"embed", "import", NULL};

	return holds(p, n, "incbin") || holds(p, n, "?\?=") || holds(p, n, "?\?/") ||
	       directs(p, n, words) || splits_word(p, n);
}

/* 1: the source asks for its own path (__FILE__ and its like), or spells the path of the user's
 * file, as Warp does for lines of debug information. */
static int tells_path(const char *p, size_t n)
{
	static const char *const words[] = {"line", NULL};

	return holds(p, n, "FILE") || holds(p, n, "source_location") || directs(p, n, words);
}

/* 1: the source asks for the time of its compile. */
static int tells_time(const char *p, size_t n)
{
	return holds(p, n, "__DATE__") || holds(p, n, "__TIME");
}

/* The sources hold snippets of users. reads: what is wrong with one that reads other files. */
static const char *source_refusal(const char *p, size_t n, const char *quote, const char *names,
                                  const char *reads)
{
	if (!n || p[n - 1] != '\n' || memchr(p, 0, n))
		return "is damaged";
	return includes(p, n, quote, names) && !reads_otherwise(p, n) ? NULL : reads;
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
	if (path_ends(name, ".cpp") || path_ends(name, ".cu")) {
		const char *why = source_refusal(bytes, n, "\"", of_warp, READS("Warp"));

		return why ? why : tells_path(bytes, n)
		       ? "tells a path that Warp's hash does not hold" : NULL;
	}
	if (path_ends(name, ".o") || path_ends(name, ".cubin"))
		return whole_elf(bytes, n) ? NULL : "is damaged";
	if (path_ends(name, ".ptx"))
		return whole_ptx(bytes, n) ? NULL : "is damaged";
	return "is no file that Warp keeps";
}

const char *tilelang_refusal(const char *name, const void *bytes, size_t n)
{
	static const char own[] = "#include <tl_templates/cuda/";

	if (strcmp(name, "device_kernel.cu") == 0)
		return memmem(bytes, n, own, sizeof own - 1)
		       ? source_refusal(bytes, n, "<", of_cuda, READS("TileLang"))
		       : "is no kernel for CUDA";
	if (strcmp(name, "host_kernel.cu") == 0)
		return source_refusal(bytes, n, "", of_host, READS("TileLang"));
	if (strcmp(name, "executable.so") == 0)
		return native_refusal(bytes, n);
	if (strcmp(name, "params.json") == 0 || strcmp(name, "manifest.json") == 0)
		return whole_json(bytes, n) ? NULL : "is damaged";
	return "is no file that TileLang keeps of a kernel by nvcc";
}

const char *deep_jit_refusal(const char *name, const void *bytes, size_t n)
{
	if (strcmp(name, "kernel.cu") == 0) {
		if (!n || memchr(bytes, 0, n))
			return "is damaged";
		if (!includes(bytes, n, "<", NULL) || reads_otherwise(bytes, n))
			return READS("deep_jit");
		return tells_path(bytes, n) || tells_time(bytes, n)
		       ? "tells its path, or when it was compiled" : NULL;
	}
	if (strcmp(name, "kernel.cubin") == 0)
		return whole_elf(bytes, n) ? NULL : "is damaged";
	if (strcmp(name, "meta.json") == 0)
		return whole_json(bytes, n) ? NULL : "is damaged";
	if (strcmp(name, ".committed") == 0)
		return n ? "is damaged" : NULL;
	return "is no file that deep_jit keeps of a kernel";
}
