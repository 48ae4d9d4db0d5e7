/* remote/remote_config.c - loads what holds for all remote stores. */

#include <errno.h>
#include <string.h>

#include "remote/remote.h"
#include "store/entry/entry.h"
#include "units/units.def"

#include "shim/banned.h"

#define PREFIX_MAX 64
/* A longer deadline is as good as none; the limit keeps ms to ns from overflowing. */
#define TIMEOUT_MAX_MS (24ull * 3600 * 1000)
/* Four parts of an object on their way, in a message each, and a decompressor's window. */
#define MEMORY_MIN (32u << 20)
#define TTL_MAX_S (10u * 365 * 24 * 3600)

#define CLASSES_COMPILE (1u << STORE_MANIFEST | 1u << STORE_RESULT)
#define CLASSES_UNITS (1u << STORE_UNIT | 1u << STORE_SET)
static const struct {
	char name[16];
	unsigned classes, units;
} class_words[] = {
#define ROW(id, number, name, ...) {name, 0, 1u << number},
	UNIT_CLASSES(ROW)
#undef ROW
	{"compile", CLASSES_COMPILE, 0},
	{"all", CLASSES_COMPILE, ~0u},
	{"none", 0, 0},
	{"", 0, 0}, /* for "a,,b" and "a," */
};

int remote_classes_parse(const char *text, unsigned *classes, unsigned *units)
{
	*classes = *units = 0;
	while (*text) {
		size_t n = strcspn(text, ","), minus = *text == '-', i = 0;

		while (i < sizeof class_words / sizeof *class_words &&
		       (strlen(class_words[i].name) != n - minus ||
		        memcmp(class_words[i].name, text + minus, n - minus) != 0))
			i++;
		if (i == sizeof class_words / sizeof *class_words || (minus && n == 1))
			return -1;
		*classes = minus ? *classes & ~class_words[i].classes
		                 : *classes | class_words[i].classes;
		*units = minus ? *units & ~class_words[i].units : *units | class_words[i].units;
		text += n + (text[n] == ',');
	}
	*classes |= *units ? CLASSES_UNITS : 0;
	return 0;
}

static int prefix_is_good(const char *prefix)
{
	size_t n = strlen(prefix);

	if (n < 1 || n > PREFIX_MAX)
		return 0;
	/* Braces are hash tags in a cluster. */
	for (size_t i = 0; i < n; i++)
		if (prefix[i] <= ' ' || prefix[i] >= 0x7f || strchr("{}*?[]\\", prefix[i]))
			return 0;
	return 1;
}

static int64_t timeout_ns(const struct settings *set, enum setting_id id)
{
	uint64_t ms = setting_number(set, id);

	return (int64_t)(ms < TIMEOUT_MAX_MS ? ms : TIMEOUT_MAX_MS) * 1000000;
}

/* Loads the settings that do not depend on where the stores are. NULL, or the fault. */
const char *remote_config_limits(struct remote_config *c, const struct settings *set)
{
	uint64_t ttl_ms = setting_number(set, SETTING_REDIS_TTL);

	c->prefix = setting_text(set, SETTING_REDIS_PREFIX);
	c->ttl_s = ttl_ms / 1000 < TTL_MAX_S ? (unsigned)((ttl_ms + 999) / 1000) : TTL_MAX_S;
	c->transfer_ns = timeout_ns(set, SETTING_REMOTE_TRANSFER_TIMEOUT);
	c->min_rate = setting_number(set, SETTING_REMOTE_MIN_RATE);
	c->max_entry = setting_number(set, SETTING_REMOTE_MAX_ENTRY);
	c->memory = setting_number(set, SETTING_REMOTE_MEMORY);
	if (remote_classes_parse(setting_text(set, SETTING_REMOTE_CLASSES), &c->classes,
	                         &c->units) < 0)
		return "REMOTE_CLASSES names an unknown class";
	if (!prefix_is_good(c->prefix))
		return "REDIS_PREFIX is too long or holds a character that keys must not have";
	if (!timeout_ns(set, SETTING_REMOTE_LOOKUP_TIMEOUT) || !c->transfer_ns || !c->min_rate)
		return "REMOTE_LOOKUP_TIMEOUT, REMOTE_TRANSFER_TIMEOUT and REMOTE_MIN_RATE must "
		       "not be 0";
	if (c->memory < MEMORY_MIN)
		return "REMOTE_MEMORY must be at least 32M";
	return NULL;
}

int remote_config_load(struct remote_config *c, const struct settings *set, char *const envp[],
                       struct arena *a, struct fault *fault)
{
	const char *wrong;
	int places;

	memset(c, 0, sizeof *c);
	if (!setting_number(set, SETTING_REMOTE) || !places_are_named(set))
		return 0;
	places = places_load(c->place, set, envp, a, fault);
	if (places <= 0)
		return places;
	wrong = remote_config_limits(c, set);
	if (wrong)
		return fault_set(fault, EINVAL, "%s", wrong);
	c->places = c->classes ? (unsigned)places : 0;
	return 0;
}
