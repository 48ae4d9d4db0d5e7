/* keying/probe.h - one question to the file system and its answer; the inputs of an action.
 *
 * The same functions answer at recording (what was it?) and at look-up (does it hold?), so the two
 * answers cannot differ by method. Answers are kept for the life of the prober: candidates of one
 * manifest share their paths, and each path is asked once. Paths are absolute or relative to the
 * cwd. THREAD. */
#ifndef KEYING_PROBE_H
#define KEYING_PROBE_H

#include "keying/memo.h"
#include "shim/index_table.h"

enum input_kind { /* numbers on disk, never reused */
	INPUT_FILE = 1,     /* regular file: digest of its content */
	INPUT_ABSENT = 2,   /* group: a directory, and names that do not exist in it */
	INPUT_NODIR = 3,    /* a directory that does not exist, so nothing exists below it */
	/* exists with a type (S_IFMT), and with permissions where they matter
	 * (judge/permissions.h) */
	INPUT_PRESENT = 4,
	INPUT_SYMLINK = 5,  /* readlink's answer */
	INPUT_STAT = 6,     /* size and mtime */
	INPUT_DIRECTORY = 7,/* digest of the sorted names in a directory */
	INPUT_ENV = 8,      /* a variable's value */
	INPUT_CWD = 9,      /* the working directory as getcwd spells it */
	INPUT_REALPATH = 10,/* realpath's answer, where it differs from the question */
	INPUT_PWD = 11,     /* $PWD names the cwd in another spelling */
	INPUT_SEARCH = 12,  /* the program that $PATH finds for a name */
	INPUT_PROGRAM = 13, /* as FILE, and may be executed */
	INPUT_REAL = 14,    /* realpath answered with the question: no link on the way */
	INPUT_REAL_FILE = 15, /* FILE and REAL in one: a unit has hundreds of them */
	INPUT_STREAM = 18,  /* what standard output and error are (judge/stream_state.h) */
	/* realpath's answer is the path without its "x/.."; for a relative path it is longer than
	 * the question */
	INPUT_FOLDED = 19,
	/* digest of some prefixes, and of the names in a directory that begin with one of them:
	 * judge/prefixed.h */
	INPUT_PREFIXED = 20,
	INPUT_ENVIRONMENT = 21, /* digest of all variables: judge/environment.h */
	INPUT_ORDER = 17,   /* which of a source's name and its directory gcc writes first */
	/* which of several files of equal content share a time, or are one file */
	INPUT_DUPLICATES = 16,
	/* as FILE and REAL_FILE, for a text in which only comments may differ
	 * (tools/comment_free.h) */
	INPUT_TEXT = 24,
	INPUT_REAL_TEXT = 25,
	INPUT_VARIABLES = 26, /* all variables, or those of a form (judge/variables.h) */
	INPUT_DEFINES = 27,   /* macros of the command line (judge/defines.h) */
	/* a source of the command, without the comments at its end (tools/comments.h) */
	INPUT_SOURCE = 28,
	INPUT_LONGER = 29,    /* realpath's answer is not shorter than the question */
	INPUT_INHERITED = 31, /* what the tool inherits (judge/inherited.h) */
	INPUT_NO_LINK = 30    /* the path itself is no symbolic link: lstat, readlink, O_NOFOLLOW */
};
/* The input is the content of a file that is not executed. */
static inline int input_is_content(unsigned kind)
{
	return kind == INPUT_FILE || kind == INPUT_REAL_FILE || kind == INPUT_TEXT ||
	       kind == INPUT_REAL_TEXT;
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
 * not a regular file. st may be NULL. */
int probe_file(struct prober *p, const char *path, struct digest *content, struct statx *st);
/* 1: texts->in() holds for the content, in files of up to 16 MiB. 0 for a file that cannot be
 * read. */
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
int probe_file_fresh(struct prober *p, const char *path, struct digest *content, struct statx *st);

#endif
