/* nvjitlink_run - links inside this process with nvJitLink and writes down every answer.
 *
 *	nvjitlink_run [options] LIB[,LIB] OUT JOB...
 *
 * A job is a directory: options, one a line; inputs, a line each: `data TYPE FILE NAME` (FILE in
 * the job, NAME - for none), `file TYPE PATH`, `open TYPE FILE NAME` (data without its last byte,
 * with no NUL behind it) or `null TYPE -` (no data). TYPE is nvJitLinkInputType's number. OUT/JOB
 * gets the bytes of each answer, and `answers`: every call, its status and size. With several
 * libraries or rounds: OUT/JOB.LIBRARY.ROUND.
 *
 *	-v V   by versioned names, as the header's inlines call them: -v 13_5
 *	-r N   rounds (1)         -t N  threads (1)      -e  ask before Complete, too
 *	-n     never destroy      -2    complete twice   -d  destroy without Complete
 *	-w C   run the command C between Complete and the questions
 *
 * With -DLINKED=13_5 the library is the linked one, by the names of that version; LIB is not used.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library_run.h"

enum { LIST_MAX = 64, LIBS_MAX = 4, GUARD = 64 };

typedef struct nvjitlink_link *link_handle;

#define ENTRIES(X) \
	X(Create, (link_handle *, uint32_t, const char *const *), 1) \
	X(Destroy, (link_handle *), 1) \
	X(AddData, (link_handle, int, const void *, size_t, const char *), 1) \
	X(AddFile, (link_handle, int, const char *), 1) \
	X(Complete, (link_handle), 1) \
	X(GetLinkedCubinSize, (link_handle, size_t *), 1) \
	X(GetLinkedCubin, (link_handle, void *), 1) \
	X(GetLinkedPtxSize, (link_handle, size_t *), 1) \
	X(GetLinkedPtx, (link_handle, char *), 1) \
	X(GetLinkedLTOIRSize, (link_handle, size_t *), 0) \
	X(GetLinkedLTOIR, (link_handle, void *), 0) \
	X(GetErrorLogSize, (link_handle, size_t *), 1) \
	X(GetErrorLog, (link_handle, char *), 1) \
	X(GetInfoLogSize, (link_handle, size_t *), 1) \
	X(GetInfoLog, (link_handle, char *), 1)
#define FIELD(name, parameters, always) int(*name) parameters;

struct lib {
	ENTRIES(FIELD)
};

struct list {
	int n;
	char *at[LIST_MAX];
};

struct unit {
	const char *dir;
	struct lib *lib;
	link_handle link;
	char out[4096];
	FILE *answers;
};

static struct {
	int rounds, threads, early, keep, again, drop;
	const char *version, *command;
} how = { .rounds = 1, .threads = 1 };
static struct lib libs[LIBS_MAX];
static int lib_count, unit_count, next_unit;
static struct unit *units;

static void list_read(struct list *list, const char *dir, const char *file)
{
	size_t size;
	char *line, *rest = bytes_of(dir, file, &size);

	while ((line = strsep(&rest, "\n")) && (rest || *line) && list->n < LIST_MAX)
		list->at[list->n++] = line;
}

#ifdef LINKED
#define PASTE_(a, b, c) a##b##_##c
#define PASTE(a, b, c) PASTE_(a, b, c)
#define NEED_0 __attribute__((weak))
#define NEED_1
#define DECLARED(name, parameters, always) \
	extern int PASTE(__nvJitLink, name, LINKED) parameters NEED_##always;
ENTRIES(DECLARED)
#define BOUND(name, parameters, always) if (always) lib->name = PASTE(__nvJitLink, name, LINKED);
static void lib_open(struct lib *lib, const char *name)
{
	(void)name;
	ENTRIES(BOUND)
}
#else
static void *entry(void *handle, const char *name, int always)
{
	char symbol[200];
	void *at;

	if (how.version)
		snprintf(symbol, sizeof symbol, "__nvJitLink%s_%s", name, how.version);
	else
		snprintf(symbol, sizeof symbol, "nvJitLink%s", name);
	at = dlsym(handle, symbol);
	if (!at && !how.version) {
		/* CUDA 12.1 has versioned names alone. */
		snprintf(symbol, sizeof symbol, "__nvJitLink%s_12_0", name);
		at = dlsym(handle, symbol);
	}
	if (!at && always)
		die("no entry point", symbol);
	return at;
}

#define FOUND(name, parameters, always) lib->name = (int(*) parameters)entry(handle, #name, always);
static void lib_open(struct lib *lib, const char *name)
{
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		die("dlopen", dlerror());
	ENTRIES(FOUND)
}
#endif

/* The first bytes after an answer must stay as they were. */
#define ASK(what, type) \
	if (u->lib->Get##what##Size) { \
		size_t size = 777, i; \
		int status = u->lib->Get##what##Size(u->link, &size); \
		char path[4200], *bytes; \
		FILE *out; \
		fprintf(u->answers, #what "Size %d %zu\n", status, size); \
		if (status == 0) { \
			bytes = malloc(size + GUARD); \
			memset(bytes, 0xa5, size + GUARD); \
			fprintf(u->answers, #what " %d\n", \
			        u->lib->Get##what(u->link, (type *)bytes)); \
			for (i = size; i < size + GUARD && (unsigned char)bytes[i] == 0xa5; i++) \
				; \
			if (i < size + GUARD) \
				fprintf(u->answers, #what " wrote beyond its size\n"); \
			snprintf(path, sizeof path, "%s/" #what, u->out); \
			out = fopen(path, "w"); \
			if (!out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0) \
				die("cannot write", path); \
			free(bytes); \
		} \
	}

static void ask(struct unit *u)
{
	ASK(LinkedCubin, void)
	ASK(LinkedPtx, char)
	ASK(LinkedLTOIR, void)
	ASK(ErrorLog, char)
	ASK(InfoLog, char)
}

static void add(struct unit *u, char *line)
{
	char *way = strsep(&line, " "), *type = strsep(&line, " "), *file = strsep(&line, " "),
		*bytes;
	size_t size;
	int status;

	if (!file)
		die("an input of too few words", u->dir);
	if (!strcmp(way, "null")) {
		status = u->lib->AddData(u->link, atoi(type), NULL, 100, NULL);
	} else if (!strcmp(way, "data") || !strcmp(way, "open")) {
		bytes = bytes_of(u->dir, file, &size);
		if (*way == 'o')
			bytes[--size] = 'x';
		status = u->lib->AddData(u->link, atoi(type), bytes, size,
		                         line && strcmp(line, "-") ? line : NULL);
		/* The library has its own copy. */
		memset(bytes, 0, size);
		free(bytes);
	} else {
		status = u->lib->AddFile(u->link, atoi(type), file);
	}
	fprintf(u->answers, "add %d\n", status);
}

static void unit_run(struct unit *u)
{
	struct list options = { 0 }, inputs = { 0 };
	char path[4200];
	int i, status;

	snprintf(path, sizeof path, "%s/answers", u->out);
	if (mkdir(u->out, 0777) != 0 || !(u->answers = fopen(path, "w")))
		die("cannot make", path);
	list_read(&options, u->dir, "options");
	list_read(&inputs, u->dir, "inputs");
	status = u->lib->Create(&u->link, (uint32_t)options.n, (const char *const *)options.at);
	fprintf(u->answers, "create %d\n", status);
	/* A handle that was not made ends the process in the library. */
	if (status != 0)
		goto out;
	for (i = 0; i < inputs.n; i++)
		add(u, inputs.at[i]);
	if (how.early)
		ask(u);
	for (i = 0; i <= how.again && !how.drop; i++)
		fprintf(u->answers, "complete %d\n", u->lib->Complete(u->link));
	if (how.command && system(how.command) != 0)
		die("failed", how.command);
	if (!how.drop)
		ask(u);
	if (!how.keep) {
		status = u->lib->Destroy(&u->link);
		fprintf(u->answers, "destroy %d %s\n", status, u->link ? "left" : "NULL");
	}
out:
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
	char *name, *rest;
	int c, i, l, r, n, jobs;

	while ((c = getopt(argc, argv, "+v:r:t:w:en2d")) != -1)
		switch (c) {
		case 'v': how.version = optarg; break;
		case 'r': how.rounds = atoi(optarg); break;
		case 't': how.threads = atoi(optarg); break;
		case 'w': how.command = optarg; break;
		case 'e': how.early = 1; break;
		case 'n': how.keep = 1; break;
		case '2': how.again = 1; break;
		case 'd': how.drop = 1; break;
		default: return 2;
		}
	jobs = argc - optind - 2;
	if (jobs < 1 || how.threads < 1 || how.threads > THREADS_MAX)
		die("usage", "nvjitlink_run [options] LIB[,LIB] OUT JOB...");
	rest = argv[optind];
	while ((name = strsep(&rest, ",")) && lib_count < LIBS_MAX)
		lib_open(&libs[lib_count++], name);
	if (mkdir(argv[optind + 1], 0777) != 0)
		die("cannot make", argv[optind + 1]);
	units = calloc((size_t)jobs * lib_count * how.rounds, sizeof *units);
	for (r = 0; r < how.rounds; r++)
		for (i = 0; i < jobs; i++)
			for (l = 0; l < lib_count; l++) {
				struct unit *u = &units[unit_count++];
				const char *dir = argv[optind + 2 + i], *base = strrchr(dir, '/');

				u->dir = dir;
				u->lib = &libs[l];
				n = snprintf(u->out, sizeof u->out, "%s/%s", argv[optind + 1],
				             base ? base + 1 : dir);
				if (lib_count * how.rounds > 1)
					snprintf(u->out + n, sizeof u->out - n, ".%d.%d", l, r);
			}
	run_in_threads(thread, how.threads);
	return 0;
}
