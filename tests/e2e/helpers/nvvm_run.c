/* nvvm_run - compiles inside this process with libNVVM and writes down every answer.
 *
 *	nvvm_run [-t N] LIB[,LIB] OUT JOB...
 *
 * A job is a directory with a file `steps`, a line each:
 *	add FILE NAME       lazy FILE NAME          a module of the job; NAME - for none
 *	verify OPTION...    compile OPTION...
 *	ask                 the log and the result, which go to OUT/JOB as well
 * OUT/JOB/answers gets every call, its status and size. With several libraries: OUT/JOB.LIBRARY.
 * Jobs run on N threads (1). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library_run.h"

enum { WORDS_MAX = 64, LIBS_MAX = 4, GUARD = 64 };

#define ENTRIES(X)                                                              \
	X(CreateProgram, (void **))                                             \
	X(DestroyProgram, (void **))                                            \
	X(AddModuleToProgram, (void *, const char *, size_t, const char *))     \
	X(LazyAddModuleToProgram, (void *, const char *, size_t, const char *)) \
	X(VerifyProgram, (void *, int, const char **))                          \
	X(CompileProgram, (void *, int, const char **))                         \
	X(GetCompiledResultSize, (void *, size_t *))                            \
	X(GetCompiledResult, (void *, char *))                                  \
	X(GetProgramLogSize, (void *, size_t *))                                \
	X(GetProgramLog, (void *, char *))
#define FIELD(name, parameters) int(*name) parameters;

struct lib {
	ENTRIES(FIELD)
};
struct unit {
	const char *dir;
	struct lib *lib;
	void *program;
	char out[4096];
	FILE *answers;
};

static struct lib libs[LIBS_MAX];
static int lib_count, unit_count, next_unit;
static struct unit *units;

static void lib_open(struct lib *lib, const char *name)
{
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		die("dlopen", dlerror());
#define FOUND(name, parameters)                                            \
	if (!(lib->name = (int(*) parameters)dlsym(handle, "nvvm" #name))) \
		die("no entry point", #name);
	ENTRIES(FOUND)
}

/* The first bytes after an answer must stay as they were. */
static void ask(struct unit *u, const char *what, int (*size_of)(void *, size_t *),
                int (*get)(void *, char *))
{
	size_t size = 777, i;
	int status = size_of(u->program, &size);
	char path[4200], *bytes;
	FILE *out;

	fprintf(u->answers, "%sSize %d %zu\n", what, status, size);
	if (status != 0)
		return;
	bytes = malloc(size + GUARD);
	memset(bytes, 0xa5, size + GUARD);
	fprintf(u->answers, "%s %d\n", what, get(u->program, bytes));
	for (i = size; i < size + GUARD && (unsigned char)bytes[i] == 0xa5; i++)
		;
	if (i < size + GUARD)
		fprintf(u->answers, "%s wrote beyond its size\n", what);
	snprintf(path, sizeof path, "%s/%s", u->out, what);
	out = fopen(path, "w");
	if (!out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0)
		die("cannot write", path);
	free(bytes);
}

static void step(struct unit *u, char *line)
{
	char *word[WORDS_MAX], *bytes;
	size_t size;
	int n = 0, status;

	while (n < WORDS_MAX && (word[n] = strsep(&line, " ")))
		n++;
	if (!strcmp(word[0], "ask")) {
		ask(u, "ProgramLog", u->lib->GetProgramLogSize, u->lib->GetProgramLog);
		ask(u, "CompiledResult", u->lib->GetCompiledResultSize, u->lib->GetCompiledResult);
		return;
	}
	if (!strcmp(word[0], "verify") || !strcmp(word[0], "compile")) {
		status = (word[0][0] == 'v' ? u->lib->VerifyProgram : u->lib->CompileProgram)(
			u->program, n - 1, (const char **)word + 1);
	} else {
		bytes = bytes_of(u->dir, word[1], &size);
		status = (word[0][0] == 'a' ? u->lib->AddModuleToProgram
		                            : u->lib->LazyAddModuleToProgram)(
			u->program, bytes, size, strcmp(word[2], "-") ? word[2] : NULL);
		/* The library has its own copy. */
		memset(bytes, 0, size);
		free(bytes);
	}
	fprintf(u->answers, "%s %d\n", word[0], status);
}

static void unit_run(struct unit *u)
{
	char path[4200], *line, *rest;
	size_t size;

	snprintf(path, sizeof path, "%s/answers", u->out);
	if (mkdir(u->out, 0777) != 0 || !(u->answers = fopen(path, "w")))
		die("cannot make", path);
	rest = bytes_of(u->dir, "steps", &size);
	fprintf(u->answers, "create %d\n", u->lib->CreateProgram(&u->program));
	while ((line = strsep(&rest, "\n")))
		if (*line)
			step(u, line);
	fprintf(u->answers, "destroy %d", u->lib->DestroyProgram(&u->program));
	fprintf(u->answers, " %s\n", u->program ? "left" : "NULL");
	fclose(u->answers);
}

static void *thread(void *unused)
{
	int i;

	(void)unused;
	while ((i = __atomic_fetch_add(&next_unit, 1, __ATOMIC_RELAXED)) < unit_count)
		unit_run(&units[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	int c, i, l, n, threads = 1;
	char *name, *rest;

	while ((c = getopt(argc, argv, "+t:")) != -1)
		threads = atoi(optarg);
	if (argc - optind < 3 || threads < 1 || threads > THREADS_MAX)
		die("usage", "nvvm_run [-t N] LIB[,LIB] OUT JOB...");
	rest = argv[optind];
	while ((name = strsep(&rest, ",")) && lib_count < LIBS_MAX)
		lib_open(&libs[lib_count++], name);
	if (mkdir(argv[optind + 1], 0777) != 0)
		die("cannot make", argv[optind + 1]);
	units = calloc((size_t)(argc - optind) * lib_count, sizeof *units);
	for (i = optind + 2; i < argc; i++)
		for (l = 0; l < lib_count; l++) {
			struct unit *u = &units[unit_count++];
			const char *base = strrchr(argv[i], '/');

			u->dir = argv[i];
			u->lib = &libs[l];
			n = snprintf(u->out, sizeof u->out, "%s/%s", argv[optind + 1],
			             base ? base + 1 : argv[i]);
			if (lib_count > 1)
				snprintf(u->out + n, sizeof u->out - n, ".%d", l);
		}
	run_in_threads(thread, threads);
	return 0;
}
