/* units/scope/loaded_scope.c - digests the libraries of a class. */
#include "units/scope/scope.h"

#include "units/scope/native_file.h"
#include "units/scope/rank.h"

#include "shim/banned.h"

static const struct library {
	unsigned char class;
	char head[23]; /* of the library's name */
} libraries[] = {
#define LIBRARY(id, head) {UNIT_##id, head},
	UNIT_LIBRARIES(LIBRARY)
#undef LIBRARY
};

int loaded_scope(struct buf *b, enum unit_class class, struct arena *a, const char **why)
{
	struct native r = {.arena = a, .head = arena_alloc(a, NATIVE_HEAD)};
	size_t n;
	const char *maps = r.head ? text_read("/proc/self/maps", NATIVE_MAPS_MAX, &n, a) : NULL;

	*why = "/proc does not say what it has loaded";
	if (!maps)
		return -1;
	digest_init(&r.s);
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		const struct library *l = &libraries[i];

		if (l->class != class || native_add_mapped(&r, maps, l->head) > 0)
			continue;
		*why = arena_cat(a, l->head, " is not loaded, or cannot be read", NULL);
		return -1;
	}
	native_finish(&r, b, b->len ? " loaded=" : "loaded=");
	return 0;
}
