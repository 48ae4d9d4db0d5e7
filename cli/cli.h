/* cli/cli.h - declarations that the subcommands of `reprise` share.
 *
 * Each subcommand is one file with one function of struct command; cli/main.c has the table. It
 * gets its own arguments, with argv[0] "reprise <name>" for messages, parses them with argp and
 * returns an exit status. Everything here is TOOL: libc may be used freely, nothing runs in a
 * host. */
#pragma once

#include <json-c/json.h>
#include <stdio.h>

#include "shim/settings/setting_value.h"
#include "store/agent.h"
#include "store/store.h"

/* Exit statuses, as `reprise help` says. */
enum { CLI_OK = 0, CLI_FINDING = 1, CLI_USAGE = 2, CLI_STORE = 3,
       /* reprise run, if the command was not started: as env, nohup and timeout do */
       CLI_RUN_FAILED = 125, CLI_RUN_REFUSED = 126, CLI_RUN_NOT_FOUND = 127 };

#define JOB_NAME_WRONG \
	"--job takes a name of at most %d letters, digits and . _ : @ + = , -"

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
	X(jobs, "list the jobs of this store")                                                     \
	X(report, "show one job as a page of HTML, or as a trace")                                 \
	X(config, "show every setting, its origin, and the directories in use")                    \
	X(gc, "evict entries above the size limit, remove left-over files") \
	X(clear, "remove every entry of the store")                                                \
	X(verify, "read and check every entry of the store")                                       \
	X(forget, "drop one suspect result")                                                       \
	X(doctor, "check what Reprise needs here, and say what to mend")                           \
	X(keygen, "make a pair of keys that sign and check remote entries")                       \
	X(publish, "pack framework files, send waiting entries to the remote store") \
	X(prefetch, "bring what the last job of a name used from the remote store") \
	X(export, "write entries of the store into one file")                                      \
	X(import, "add the entries of such a file to the store") \
	X(run, "run a command under Reprise")                                                      \
	X(help, "describe a command")                                                              \
	X(version, "print the version")
#define X(name, summary) int cli_##name(struct cli *c, int argc, char **argv);
CLI_COMMANDS(X)
#undef X

/* --- open_store.c: questions to all agents of a store on this node --- */

/* Has the agent ask the remote store once, as a look-up would: through the breaker. 0, or -1 with
 * *fault. Starts an agent. */
int cli_remote_answers(struct cli *c, struct store *s, struct fault *fault);
/* Asks the store's agents of this node, whatever their settings, and starts none. said may be
 * NULL. */
void cli_ask_agents(struct cli *c, struct store *s, enum agent_verb verb, unsigned from,
                    void (*said)(void *ctx, const struct agent_reply *r), void *ctx);

/* --- open_store.c: what the subcommands begin with --- */

/* Opens the store that the settings lead to. CLI_OK, or CLI_STORE after a
 * message. */
int cli_open_store(struct cli *c, struct store *s, const char *who);
/* The same without messages. 0; -1 without a store, and perhaps with a fault. */
int cli_find_store(struct cli *c, struct store *s, struct fault *fault);

/* An option: sets an int to 1; with a value, a const char *. */
struct cli_option {
	const char *name;
	int key;
	const char *value; /* NULL: it takes none */
	const char *help;  /* NULL: the option is hidden */
	void *to;
};
#define CLI_JSON(to) {"json", 'j', NULL, "Print one JSON object (docs/json.md)", to}
struct cli_syntax {
	const struct cli_option *options; /* then one of zeros; NULL: none */
	const char *operands, *text;      /* for --help */
	const char **operand;             /* NULL: none is allowed */
	const char *missing;              /* what is, without it; NULL: it may be left out */
	/* for a command of the user's: the index of its first word in argv. Options before it are
	 * ours. */
	int *command;
};
/* Parses the arguments, and ends the program where they are wrong, or for --help. */
void cli_parse(int argc, char **argv, const struct cli_syntax *s);
/* Says what is wrong with the arguments, and ends the program. */
_Noreturn void cli_wrong_usage(const char *who, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The value of an option that is written as a setting of that type; NULL leaves *number. Ends the
 * program where it is wrong. */
void cli_setting(const char *who, const char *option, enum setting_type type, const char *text,
                 uint64_t *number);
/* Says what failed, and returns the status. */
int cli_failed(const char *who, int status, const char *why);
/* A number of at least 1; a larger one than most is most. 0, or -1: it is none. */
int cli_number(const char *text, int most, int *n);

/* --- print.c: sizes, bytes and progress for a terminal --- */

/* Writes "1.5 GiB" into out and returns it. */
#define CLI_SIZE_TEXT 32
const char *cli_size(char out[CLI_SIZE_TEXT], uint64_t bytes);
/* Writes "2026-01-31 12:00:00", local time, into out and returns it. */
#define CLI_TIME_TEXT 64
const char *cli_time(char out[CLI_TIME_TEXT], int64_t s);
/* Prints bytes for a terminal or a report: control bytes as \xNN, at most max bytes of s, then
 * "...". */
void cli_print_safe(FILE *to, const char *s, size_t n, size_t max);
/* Prints a spec (names/names.h): 0x01 'T' '0' as @T0. */
void cli_print_spec(FILE *to, const char *s, size_t n);
/* Asks on the terminal, by the printf format and " [y/N]". 1: yes. */
int cli_confirmed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Overwrites a line on stderr, at most ten times a second, and only on a terminal. */
void cli_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_progress_end(void);

/* Any bytes as a text of HTML. */

/* Prints s, at most its first 1,000 bytes. */
void html_text(FILE *to, const char *s);

/* Texts of commands, which may hold any bytes, for JSON and HTML. */

/* Copies in to out, as much as fits: control bytes and what is no UTF-8 become U+FFFD. Returns
 * out. */
char *utf8_clean(char *out, size_t size, const char *in);

/* What a command reports, as one JSON object on standard output. The names of members
 * are listed in docs/json.md and stay. */

/* Members. Bytes that are no UTF-8 become U+FFFD. */
void json_text(struct json_object *o, const char *key, const char *text);
/* Into an array. */
void json_add_text(struct json_object *array, const char *text);
void json_number(struct json_object *o, const char *key, uint64_t n);
void json_flag(struct json_object *o, const char *key, int set);
/* Six decimals. */
void json_seconds(struct json_object *o, const char *key, int64_t ns);
/* An object with the member version. */
struct json_object *json_report(void);
/* Prints and frees it. CLI_OK, or CLI_FINDING if it cannot be written. */
int json_print(FILE *to, struct json_object *o);

/* --- publish.c: a publisher, for `reprise publish` and for the end of a job --- */

struct publisher;
struct remote;
/* Opens the remote store and a publisher for it, with its log. 0; -1 with *fault:
 * the settings of the remote store are wrong, so it is off; the publisher packs framework files all
 * the same. */
int cli_publisher_open(struct cli *c, struct publisher *p, struct store *s, struct remote *r,
                       struct fault *fault);
/* The progress of a publisher, as a line on a terminal; cli_progress_end() is due. */
void cli_publish_progress(size_t left);
/* Publishes until everything is sent, for at most ms. hurried: stops if the server refuses, or does
 * not answer for CLI_STALL_NS. 0, or -1 with *fault. */
#define CLI_STALL_NS 500000000ll
int cli_drain(struct publisher *p, uint64_t ms, int hurried, struct fault *fault);
