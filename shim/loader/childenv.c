/* shim/loader/childenv.c - plans a child's environment and fills it, on the stack. */
#include "shim/loader/childenv.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/loader/foreign.h"
#include "shim/loader/object.h"
#include "shim/settings/settings.h"

#include "shim/banned.h"

#define PRELOAD "LD_PRELOAD="
#define PRELOAD_LEN (sizeof PRELOAD - 1)
/* All settings, the two directories, and some variables of others: a child that lost REPRISE_TRUST
 * but kept REPRISE_REDIS_URL would trust anybody. */
#define KEPT_MAX (SETTING_COUNT + 16)
/* A longer preload list is not changed. */
#define PRELOAD_MAX 2048

/* the strings; the array ends on the page that holds all variables of the start (Makefile) */
static char kept_bytes[1024];
static size_t kept_used;
static struct arena kept_arena = ARENA_INIT; /* for strings that do not fit there */
static const char *kept[KEPT_MAX];           /* "REPRISE_X=..." for scrubbed environments */
static size_t kept_count;
static const char *trace_string;             /* "REPRISE_TRACE=..." or NULL */
static int off = 1;
static int passive; /* the preload is left out where it must be, and added nowhere */

static int is_setting(const char *s)
{
	return (strncmp(s, "REPRISE_", 8) == 0 && strncmp(s, "REPRISE_TRACE=", 14) != 0 &&
	        !service_variable(s)) ||
	       strncmp(s, "TORCHINDUCTOR_FORCE_DISABLE_CACHES=", 35) == 0 ||
	       strncmp(s, "TORCH_COMPILE_FORCE_DISABLE_CACHES=", 35) == 0;
}

/* Concatenates strings for the life of the process. NULL if there is no space. */
static const char *lasting(const char *x, const char *y, const char *z)
{
	size_t nx = strlen(x), ny = strlen(y), nz = strlen(z), n = nx + ny + nz + 1;
	char *s;

	if (n <= sizeof kept_bytes - kept_used) {
		s = kept_bytes + kept_used;
		kept_used += n;
	} else {
		s = arena_alloc(&kept_arena, n);
	}
	if (!s)
		return NULL;
	memcpy(s, x, nx);
	memcpy(s + nx, y, ny);
	memcpy(s + nx + ny, z, nz + 1);
	return s;
}

static void keep(const char *name, const char *value, const char *more)
{
	const char *s = lasting(name, value, more);

	if (s && kept_count < KEPT_MAX)
		kept[kept_count++] = s;
}

void childenv_init(char *const envp[], const char *cache_dir, const char *cache_end,
                   const char *runtime_dir, int disabled)
{
	off = !object_path()[0];
	passive = disabled;
	if (off || passive)
		return;
	/* Copied, because setproctitle and similar functions overwrite the strings on the stack. */
	for (char *const *e = envp; *e; e++)
		if (is_setting(*e))
			keep(*e, "", "");
	/* A child without HOME would look for the store elsewhere. */
	if (cache_dir && !env_get(envp, "REPRISE_CACHE_DIR"))
		keep("REPRISE_CACHE_DIR=", cache_dir, cache_end);
	if (runtime_dir && !env_get(envp, "REPRISE_RUNTIME_DIR"))
		keep("REPRISE_RUNTIME_DIR=", runtime_dir, "");
}

void childenv_set_trace(const char *path)
{
	trace_string = lasting("REPRISE_TRACE=", path, "");
}

/* Length of our entry in a preload list at p, 0 if p is another entry. */
static size_t ours_at(const char *p)
{
	size_t n = strlen(object_path());

	return strncmp(p, object_path(), n) == 0 && (!p[n] || p[n] == ':' || p[n] == ' ') ? n : 0;
}

static int has_ours(const char *list)
{
	for (const char *p = list; *p;) {
		if (ours_at(p))
			return 1;
		while (*p && *p != ':' && *p != ' ')
			p++;
		while (*p == ':' || *p == ' ')
			p++;
	}
	return 0;
}

/* A sanitizer's runtime in the list must come first. */
static int stands_before_sanitizer(const char *list)
{
	const char *p = strstr(list, object_path());

	while (p && *p) {
		p += strcspn(p, ": ");
		p += strspn(p, ": ");
		for (const char *slash = p; *slash && *slash != ':' && *slash != ' '; slash++)
			if (*slash == '/')
				p = slash + 1;
		if (foreign_is_sanitizer(p))
			return 1;
	}
	return 0;
}

size_t childenv_plan(struct childenv_plan *p, const char *path, char *const envp[])
{
	static char *const nothing[] = {NULL};
	const char *list = NULL;

	if (off)
		return 0;
	p->envp = envp ? envp : nothing;
	p->preload_len = 0;
	p->strip = p->add = p->scrubbed = 0;
	for (p->count = p->preload_at = 0; p->envp[p->count]; p->count++)
		if (!list && strncmp(p->envp[p->count], PRELOAD, PRELOAD_LEN) == 0) {
			list = p->envp[p->count] + PRELOAD_LEN;
			p->preload_at = p->count;
		}
	if (!list)
		p->preload_at = p->count;
	if ((list && stands_before_sanitizer(list)) || foreign_program(path) != FOREIGN_NONE) {
		if (!list || !has_ours(list) || strlen(list) > PRELOAD_MAX)
			return 0;
		p->strip = 1;
		p->preload_len = PRELOAD_LEN + strlen(list) + 1;
	} else if (!passive && (!list || !has_ours(list))) {
		/* An LD_PRELOAD that is set but empty is intended; the environment was not
		 * cleared. */
		if ((list && !list[0]) || (list && strlen(list) > PRELOAD_MAX))
			return 0;
		p->add = p->scrubbed = 1;
		p->preload_len = PRELOAD_LEN + (list ? strlen(list) + 1 : 0) +
		                 strlen(object_path()) + 1;
	}
	if (!p->preload_len && !trace_string)
		return 0;
	if (p->count > (trace_string ? CHILDENV_TRACED_STRINGS : CHILDENV_HOST_STRINGS))
		return 0;
	return (p->count + kept_count + 4) * sizeof(char *) + p->preload_len;
}

int childenv_is_marked(char *const envp[])
{
	for (; trace_string && *envp; envp++)
		if (strcmp(*envp, trace_string) == 0)
			return 1;
	return 0;
}

static char *put(char *out, const char *s)
{
	size_t n = strlen(s);

	memcpy(out, s, n);
	return out + n;
}

static void preload_string(const struct childenv_plan *p, char *out)
{
	const char *list = p->preload_at < p->count ? p->envp[p->preload_at] + PRELOAD_LEN : "";

	out = put(out, PRELOAD);
	if (p->add) {
		out = put(out, list);
		if (*list)
			*out++ = ':';
		out = put(out, object_path());
	} else {
		for (const char *s = list; *s;) {
			size_t n = ours_at(s);

			if (n && (s == list || s[-1] == ':' || s[-1] == ' ')) {
				s += n;
				while (*s == ':' || *s == ' ')
					s++;
				continue;
			}
			*out++ = *s++;
		}
		while (out[-1] == ':' || out[-1] == ' ')
			out--;
	}
	*out = '\0';
}

static int has_name(char *const *envp, const char *setting)
{
	size_t n = (size_t)(strchr(setting, '=') - setting) + 1;

	for (; *envp; envp++)
		if (strncmp(*envp, setting, n) == 0)
			return 1;
	return 0;
}

char **childenv_fill(const struct childenv_plan *p, void *room)
{
	char **out = room;
	char *text = (char *)(out + p->count + kept_count + 4);
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (p->preload_len && i == p->preload_at) {
			preload_string(p, text);
			if (p->add || text[PRELOAD_LEN])
				out[n++] = text;
		} else if (strncmp(p->envp[i], "REPRISE_TRACE=", 14) != 0) {
			out[n++] = p->envp[i];
		}
	}
	if (p->add && p->preload_at == p->count) {
		preload_string(p, text);
		out[n++] = text;
	}
	for (size_t i = 0; p->scrubbed && i < kept_count; i++)
		if (!has_name(p->envp, kept[i]))
			out[n++] = (char *)kept[i];
	if (trace_string && !p->strip)
		out[n++] = (char *)trace_string;
	out[n] = NULL;
	return out;
}
