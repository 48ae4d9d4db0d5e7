/* nvrtc_run - compiles programs inside this process with NVRTC and writes down every answer.
 *
 *	nvrtc_run [options] LIB[,LIB] OUT JOB...
 *
 * A job is a directory: source; name, if the program has one; options, headers (NAME=FILE, relative
 * to the job) and expressions, one a line. OUT/JOB gets the bytes of each answer, and `answers`:
 * every call, its status and size. With several libraries or rounds the directories end in
 * .LIBRARY.ROUND.
 *
 *	-t N   threads (1), each taking the next job     -r N  rounds (1)
 *	-x     each stage of a program on another thread: create, compile, ask, destroy
 *	-e     ask before the compile, too               -a    ask for bytes before sizes
 *	-o     calls with odd arguments, too             -2    compile again, with options2
 *	-n     never destroy                             -c    dlclose and open between programs
 *	-f     fork after the compile: the child asks first
 *	-k     with a callback                           -q    ask nothing
 *	-g     RTLD_GLOBAL and dlsym(RTLD_DEFAULT)       -m    dlmopen
 *	-w C   run the command C between the compile and the questions
 *
 * With -DLINKED the library is the linked one; LIB is not used. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library_run.h"
#include "nvrtc_api.h"

enum { LIST_MAX = 64, LIBS_MAX = 4, GUARD = 64, BLIND = 1 << 22 };

struct list {
	int n;
	char *at[LIST_MAX];
};

struct job {
	const char *dir;
	char *source, *name;
	struct list options, options2, expressions, header_names, header_texts;
};

/* A program between create and destroy. */
struct unit {
	struct job *job;
	struct nvrtc *lib;
	nvrtc_program program;
	int compiled;
	char out[4096];
	FILE *answers;
};

static struct {
	int threads, rounds, pass, early, blind, odd, again, keep, close, fork, flow, global, space,
		quiet;
	const char *command;
} how = { .threads = 1, .rounds = 1 };

static struct nvrtc libs[LIBS_MAX];
static char *lib_names[LIBS_MAX];
static int lib_count, unit_count, next_unit;
static struct unit *units;
static pthread_barrier_t stage_end;

static char *text_of(const char *dir, const char *file)
{
	char path[4096], *text = NULL;
	size_t size = 0;
	FILE *in;

	snprintf(path, sizeof path, "%s/%s", dir, file);
	in = fopen(path, "r");
	if (!in)
		return NULL;
	if (getdelim(&text, &size, '\0', in) < 0)
		text = strdup("");
	fclose(in);
	return text;
}

static void list_read(struct list *list, const char *dir, const char *file)
{
	char *text = text_of(dir, file), *line, *rest = text;

	while (text && (line = strsep(&rest, "\n")) && (rest || *line)) {
		if (list->n == LIST_MAX)
			die("too many lines", file);
		list->at[list->n++] = line;
	}
}

static void job_read(struct job *job, const char *dir)
{
	struct list headers = { 0 };
	int i;

	job->dir = dir;
	job->source = text_of(dir, "source");
	if (!job->source)
		die("no source", dir);
	job->name = text_of(dir, "name");
	if (job->name)
		job->name[strcspn(job->name, "\n")] = '\0';
	list_read(&job->options, dir, "options");
	list_read(&job->options2, dir, "options2");
	list_read(&job->expressions, dir, "expressions");
	list_read(&headers, dir, "headers");
	for (i = 0; i < headers.n; i++) {
		char *equals = strchr(headers.at[i], '=');

		if (!equals)
			die("no =", headers.at[i]);
		*equals = '\0';
		job->header_names.at[i] = headers.at[i];
		job->header_texts.at[i] = text_of(dir, equals + 1);
		if (!job->header_texts.at[i])
			die("no header", equals + 1);
	}
	job->header_names.n = headers.n;
}

#ifdef LINKED
#define WEAK(name, parameters, always) extern int nvrtc##name parameters;
NVRTC_ENTRIES(WEAK)
#pragma weak nvrtcGetNVVMSize
#pragma weak nvrtcGetNVVM
#pragma weak nvrtcGetTileIRSize
#pragma weak nvrtcGetTileIR
#pragma weak nvrtcGetPCHCreateStatus
#pragma weak nvrtcGetPCHHeapSizeRequired
#pragma weak nvrtcSetFlowCallback
#define BOUND(name, parameters, always) if (always) lib->name = nvrtc##name;
static void lib_open(struct nvrtc *lib, const char *name)
{
	(void)name;
	NVRTC_ENTRIES(BOUND)
}
#else
#define FOUND(name, parameters, always) \
	lib->name = (int(*) parameters)dlsym(from, "nvrtc" #name); \
	if (!lib->name && (always)) \
		die("no entry point", "nvrtc" #name);

static void lib_open(struct nvrtc *lib, const char *name)
{
	void *from;

	if (how.space)
		lib->handle = dlmopen(LM_ID_NEWLM, name, RTLD_NOW);
	else
		lib->handle = dlopen(name, RTLD_NOW | (how.global ? RTLD_GLOBAL : RTLD_LOCAL));
	if (!lib->handle)
		die("dlopen", dlerror());
	from = how.global ? RTLD_DEFAULT : lib->handle;
	NVRTC_ENTRIES(FOUND)
}
#endif

/* The first bytes after an answer must stay as they were. */
static void answer_bytes(struct unit *u, const char *what, int (*get)(nvrtc_program, char *),
                         size_t size)
{
	size_t room = how.blind ? BLIND : size, end, i;
	char *bytes = malloc(room + GUARD), path[4200];
	FILE *out;
	int status;

	memset(bytes, 0xa5, room + GUARD);
	status = get(u->program, bytes);
	fprintf(u->answers, "nvrtcGet%s %d\n", what, status);
	for (end = room + GUARD; end > 0 && (unsigned char)bytes[end - 1] == 0xa5; end--)
		;
	for (i = size; !how.blind && i < size + GUARD; i++)
		if ((unsigned char)bytes[i] != 0xa5) {
			fprintf(u->answers, "nvrtcGet%s wrote beyond its size\n", what);
			break;
		}
	snprintf(path, sizeof path, "%s/%s", u->out, what);
	out = fopen(path, "w");
	if (!out || fwrite(bytes, 1, end, out) != end || fclose(out) != 0)
		die("cannot write", path);
	free(bytes);
}

#define ASK(what) \
	if (u->lib->Get##what##Size && u->lib->Get##what) { \
		size_t size = 777; \
		if (how.blind) \
			answer_bytes(u, #what, u->lib->Get##what, 0); \
		int status = u->lib->Get##what##Size(u->program, &size); \
		fprintf(u->answers, "nvrtcGet" #what "Size %d %zu\n", status, size); \
		if (!how.blind && status == 0) \
			answer_bytes(u, #what, u->lib->Get##what, size); \
	}
#define ASK_ODD(what) \
	if (u->lib->Get##what##Size && u->lib->Get##what) { \
		size_t size = 777; \
		char byte = 'x'; \
		int a = u->lib->Get##what##Size(u->program, NULL), \
		    b = u->lib->Get##what(u->program, NULL); \
		int c = u->lib->Get##what##Size(NULL, &size), d = u->lib->Get##what(NULL, &byte); \
		fprintf(u->answers, "odd " #what " %d %d %d %d %zu %c\n", a, b, c, d, size, byte); \
	}

static void ask_odd(struct unit *u)
{
	NVRTC_ANSWERS(ASK_ODD)
	fprintf(u->answers, "odd options %d\n", u->lib->CompileProgram(NULL, 0, NULL));
	fprintf(u->answers, "odd destroy %d\n", u->lib->DestroyProgram(NULL));
	if (u->compiled)
		fprintf(u->answers, "odd expression %d\n",
		        u->lib->AddNameExpression(u->program, "late"));
}

static void ask(struct unit *u)
{
	int i;

	if (how.quiet)
		return;
	NVRTC_ANSWERS(ASK)
	for (i = 0; i <= u->job->expressions.n; i++) {
		const char *name = i < u->job->expressions.n ? u->job->expressions.at[i]
			: "no::such";
		const char *one = "unset", *two = "unset";
		int status = u->lib->GetLoweredName(u->program, name, &one);

		u->lib->GetLoweredName(u->program, name, &two);
		fprintf(u->answers, "nvrtcGetLoweredName %d %s: %s%s\n", status, name,
			one ? one : "NULL", one == two ? "" : ", then elsewhere");
	}
	if (u->lib->GetPCHCreateStatus)
		fprintf(u->answers, "nvrtcGetPCHCreateStatus %d\n",
		        u->lib->GetPCHCreateStatus(u->program));
	if (u->lib->GetPCHHeapSizeRequired) {
		size_t size = 777;
		int status = u->lib->GetPCHHeapSizeRequired(u->program, &size);

		fprintf(u->answers, "nvrtcGetPCHHeapSizeRequired %d %zu\n", status, size);
	}
	if (how.odd)
		ask_odd(u);
	fflush(u->answers);
}

static int flow_calls;
static int flow(void *payload, void *reserved)
{
	(void)payload;
	(void)reserved;
	__atomic_add_fetch(&flow_calls, 1, __ATOMIC_RELAXED);
	return 0;
}

static void stage_create(struct unit *u)
{
	char path[4200];
	int i, status;

	snprintf(path, sizeof path, "%s/answers", u->out);
	if (mkdir(u->out, 0777) != 0 || !(u->answers = fopen(path, "w")))
		die("cannot make", path);
	status = u->lib->CreateProgram(&u->program, u->job->source, u->job->name,
				       u->job->header_names.n,
				       (const char *const *)u->job->header_texts.at,
				       (const char *const *)u->job->header_names.at);
	fprintf(u->answers, "nvrtcCreateProgram %d\n", status);
	for (i = 0; i < u->job->expressions.n; i++)
		fprintf(u->answers, "nvrtcAddNameExpression %d\n",
			u->lib->AddNameExpression(u->program, u->job->expressions.at[i]));
}

static void compile(struct unit *u, struct list *options)
{
	int status = u->lib->CompileProgram(u->program, options->n,
	                                    (const char *const *)options->at);

	u->compiled = 1;
	fprintf(u->answers, "nvrtcCompileProgram %d\n", status);
	fflush(u->answers);
}

static void stage_compile(struct unit *u)
{
	if (how.early)
		ask(u);
	if (how.flow && u->lib->SetFlowCallback) {
		int status = u->lib->SetFlowCallback(u->program, flow, NULL);

		fprintf(u->answers, "nvrtcSetFlowCallback %d\n", status);
		flow_calls = 0;
	}
	compile(u, &u->job->options);
	if (how.again) {
		ask(u);
		compile(u, &u->job->options2);
	}
	if (how.flow && u->lib->SetFlowCallback)
		fprintf(u->answers, "called back: %s\n", flow_calls ? "yes" : "no");
	if (how.command && system(how.command) != 0)
		die("failed", how.command);
}

static void stage_ask(struct unit *u)
{
	int status;

	if (how.fork) {
		pid_t pid;

		fflush(NULL);
		pid = fork();
		if (pid == 0) {
			char path[4200];

			strcat(u->out, "/child");
			snprintf(path, sizeof path, "%s/answers", u->out);
			mkdir(u->out, 0777);
			u->answers = fopen(path, "w");
			ask(u);
			fprintf(u->answers, "nvrtcDestroyProgram %d\n",
			        u->lib->DestroyProgram(&u->program));
			fclose(u->answers);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0)
			die("the child failed", u->out);
	}
	ask(u);
}

static void stage_destroy(struct unit *u)
{
	if (!how.keep) {
		int status = u->lib->DestroyProgram(&u->program);

		fprintf(u->answers, "nvrtcDestroyProgram %d %s\n", status,
		        u->program ? "left" : "NULL");
	}
	fclose(u->answers);
#ifndef LINKED
	if (how.close) {
		dlclose(u->lib->handle);
		lib_open(u->lib, lib_names[u->lib - libs]);
	}
#endif
}

static void (*const stages[])(struct unit *) = { stage_create, stage_compile, stage_ask,
                                                stage_destroy };
enum { STAGES = sizeof stages / sizeof *stages };

static void *thread(void *number)
{
	int me = (int)(size_t)number, stage, i;

	if (how.pass) {
		for (stage = 0; stage < STAGES; stage++) {
			for (i = 0; i < unit_count; i++)
				if ((i + stage) % how.threads == me)
					stages[stage](&units[i]);
			pthread_barrier_wait(&stage_end);
		}
		return NULL;
	}
	while ((i = __atomic_fetch_add(&next_unit, 1, __ATOMIC_RELAXED)) < unit_count)
		for (stage = 0; stage < STAGES; stage++)
			stages[stage](&units[i]);
	return NULL;
}

static void run(void)
{
	pthread_barrier_init(&stage_end, NULL, how.threads);
	run_in_threads(thread, how.threads);
}

static void units_make(const char *out, char **dirs, int jobs)
{
	struct job *read = calloc(jobs, sizeof *read);
	int i, l, r;

	units = calloc((size_t)jobs * lib_count * how.rounds, sizeof *units);
	for (i = 0; i < jobs; i++)
		job_read(&read[i], dirs[i]);
	for (r = 0; r < how.rounds; r++)
		for (i = 0; i < jobs; i++)
			for (l = 0; l < lib_count; l++) {
				struct unit *u = &units[unit_count++];
				const char *base = strrchr(dirs[i], '/');
				int n;

				u->job = &read[i];
				u->lib = &libs[l];
				n = snprintf(u->out, sizeof u->out, "%s/%s", out,
				             base ? base + 1 : dirs[i]);
				if (lib_count * how.rounds > 1)
					snprintf(u->out + n, sizeof u->out - n, ".%d.%d", l, r);
			}
}

int main(int argc, char **argv)
{
	int c, major = 0, minor = 0, l;
	char *name, *rest;

	while ((c = getopt(argc, argv, "+t:r:w:xeao2ncfkgmq")) != -1)
		switch (c) {
		case 't': how.threads = atoi(optarg); break;
		case 'r': how.rounds = atoi(optarg); break;
		case 'w': how.command = optarg; break;
		case 'x': how.pass = 1; break;
		case 'e': how.early = 1; break;
		case 'a': how.blind = 1; break;
		case 'o': how.odd = 1; break;
		case '2': how.again = 1; break;
		case 'n': how.keep = 1; break;
		case 'c': how.close = 1; break;
		case 'f': how.fork = 1; break;
		case 'k': how.flow = 1; break;
		case 'g': how.global = 1; break;
		case 'm': how.space = 1; break;
		case 'q': how.quiet = 1; break;
		default: return 2;
		}
	if (argc - optind < 3 || how.threads < 1 || how.threads > THREADS_MAX)
		die("usage", "nvrtc_run [options] LIB[,LIB] OUT JOB...");
	rest = argv[optind];
	while ((name = strsep(&rest, ",")) && lib_count < LIBS_MAX) {
		lib_names[lib_count] = name;
		lib_open(&libs[lib_count++], name);
	}
	if (mkdir(argv[optind + 1], 0777) != 0)
		die("cannot make", argv[optind + 1]);
	for (l = 0; l < lib_count; l++) {
		c = libs[l].Version(&major, &minor);
		printf("version %d.%d, status %d\n", major, minor, c);
	}
	units_make(argv[optind + 1], argv + optind + 2, argc - optind - 2);
	run();
	return 0;
}
