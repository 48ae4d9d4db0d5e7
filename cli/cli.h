/* cli/cli.h - declarations that the subcommands of `reprise` share.
 *
 * Each subcommand is one file with one function of struct command; cli/main.c has the table. It
 * gets its own arguments, with argv[0] "reprise <name>" for messages, parses them with argp and
 * returns an exit status. Everything here is TOOL: libc may be used freely, nothing runs in a
 * host. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdint.h>
#include <stdio.h>

#include "shim/arena.h"
#include "shim/settings.h"
#include "store/store.h"
#include "units/publish.h"

/* Exit statuses, as documented in docs/man/reprise.1. */
enum { CLI_OK = 0, CLI_FINDING = 1, CLI_USAGE = 2, CLI_STORE = 3,
       /* reprise run, if the command was not started: as env, nohup and timeout do */
       CLI_RUN_FAILED = 125, CLI_RUN_REFUSED = 126, CLI_RUN_NOT_FOUND = 127 };

struct cli {
	struct arena arena;
	struct settings settings;
	char **envp;
};

struct command {
	const char *name;
	int (*run)(struct cli *c, int argc, char **argv);
	const char *summary;
};
#define CLI_COMMANDS(X) /* name, summary */                                                        \
	X(stats, "show what was replayed, missed and saved")                                       \
	X(explain, "say why the last tool starts were not hits") \
	X(config, "show every setting, its origin, and the directories in use")                    \
	X(gc, "evict entries above the size limit, remove left-over files") \
	X(clear, "remove every entry of the store")                                                \
	X(verify, "read and check every entry of the store")                                       \
	X(doctor, "check what Reprise needs here, and say what to mend")                           \
	X(keygen, "make a pair of keys that sign and check remote entries")                       \
	X(publish, "pack framework files, send waiting entries to the remote store") \
	X(export, "write entries of the store into one file")                                      \
	X(import, "add the entries of such a file to the store") \
	X(fetch, "fetch entries from the remote store for jobs that ask")                          \
	X(run, "run a command under Reprise")                                                      \
	X(version, "print the version")
#define X(name, summary) int cli_##name(struct cli *c, int argc, char **argv);
CLI_COMMANDS(X)
#undef X

/* cli/open_store.c: opens the store that the settings lead to. CLI_OK, or CLI_STORE after a
 * message. */
int cli_open_store(struct cli *c, struct store *s, const char *who);

/* cli/open_store.c: parses the arguments of a subcommand without options: it takes --help and
 * refuses the rest. */
void cli_parse_none(int argc, char **argv, const char *doc);

/* cli/print.c: writes "1.5 GiB" into out and returns it. */
#define CLI_SIZE_TEXT 32
const char *cli_size(char out[CLI_SIZE_TEXT], uint64_t bytes);
/* Prints bytes for a terminal or a report: control bytes as \xNN, at most max bytes of s, then
 * "...". */
void cli_print_safe(FILE *to, const char *s, size_t n, size_t max);
/* Overwrites a line on stderr, at most ten times a second, and only on a terminal. */
void cli_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_progress_end(void);

/* cli/key_diff.c: prints how the fields of two keys differ, one indented line each. Returns the
 * number of lines. */
int cli_key_diff(FILE *to, const void *old_fields, size_t old_len, const void *new_fields,
                   size_t new_len, struct arena *a);

/* cli/find_library.c: finds libreprise.so from the place of this program, as an absolute path that
 * LD_PRELOAD can hold. 0, or -1 after a message (no message if who is NULL). */
int cli_find_library(char *out, size_t cap, const char *who);

/* cli/launch.c: appends the object to LD_PRELOAD and sets REPRISE_JOB, for the program that is
 * started next. job: the job's name, with a list for `reprise export --job`; NULL: the name that it
 * has. 0; an object of another architecture is not used, which is said unless quiet. -1 after a
 * message. */
int cli_launch(struct cli *c, const char *who, const char *job, int quiet);
/* cli/launch_jax.c, for --jax: sets the variables of JAX's compilation cache that the user has not
 * set. 0, or -1 with errno. A directory that cannot be used is reported, and leaves the cache
 * off. */
int cli_launch_jax(const char *who, int quiet);

/* cli/check_settings.c: says a line for each setting that cannot be obeyed, and returns their
 * number. cli_check_settings: malformed values, unknown names, words that are ignored.
 * cli_check_remote_settings: settings that turn the remote store off, or would if it were
 * configured. No line holds a secret. */
typedef void cli_say(void *arg, const char *line);
int cli_check_settings(struct cli *c, cli_say *say, void *arg);
int cli_check_remote_settings(struct cli *c, cli_say *say, void *arg);

/* cli/warn.c: says on standard error what will not work here, unless Reprise is turned off. who:
 * begins each line. */
void cli_warn(struct cli *c, const char *who);

/* cli/publish.c: opens the remote store and a publisher for it, with its log. 0; -1 with *fault:
 * the settings of the remote store are wrong, so it is off; the publisher packs framework files all
 * the same. */
int cli_publisher_open(struct cli *c, struct publisher *p, struct store *s, struct remote *r,
                       struct fault *fault);
/* Publishes until everything is sent, for at most ms. hurried: stops if the server refuses, or does
 * not answer for CLI_STALL_NS. 0, or -1 with *fault. */
#define CLI_STALL_NS 500000000ll
int cli_drain(struct publisher *p, uint64_t ms, int hurried, struct fault *fault);

/* cli/supervise.c: true if `reprise run` must wait for the job's end: to publish its results, or
 * because this is process 1. */
int cli_waits_for_job(struct cli *c);
/* Runs argv[0] as a child that gets our signals; process 1 also waits for processes that it
 * inherits. Then publishes, and says what is left unless quiet. Ends as the child did, also by its
 * signal. Returns the errno of an exec that failed. */
int cli_supervise(struct cli *c, char **argv, int quiet);

#endif
