/* units/classes.c - which classes of units are carried, as the user and the frameworks' switches say. */
#include <string.h>

#include "shim/path.h"
#include "units/scope.h"

#include "shim/banned.h"

#define ANY_VALUE UINT64_MAX

#define SWITCH(class, variable, off) {class, variable, off, variable " turns it off"}

/* A framework that does not use its cache is not served from ours; nor is what it leaves there carried. */
static const struct framework_switch {
	enum unit_class class;
	const char *variable;
	uint64_t off; /* this value, or any */
	const char *why;
} switches[] = {
	SWITCH(UNIT_FXGRAPH, "TORCHINDUCTOR_FX_GRAPH_CACHE", 0),
	SWITCH(UNIT_AOTAUTOGRAD, "TORCHINDUCTOR_AUTOGRAD_CACHE", 0),
	SWITCH(UNIT_JITERATOR, "USE_PYTORCH_KERNEL_CACHE", 0),
	SWITCH(UNIT_TRITON, "TRITON_ALWAYS_COMPILE", 1),
	/* What Triton's key does not cover, as it trusts its directory to be emptied: hand-made kernels in place of its own, directories
	 * with a part of the files, globals by value, passes and tools of which the key holds a name. */
	SWITCH(UNIT_TRITON, "TRITON_KERNEL_OVERRIDE", 1),
	SWITCH(UNIT_TRITON, "TRITON_STORE_BINARY_ONLY", 1),
	SWITCH(UNIT_TRITON, "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", 1),
	SWITCH(UNIT_TRITON, "LLVM_PASS_PLUGIN_PATH", ANY_VALUE),
	SWITCH(UNIT_TRITON, "TRITON_PLUGIN_PATHS", ANY_VALUE),
	SWITCH(UNIT_TRITON, "TRITON_SWAP_MIR", ANY_VALUE),
	SWITCH(UNIT_TRITON, "TRITON_MOCK_PTX_VERSION", ANY_VALUE),
};

/* torch's fresh_cache() (2.13; fresh_inductor_cache before) gives a block of code, and the processes it starts, a
 * directory that tempfile named, and Triton the one below: what is compiled there is to be compiled anew. Whoever names
 * a directory for a job leaves Triton's alone, or names it otherwise: Inductor's own default ends in a device's number. */
static int is_fresh_cache(char *const envp[])
{
	static const char below[] = "/triton", letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const char *inductor = env_get(envp, "TORCHINDUCTOR_CACHE_DIR"), *triton = env_get(envp, "TRITON_CACHE_DIR");
	size_t n = inductor ? strlen(inductor) : 0;
	const char *name = n ? path_base(inductor) : "";

	return triton && strncmp(name, "tmp", 3) == 0 && strspn(name + 3, letters) == 8 && !name[11] &&
	       strncmp(triton, inductor, n) == 0 && strcmp(triton + n, below) == 0;
}

static int is_kept_fresh(enum unit_class class)
{
	return class == UNIT_TRITON || class == UNIT_FXGRAPH || class == UNIT_AOTAUTOGRAD || class == UNIT_BEST_CONFIG ||
	       class == UNIT_GEMM;
}

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
	if (is_kept_fresh(class) && is_fresh_cache(envp)) {
		*why = "fresh_cache() asks for an empty one";
		return 0;
	}
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
		const char *text = switches[i].class == class ? env_get(envp, switches[i].variable) : NULL;
		uint64_t value;

		if (text && *text && (switches[i].off == ANY_VALUE ||
		                      (!setting_parse(SETTING_BOOL, text, &value) && value == switches[i].off))) {
			*why = switches[i].why;
			return 0;
		}
	}
	return 1;
}
