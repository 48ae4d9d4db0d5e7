/* tools/nvcc_steps.c - how nvcc's steps use names, process ids and lists. */
#include "tools/nvcc_steps.h"

#include <string.h>

#include "keying/name_shape.h"
#include "shim/format.h"
#include "tools/driver.h"
#include "tools/list.h"

#include "shim/banned.h"

#define PID_TIME 8 /* digits of the hash before the pid */

/* The source's name reaches the outputs of cudafe++ and cicc, in hashes as well. */
static int names_source(const struct cmdline *c, int i)
{
	static const char names[] =
		"--orig_src_file_name\0" "--orig_src_path_name\0" "--ident\0" "-ident\0";

	for (const char *name = names; *name; name = LIST_NEXT(name)) {
		size_t n = strlen(name);

		if (strcmp(c->v[i - 1].text, name) == 0 ||
		    (strncmp(c->v[i].text, name, n) == 0 && c->v[i].text[n] == '='))
			return 1;
	}
	return 0;
}

/* A step of nvcc only spells the names of other steps' files: two runs differ in these names alone
 * (tests/e2e/nvcc_steps.bats). Any other name binds. */
int nvcc_step_names_free(const struct cmdline *c, const struct patch_name *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct patch_name *n = &names[i];

		if (n->kind != NAME_KIND_TEMP || name_xft_len(n->text, n->len) != n->len)
			return 0;
		for (int k = 1; k < c->count; k++)
			if (names_source(c, k) && strstr(c->v[k].text, n->text))
				return 0;
	}
	return 1;
}

/* Where a source has no symbol of its own, cudafe++ names it by its time and the pid,
 * "_4_s_cu_49b905be_2523". Symbols that other objects link with have this in their names. */
static enum output_flaw cudafe_flaw(const void *data, size_t n, long pid)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = data, *end = at + n, *p = at;
	char text[16];
	int len = format_text(text, sizeof text, "_%d", (int)pid);

	for (; (p = memmem(p, (size_t)(end - p), text, (size_t)len)) != NULL; p++) {
		size_t hex = 0;

		while (hex < PID_TIME && p - at > (ptrdiff_t)hex &&
		       strchr(digits, p[-1 - (ptrdiff_t)hex]))
			hex++;
		/* A hash of the path may stand before the length of the name:
		 * "_56734851_4_s_cu". */
		if (hex == PID_TIME && (p + len == end || p[len] != '_'))
			return FLAW_PID;
	}
	return FLAW_NONE;
}

/* nvlink adds to the list that the nvlink of another architecture has written. */
static const char *nvlink_adds_to(const struct cmdline *c, int i)
{
	static const char option[] = "--register-link-binaries";
	const struct cmdline_arg *arg = &c->v[i];

	if (arg->role == ARG_OUTPUT_JOINED && strncmp(arg->text, option, sizeof option - 1) == 0)
		return arg->text + arg->at;
	return arg->role == ARG_OUTPUT && strcmp(c->v[i - 1].text, option) == 0 ? arg->text : NULL;
}

const struct driver driver_cudafe = {.flaw = cudafe_flaw, .files = FILES_NONE};
const struct driver driver_cicc = {.files = FILES_NONE, .jobserver = JOBSERVER_ASKED};
const struct driver driver_fatbinary = {.files = FILES_CUDA};
const struct driver driver_nvlink = {
	.adds_to = nvlink_adds_to,
	.files = FILES_CUDA,
	.jobserver = JOBSERVER_ASKED,
};
