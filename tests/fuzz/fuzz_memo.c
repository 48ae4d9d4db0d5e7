/* tests/fuzz/fuzz_memo.c - hostile bytes in the memo file, and in the text of mountinfo.
 *
 * The first byte chooses. 0: the rest fills slots where look-ups land (every fourth byte string is
 * laid at a slot's start): an answer may come only from a slot whose check holds. 1: mountinfo and
 * its superblock options: every word found lies inside the text. */
#include <stdlib.h>
#include <string.h>

#include "keying/fstrust.h"
#include "keying/memo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int holds)
{
	if (!holds)
		abort();
}

static void fuzz_slots(const uint8_t *data, size_t size)
{
	static struct memo memo;
	static unsigned char map[4 << 20];
	struct digest value, want, set;
	struct statx st;

	if (size < 16 || size > 4096 ||
	    sys_statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS | STATX_BTIME, &st))
		return;
	memo.map = map;
	memo.size = sizeof map;
	/* A file system of its own that is trusted. */
	memo.fs_count = 1;
	memo.fs[0].major = st.stx_dev_major;
	memo.fs[0].minor = st.stx_dev_minor;
	memo.fs[0].trusted = FSTRUST_YES;
	st.stx_ctime.tv_nsec = 1;
	memcpy(&st.stx_ino, data, 8);
	st.stx_mtime.tv_sec = st.stx_ctime.tv_sec = 1000000000;
	digest_of(&set, data, 8);
	digest_of(&want, data, size);
	memset(map, 0, sizeof map);
	/* Nothing was put: whatever the slots hold, there is no answer but by a forged check. */
	for (size_t at = 0; at + 64 <= sizeof map; at += 64)
		memcpy(map + at, data + 8, size - 8 < 64 ? size - 8 : 64);
	expect(!memo_get(&memo, MEMO_CONTENT, -1, "/", &st, NULL, &value));
	expect(!memo_get(&memo, MEMO_ABSENT, -1, "/", &st, &set, &value));
	memo_put(&memo, MEMO_CONTENT, -1, "/", &st, NULL, &want);
	expect(memo_get(&memo, MEMO_CONTENT, -1, "/", &st, NULL, &value) &&
	       digest_equal(&want, &value));
	/* The key's slot with one byte changed. */
	for (size_t at = 0; at + 64 <= sizeof map; at += 64)
		if (!memcmp(map + at + 16, want.b, DIGEST_SIZE))
			map[at + data[0] % 56] ^= (unsigned char)(data[1] | 1);
	expect(!memo_get(&memo, MEMO_CONTENT, -1, "/", &st, NULL, &value));
}

static void fuzz_mountinfo(const uint8_t *data, size_t size)
{
	/* An exact copy on the heap, so that a step outside is seen. */
	char *text = malloc(size + 1), dir[64];
	struct mount_line line;

	memcpy(text, data, size);
	for (unsigned long long id = 0; id < 40; id++) {
		size_t at = 0, n;

		if (fstrust_find_mount(text, size, id, &line))
			continue;
		expect(line.fstype >= text && line.fstype + line.fstype_len <= text + size);
		expect(line.source >= text && line.source + line.source_len <= text + size);
		expect(line.options >= text && line.options + line.options_len <= text + size);
		while ((n = fstrust_next_lower(line.options, line.options_len, &at, dir,
		                               sizeof dir)))
			expect(n < sizeof dir && dir[0] == '/' && strlen(dir) <= n);
		fstrust_verdict(0x794c7630, 1, 0, &line);
		fstrust_verdict(0xEF53, 1, 0, &line);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		fuzz_mountinfo(data + 1, size - 1);
	else
		fuzz_slots(data + 1, size - 1);
	return 0;
}
