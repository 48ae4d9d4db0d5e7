/* keying/probe.h - one question to the file system and its answer; the inputs of an action.
 *
 * The same functions answer at recording (what was it?) and at look-up (does it hold?), so the two
 * answers cannot differ by method. Answers are kept for the life of the prober: candidates of one
 * manifest share their paths, and each path is asked once. Paths are absolute or relative to the
 * cwd. THREAD. */
#pragma once

#include "keying/memo.h"
#include "shim/index_table.h"

/* The kinds of input: judge/inputs.def. */
enum input_kind {
#define INPUT(kind, number, ...) INPUT_##kind = number,
#include "judge/inputs.def"
#undef INPUT
};
enum input_spec { INPUT_SPEC_NONE, INPUT_SPEC_WORD, INPUT_SPEC_PATH };
enum input_reads { INPUT_READS_NOTHING, INPUT_READS_CONTENT, INPUT_READS_PROGRAM,
                   INPUT_READS_LISTING };

static inline int input_is_path(unsigned kind)
{
	switch (kind) {
#define INPUT(kind, number, spec, ...) \
	case number: \
		return INPUT_SPEC_##spec == INPUT_SPEC_PATH;
#include "judge/inputs.def"
#undef INPUT
	default:
		return 0;
	}
}

/* What a look-up reads of the input's path. */
static inline enum input_reads input_reads(unsigned kind)
{
	switch (kind) {
#define INPUT(kind, number, spec, fields, reads, ...) \
	case number: \
		return INPUT_READS_##reads;
#include "judge/inputs.def"
#undef INPUT
	default:
		return INPUT_READS_NOTHING;
	}
}

/* The input is the content of a file that is not executed. */
static inline int input_is_content(unsigned kind)
{
	return input_reads(kind) == INPUT_READS_CONTENT;
}

/* For an INPUT_NODIR: the directory is absent, or access to it is denied. File types have larger
 * numbers. */
#define NODIR_OR_DENIED 1
enum { DUPLICATES_TIME = 1, DUPLICATES_FILE = 2 }; /* relations that matter */

/* Whether a text makes a compiler compare the times of files. near: some bytes of it may (struct
 * hashfile_search). in: all of it does; asked if near() holds. */
struct probe_texts {
	int (*near)(const char *text, size_t n);
	int (*in)(const char *text, size_t n, struct arena *arena);
};
struct prober {
	struct arena *arena;
	struct memo *memo;
	const struct probe_texts *texts;
	struct probe_answer **answer; /* in order of questions */
	size_t count, cap;
	struct index_table index; /* of answer[], by path */
	unsigned char *buffer;    /* for reading, made on first use */
	int64_t euid;             /* -1: not asked yet */
	unsigned long files_hashed; /* for the log */
};
/* The content of a text for which texts->in() holds is in no memo. All probers of a memo must use
 * the same functions. NULL: no text is asked. */
void prober_init(struct prober *p, struct arena *a, struct memo *m,
                 const struct probe_texts *texts);

/* Each returns 0 and the answer, or -errno (-ENOENT, -ENOTDIR, -EACCES ...). -EISDIR or -ESPIPE:
 * not a regular file. st may be NULL. The content is not younger than the times in *st. */
int probe_file(struct prober *p, const char *path, struct digest *content, struct statx *st);
/* What texts->in() says of the content, in files of up to 16 MiB; 1 where it was not read again. 0
 * for a file that cannot be read. */
int probe_goes_by_times(struct prober *p, const char *path);
/* The type as in st_mode & S_IFMT, following links. */
int probe_present(struct prober *p, const char *path, unsigned *type);
int probe_stat(struct prober *p, const char *path, struct statx *st);
/* 1: a path that was asked for, and is not spelled as `except`, led to this file. */
int probe_led_to(const struct prober *p, const struct statx *st, const char *except);
int probe_symlink(struct prober *p, const char *path, const char **target);
/* 0 when the path itself is no symbolic link: nothing, or something else. -ELOOP for a link. */
int probe_no_link(struct prober *p, const char *path);
int probe_realpath(struct prober *p, const char *path, const char **resolved);
/* 0 when neither the path nor a directory on its way is a symbolic link, -ELOOP otherwise. For
 * absolute paths without "..", and relative paths below a cwd that is real. Saves probe_stat() its
 * call. */
int probe_real(struct prober *p, const char *path);
/* Content digest without the memo and the prober's kept answers: for primary inputs after the
 * run. */
int probe_file_fresh(struct prober *p, const char *path, struct digest *content);
