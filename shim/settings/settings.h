/* shim/settings/settings.h - the user's settings, from one table (settings.def).
 *
 * The environment (REPRISE_<NAME>) wins over $XDG_CONFIG_HOME/reprise/reprise.conf (~/.config
 * without the variable), which wins over /etc/reprise.conf. Files hold lines NAME=VALUE (with or
 * without REPRISE_) and '#' comments. A line of /etc/reprise.conf that begins with '!' cannot be
 * overridden. A malformed value is replaced by the default, with one warning a job; bad[] keeps it
 * for the log. It never ends the process. An empty value is the default, too: it undoes a file's
 * value.
 *
 * Values: BOOL 0 1 true false yes no on off. SIZE an integer and K M G T (powers of 1024; iB or B
 * may follow). NUMBER a whole number. TIME a whole number of ms s m h d (s if nothing follows).
 * PERCENT 0 to 100, a % may follow. PATH absolute or "~/..." ($HOME). PATHS a colon list of
 * absolute paths. LEVEL none error warning info debug. CLASS_LIST words separated by commas,
 * applied in order: all, none or a class of units/units.def. A word may have + or - before it. A
 * list that begins with a sign begins with all. SHARING rank shared off. PROOF_LIST words separated
 * by commas: all or a proof of proofs/proofs.def, with - before it. Case does not matter in these
 * words. A wrong word in a PROOF_LIST leaves the other words in force.
 *
 * UNIT lines of files declare classes of the user's own, at most SETTINGS_UNITS_MAX. They are kept
 * as text: units/shape/declared.h reads them.
 *
 * The table is expanded to the fields below, to `reprise config` and to docs/settings.md. Nothing
 * here reads `environ`: in an initfirst constructor it is NULL. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shim/arena.h"

enum setting_id {
#define SETTING(id, name, type, dflt, help) SETTING_##id,
#include "shim/settings/settings.def"
#undef SETTING
	SETTING_COUNT
};

/* Numbers for the words of SETTING_SHARING. */
enum setting_sharing { SHARING_OFF, SHARING_RANK, SHARING_ALL };
/* Numbers for the words of SETTING_EVENTS_MODE. */
enum setting_events { EVENTS_OFF, EVENTS_LOCAL, EVENTS_REMOTE };
enum setting_origin { ORIGIN_DEFAULT, ORIGIN_ETC, ORIGIN_USER, ORIGIN_ENVIRONMENT,
	              ORIGIN_ETC_FORCED };

struct setting_value {
	/* as the user wrote it, with "~" replaced, or the default's text; never NULL */
	const char *text;
	/* BOOL 0/1, SIZE bytes, NUMBER, TIME ms, PERCENT 0-100, LEVEL 0-4 (enum log_level, 0 none),
	 * COMPRESS_MODE 0 never, 1 auto, 2 always (enum compress_mode), CLASS_LIST bits 1 << class,
	 * PROOF_LIST bits of the proofs that are off,
	 * SHARING enum setting_sharing, EVENTS_MODE enum setting_events; else 0 */
	uint64_t number;
	enum setting_origin origin;
};

#define SETTINGS_ETC "/etc/reprise.conf"
/* A larger file is a mistake and is ignored, with a warning. */
#define SETTINGS_FILE_MAX (64u << 10)
#define SETTINGS_BAD_MAX 8
/* UNIT lines: of files alone, and each adds one class (units/shape/declared.h). */
#define SETTINGS_UNITS_MAX 64
struct setting_unit {
	const char *text, *path; /* behind "UNIT=", and the file that it stands in */
	unsigned line;
	int fixed; /* by '!': no later line of its name counts */
};
struct settings {
	struct setting_value v[SETTING_COUNT];
	int units;
	struct setting_unit *unit; /* in the arena */
	int bad_count; /* number of malformed values; the first SETTINGS_BAD_MAX have a text */
	const char *bad[SETTINGS_BAD_MAX];
};

/* THREAD. Value of a variable in an environment block, or NULL. */
const char *env_get(char *const envp[], const char *name);

/* SIGNAL. True if the process must not use Reprise: envp sets REPRISE_FORCE_DISABLE, or one of
 * torch's variables for force_disable_caches, to a true value (TORCHINDUCTOR_ or
 * TORCH_COMPILE_FORCE_DISABLE_CACHES). Reads no file: in a host this is the whole cost. */
int settings_disabled(char *const envp[]);

/* SIGNAL. True if a configuration file exists: without one, a process that is no tool need not load
 * settings at all. */
int settings_files_present(char *const envp[]);

/* THREAD. Reads environment and files. Strings live in the arena or in envp. Cannot fail: what
 * cannot be read keeps its default. FORCE_DISABLE may also come from torch's variables and from
 * files, which settings_disabled() does not read: a tool checks it again after this call. */
void settings_load(struct settings *s, char *const envp[], struct arena *a);

/* THREAD. The steps of settings_load, for tests and `reprise config`. The first sets all defaults.
 * The second adds the n bytes of a file called path ('!' lines count for ORIGIN_ETC only). The
 * third adds the environment, which overrides both. */
void settings_defaults(struct settings *s);
void settings_merge_file(struct settings *s, const char *path, const void *bytes, size_t n,
                         enum setting_origin origin, char *const envp[], struct arena *a);
void settings_merge_env(struct settings *s, char *const envp[], struct arena *a);
/* THREAD. The path of the user's file, or NULL without a home. */
const char *settings_user_file(char *const envp[], struct arena *a);

static inline uint64_t setting_number(const struct settings *s, enum setting_id id)
{
	return s->v[id].number;
}
static inline const char *setting_text(const struct settings *s, enum setting_id id)
{
	return s->v[id].text;
}
/* 1: the comma list contains this word. THREAD, CHILD. */
int setting_lists(const struct settings *s, enum setting_id id, const char *word);

/* --- service.c: variables that Kubernetes sets for a service. Pure.
 *
 * For a service called "reprise" or "reprise-redis", each container of its namespace gets variables
 * such as REPRISE_SERVICE_HOST and REPRISE_REDIS_PORT=tcp://10.0.0.1:6379. Docker's links have the
 * same form. They are no settings, also where the name is that of a setting. */

/* CHILD. entry: NAME=VALUE. Returns the length of the service's part of NAME, 0 if this is no such
 * variable. */
size_t service_variable(const char *entry);
