/* names/bases.c - lists of directories, and the base that a path lies below. */
#include "names/bases.h"

#include <string.h>

#include "names/name_shape.h"
#include "shim/path.h"

#include "shim/banned.h"

#define ROOTS_MAX 64
/* The variables' places come first and are kept when a variable is unset, so that @B<n> means the
 * same in every process of a job. Inductor sets its own variable only after a while. */
static const char *const base_variables[] = {"TORCHINDUCTOR_CACHE_DIR=", "TRITON_CACHE_DIR=",
                                             "TORCH_EXTENSIONS_DIR="};
#define BASE_VARIABLES (sizeof base_variables / sizeof base_variables[0])

/* True when path[0..len) without its final slashes is dir or lies below it. */
static int prefix_below(const char *path, size_t len, const char *dir)
{
	size_t n = strlen(dir);

	return n && len >= n && memcmp(path, dir, n) == 0 && (len == n || path[n] == '/');
}

/* Adds dir to list when it is an absolute directory other than "/". */
static void add_dir(struct arena *a, const char **list, int *count, int max, const char *dir,
                    size_t len)
{
	char *copy;

	if (len < 2 || dir[0] != '/' || *count >= max || !(copy = arena_memdup(a, dir, len)))
		return;
	if (path_tidy(copy) > 1)
		list[(*count)++] = copy;
}

static void add_list(struct arena *a, const char **list, int *count, int max, const char *text)
{
	while (text && *text) {
		size_t len = strcspn(text, ":");

		add_dir(a, list, count, max, text, len);
		text += len + (text[len] == ':');
	}
}

static void init_roots(struct names *n, unsigned uid, const char *tmpdir, const char *more_roots)
{
	const char **list = arena_alloc(n->arena, (ROOTS_MAX + 1) * sizeof *list);
	char user[sizeof "/run/user/" + 10] = "/run/user/", digits[11];
	int count = 0, d = 0, at = (int)strlen(user);
	static const char *const none[] = {NULL};

	n->temp_roots = none;
	if (!list)
		return;
	do
		digits[d++] = (char)('0' + uid % 10);
	while ((uid /= 10));
	while (d)
		user[at++] = digits[--d];
	if (tmpdir)
		add_dir(n->arena, list, &count, ROOTS_MAX, tmpdir, strlen(tmpdir));
	add_list(n->arena, list, &count, ROOTS_MAX, "/tmp:/var/tmp:/dev/shm");
	add_dir(n->arena, list, &count, ROOTS_MAX, user, (size_t)at);
	add_list(n->arena, list, &count, ROOTS_MAX, more_roots);
	n->temp_roots = list;
}

static void add_value(struct names *n, const char **list, int *count, const char *variable,
                      char *const envp[])
{
	size_t len = strlen(variable);
	int before = *count;

	for (char *const *e = envp; e && *e && *count == before; e++)
		if (strncmp(*e, variable, len) == 0)
			add_dir(n->arena, list, count, NAME_KINDS_OF_ONE, *e + len,
			        strlen(*e + len));
}

static void init_bases(struct names *n, const char *base_dirs, char *const envp[])
{
	const char *list[NAME_KINDS_OF_ONE];
	int count = 0;

	for (size_t i = 0; i < BASE_VARIABLES; i++) {
		int filled = count;

		add_value(n, list, &filled, base_variables[i], envp);
		if (filled == count)
			list[count] = ""; /* matches nothing */
		count++;
	}
	add_list(n->arena, list, &count, NAME_KINDS_OF_ONE, base_dirs);
	/* As if the list named it: it has a number where it occurs. */
	add_value(n, list, &count, "FLASHINFER_WORKSPACE_BASE=", envp);
	for (n->bases = 0; n->bases < count; n->bases++)
		n->base[n->bases] = (struct name){list[n->bases], strlen(list[n->bases])};
}

/* --- public, in header order --- */

void names_init(struct names *n, struct arena *a, unsigned uid, const char *tmpdir,
                const char *more_roots, const char *base_dirs, char *const envp[])
{
	memset(n, 0, sizeof *n);
	n->arena = a;
	init_roots(n, uid, tmpdir, more_roots);
	init_bases(n, base_dirs, envp);
}

void names_children(struct names *n, const char *cwd)
{
	for (int i = BASE_VARIABLES; i < n->bases; i++) {
		struct name *base = &n->base[i];
		const char *child = NULL;
		size_t len = base->len - 1; /* of P and a slash */

		if (base->len < 3 || strcmp(base->text + len - 1, "/*") != 0)
			continue;
		if (strncmp(cwd, base->text, len) == 0 && cwd[len])
			child = arena_memdup(n->arena, cwd, len + strcspn(cwd + len, "/"));
		*base = child ? (struct name){child, strlen(child)} : (struct name){"", 0};
	}
}

void names_move_tmpdir(struct names *n, const char *tmpdir)
{
	const char *dir = NULL;
	int count = 0;

	if (tmpdir)
		add_dir(n->arena, &dir, &count, 1, tmpdir, strlen(tmpdir));
	if (count && strlen(dir) >= NAME_VOLATILE_MIN)
		n->base[NAME_KIND_TMPDIR] = (struct name){dir, strlen(dir)};
}

int names_set_base(struct names *n, enum name_kind kind, const char *dir, size_t len)
{
	char *copy = len < NAME_VOLATILE_MIN ? NULL : arena_memdup(n->arena, dir, len);

	if (!copy || !name_is_plain(copy))
		return -1;
	n->base[kind] = (struct name){copy, len};
	return 0;
}

void names_drop_base(struct names *n, enum name_kind kind)
{
	n->base[kind].len = 0;
	n->base_used &= ~(1u << kind);
}

int names_source(struct names *n, const char *dir, size_t len)
{
	for (const char *const *r = n->temp_roots; *r; r++)
		if (strlen(*r) == len && memcmp(*r, dir, len) == 0)
			return -1;
	return names_base_of(n, dir, len) >= 0
	               ? -1 : names_set_base(n, NAME_KIND_TRIED, dir, len);
}

int names_is_generated(const struct names *n, const char *path, size_t slash, size_t len)
{
	const char *text = path + slash + 1;

	/* The shape first: few components have one, and a root is compared with each path. */
	return name_is_unique(text, len) || name_is_uv(path, slash + 1, len) ||
	       (name_is_volatile(text, len) && names_below_root(n, path, slash));
}

size_t names_generated(const struct names *n, const char *dir, size_t len)
{
	size_t found = 0;

	for (size_t at = 0, end; at < len; at = end) {
		const char *text = dir + at + 1;
		size_t token;

		for (end = at + 1; end < len && dir[end] != '/'; end++)
			;
		token = name_token(text, end - at - 1);
		if (names_is_generated(n, dir, at, token))
			found = end;
	}
	return found;
}

int names_unknown(const struct names *n, const char *path)
{
	int base = names_base_of(n, path, strlen(path));
	size_t at = base >= 0 && name_is_mapped((unsigned)base) ? n->base[base].len : 0;

	for (size_t end; path[at]; at = end) {
		const char *text = path + at + 1;
		size_t token;
		int known = 0;

		end = at + 1 + strcspn(text, "/");
		token = name_token(text, end - at - 1);
		if (!names_is_generated(n, path, at, token))
			continue;
		for (int i = 0; i < n->count; i++)
			known |= n->v[i].len == token && memcmp(n->v[i].text, text, token) == 0;
		if (!known)
			return 1;
	}
	return 0;
}

void names_close(struct names *n)
{
	n->closed = 1;
}

const char *names_base(const struct names *n, int i)
{
	return i < NAMES_MAX && n->base[i].len ? n->base[i].text : NULL;
}

int names_base_of(const struct names *n, const char *path, size_t len)
{
	int best = -1;

	for (int i = 0; i < NAMES_MAX; i = i + 1 == n->bases ? NAME_KINDS_OF_ONE : i + 1)
		if (n->base[i].len && prefix_below(path, len, n->base[i].text) &&
		    !(n->closed && i < n->bases && !(n->base_used >> i & 1)) &&
		    (best < 0 || n->base[i].len > n->base[best].len ||
		     (n->base[i].len == n->base[best].len && i < NAME_KIND_TMPDIR &&
		      i >= NAME_KINDS_OF_ONE)))
			best = i;
	return best;
}

int names_use_base(struct names *n, int i)
{
	int next = BASE_VARIABLES;

	if (i >= (int)BASE_VARIABLES && i < n->bases && !(n->base_used >> i & 1)) {
		struct name base = n->base[i];

		while (n->base_used >> next & 1)
			next++;
		n->base[i] = n->base[next];
		n->base[next] = base;
		i = next;
	}
	n->base_used |= 1u << i;
	return i;
}

int names_below_root(const struct names *n, const char *path, size_t len)
{
	for (const char *const *r = n->temp_roots; *r; r++)
		if (prefix_below(path, len, *r))
			return 1;
	return 0;
}
