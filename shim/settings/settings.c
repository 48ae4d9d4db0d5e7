/* shim/settings/settings.c - settings: files, environment.
 *
 * A settings file, line by line (LF or CRLF; optional in the last line; at most SETTINGS_FILE_MAX
 * bytes):
 *   blank, or first character '#'    ignored
 *   [!][REPRISE_]NAME=VALUE          spaces and tabs around NAME and VALUE are ignored; '!' only in
 *                                    /etc/reprise.conf. No quotes, no continuation, no expansion
 *                                    but "~/" at the start of a PATH. The last line for a NAME
 * counts.
 *   UNIT=<class of the user's own>   each line adds one */
#include <string.h>

#include "shim/settings/settings.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/settings/setting_value.h"

#include "shim/banned.h"

/* Length up to which the log quotes a wrong value: enough to recognise it. */
#define QUOTE_MAX 64

/* Where a value comes from, and the struct settings that it goes into. */
struct place {
	struct settings *s;
	struct arena *arena;
	char *const *envp;
	enum setting_origin origin;
	const char *path; /* NULL: the environment */
	unsigned line;
};

/* Records "file:line: " or nothing, then subject, the value in quotes if there is one, and why. */
static void complain(const struct place *at, const char *subject, const char *value,
                     const char *why)
{
	struct settings *s = at->s;
	char place[16] = ": ";
	char *text, *quoted = NULL;

	if (s->bad_count++ >= SETTINGS_BAD_MAX)
		return;
	if (value) {
		size_t n = strnlen(value, QUOTE_MAX);
		quoted = arena_memdup(at->arena, value, n);
		const char *close = value[n] ? "...\"" : "\"";
		quoted = quoted ? arena_cat(at->arena, ": \"", quoted, close, NULL) : NULL;
	}
	const char *tail = quoted ? quoted : "";
	if (at->line)
		format_text(place, sizeof place, ":%u: ", at->line);
	if (at->path)
		text = arena_cat(at->arena, at->path, place, subject, tail, why, NULL);
	else
		text = arena_cat(at->arena, "REPRISE_", subject, tail, why, NULL);
	s->bad[s->bad_count - 1] = text ? text : "a malformed setting, and no memory to name it";
}

static void set_default(struct setting_value *v, const struct setting_row *row)
{
	v->text = row->dflt;
	v->number = 0;
	if (*row->dflt)
		setting_parse(row->type, row->dflt, &v->number);
}

static void set_value(const struct place *at, unsigned id, const char *text)
{
	const struct setting_row *row = &setting_rows[id];
	struct setting_value *v = &at->s->v[id];
	const char *home = env_get(at->envp, "HOME");
	uint64_t number = 0;

	if (v->origin == ORIGIN_ETC_FORCED && at->origin != ORIGIN_ETC_FORCED)
		return;
	v->origin = at->origin;
	if (*text == 0) {
		set_default(v, row);
		return;
	}
	if (row->type == SETTING_PATH && text[0] == '~' && text[1] == '/' && home && *home == '/') {
		const char *full = arena_cat(at->arena, home, text + 1, NULL);
		text = full ? full : text;
	}
	const char *wanted = setting_parse(row->type, text, &number);
	if (wanted) {
		/* What is doubted stays off, though another word is misspelt. */
		int kept = row->type == SETTING_PROOF_LIST;
		char *why = arena_cat(at->arena, " is not ", wanted, kept ? "; its other words hold"
		                                                          : "; the default is used",
		                      NULL);
		complain(at, row->name, text, why ? why : " is malformed");
		if (!kept) {
			set_default(v, row);
			/* An administrator's line blocks later ones even if it is malformed. */
			if (v->origin != ORIGIN_ETC_FORCED)
				v->origin = ORIGIN_DEFAULT;
			return;
		}
	}
	v->text = text;
	v->number = number;
}

static int find_setting(const char *name, size_t len)
{
	for (unsigned i = 0; i < SETTING_COUNT; i++)
		if (strncmp(setting_rows[i].name, name, len) == 0 && !setting_rows[i].name[len])
			return (int)i;
	return -1;
}

/* A line of the user's own class. Those of both files count. */
static void add_unit(const struct place *at, const char *text)
{
	struct settings *s = at->s;

	if (s->units == SETTINGS_UNITS_MAX) {
		complain(at, "more than 64 UNIT lines", NULL, "; this one is ignored");
		return;
	}
	if (!s->unit)
		s->unit = arena_alloc(at->arena, SETTINGS_UNITS_MAX * sizeof *s->unit);
	if (s->unit)
		s->unit[s->units++] = (struct setting_unit){text, at->path, at->line,
		                                              at->origin == ORIGIN_ETC_FORCED};
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void complain_unknown(const struct place *at, const char *name)
{
	const char *meant = name ? setting_nearest(name, strlen(name)) : NULL;
	const char *why = NULL;

	if (meant)
		why = arena_cat(at->arena, "; the line is ignored (", meant, "?)", NULL);
	complain(at, "no such setting", name, why ? why : "; the line is ignored");
}

/* Merges one line, p..end without its newline. */
static void merge_line(const struct place *file, const char *p, const char *end)
{
	struct place at = *file;

	if (end > p && end[-1] == '\r')
		end--;
	while (p < end && is_blank(*p))
		p++;
	while (end > p && is_blank(end[-1]))
		end--;
	if (p == end || *p == '#')
		return;
	if (memchr(p, 0, (size_t)(end - p))) {
		complain(&at, "a NUL byte", NULL, "; the line is ignored");
		return;
	}
	if (*p == '!') {
		if (at.origin != ORIGIN_ETC) {
			complain(&at, "'!' works in " SETTINGS_ETC " only", NULL, "");
		} else {
			at.origin = ORIGIN_ETC_FORCED;
		}
		for (p++; p < end && is_blank(*p);)
			p++;
	}
	const char *equals = memchr(p, '=', (size_t)(end - p));
	if (!equals) {
		/* Only its first word: the next one may be a password. */
		char *line = arena_memdup(at.arena, p, (size_t)(end - p));
		if (line)
			line[strcspn(line, " \t:")] = '\0';
		complain(&at, "no '=' in the line", line, "; it is ignored");
		return;
	}
	const char *name_end = equals, *value = equals + 1;
	while (name_end > p && is_blank(name_end[-1]))
		name_end--;
	while (value < end && is_blank(*value))
		value++;
	if (name_end - p >= 8 && memcmp(p, "REPRISE_", 8) == 0)
		p += 8;
	int is_unit = name_end - p == 4 && memcmp(p, "UNIT", 4) == 0;
	int id = is_unit ? 0 : find_setting(p, (size_t)(name_end - p));
	const char *text = id < 0 ? arena_memdup(at.arena, p, (size_t)(name_end - p))
	                          : arena_memdup(at.arena, value, (size_t)(end - value));
	if (id < 0)
		complain_unknown(&at, text);
	else if (text && is_unit)
		add_unit(&at, text);
	else if (text)
		set_value(&at, (unsigned)id, text);
}

static void merge_path(struct settings *s, const char *path, enum setting_origin origin,
                       char *const envp[], struct arena *a)
{
	struct place at = {s, a, envp, origin, path, 0};
	struct statx st;
	char *bytes;
	/* O_NONBLOCK: a FIFO here must not hang every compile. */
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0) {
		if (fd != -ENOENT && fd != -ENOTDIR)
			complain(&at, "cannot be opened", NULL, "; it is ignored");
		return;
	}
	int rc = sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st);
	if (rc < 0 || (st.stx_mode & S_IFMT) != S_IFREG) {
		complain(&at, "is not a regular file", NULL, "; it is ignored");
	} else if (st.stx_size > SETTINGS_FILE_MAX) {
		complain(&at, "is larger than 64 KiB", NULL, "; it is ignored");
	} else if ((bytes = arena_alloc(a, (size_t)st.stx_size + 1))) {
		ssize_t n = sys_read_all(fd, bytes, (size_t)st.stx_size);
		if (n < 0)
			complain(&at, "cannot be read", NULL, "; it is ignored");
		else
			settings_merge_file(s, path, bytes, (size_t)n, origin, envp, a);
	}
	sys_close(fd);
}

/* The value, if entry is "name=value". */
static const char *entry_value(const char *entry, const char *name)
{
	while (*name && *entry == *name)
		entry++, name++;
	return !*name && *entry == '=' ? entry + 1 : NULL;
}

static int is_true(const char *text)
{
	uint64_t v = 0;

	return text && !setting_parse(SETTING_BOOL, text, &v) && v;
}

const char *env_get(char *const envp[], const char *name)
{
	for (; envp && *envp; envp++) {
		/* Most entries differ in their first letter, and a hit asks 50 times. */
		const char *value = **envp == *name ? entry_value(*envp, name) : NULL;
		if (value)
			return value;
	}
	return NULL;
}

int settings_disabled(char *const envp[])
{
	for (; envp && *envp; envp++) {
		const char *e = *envp;
		if (e[0] == 'R' && is_true(entry_value(e, "REPRISE_FORCE_DISABLE")))
			return 1;
		if (e[0] == 'T' && (is_true(entry_value(e, "TORCHINDUCTOR_FORCE_DISABLE_CACHES")) ||
		                    is_true(entry_value(e, "TORCH_COMPILE_FORCE_DISABLE_CACHES"))))
			return 1;
	}
	return 0;
}

void settings_load(struct settings *s, char *const envp[], struct arena *a)
{
	const char *user = settings_user_file(envp, a);

	settings_defaults(s);
	merge_path(s, SETTINGS_ETC, ORIGIN_ETC, envp, a);
	if (user)
		merge_path(s, user, ORIGIN_USER, envp, a);
	settings_merge_env(s, envp, a);
}

int settings_files_present(char *const envp[])
{
	const char *dir = env_get(envp, "XDG_CONFIG_HOME"), *below = "/reprise/reprise.conf";
	char path[PATH_SIZE];

	if (sys_access(SETTINGS_ETC, F_OK) == 0)
		return 1;
	if (!dir || *dir != '/') {
		dir = env_get(envp, "HOME");
		below = "/.config/reprise/reprise.conf";
	}
	if (!dir || *dir != '/' || strlen(dir) + strlen(below) >= sizeof path)
		return 0;
	memcpy(path, dir, strlen(dir));
	memcpy(path + strlen(dir), below, strlen(below) + 1);
	return sys_access(path, F_OK) == 0;
}

void settings_defaults(struct settings *s)
{
	memset(s, 0, sizeof *s);
	for (unsigned i = 0; i < SETTING_COUNT; i++)
		set_default(&s->v[i], &setting_rows[i]);
}

void settings_merge_file(struct settings *s, const char *path, const void *bytes, size_t n,
                         enum setting_origin origin, char *const envp[], struct arena *a)
{
	struct place at = {s, a, envp, origin, path, 0};
	const char *p = bytes, *end = p + n;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;
		at.line++;
		merge_line(&at, p, stop);
		p = newline ? newline + 1 : end;
	}
}

void settings_merge_env(struct settings *s, char *const envp[], struct arena *a)
{
	struct place at = {s, a, envp, ORIGIN_ENVIRONMENT, NULL, 0};

	/* Like getenv, the first of two entries of one name counts: walk backwards, so that it is
	 * set last. */
	size_t n = 0;
	while (envp && envp[n])
		n++;
	while (n-- > 0) {
		const char *e = envp[n];
		if (strncmp(e, "REPRISE_", 8) != 0)
			continue;
		const char *equals = strchr(e + 8, '=');
		int id = equals ? find_setting(e + 8, (size_t)(equals - e - 8)) : -1;
		if (id >= 0 && !service_variable(e))
			set_value(&at, (unsigned)id, equals + 1);
	}
	if (is_true(env_get(envp, "TORCHINDUCTOR_FORCE_DISABLE_CACHES")) ||
	    is_true(env_get(envp, "TORCH_COMPILE_FORCE_DISABLE_CACHES"))) {
		s->v[SETTING_FORCE_DISABLE].text = "1";
		s->v[SETTING_FORCE_DISABLE].number = 1;
		s->v[SETTING_FORCE_DISABLE].origin = ORIGIN_ENVIRONMENT;
	}
}

const char *settings_user_file(char *const envp[], struct arena *a)
{
	const char *xdg = env_get(envp, "XDG_CONFIG_HOME"), *home = env_get(envp, "HOME");

	if (xdg && *xdg == '/') /* the XDG specification forbids relative paths */
		return arena_cat(a, xdg, "/reprise/reprise.conf", NULL);
	if (home && *home == '/')
		return arena_cat(a, home, "/.config/reprise/reprise.conf", NULL);
	return NULL;
}

int setting_lists(const struct settings *s, enum setting_id id, const char *word)
{
	const char *text = setting_text(s, id);

	for (size_t n; *text; text += n + (text[n] == ',')) {
		n = strcspn(text, ",");
		if (n == strlen(word) && memcmp(text, word, n) == 0)
			return 1;
	}
	return 0;
}
