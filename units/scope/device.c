/* units/scope/device.c - GPUs and NPUs.
 *
 * /proc/driver/nvidia/gpus/<bus id>/information holds a line "Model: \t\t NVIDIA H100 80GB HBM3";
 * /proc/driver/nvidia/version begins with one of
 *   NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023
 *   NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (user@host)
 * The rest of the line, and gcc's version below, tell who built the module, not what it is. */
#include "units/scope/scope.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/sort.h"
#include "store/walk.h"
#include "units/scope/rank.h"

#include "shim/banned.h"

#define INFORMATION_MAX 4096
#define NAMES_MAX 64 /* distinct models; a host has one or two */
#define HUAWEI "0x19e5"
#define ACCELERATOR "0x1200" /* PCI class "processing accelerator" */

/* Device files of accelerators: NVIDIA's, WSL's, AMD's, Huawei's, Intel's Gaudi. */
static const char *const nodes[] = {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg", "/dev/kfd",
                                    "/dev/davinci_manager",
                                    "/dev/accel"};

struct names {
	struct arena *arena;
	const char *dir;
	const char *v[NAMES_MAX];
	unsigned count;
	int failed;
};

static void add_name(struct names *l, const char *name)
{
	for (unsigned i = 0; i < l->count; i++)
		if (strcmp(l->v[i], name) == 0)
			return;
	if (l->count == NAMES_MAX)
		l->failed = 1;
	else
		l->v[l->count++] = name;
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* head, then all names in order, separated by commas. */
static const char *joined(struct names *l, const char *head)
{
	const char **v = sort_stable(l->arena, l->v, l->count, sizeof *l->v, by_name);
	const char *out = head;

	for (unsigned i = 0; out && v && i < l->count; i++)
		out = arena_cat(l->arena, out, i ? "," : "", v[i], NULL);
	return v ? out : NULL;
}

static int each_gpu(void *ctx, int dirfd, const char *path, const char *name)
{
	struct names *l = ctx;
	const char *file = arena_cat(l->arena, l->dir, "/", name, "/information", NULL);
	size_t n;
	char *text = file ? text_read(file, INFORMATION_MAX, &n, l->arena) : NULL;
	char *model = text ? text_line(text, "Model:", l->arena) : NULL;

	if (model && *model)
		add_name(l, model);
	else
		l->failed = 1;
	return l->failed;
}

/* The first word of digits and dots. */
static char *version_of(const char *line, struct arena *a)
{
	while (*line) {
		size_t n = strcspn(line, " \t"), digits = strspn(line, "0123456789");

		if (digits && line[digits] == '.' && strspn(line, "0123456789.") == n)
			return arena_memdup(a, line, n);
		line += n + (line[n] != 0);
	}
	return NULL;
}

static const char *under(const char *root, const char *path, struct arena *a)
{
	return *root ? arena_cat(a, root, path, NULL) : path;
}

static int has_accelerator(const char *root, struct arena *a)
{
	for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
		const char *path = under(root, nodes[i], a);

		if (!path || sys_access(path, F_OK) == 0)
			return 1;
	}
	return 0;
}

const char *device_gpus(const char *root, struct arena *a, const char **why)
{
	struct names l = {.arena = a, .dir = under(root, "/proc/driver/nvidia/gpus", a)};
	const char *file = under(root, "/proc/driver/nvidia/version", a), *models;
	char *text, *line, *version;
	size_t n;

	if (l.dir)
		walk_names(l.dir, each_gpu, &l);
	if (!l.dir || l.failed || (!l.count && has_accelerator(root, a))) {
		*why = "/proc does not say which accelerators there are";
		return NULL;
	}
	if (!l.count)
		return "";
	text = file ? text_read(file, INFORMATION_MAX, &n, a) : NULL;
	line = text ? text_line(text, "NVRM version:", a) : NULL;
	version = line ? version_of(line, a) : NULL;
	models = joined(&l, "gpu=");
	if (!version || !models) {
		*why = "/proc/driver/nvidia/version does not say which driver runs";
		return NULL;
	}
	return arena_cat(a, models, " driver=", version, NULL);
}

/* A file of one word, as in sysfs. */
static char *word(const char *dir, const char *name, const char *file, struct arena *a)
{
	const char *path = arena_cat(a, dir, "/", name, "/", file, NULL);
	size_t n;
	char *text = path ? text_read(path, 64, &n, a) : NULL;

	return text ? text_line(text, "", a) : NULL;
}

static int each_pci(void *ctx, int dirfd, const char *path, const char *name)
{
	struct names *l = ctx;
	const char *vendor = word(l->dir, name, "vendor", l->arena), *class = NULL, *device = NULL;

	if (vendor && strcmp(vendor, HUAWEI) != 0)
		return 0;
	if (vendor)
		class = word(l->dir, name, "class", l->arena);
	if (class && strncmp(class, ACCELERATOR, 6) != 0)
		return 0;
	if (class)
		device = word(l->dir, name, "device", l->arena);
	if (device)
		add_name(l, device);
	else
		l->failed = 1;
	return l->failed;
}

const char *device_npus(const char *root, struct arena *a, const char **why)
{
	struct names l = {.arena = a, .dir = under(root, "/sys/bus/pci/devices", a)};

	if (!l.dir)
		return NULL;
	walk_names(l.dir, each_pci, &l);
	if (l.failed) {
		*why = "/sys does not say which NPUs there are";
		return NULL;
	}
	return l.count ? joined(&l, "npu=") : "npu=none";
}
