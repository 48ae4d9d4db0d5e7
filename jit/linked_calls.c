/* jit/linked_calls.c - calls of objects that are linked against a library. */
#include "jit/jit.h"

#include <string.h>


#include "shim/banned.h"

#define ROW(node, symbols, name, version, id) {node, version},
static const struct node {
	char soname[20], version[JIT_VERSION];
} nodes[] = {
#define LIBRARY(id, ...) NODES_##id(ROW, )
#include "jit/libraries.def"
};
#define NODES (sizeof nodes / sizeof *nodes)

/* Where a library's nodes begin. */
#define PLUS_ONE(...) +1
enum {
#define LIBRARY(id, ...)                                              \
	NODE_FIRST_##id,                                              \
	NODE_BEHIND_##id = NODE_FIRST_##id NODES_##id(PLUS_ONE, ),    \
	NODE_LAST_##id = NODE_BEHIND_##id - 1,
#include "jit/libraries.def"
	NODES_COUNTED
};
_Static_assert(NODES_COUNTED == NODES, "nodes");
static const unsigned char first_node[] = {
#define LIBRARY(id, ...) NODE_FIRST_##id,
#include "jit/libraries.def"
	NODES_COUNTED
};

/* The library of each node, found when the loader's list had changed so often. Under the lock. */
static struct known {
	uint64_t changes;
	struct jit_library *library;
} known[NODES];

static int is_named(void *ctx, const struct elfobject *o)
{
	return strcmp(o->soname, ctx) == 0;
}

/* A reference to a soname means the first object that was loaded under it. */
static struct jit_library *find(enum jit_id id, const struct node *node)
{
	struct elfobject o;

	if (elfobject_find(&o, is_named, (void *)node->soname) < 0)
		return NULL;
	return library_of(id, node->version, &o);
}

static int is_exported(enum jit_id id, const char *version, const char *node)
{
	for (int i = first_node[id]; i < first_node[id + 1]; i++)
		if (strcmp(nodes[i].soname, node) == 0 && strcmp(nodes[i].version, version) == 0)
			return 1;
	return 0;
}

static int is_unseen(void *ctx, const char *name, const char *node)
{
	const struct jit_library *l = ctx;
	char version[JIT_VERSION];
	int entry;

	if (!names_may_find(name) || libraries_harmless(name))
		return 0;
	entry = names_find(name, version);
	if (entry < 0)
		return strstr(name, libraries_symbols(l->id)) != NULL;
	return entry_library(entry) == l->id && !is_exported(l->id, version, node);
}

static int reaches_past(void *ctx, const struct elfobject *o)
{
	struct jit_library *l = ctx;

	return elfobject_needs(o, l->name) && elfobject_wants(o, is_unseen, l);
}

/* --- public, in header order --- */

void linked_find(struct call *c, unsigned index)
{
	uint64_t changes = jit_forked ? 0 : elfobject_changes();
	enum jit_id id = 0;
	char symbol[NAMES_SYMBOL];
	struct known seen;
	unsigned node, count;

	for (;; id++) {
		if (id == JIT_LIBRARIES)
			return;
		count = (unsigned)(first_node[id + 1] - first_node[id]);
		if (index < count * (unsigned)libraries_count(id))
			break;
		index -= count * (unsigned)libraries_count(id);
	}
	c->entry = libraries_first(id) + (int)(index / count);
	node = first_node[id] + index % count;
	jit_spin_take();
	seen = known[node];
	jit_spin_release();
	if (!seen.library || (!jit_forked && seen.changes != changes)) {
		seen = (struct known){changes, jit_forked ? NULL : find(id, &nodes[node])};
		if (seen.library) {
			jit_spin_take();
			known[node] = seen;
			jit_spin_release();
		}
	}
	c->library = seen.library;
	if (!c->library) {
		names_symbol(symbol, c->entry, nodes[node].version);
		c->real = elfobject_loaded(nodes[node].soname, symbol);
	}
}

int linked_passes_by(struct jit_library *l)
{
	uint64_t changes;
	struct elfobject o;

	if (jit_forked)
		return l->passed_by;
	changes = elfobject_changes();
	if (l->changes != changes) {
		l->passed_by = elfobject_find(&o, reaches_past, l) == 0;
		l->changes = changes;
	}
	return l->passed_by;
}
