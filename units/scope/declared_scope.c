/* units/scope/declared_scope.c - the scope of a unit of the user's own class: values of variables
 * and contents of files. */
#include <string.h>
#include <sys/stat.h>

#include "keying/hashfile.h"
#include "shim/kernel/sys.h"
#include "units/format/member.h"
#include "units/scope/scope.h"
#include "units/shape/declared.h"

#include "shim/banned.h"

/* Appends "unit=<name> kind=file". */
static void begin(struct buf *b, const struct unit_path *u)
{
	buf_str(b, "unit=");
	buf_str(b, declared_name(u));
	buf_str(b, unit_rows[u->class].form == UNIT_WHOLE ? " kind=dir" : " kind=file");
}

int declared_owns(const struct unit_path *u, const char *scope)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);
	int owns;

	begin(&b, u);
	owns = !b.failed && strncmp(scope, (const char *)b.data, b.len) == 0 &&
	       (!scope[b.len] || scope[b.len] == ' ');
	arena_free(&a);
	return owns;
}

/* " A=<digest>", or " A" for a variable that is not set. The scope stands in the journal, in the
 * spool and in entries that other nodes read, and the value may be a secret. */
static void add_variable(struct buf *b, const char *name, char *const envp[])
{
	const char *value = env_get(envp, name);
	struct digest d;

	buf_u8(b, ' ');
	buf_str(b, name);
	if (!value)
		return;
	digest_of(&d, value, strlen(value));
	buf_u8(b, '=');
	scope_put(b, "", &d);
}

static const char *read_file(struct digest *d, const char *path, int64_t began, struct arena *a)
{
	unsigned char *buffer = arena_alloc(a, HASHFILE_BUFFER);
	int fd = buffer ? sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0) : -ENOMEM;
	const char *wrong = NULL;
	unsigned long long bytes;
	struct statx st;

	if (fd < 0)
		return fd == -ENOENT ? "is not here" : "cannot be read";
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE | STATX_CTIME, &st) < 0 ||
	    !S_ISREG(st.stx_mode) || st.stx_size > MEMBER_SOURCE_MAX)
		wrong = "is no regular file of at most 64 MiB";
	else if (!member_is_imported(st.stx_ctime.tv_sec, began))
		wrong = "may have changed since this process began";
	else if (hashfile(fd, buffer, st.stx_size, d, &bytes, NULL) < 0)
		wrong = "cannot be read";
	sys_close(fd);
	return wrong;
}

/* " <path>=<digest>", the path as the line has it: homes differ between containers. */
static int add_file(struct buf *b, const char *path, char *const envp[], int64_t began,
                    struct arena *a, const char **why)
{
	const char *home = env_get(envp, "HOME"), *wrong, *full = path;
	struct digest d;

	if (*path == '~')
		full = home && *home == '/' ? arena_cat(a, home, path + 1, NULL) : NULL;
	wrong = full ? read_file(&d, full, began, a) : "has no home";
	if (wrong) {
		*why = arena_cat(a, path, ", a file of its scope, ", wrong, NULL);
		return -1;
	}
	buf_u8(b, ' ');
	buf_str(b, path);
	buf_u8(b, '=');
	scope_put(b, "", &d);
	return 0;
}

/* " cpu=<hex> isa=<hex>", or " gpu=<models and driver>". */
static int add_device(struct buf *b, const char *word, char *const envp[], struct arena *a,
                      const char **why)
{
	const char *text = *word == 'c' ? unit_scope_cpu(envp, a) : device_gpus("", a, why);

	if (!text)
		return -1;
	buf_str(b, *word == 'c' ? " " : " gpu=");
	buf_str(b, text);
	return 0;
}

const char *declared_scope(const struct unit_path *u, char *const envp[], int64_t began,
                           struct arena *a, const char **why)
{
	const char *p = declared_list(u);
	struct buf b = BUF_INIT(a);

	*why = "memory is refused";
	begin(&b, u);
	for (size_t n; *p; p += n + (p[n] == ',')) {
		const char *word;

		n = strcspn(p, ",");
		if (!n)
			continue;
		word = arena_memdup(a, p, n);
		if (!word)
			return NULL;
		if (n == 3) {
			if (add_device(&b, word, envp, a, why) < 0)
				return NULL;
		} else if (strncmp(word, "env:", 4) == 0) {
			add_variable(&b, word + 4, envp);
		} else if (add_file(&b, word + 5, envp, began, a, why) < 0) {
			return NULL;
		}
	}
	/* Two projects may choose one name for different caches, and share a remote store. */
	buf_str(&b, " path=");
	buf_str(&b, declared_path(u));
	buf_u8(&b, 0);
	return b.failed || a->refused ? NULL : (const char *)b.data;
}
