/* units/scope/condition.c - compares the sources that a member names with those of this process. */
#include "units/scope/condition.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "keying/hashfile.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/settings/setting_value.h"
#include "units/shape/seen_files.h"

#include "shim/banned.h"

/* --- switches --- */

/* Any value that is not empty. */
#define SWITCH_ANY 2

/* Where a framework does not use its cache, its files are neither placed nor published. No
 * pointers: each would be relocated in every process of a job. */
static const struct framework_switch {
	unsigned char class, off; /* off: this value */
	char variable[40], why[60];
} switches[] = {
#define SWITCH(id, variable, value) {UNIT_##id, value, variable, variable " turns it off"},
	UNIT_SWITCHES(SWITCH)
#undef SWITCH
};

/* torch's fresh_cache() (2.13; fresh_inductor_cache before) gives a block of code, and the
 * processes that it starts, a directory that Python's tempfile named. Triton gets a directory below
 * it. The program wants everything there to be compiled anew. Users who name a directory for a job
 * do not set Triton's directory, or give it another name. Inductor's own default ends in a device's
 * number. */
static int is_fresh_cache(char *const envp[])
{
	static const char below[] = "/triton", letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const char *inductor = env_get(envp, "TORCHINDUCTOR_CACHE_DIR"),
	                       *triton = env_get(envp, "TRITON_CACHE_DIR");
	size_t n = inductor ? strlen(inductor) : 0;
	const char *name = n ? path_base(inductor) : "";

	return triton && strncmp(name, "tmp", 3) == 0 && strspn(name + 3, letters) == 8 &&
	       !name[11] &&
	       strncmp(triton, inductor, n) == 0 && strcmp(triton + n, below) == 0;
}

static int is_switched_off(const struct framework_switch *s, char *const envp[])
{
	const char *text = env_get(envp, s->variable);
	uint64_t value;

	if (!text || !*text)
		return 0;
	return s->off == SWITCH_ANY ||
	       (!setting_parse(SETTING_BOOL, text, &value) && value == s->off);
}

/* NULL: nothing turns it off. */
static const char *why_off(enum unit_class class, const struct settings *set, char *const envp[])
{
	if (class <= 0 || class >= UNIT_CLASSES_MAX || !unit_rows[class].class)
		return "there is no such class";
	if (!(setting_number(set, SETTING_CLASSES) >> class & 1))
		return "REPRISE_CLASSES excludes it";
	if (unit_rows[class].scope & SCOPE_RANK_FX &&
	    setting_number(set, SETTING_FX_SCOPE) == SHARING_OFF)
		return "REPRISE_FX_SCOPE is off";
	if (unit_rows[class].traits & TRAIT_FRESH && is_fresh_cache(envp))
		return "torch's fresh_cache() asks for an empty cache";
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
		if (switches[i].class == class && is_switched_off(&switches[i], envp))
			return switches[i].why;
	return NULL;
}

int unit_class_on(enum unit_class class, const struct settings *set, char *const envp[],
                  const char **why)
{
	const char *off = why_off(class, set, envp);

	if (off)
		*why = off;
	return !off;
}

static int is_source(int fd, const char *path, int64_t began, struct statx *st)
{
	return sys_statx(fd, path, *path ? 0 : AT_EMPTY_PATH,
	                 STATX_TYPE | STATX_SIZE | STATX_CTIME | STATX_INO, st) == 0 &&
	       S_ISREG(st->stx_mode) && st->stx_size <= MEMBER_SOURCE_MAX &&
	       member_is_imported(st->stx_ctime.tv_sec, began);
}

/* NULL, or why the condition fails. Another node wrote the path, so a file that is no source here,
 * such as a device without an end, is not even opened. */
static const char *condition_fails(const struct member_condition *c, int64_t began,
                                   unsigned char *buffer)
{
	struct statx st;
	int fd = is_source(AT_FDCWD, c->path, began, &st)
	         ? sys_open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0) : -ENOENT;
	const char *wrong = NULL;
	unsigned long long bytes;
	struct digest d;

	if (fd < 0)
		return "is not here, or may have changed since this process began";
	if (!is_source(fd, "", began, &st) || hashfile(fd, buffer, 0, &d, &bytes, NULL) != 0 ||
	    !digest_equal(&d, &c->content))
		wrong = "differs here";
	else if (!seen_files_have(makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino))
		wrong = "is here, and this process never looked at it";
	sys_close(fd);
	return wrong;
}

int condition_all_hold(const struct member *m, int64_t began, struct arena *a, const char **why)
{
	unsigned char *buffer = m->conditions ? arena_alloc(a, HASHFILE_BUFFER) : NULL;

	for (unsigned i = 0; i < m->conditions; i++) {
		const char *wrong = buffer ? condition_fails(&m->condition[i], began, buffer)
		                    : "cannot be read: memory is refused";

		if (wrong) {
			*why = arena_cat(a, m->condition[i].path,
			                 ", a source of the stored unit, ", wrong, NULL);
			return 0;
		}
	}
	return 1;
}
