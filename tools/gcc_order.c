/* tools/gcc_order.c - the hash table of gcc's strings. */
#include "tools/gcc_order.h"

#include <stdint.h>
#include <string.h>

#include "shim/banned.h"

#define PLACES 13 /* what a table of few entries has */

static uint32_t hash(const char *s)
{
	uint32_t h = 0;

	for (; *s; s++)
		h = h * 67 + (uint32_t)(signed char)*s - 113;
	return h;
}

/* The name is entered first. */
enum gcc_order gcc_order(const char *name, const char *directory)
{
	uint32_t first = hash(name) % PLACES, h = hash(directory), second = h % PLACES;

	if (second == first)
		second = (second + 1 + h % (PLACES - 2)) % PLACES;
	return first < second ? GCC_ORDER_NAME : GCC_ORDER_DIRECTORY;
}

int gcc_order_holds(const void *strings, size_t n, const char *name, const char *directory)
{
	int by_name = gcc_order(name, directory) == GCC_ORDER_NAME;
	const char *first = by_name ? name : directory, *second = by_name ? directory : name;
	size_t a = strlen(first) + 1, b = strlen(second) + 1;

	return n >= a + b && memcmp(strings, first, a) == 0 && memcmp((const char *)strings + a, second, b) == 0;
}
