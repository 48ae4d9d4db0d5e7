/* The settings files' parser on any bytes, as /etc/reprise.conf and as the user's. Its result is
 * always usable: texts end, numbers equal their parsed texts, each complaint has words. A list of
 * proofs is kept although a word of it is wrong. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/settings/setting_value.h"
#include "shim/settings/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *env[] = {"HOME=/srv/uu", NULL};
	struct arena a = ARENA_INIT;
	struct settings s;

	settings_defaults(&s);
	settings_merge_file(&s, "/etc/reprise.conf", data, size, ORIGIN_ETC, env, &a);
	settings_merge_file(&s, "/user", data, size, ORIGIN_USER, env, &a);
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct setting_value *v = &s.v[i];
		uint64_t number = 0;
		const char *wanted = v->text && *v->text
		                             ? setting_parse(setting_rows[i].type, v->text, &number)
		                             : NULL;
		if (!v->text || (wanted && setting_rows[i].type != SETTING_PROOF_LIST))
			abort();
		if (number != v->number)
			abort();
	}
	for (int i = 0; i < s.bad_count && i < SETTINGS_BAD_MAX; i++)
		if (!s.bad[i] || !*s.bad[i])
			abort();
	arena_free(&a);
	return 0;
}
