/* keying/loader_variables.c - the variables of ld.so and libc (2.28 to 2.41) that matter to a
 * result. */
#include "keying/loader_variables.h"

#include "shim/list.h"

#include "shim/banned.h"

#define LIBC_ENV "GLIBC_TUNABLES\0MALLOC_CHECK_\0MALLOC_PERTURB_\0"
#define LOADER_ENV                                                                        \
	"LD_ASSUME_KERNEL\0LD_BIND_NOW\0LD_DYNAMIC_WEAK\0LD_HWCAP_MASK\0LD_LIBRARY_PATH\0" \
	"LD_ORIGIN_PATH\0"

/* empty: the variable counts even where its value is empty. */
static const struct {
	const char *name;
	int empty;
} acting[] = {
	{"LD_AUDIT", 0},                /* loads code into a namespace of its own */
	{"LD_DEBUG", 0},                /* writes to stderr, or to LD_DEBUG_OUTPUT */
	{"LD_PROFILE", 0},              /* writes below LD_PROFILE_OUTPUT */
	{"LD_SHOW_AUXV", 1},            /* writes the kernel's answers to stdout */
	{"LD_TRACE_LOADED_OBJECTS", 1}, /* writes and ends the process */
	{"LD_TRACE_PRELINKING", 1},     /* the same, before 2.36 */
	{"MALLOC_TRACE", 0},            /* mtrace(3) writes that file inside libc */
};

const char *loader_acts(char *const envp[])
{
	for (; envp && *envp; envp++) {
		const char *e = *envp;

		if (strncmp(e, "LD_", 3) != 0 && strncmp(e, "MALLOC_", 7) != 0)
			continue;
		for (size_t i = 0; i < sizeof acting / sizeof *acting; i++) {
			size_t n = strlen(acting[i].name);

			if (strncmp(e, acting[i].name, n) == 0 && e[n] == '=' &&
			    (e[n + 1] || acting[i].empty))
				return acting[i].name;
		}
	}
	return NULL;
}

const char *loader_variables(int self_contained)
{
	/* GLIBC_TUNABLES and MALLOC_: the content of memory that was never written, and libc's
	 * error messages. LD_: which libraries and functions a process gets, and when a missing
	 * library ends it. */
	return self_contained ? LIBC_ENV : LIBC_ENV LOADER_ENV;
}

int loader_value_counts(const char *name, const char *value)
{
	static const char set[] = "LD_DYNAMIC_WEAK\0LD_HWCAP_MASK\0LD_ORIGIN_PATH\0";

	return value && (*value || list_has(set, name));
}

void loader_preloads(struct buf *out, const char *list, const char *ours)
{
	size_t own = strlen(ours), from = out->len;

	while (list && *list) {
		size_t n = strcspn(list, ": ");

		if (n && !(n == own && memcmp(list, ours, n) == 0)) {
			if (out->len > from)
				buf_u8(out, ':');
			buf_add(out, list, n);
		}
		list += n;
		list += strspn(list, ": ");
	}
}
