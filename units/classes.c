/* units/classes.c - which classes of units are carried, as the user and the frameworks' switches say. */
#include <string.h>

#include "units/scope.h"

#include "shim/banned.h"

/* A framework that does not use its cache is not served from ours; nor is what it leaves there carried. */
static const struct framework_switch {
	enum unit_class class;
	const char *variable;
	uint64_t off; /* this value */
} switches[] = {
	{UNIT_FXGRAPH, "TORCHINDUCTOR_FX_GRAPH_CACHE", 0},
	{UNIT_AOTAUTOGRAD, "TORCHINDUCTOR_AUTOGRAD_CACHE", 0},
	{UNIT_JITERATOR, "USE_PYTORCH_KERNEL_CACHE", 0},
	{UNIT_TRITON, "TRITON_ALWAYS_COMPILE", 1},
};

int unit_class_on(enum unit_class class, const struct settings *set, char *const envp[], const char **why)
{
	if (class <= 0 || class >= UNIT_CLASSES_MAX || !unit_rows[class].class) {
		*why = "there is no such class";
		return 0;
	}
	if (!(setting_number(set, SETTING_CLASSES) >> class & 1)) {
		*why = "REPRISE_CLASSES leaves it out";
		return 0;
	}
	if (unit_rows[class].share == SHARE_GRAPH && setting_number(set, SETTING_FX_SCOPE) == SHARING_OFF) {
		*why = "REPRISE_FX_SCOPE is off";
		return 0;
	}
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
		const char *text = switches[i].class == class ? env_get(envp, switches[i].variable) : NULL;
		uint64_t value;

		if (text && *text && !setting_parse(SETTING_BOOL, text, &value) && value == switches[i].off) {
			*why = switches[i].variable;
			return 0;
		}
	}
	return 1;
}
