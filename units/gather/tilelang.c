/* units/gather/tilelang.c - device_kernel.cu, host_kernel.cu, executable.so, and JSON files. Other
 * back ends than nvcc's write other names: kernel_lib.so, kernel.cubin, kernel.py. */
#include "units/gather/gather.h"

#include <string.h>

#include "units/format/whole.h"

/* Headers that the scope holds, and those of the toolkit and of CUTLASS. */
static const char of_cuda[] =
	"tl_templates/cuda/\0cuda\0cutlass/\0cute/\0math\0cooperative_groups\0mma.h\0";
static const char of_host[] =
	"\"tvm/\0<math.h>\0<stdio.h>\0<stdbool.h>\0<Metal/\0<Foundation/\0<torch/mps.h>\0";

/* 1: each "include" of the source is a directive of a line's begin, and names one of these. */
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
		for (o = names; *o; o += strlen(o) + 1)
			if (left >= strlen(o) && memcmp(at, o, strlen(o)) == 0)
				break;
		if (!*o || !line || memmem(at, (size_t)(line - at), "..", 2))
			return 0;
	}
	return 1;
}

static const char *source_refusal(const char *p, size_t n, const char *quote, const char *names)
{
	if (!n || p[n - 1] != '\n' || memchr(p, 0, n))
		return "is damaged";
	if (!includes(p, n, quote, names) || source_reads_otherwise(p, n))
		return "reads a file whose content TileLang's hash does not hold";
	return NULL;
}

const char *tilelang_refusal(const char *name, const void *bytes, size_t n)
{
	static const char own[] = "#include <tl_templates/cuda/";

	if (strcmp(name, "device_kernel.cu") == 0)
		return memmem(bytes, n, own, sizeof own - 1)
		       ? source_refusal(bytes, n, "<", of_cuda) : "is no kernel for CUDA";
	if (strcmp(name, "host_kernel.cu") == 0)
		return source_refusal(bytes, n, "", of_host);
	if (strcmp(name, "executable.so") == 0)
		return native_refusal(bytes, n);
	if (strcmp(name, "params.json") == 0 || strcmp(name, "manifest.json") == 0)
		return whole_json(bytes, n) ? NULL : "is damaged";
	return "is no file that TileLang keeps of a kernel by nvcc";
}
