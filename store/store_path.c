/* store/store_path.c - path of an entry in a store. */
#include "store/store_path.h"

#include <string.h>

#include "shim/format.h"

#include "shim/banned.h"

static const char *class_dir(enum store_class class)
{
	switch (class) {
#define X(id, number, dir)                                                                         \
	case STORE_##id:                                                                           \
		return dir;
	STORE_CLASSES(X)
#undef X
	}
	return "unknown";
}

size_t store_path(char *out, size_t cap, const char *dir, enum store_class class,
                  const struct digest *key, int slot)
{
	char hex[DIGEST_HEX + 1], suffix[16] = "";

	digest_hex(key, hex);
	if (slot)
		format_text(suffix, sizeof suffix, ".%d", slot);
	size_t dir_len = strlen(dir), class_len = strlen(class_dir(class)),
	       suffix_len = strlen(suffix);
	size_t need = dir_len + 1 + class_len + 1 + 2 + 1 + DIGEST_HEX - 2 + suffix_len;
	if (need >= cap) {
		if (cap)
			out[0] = '\0';
		return need;
	}
	char *p = out;
	p = mempcpy(p, dir, dir_len);
	*p++ = '/';
	p = mempcpy(p, class_dir(class), class_len);
	*p++ = '/';
	p = mempcpy(p, hex, 2);
	*p++ = '/';
	p = mempcpy(p, hex + 2, DIGEST_HEX - 2);
	memcpy(p, suffix, suffix_len + 1);
	return need;
}
