/* A trace of any bytes: what is read of it stays within it and within the tree's own promises. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/path.h"
#include "shim/trace.h"
#include "trace/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_file(struct tree *t, size_t i)
{
	struct tree_file *f = &t->file[i];
	char tidy[PATH_SIZE];

	require(strlen(f->path) < PATH_SIZE);
	strcpy(tidy, f->path);
	require(path_tidy(tidy) == strlen(f->path));
	require(tree_find(t, f->path) == f);
	require(f->flags & (TREE_RELATIVE | TREE_ABSOLUTE));
	require(!(f->flags & TREE_LINK) == !f->text && !(f->flags & TREE_REAL) == !f->real);
	require(!(f->flags & TREE_MADE) == !f->program);
	require(!(f->flags & (TREE_GONE | TREE_EXISTED | TREE_RENAMED | TREE_DIR | TREE_FRESH)) ||
	        f->flags & TREE_MADE);
}

static uint32_t first_pid(const uint8_t *data, size_t size)
{
	uint32_t pid = 0;

	if (size >= TRACE_HEAD + TRACE_RECORD_HEAD)
		memcpy(&pid, data + TRACE_HEAD + 8, sizeof pid);
	return pid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct tree t;

	tree_read(&t, data, size, first_pid(data, size), NULL, NULL, &a);
	for (size_t i = 0; i < t.count; i++)
		check_file(&t, i);
	for (size_t i = 0; i < t.env_count; i++)
		require(t.env[i].name != NULL);
	for (size_t i = 0; i < t.process_count; i++)
		require(t.process[i].program != NULL);
	require(!t.failed || t.reason != REASON_NONE);
	arena_free(&a);
	return 0;
}
