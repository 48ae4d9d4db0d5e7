/* shim/settings.h - what the user asked for, from one table (settings.def).
 *
 * Environment REPRISE_<NAME> over $XDG_CONFIG_HOME/reprise/reprise.conf (~/.config without the
 * variable) over /etc/reprise.conf. Files hold NAME=VALUE lines (with or without REPRISE_), '#'
 * comments; a line of /etc/reprise.conf that begins with '!' cannot be overridden. A malformed value
 * is one warning a job and the default, never an abort: it is kept in bad[] for the log.
 *
 * The table is expanded to the fields below, to `reprise config` and to docs/settings.md.
 * Nothing here reads `environ`: in an initfirst constructor it is NULL. */
#ifndef SHIM_SETTINGS_H
#define SHIM_SETTINGS_H

#include <stdint.h>

#include "shim/arena.h"

enum setting_id {
#define SETTING(id, name, type, dflt, help) SETTING_##id,
#include "shim/settings.def"
#undef SETTING
	SETTING_COUNT
};

enum setting_type { SETTING_BOOL, SETTING_SIZE, SETTING_PERCENT, SETTING_STRING, SETTING_PATH,
	            SETTING_PATHS, SETTING_LEVEL, SETTING_COMPRESS_MODE };
enum setting_origin { ORIGIN_DEFAULT, ORIGIN_ETC, ORIGIN_USER, ORIGIN_ENVIRONMENT, ORIGIN_ETC_FORCED };

struct setting_value {
	const char *text;  /* as the user wrote it, or the default's text; never NULL */
	uint64_t number;   /* BOOL 0/1, SIZE bytes, PERCENT 0-100, LEVEL 0-4; else 0 */
	enum setting_origin origin;
};

struct setting_row {
	const char *name;    /* without REPRISE_ */
	enum setting_type type;
	const char *dflt, *help;
};

#define SETTINGS_BAD_MAX 8
struct settings {
	struct setting_value v[SETTING_COUNT];
	int bad_count; /* malformed values, the first SETTINGS_BAD_MAX worded */
	const char *bad[SETTINGS_BAD_MAX];
};

extern const struct setting_row setting_rows[SETTING_COUNT];

/* THREAD. Value of a variable in an environment block, or NULL. */
const char *env_get(char *const envp[], const char *name);

/* SIGNAL. True when REPRISE_FORCE_DISABLE or TORCHINDUCTOR_FORCE_DISABLE_CACHES is set to a true
 * value in envp: the process must stay a plain one. Reads no file: this is all a host pays. */
int settings_disabled(char *const envp[]);

/* THREAD. Reads environment and files. Strings live in the arena or in envp. Cannot fail: what can't
 * be read has its default. */
void settings_load(struct settings *s, char *const envp[], struct arena *a);

static inline uint64_t setting_number(const struct settings *s, enum setting_id id)
{
	return s->v[id].number;
}
static inline const char *setting_text(const struct settings *s, enum setting_id id)
{
	return s->v[id].text;
}

#endif
