/* units/scope/scope.c - puts the texts of scopes together. */
#include "units/scope/scope.h"

#include <string.h>

#include "keying/machine.h"
#include "shim/buf.h"
#include "shim/format.h"

#include "shim/banned.h"

#define RANK_TEXT 64
/* A worker's mark is in its first arguments. */
#define CMDLINE_MAX (16u << 10)

static void hex_of(const struct digest *d, char out[DIGEST_HEX + 1])
{
	digest_hex(d, out);
	out[SCOPE_HEX] = 0;
}

/* Digest of the instructions that generated code may use, and of the user's limit on them. */
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

	return !gpus || *gpus ? gpus : unit_scope_cpu(envp, a);
}

/* "world=8 rank=3 " */
static void rank_text(char out[RANK_TEXT], const struct rank *r)
{
	format_text(out, RANK_TEXT, "world=%lu rank=%lu ", r->world, r->rank);
}

/* Appends " <name>=<value>", the first part without the space. */
static void add(struct buf *b, const char *name, const char *value)
{
	if (b->len)
		buf_u8(b, ' ');
	buf_str(b, name);
	buf_str(b, value);
}

static int add_torch(struct buf *b, unsigned parts, struct arena *a, const char **why)
{
	char hex[DIGEST_HEX + 1] = "none";
	struct torch_build t;

	if (torch_build_read(&t, a, why) < 0)
		return -1;
	if (parts & SCOPE_TORCH) {
		hex_of(&t.torch, hex);
		add(b, "torch=", hex);
	}
	if (parts & SCOPE_PYTHON) {
		if (!*t.python) {
			*why = "Python's version is not known";
			return -1;
		}
		add(b, "python=", t.python);
	}
	if (parts & SCOPE_NPU) {
		const char *npus = device_npus("", a, why);

		if (!npus)
			return -1;
		if (t.npu)
			hex_of(&t.npu_build, hex);
		add(b, "torch_npu=", t.npu ? hex : "none");
		add(b, "", npus);
	}
	return 0;
}

static int add_machine(struct buf *b, unsigned parts, char *const envp[], struct arena *a,
                       const char **why)
{
	const char *text = parts & SCOPE_CPU ? unit_scope_cpu(envp, a) : "";

	if (!text)
		return -1;
	if (*text)
		add(b, "", text);
	if (!(parts & SCOPE_GPU))
		return 0;
	text = device_gpus("", a, why);
	if (text)
		add(b, "", *text ? text : "gpu=none");
	return text ? 0 : -1;
}

static int add_nvcc(struct buf *b, enum nvcc_user user, char *const envp[], const char *node_dir,
                    struct arena *a, const char **why)
{
	size_t n = 0;
	const char *block = text_read("/proc/self/environ", UNIT_ENVIRON_MAX, &n, a);

	*why = "/proc does not say how it was started";
	return block ? nvcc_scope(b, user, envp, block, n, node_dir, a, why) : -1;
}

/* r: NULL leaves the rank out. */
static const char *scope_of(enum unit_class class, const struct rank *r, char *const envp[],
                            int forked, const char *node_dir, struct arena *a, const char **why)
{
	unsigned parts = unit_rows[class].scope;
	struct buf b = BUF_INIT(a);
	char isa[DIGEST_HEX + 1];

	if (!parts)
		return "";
	if (parts & SCOPE_DEVICE)
		return device_scope(envp, a, why);
	if (r) {
		char rank[RANK_TEXT];

		rank_text(rank, r);
		buf_add(&b, rank, strlen(rank) - 1);
	}
	if (parts & SCOPE_ISA) {
		isa_hex(isa, envp);
		add(&b, "isa=", isa);
	}
	if (parts & (SCOPE_TORCH | SCOPE_PYTHON | SCOPE_NPU) && add_torch(&b, parts, a, why) < 0)
		return NULL;
	if (parts & (SCOPE_CPU | SCOPE_GPU) && add_machine(&b, parts, envp, a, why) < 0)
		return NULL;
	if (parts & SCOPE_LOADED && loaded_scope(&b, class, node_dir, a, why) < 0)
		return NULL;
	if (parts & SCOPE_NATIVE && native_scope(&b, envp, node_dir, a, why) < 0)
		return NULL;
	if (parts & SCOPE_NVCC && add_nvcc(&b, NVCC_TILELANG, envp, node_dir, a, why) < 0)
		return NULL;
	if (parts & SCOPE_DEEP_JIT &&
	    add_nvcc(&b, forked ? NVCC_DEEP_JIT_FORKED : NVCC_DEEP_JIT, envp, node_dir, a,
	             why) < 0)
		return NULL;
	buf_u8(&b, 0);
	return b.failed ? NULL : (const char *)b.data;
}

/* Reads this process's rank. NULL, or why it cannot be told. */
static const char *judge_self(struct rank *r, char *const envp[], struct arena *a)
{
	size_t n = 0, m = 0;
	const char *cmdline = text_read("/proc/self/cmdline", CMDLINE_MAX, &n, a);
	const char *block = text_read("/proc/self/environ", UNIT_ENVIRON_MAX, &m, a);

	/* The kernel hides the environment of a process that changed its user. */
	if (!cmdline || !n || !block)
		return "/proc does not say how it was started";
	return unit_rank_judge(r, envp, cmdline, n, block, m);
}

const char *unit_scope(enum unit_class class, const struct settings *set, char *const envp[],
                       int forked, const char *node_dir, struct arena *a, const char **why)
{
	struct rank r;
	const struct rank *me = NULL;
	const char *wrong = NULL;
	unsigned parts;
	int shared;

	*why = "there is no such class";
	if (class <= 0 || class >= UNIT_CLASSES_MAX || !unit_rows[class].class)
		return NULL;
	*why = "memory is refused";
	parts = unit_rows[class].scope;
	shared = parts & SCOPE_RANK_FX && setting_number(set, SETTING_FX_SCOPE) == SHARING_ALL;
	if (parts & SCOPE_RANK_FX && setting_number(set, SETTING_FX_SCOPE) == SHARING_OFF)
		wrong = "REPRISE_FX_SCOPE is off";
	if (parts & (SCOPE_RANK | SCOPE_RANK_FX) && !wrong) {
		wrong = forked ? "it was made by fork" : judge_self(&r, envp, a);
		/* A scope without a rank needs none. */
		if (wrong && !forked && shared)
			wrong = NULL;
		me = shared ? NULL : &r;
	}
	if (wrong) {
		*why = wrong;
		return NULL;
	}
	return scope_of(class, me, envp, forked, node_dir, a, why);
}

const char *unit_scope_cpu(char *const envp[], struct arena *a)
{
	char cpu[DIGEST_HEX + 1], isa[DIGEST_HEX + 1];
	struct digest d;

	cpu_digest(&d);
	hex_of(&d, cpu);
	isa_hex(isa, envp);
	return arena_cat(a, "cpu=", cpu, " isa=", isa, NULL);
}

const char *unit_scope_of_peer(const char *scope, const struct rank *me,
                               const struct rank *peer,
                               struct arena *a)
{
	char mine[RANK_TEXT], theirs[RANK_TEXT];

	rank_text(mine, me);
	rank_text(theirs, peer);
	return strncmp(scope, mine, strlen(mine)) == 0
	       ? arena_cat(a, theirs, scope + strlen(mine), NULL) : NULL;
}
