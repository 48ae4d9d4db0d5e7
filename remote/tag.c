/* remote/tag.c - digest of the settings that distinguish remotes. */
#include "remote/tag.h"

#include <string.h>

#include "remote/config.h"

#include "shim/banned.h"

static void add_text(struct digest_state *d, const char *text)
{
	text = text ? text : "";
	digest_add(d, text, strlen(text) + 1);
}

void remote_tag(struct store *s, const struct settings *set, char *const envp[], struct arena *a)
{
	char hex[DIGEST_HEX + 1];
	struct remote_config c;
	struct digest_state d;
	struct fault ignored;
	struct digest sum;

	if (remote_config_where(&c, set, envp, a, &ignored) < 0 || c.scheme == REMOTE_NONE ||
	    !c.classes) {
		strcpy(s->remote, REMOTE_TAG_LOCAL);
		return;
	}
	int tls = c.scheme == REMOTE_TLS;
	const uint64_t numbers[] = {ENTRY_VERSION, c.scheme, c.port, c.db, c.ttl_s, c.classes,
	                            c.units, (uint64_t)c.readonly,
	                            c.max_entry};
	const char *texts[] = {
		c.host, c.socket, c.user, c.prefix, tls ? c.tls_ca : "", tls ? c.tls_cert : "",
		tls ? c.tls_key : "",
		tls ? c.tls_name : "", setting_text(set, SETTING_SIGN_KEY),
		setting_text(set, SETTING_TRUST),
	};
	digest_init_as(&d, DIGEST_XXH3);
	digest_add(&d, numbers, sizeof numbers);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		add_text(&d, texts[i]);
	digest_final(&d, &sum);
	digest_hex(&sum, hex);
	memcpy(s->remote, hex, STORE_REMOTE - 1);
	s->remote[STORE_REMOTE - 1] = '\0';
}
