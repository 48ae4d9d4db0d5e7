/* ptx_patch FROM.ptx FROM.cubin TO.ptx OUT.cubin - gives FROM's cubin TO's source names, like a
 * hit.
 *
 * Source files are read as they are now. Prints "<names> <patches> <sources> <entries found>".
 * Status 0 done, 1 the keys differ, 2 no canonical form, 3 patching failed, 4 trouble. For
 * tests/long/ptx_corpus.py. */
#include <stdio.h>
#include <sys/stat.h>

#include "shim/buf.h"
#include "tools/text/ptx.h"
#include "tools/text/ptx_source.h"

static char *load(const char *path, size_t *n, struct arena *a)
{
	struct buf b = BUF_INIT(a);
	FILE *f = fopen(path, "rb");
	char block[65536];

	if (!f)
		return NULL;
	while ((*n = fread(block, 1, sizeof block, f)))
		buf_add(&b, block, *n);
	fclose(f);
	*n = b.len;
	buf_u8(&b, 0);
	return b.failed ? NULL : (char *)b.data;
}

static int ask(const char *path, long long *mtime, unsigned long long *size)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -1;
	*mtime = st.st_mtime;
	*size = (unsigned long long)st.st_size;
	return 0;
}

int main(int argc, char **argv)
{
	struct arena a = ARENA_INIT;
	struct input_text from, to;
	struct patch_list l;
	size_t from_n, cubin_n, to_n;

	if (argc != 5)
		return 4;
	char *from_text = load(argv[1], &from_n, &a), *cubin = load(argv[2], &cubin_n, &a);
	char *to_text = load(argv[3], &to_n, &a);
	if (!from_text || !cubin || !to_text)
		return 4;
	if (ptx_canonical(&from, from_text, from_n, 0, &a) < 0 ||
	    ptx_canonical(&to, to_text, to_n, 0, &a) < 0)
		return 2;
	if (!digest_equal(&from.canonical, &to.canonical))
		return 1;
	if (ptx_add_sources(&from, ask, &a) < 0 || ptx_add_sources(&to, ask, &a) < 0)
		return 4;
	patch_find(&l, cubin, cubin_n, from.names, (size_t)from.count, &a);
	int entries = 0;
	for (size_t i = 0; i < l.count; i++)
		entries += l.v[i].index >= INPUT_TEXT_SOURCES_MAX;
	from.asked = entries ? ~0ull : 0;
	if (!input_text_entries_hold(&from, cubin, cubin_n))
		return 3;
	printf("%d %zu %d %d\n", from.count, l.count, from.source_count, entries);
	if (l.overflow ||
	    patch_apply(cubin, cubin_n, l.v, l.count, from.names, (size_t)from.count, to.names,
	                (size_t)to.count) < 0)
		return 3;
	FILE *out = fopen(argv[4], "wb");
	return !out || fwrite(cubin, 1, cubin_n, out) != cubin_n || fclose(out) ? 4 : 0;
}
