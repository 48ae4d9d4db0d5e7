/* One key of the fixture's store: puts and gets under it, its slots, and their place. */
#pragma once

#include "store_fixture.h"

static struct digest key;
static struct entry e;

static inline int put(const char *text)
{
	return store_put(&store, STORE_RESULT, &key, 0, text, strlen(text), &fault);
}

static inline enum entry_status get(void)
{
	return store_get(&store, STORE_RESULT, &key, 0, &e, &arena, &fault);
}

static inline const char *path_of(enum store_class class, int slot)
{
	static char path[4][512];
	static int n;

	n = (n + 1) % 4;
	store_path(path[n], sizeof path[n], cache, class, &key, slot);
	return path[n];
}

static inline int files_below(const char *dir)
{
	char command[512], answer[32] = "";
	FILE *p;

	snprintf(command, sizeof command, "find '%s' -type f 2>/dev/null | wc -l", dir);
	p = popen(command, "r");
	cr_assert_not_null(p);
	cr_assert_not_null(fgets(answer, sizeof answer, p));
	pclose(p);
	return atoi(answer);
}

/* Candidate n; rest is the data behind its result digest. */
static inline int add(int n, const char *rest)
{
	char payload[128] = "";
	struct digest result;
	char text[32];

	snprintf(text, sizeof text, "result %d", n);
	result = key_of(text);
	memcpy(payload, result.b, DIGEST_SIZE);
	strcpy(payload + DIGEST_SIZE, rest);
	return store_add_candidate(&store, STORE_MANIFEST, &key, payload,
	                           DIGEST_SIZE + strlen(rest), &fault);
}
