/* units/gather/deep_jit_command.c - reads the command that deep_jit notes beside a kernel:
 *
 *     NVCC .../kernel.cu --cubin --output-file .../kernel.cubin OPTION... --include-path DIR...
 *
 * A shell reads it. deep_jit puts no quotes around a word, so a path with a space is none that it
 * can compile. */
#include <string.h>
#include <unistd.h>

#include "shim/path.h"
#include "units/gather/gather.h"
#include "units/scope/native_file.h"
#include "units/scope/scope.h"

#define DIRECTORIES_MAX 16

struct command {
	const char *nvcc;
	const char *include[DIRECTORIES_MAX];
	unsigned includes;
};

static const struct parcel_file *file_of(const struct parcel *p, const char *name)
{
	for (unsigned i = 0; i < p->files; i++)
		if (strcmp(p->file[i].name, name) == 0)
			return &p->file[i];
	return NULL;
}

static const char *find(const struct parcel_file *f, const char *text)
{
	return memmem(f->data, f->len, text, strlen(text));
}

/* The value of "command", which has no escapes. In a JSON string no quote stands alone, so the
 * name is that of a member. */
static char *command_text(const struct parcel_file *meta, struct arena *a)
{
	static const char name[] = "\"command\":\"";
	const char *at = find(meta, name), *end = (const char *)meta->data + meta->len, *quote;

	if (!at)
		return NULL;
	at += sizeof name - 1;
	quote = memchr(at, '"', (size_t)(end - at));
	return quote && !memchr(at, '\\', (size_t)(quote - at))
	       ? arena_memdup(a, at, (size_t)(quote - at)) : NULL;
}

/* Cuts the text into words. NULL, or why the kernel is not carried. */
static const char *read_command(struct command *c, char *text)
{
	static const char other[] = "the command that compiled it has another form";
	char *rest = text, *word;

	if (strpbrk(text, "$`'*?[]~;&|<>(){}#!"))
		return "the shell replaces a word of the command that compiled it";
	word = strsep(&rest, " ");
	c->nvcc = word;
	if (*word != '/' || !(word = strsep(&rest, " ")) || !path_ends(word, "/kernel.cu") ||
	    !(word = strsep(&rest, " ")) || strcmp(word, "--cubin") != 0 ||
	    !(word = strsep(&rest, " ")) || strcmp(word, "--output-file") != 0 ||
	    !(word = strsep(&rest, " ")) || !path_ends(word, "/kernel.cubin"))
		return other;
	while ((word = strsep(&rest, " "))) {
		if (strcmp(word, "--include-path") != 0) {
			if (nvcc_option_names_file(word))
				return "an option that compiled it may name a file, whose content "
				       "is not in the scope";
			continue;
		}
		word = strsep(&rest, " ");
		if (!word || *word != '/' || c->includes == DIRECTORIES_MAX)
			return other;
		c->include[c->includes++] = word;
	}
	return NULL;
}

/* 1: the header is CUDA's or of a compiler's library for C++, or lies in one of the directories. */
static int is_known(const struct command *c, const char *header, struct arena *a)
{
	static const char of_cuda[] = "cuda.h\0cuda_\0math.h\0cooperative_groups.h\0mma.h\0";
	static const char dirs_of_cuda[] = "cuda/\0cooperative_groups/\0";
	const char *o = strchr(header, '/') ? dirs_of_cuda : of_cuda;

	if (!strpbrk(header, "./"))
		return 1;
	for (; *o; o += strlen(o) + 1)
		if (strncmp(header, o, strlen(o)) == 0)
			return 1;
	for (unsigned i = 0; i < c->includes; i++) {
		const char *path = arena_cat(a, c->include[i], "/", header, NULL);

		if (path && access(path, F_OK) == 0)
			return 1;
	}
	return 0;
}

/* deep_jit_refusal found each directive at the begin of a line. */
static int includes_known(const struct command *c, const struct parcel_file *source,
                          struct arena *a)
{
	static const char include[] = "#include <";
	const char *at = (const char *)source->data, *end = at + source->len, *close;

	while ((at = memmem(at, (size_t)(end - at), include, sizeof include - 1))) {
		at += sizeof include - 1;
		close = memchr(at, '>', (size_t)(end - at));
		if (!close || !is_known(c, arena_memdup(a, at, (size_t)(close - at)), a))
			return 0;
	}
	return 1;
}

/* 1: a file other than the noted command holds the text. */
static int tells(const struct parcel *p, const char *text)
{
	for (unsigned i = 0; i < p->files; i++)
		if (!path_ends(p->file[i].name, ".json") && find(&p->file[i], text))
			return 1;
	return 0;
}

/* 1: a header of CUDA's told its path to the kernel. nvcc names them from its own directory, and
 * gcc by their real path where that is shorter. */
static int tells_toolkit(struct native *n, const struct parcel *p, const char *nvcc)
{
	const char *home = toolkit_home(n, nvcc);
	const char *in = home ? arena_cat(n->arena, home, "/include", NULL) : NULL;
	const char *targets = home ? arena_cat(n->arena, home, "/targets/", NULL) : NULL;
	const char *real = in ? toolkit_real(n, in) : NULL;

	return !in || !targets || tells(p, "/bin/../") || tells(p, targets) || tells(p, in) ||
	       (real && tells(p, real));
}

/* The scope names a directory by the path by which the library was loaded, and in a process made by
 * fork by its real path. An assertion in a kernel prints the path by which the compiler found the
 * header. */
static int has_headers(struct native *n, const struct parcel *p, const char *scope,
                       const char *include)
{
	const char *real;

	if (deep_jit_scope_has_headers(n, scope, include))
		return 1;
	real = toolkit_real(n, include);
	return real && strcmp(real, include) != 0 && !tells(p, include) &&
	       deep_jit_scope_has_headers(n, scope, real);
}

const char *deep_jit_command_refusal(const struct parcel *p, const char *scope, int64_t written_ns,
                                     struct arena *a)
{
	const struct parcel_file *meta = file_of(p, "meta.json"), *source = file_of(p, "kernel.cu");
	char *none[] = {NULL}, *text = meta ? command_text(meta, a) : NULL;
	const char *why = NULL;
	struct command c = {0};
	struct native n;

	if (!source || !text || !file_of(p, "kernel.cubin") || !file_of(p, ".committed"))
		return "a file that deep_jit keeps of a kernel is not there";
	/* A program that changes the kernel. */
	if (!find(meta, "\"post_hook\":null"))
		return "a hook changed it, and may have read files";
	if ((why = read_command(&c, text)))
		return why;
	if (!includes_known(&c, source, a))
		return "kernel.cu includes a header whose content is not in the scope";
	if (native_begin(&n, none, NULL, a) < 0)
		return "memory is refused";
	if (!deep_jit_scope_has_nvcc(&n, scope, c.nvcc))
		why = "nvcc has changed, or another one compiled it than its process would find";
	else if (tells_toolkit(&n, p, c.nvcc))
		why = "it tells the path of CUDA's headers, which is not in the scope";
	for (unsigned i = 0; i < c.includes && !why; i++)
		if (!has_headers(&n, p, scope, c.include[i]))
			why = "its headers have changed, or are not those beside its library";
	if (!why && n.newest_ns >= written_ns)
		why = "nvcc or a header changed since its source was written";
	native_end(&n);
	return why;
}
