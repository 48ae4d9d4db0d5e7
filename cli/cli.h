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
#include "shim/settings/settings.h"
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
	X(export, "write entries of the store into one file")                                      \
	X(import, "add the entries of such a file to the store") \
	X(fetch, "fetch entries from the remote store for jobs that ask")                          \
	X(run, "run a command under Reprise")                                                      \
	X(help, "describe a command")                                                              \
	X(version, "print the version")
#define X(name, summary) int cli_##name(struct cli *c, int argc, char **argv);
CLI_COMMANDS(X)
#undef X

#endif
