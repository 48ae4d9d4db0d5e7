/* jit/names.c - which function of a library a name is. */
#include <string.h>

#include "jit/jit.h"

#include "shim/banned.h"

#define LONGEST 32

static const char nvrtc_names[][LONGEST] = {
#define NVRTC(id, parameters, arguments) #id,
#include "jit/entries.def"
#undef NVRTC
};
static const char nvjitlink_names[][LONGEST] = {
#define NVJITLINK(id, parameters, arguments) #id,
#include "jit/entries.def"
#undef NVJITLINK
};

static int in(const char (*names)[LONGEST], int count, const char *name, size_t len)
{
	for (int i = 0; i < count; i++)
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			return i;
	return -1;
}

/* Length of "_13_0" at the end, 0 for none. */
static size_t version_len(const char *name, size_t len)
{
	size_t n = len, digits = 0, bars = 0;

	while (n > 0 && bars < 2) {
		char c = name[--n];

		if (c == '_' && !digits)
			return 0;
		digits = c == '_' ? 0 : digits + 1;
		bars += c == '_';
		if (c != '_' && (c < '0' || c > '9'))
			return 0;
	}
	return bars == 2 && len - n < JIT_VERSION ? len - n : 0;
}

int jit_name(const char *name, enum jit_kind *kind, char version[JIT_VERSION])
{
	static const char nvrtc[] = "nvrtc", link[] = "nvJitLink", versioned[] = "__nvJitLink";
	size_t len = strlen(name), v;

	version[0] = '\0';
	if (strncmp(name, nvrtc, sizeof nvrtc - 1) == 0) {
		*kind = JIT_NVRTC;
		return in(nvrtc_names, NVRTC_ENTRIES, name + sizeof nvrtc - 1, len - (sizeof nvrtc - 1));
	}
	*kind = JIT_NVJITLINK;
	if (strncmp(name, link, sizeof link - 1) == 0)
		return in(nvjitlink_names, NVJITLINK_ENTRIES, name + sizeof link - 1, len - (sizeof link - 1));
	if (strncmp(name, versioned, sizeof versioned - 1) != 0)
		return -1;
	v = version_len(name, len);
	if (!v)
		return -1;
	memcpy(version, name + len - v, v + 1);
	return in(nvjitlink_names, NVJITLINK_ENTRIES, name + sizeof versioned - 1, len - v - (sizeof versioned - 1));
}

int jit_mentions(const char *text, const char *words)
{
	for (; *words; words += strlen(words) + 1)
		if (strstr(text, words))
			return 1;
	return 0;
}

const char *jit_entry_name(enum jit_kind kind, int i)
{
	return kind == JIT_NVRTC ? nvrtc_names[i] : nvjitlink_names[i];
}
