/* cli/shown.c - settings without their secrets. */
#include "cli/shown.h"

#include "remote/remote.h"

const char *shown_setting(struct cli *c, int id)
{
	const char *text = c->settings.v[id].text;

	if (id == SETTING_REDIS_PASSWORD && *text)
		return "(set, not shown)";
	return id == SETTING_REDIS_URL && *text ? remote_url_print(text, &c->arena) : text;
}
