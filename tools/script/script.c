/* tools/script/script.c - interpreters and the programs that scripts start, by their command lines.
 * */
#include "tools/script/script.h"

#include <string.h>

#include "shim/list.h"
#include "tools/tool.h"

#include "shim/banned.h"

enum script_language script_language(const char *base)
{
	if (strcmp(base, "dash") == 0)
		return SCRIPT_SH;
	if (strcmp(base, "bash") == 0)
		return SCRIPT_BASH;
	if (strcmp(base, "env") == 0)
		return SCRIPT_ENV;
	return tool_is_interpreter(base) ? SCRIPT_OTHER : SCRIPT_NONE;
}

int script_tries_terminal(const char *base)
{
	return script_language(base) == SCRIPT_BASH;
}

/* `env sh FILE`. Options and assignments change the environment. */
static enum script_form env_form(int argc, char *const argv[])
{
	return argc > 1 && *argv[1] != '-' && !strchr(argv[1], '=') ? SCRIPT_PASSES
	                                                            : SCRIPT_UNKNOWN;
}

static enum script_form shell_form(int argc, char *const argv[], const char **what)
{
	static const char options[] = "-e\0-f\0-u\0-eu\0";
	enum script_form form = SCRIPT_FILE;
	int i = 1;

	/* A login shell reads more. */
	if (argc < 2 || argv[0][0] == '-')
		return SCRIPT_UNKNOWN;
	while (i < argc && list_has(options, argv[i]))
		i++;
	if (i < argc && strcmp(argv[i], "-c") == 0) {
		form = SCRIPT_TEXT;
		i++;
	}
	if (i < argc && strcmp(argv[i], "--") == 0)
		i++;
	if (i >= argc || argv[i][0] == '-' || argv[i][0] == '+')
		return SCRIPT_UNKNOWN;
	*what = argv[i];
	return form;
}

/* The first operand, where the options before it take no value and no text. */
static enum script_form other_form(const char *base, int argc, char *const argv[],
                                   const char **what)
{
	int i = 1;

	if (list_has("make\0gmake\0", base))
		return SCRIPT_UNKNOWN;
	while (i < argc && argv[i][0] == '-' && argv[i][1] &&
	       !argv[i][1 + strspn(argv[i] + 1, "BEIPSTUsuw")])
		i++;
	if (i >= argc || argv[i][0] == '-')
		return SCRIPT_UNKNOWN;
	*what = argv[i];
	return SCRIPT_FILE;
}

enum script_form script_form(const char *base, int argc, char *const argv[], const char **what)
{
	*what = NULL;
	switch (script_language(base)) {
	case SCRIPT_SH:
	case SCRIPT_BASH: return shell_form(argc, argv, what);
	case SCRIPT_ENV: return env_form(argc, argv);
	case SCRIPT_OTHER: return other_form(base, argc, argv, what);
	default: return SCRIPT_UNKNOWN;
	}
}

int script_declared(const char *list, const char *path)
{
	for (size_t n; list && *list; list += n + (list[n] == ':')) {
		size_t stem;

		n = strcspn(list, ":");
		stem = n && list[n - 1] == '*' ? n - 1 : n;
		if (*list == '/' && strncmp(list, path, stem) == 0 && (stem < n || !path[n]))
			return 1;
	}
	return 0;
}

int script_teller(const char *base)
{
	static const char tellers[] =
		"hostname\0hostid\0hostnamectl\0id\0whoami\0logname\0users\0groups\0who\0w\0last\0"
		"tty\0stty\0tput\0resize\0ps\0pgrep\0pidof\0pstree\0top\0uptime\0nproc\0lscpu\0"
		"free\0vmstat\0df\0du\0stat\0lsblk\0sysctl\0dmesg\0getent\0getconf\0ulimit\0"
		"test\0[\0nvidia-smi\0lspci\0ip\0ifconfig\0lsof\0fuser\0findmnt\0prlimit\0"
		"mktemp\0tempfile\0taskset\0numactl\0chrt\0ionice\0uname\0ls\0dir\0vdir\0find\0";

	return list_has(tellers, base);
}

/* An assembler without an operand. */
static int assembles_input(const char *base, int argc, char *const argv[])
{
	static const char valued[] = "-o\0-I\0--defsym\0--MD\0--debug-prefix-map\0";
	const struct tool_row *row = tool_known(base);

	if (!row || row->family != FAMILY_AS)
		return 0;
	for (int i = 1; i < argc; i++)
		if (list_has(valued, argv[i]))
			i++;
		else if (argv[i][0] != '-')
			return 0;
	return 1;
}

int script_compiles_input(const char *base, int argc, char *const argv[])
{
	if (!tool_known(base))
		return 0;
	if (assembles_input(base, argc, argv))
		return 1;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "-") == 0 && strcmp(argv[i - 1], "-o") != 0 &&
		    strcmp(argv[i - 1], "-MF") != 0)
			return 1;
	return 0;
}

int script_may_start(const char *base)
{
	/* Such a run is refused for what the driver answers. */
	return tool_known(base) || script_language(base) != SCRIPT_NONE || tool_asks_driver(base);
}
