/* cli/pack/oci_about.c - annotations of an image. */
#include "cli/pack/oci_about.h"

#include <stdlib.h>

#include "units/scope/scope.h"

#define PREFIX "dev.reprise."

/* The features of x86-64 by whose names compilers choose code; of aarch64 all. */
static int is_told(const char *word)
{
#if defined(__x86_64__)
	static const char *const begins[] = {"amx", "avx", "bmi", "f16c", "fma", "gfni", "sse",
		"ssse", "vaes", "vpclmul"};

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(word, begins[i], strlen(begins[i])) == 0)
			return 1;
	return 0;
#else
	(void)word;
	return 1;
#endif
}

/* Cuts words out of the text that are not told. */
static void keep_told(char *text)
{
	char *rest = NULL, *to = text;

	for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		size_t n = strlen(word);

		if (!is_told(word))
			continue;
		memmove(to, word, n);
		to[n] = ' ';
		to += n + 1;
	}
	*(to > text ? to - 1 : to) = '\0';
}

/* The model and the features of the first processor. */
static void add_processor(struct json_object *o)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 1) {
		char *value = strchr(line, ':');

		if (!value || value[1] != ' ')
			continue;
		value += 2;
		value[strcspn(value, "\n")] = '\0';
		if (strncmp(line, "model name", 10) == 0)
			json_text(o, PREFIX "cpu", value);
		if (strncmp(line, "flags", 5) != 0 && strncmp(line, "Features", 8) != 0)
			continue;
		keep_told(value);
		json_text(o, PREFIX "cpu.features", value);
	}
	free(line);
	if (f)
		fclose(f);
}

struct json_object *oci_about(struct pack *k)
{
	struct json_object *o = json_object_new_object();
	const char *why = NULL, *gpus = device_gpus("", &k->c->arena, &why),
	           *cpu = unit_scope_cpu(k->c->envp, &k->c->arena);
	char version[16];

	snprintf(version, sizeof version, "%d", ENTRY_VERSION);
	json_text(o, PREFIX "version", REPRISE_VERSION);
	json_text(o, PREFIX "entries", version);
	if (k->job)
		json_text(o, PREFIX "job", k->job);
	add_processor(o);
	if (cpu)
		json_text(o, PREFIX "cpu.key", cpu);
	json_text(o, PREFIX "gpu", !gpus ? "unknown" : *gpus ? gpus : "none");
	return o;
}
