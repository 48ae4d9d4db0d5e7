/* units/scope.c - the texts of scopes. */
#include "units/scope.h"

#include <string.h>

#include "keying/cpu.h"
#include "shim/format.h"
#include "units/device.h"
#include "units/text.h"
#include "units/torch_build.h"

#include "shim/banned.h"

/* Half a digest: XXH3's is all in the first half, and of BLAKE2b 128 bits do. */
#define HEX_SHOWN 32
#define RANK_TEXT 64
/* A worker's mark stands within its first arguments. */
#define CMDLINE_MAX (16u << 10)

static void hex_of(const struct digest *d, char out[DIGEST_HEX + 1])
{
	digest_hex(d, out);
	out[HEX_SHOWN] = 0;
}

/* The instructions that generated code may use, and what the user made of them. */
static void isa_hex(char out[DIGEST_HEX + 1], char *const envp[])
{
	const char *capability = env_get(envp, "ATEN_CPU_CAPABILITY");
	struct digest_state s;
	struct digest d;

	cpu_features_digest(&d);
	digest_init(&s);
	digest_add(&s, d.b, sizeof d.b);
	if (capability)
		digest_add(&s, capability, strlen(capability) + 1);
	digest_final(&s, &d);
	hex_of(&d, out);
}

static const char *device_scope(char *const envp[], struct arena *a, const char **why)
{
	const char *gpus = device_gpus("", a, why);
	char cpu[DIGEST_HEX + 1], isa[DIGEST_HEX + 1];
	struct digest d;

	if (!gpus || *gpus)
		return gpus;
	cpu_digest(&d);
	hex_of(&d, cpu);
	isa_hex(isa, envp);
	return arena_cat(a, "cpu=", cpu, " isa=", isa, NULL);
}

/* "world=8 rank=3 ", or "" for r NULL. */
static void rank_text(char out[RANK_TEXT], const struct unit_rank *r)
{
	*out = 0;
	if (r)
		format_text(out, RANK_TEXT, "world=%lu rank=%lu ", r->world, r->rank);
}

static const char *graph_scope(const struct unit_rank *r, char *const envp[], struct arena *a, const char **why)
{
	char rank[RANK_TEXT], isa[DIGEST_HEX + 1], torch[DIGEST_HEX + 1];
	struct torch_build t;

	if (torch_build_read(&t, a, why) < 0)
		return NULL;
	rank_text(rank, r);
	isa_hex(isa, envp);
	hex_of(&t.torch, torch);
	return arena_cat(a, rank, "isa=", isa, " torch=", torch, NULL);
}

static const char *source_scope(const struct unit_rank *r, struct arena *a, const char **why)
{
	char rank[RANK_TEXT], torch[DIGEST_HEX + 1], npu[DIGEST_HEX + 1] = "none";
	struct torch_build t;
	const char *npus;

	if (torch_build_read(&t, a, why) < 0)
		return NULL;
	if (!*t.python) {
		*why = "Python's version is not known";
		return NULL;
	}
	npus = device_npus("", a, why);
	rank_text(rank, r);
	hex_of(&t.torch, torch);
	if (t.npu)
		hex_of(&t.npu_build, npu);
	return npus ? arena_cat(a, rank, "torch=", torch, " python=", t.python, " torch_npu=", npu, " ", npus, NULL)
	            : NULL;
}

/* r: of whom. */
static const char *scope_of(enum unit_class class, const struct unit_rank *r, const struct settings *set,
                            char *const envp[], struct arena *a, const char **why)
{
	uint64_t sharing = setting_number(set, SETTING_FX_SCOPE);

	switch (unit_rows[class].share) {
	case SHARE_ALL:
		return "";
	case SHARE_DEVICE:
		return device_scope(envp, a, why);
	case SHARE_GRAPH:
		if (sharing != SHARING_OFF)
			return graph_scope(sharing == SHARING_ALL ? NULL : r, envp, a, why);
		*why = "REPRISE_FX_SCOPE is off";
		return NULL;
	case SHARE_SOURCE:
		return source_scope(r, a, why);
	}
	return NULL;
}

/* What /proc says of this process's start, judged. */
static const char *judge_self(struct unit_rank *r, char *const envp[], struct arena *a)
{
	size_t n = 0, m = 0;
	const char *cmdline = text_read("/proc/self/cmdline", CMDLINE_MAX, &n, a);
	const char *block = text_read("/proc/self/environ", UNIT_ENVIRON_MAX, &m, a);

	/* Of a process that changed its user the kernel shows no environment. */
	if (!cmdline || !n || !block)
		return "/proc does not say how it was started";
	return unit_rank_judge(r, envp, cmdline, n, block, m);
}

const char *unit_scope(enum unit_class class, const struct settings *set, char *const envp[], int forked,
                       struct arena *a, const char **why)
{
	struct unit_rank r;
	const char *wrong = NULL;

	*why = "there is no such class";
	if (class <= 0 || class >= UNIT_CLASSES_MAX || !unit_rows[class].class)
		return NULL;
	*why = "memory is refused";
	if (unit_rows[class].share == SHARE_GRAPH || unit_rows[class].share == SHARE_SOURCE) {
		wrong = forked ? "it was made by fork" : judge_self(&r, envp, a);
		/* Whoever shares with all ranks need not know its own. */
		if (wrong && !forked && unit_rows[class].share == SHARE_GRAPH &&
		    setting_number(set, SETTING_FX_SCOPE) == SHARING_ALL)
			wrong = NULL;
	}
	if (wrong) {
		*why = wrong;
		return NULL;
	}
	return scope_of(class, &r, set, envp, a, why);
}

const char *unit_scope_of_peer(const char *scope, const struct unit_rank *me, const struct unit_rank *peer,
                               struct arena *a)
{
	char mine[RANK_TEXT], theirs[RANK_TEXT];

	rank_text(mine, me);
	rank_text(theirs, peer);
	return strncmp(scope, mine, strlen(mine)) == 0 ? arena_cat(a, theirs, scope + strlen(mine), NULL) : NULL;
}
