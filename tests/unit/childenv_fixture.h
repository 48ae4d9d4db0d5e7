/* A host whose object has a path, and the environments of its children. */
#pragma once

#include "scratch.h"

#include "shim/loader/childenv.h"
#include "shim/loader/object.h"

#define CACHE "/var/cache/reprise"
#define RUNTIME "/run/user/7/reprise"

static char preload[4200]; /* LD_PRELOAD=<us> */
static char room_bytes[1 << 20];
static size_t needed; /* what the plan asked for */

static inline void start(void)
{
	scratch_make();
	/* "" in a program that links the code; the constructor of the object fills it in. */
	snprintf((char *)object_path(), 64, "/usr/lib/reprise/libreprise.so");
	snprintf(preload, sizeof preload, "LD_PRELOAD=%s", object_path());
}

static inline void init(char *const envp[], int disabled)
{
	childenv_init(envp, "/var/cache", "/reprise", RUNTIME, disabled);
}

/* A host without settings of its own. */
static inline void host(void)
{
	char *none[] = {NULL};

	init(none, 0);
}

/* The environment of a child that is started with envp; envp itself if nothing changes. Nothing may
 * be written outside the requested room. */
static inline char **child(const char *path, char *const envp[])
{
	struct childenv_plan p;
	char **out;

	needed = childenv_plan(&p, path, envp);
	if (!needed)
		return (char **)envp;
	cr_assert_leq(needed, sizeof room_bytes - 16);
	memset(room_bytes, 0x5a, sizeof room_bytes);
	out = childenv_fill(&p, room_bytes);
	for (size_t i = needed; i < needed + 16; i++)
		cr_assert_eq(room_bytes[i], 0x5a, "written beyond the room");
	return out;
}

static inline const char *value(char **env, const char *name)
{
	size_t n = strlen(name);
	const char *found = NULL;

	for (; *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=') {
			cr_expect_not(found, "%s twice", name);
			found = *env + n + 1;
		}
	return found;
}

static inline size_t count(char **env)
{
	size_t n = 0;

	while (env[n])
		n++;
	return n;
}
