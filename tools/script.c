/* tools/script.c - interpreters and the programs that scripts start, by their command lines. */
#include "tools/script.h"

#include <string.h>

#include "tools/tool.h"

#include "shim/banned.h"

static int is_among(const char *s, const char *list)
{
	for (; *list; list += strlen(list) + 1)
		if (strcmp(s, list) == 0)
			return 1;
	return 0;
}

/* Each: the language, then the stems of its programs. */
static const struct {
	unsigned char language;
	char stem[8];
} stems[] = {
	{SCRIPT_SH, "dash"}, {SCRIPT_BASH, "bash"}, {SCRIPT_PYTHON, "python"},
	{SCRIPT_PERL, "perl"}, {SCRIPT_AWK, "mawk"}, {SCRIPT_AWK, "gawk"},
	{SCRIPT_ENV, "env"}, {SCRIPT_ENV, "printenv"},
};

/* The length of a name without its version: python3.11, perl5.36.0. */
static size_t stem_len(const char *base)
{
	size_t n = strlen(base);

	while (n && ((base[n - 1] >= '0' && base[n - 1] <= '9') || base[n - 1] == '.'))
		n--;
	return n;
}

static int row_of(const char *base)
{
	size_t n = stem_len(base);

	for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
		if (strnlen(stems[i].stem, sizeof stems->stem) == n &&
		    memcmp(stems[i].stem, base, n) == 0)
			return (int)i;
	return -1;
}

enum script_language script_language(const char *base)
{
	int i = row_of(base);

	if (i >= 0)
		return (enum script_language)stems[i].language;
	return tool_is_interpreter(base) ? SCRIPT_OTHER : SCRIPT_NONE;
}

int script_tries_terminal(const char *base)
{
	return script_language(base) == SCRIPT_BASH;
}

const char *script_interpreter(const char *base)
{
	int i = row_of(base);

	/* printenv fills its row. */
	return i >= 0 && stems[i].language != SCRIPT_ENV ? stems[i].stem : NULL;
}

/* One language's options, as letters. */
struct options {
	const char *plain;    /* alone, or with more letters behind them */
	const char *takes;    /* the rest of the argument, or the next one, belongs to it */
	const char *joined;   /* the rest of the argument belongs to it */
	const char *text;     /* the text follows: as the rest, or as the next argument */
	const char *file;     /* the script's file follows, likewise */
	const char *words;    /* long options that change nothing here */
	int plus;             /* options may begin with + */
	int first_is_text;    /* the first other argument is the text */
	/* the text of sh -c is the first other argument, behind further options */
	int text_later;
};

static struct options options_of(enum script_language l)
{
	switch (l) {
	case SCRIPT_SH:
	case SCRIPT_BASH:
		return (struct options){"abefhkmnuvxBCEHPT", "o", "", "c", "",
		                        "--norc\0--noprofile\0--posix\0", 1, 0, 1};
	case SCRIPT_PYTHON:
		return (struct options){"bBdEIOPqRsSuv", "WX", "", "c", "", "", 0, 0, 0};
	case SCRIPT_PERL:
		return (struct options){"acnpstTuUvwWX", "I", "CDFilmM0", "eE", "", "", 0, 0, 0};
	default:
		return (struct options){"", "vF", "", "", "f", "--posix\0", 0, 1, 0};
	}
}

static int has(const char *letters, char c)
{
	return c && strchr(letters, c) != NULL;
}

static enum script_form operand(const struct options *o, int text, const char *arg)
{
	if (!arg || (strcmp(arg, "-") == 0 && !text))
		return SCRIPT_UNKNOWN;
	return text || o->first_is_text ? SCRIPT_TEXT : SCRIPT_FILE;
}

/* One argument's letters. Returns the number of arguments that they take, -1 for a letter that is
 * not known. *form is set where they name the script. */
static int letters(const struct options *o, char *const *arg, const char **what,
                   enum script_form *form, int *text)
{
	for (const char *p = arg[0] + 1; *p; p++) {
		int is_text = has(o->text, *p);

		if (is_text && o->text_later) {
			*text = 1;
		} else if (is_text || has(o->file, *p)) {
			*what = p[1] ? p + 1 : arg[1];
			*form = !*what ? SCRIPT_UNKNOWN : is_text ? SCRIPT_TEXT : SCRIPT_FILE;
			return 0;
		} else if (has(o->takes, *p)) {
			/* A shell's -o takes the next argument, and letters may follow it. */
			return p[1] ? (o->text_later ? -1 : 1) : arg[1] ? 2 : -1;
		} else if (has(o->joined, *p)) {
			return 1;
		} else if (!has(o->plain, *p)) {
			return -1;
		}
	}
	return 1;
}

/* env prints what it would pass on where no program follows. */
static enum script_form env_form(int argc, char *const argv[])
{
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];

		if (strcmp(a, "-u") == 0 || strcmp(a, "-C") == 0)
			i++;
		else if (strncmp(a, "-S", 2) == 0 || strncmp(a, "--split-string", 14) == 0 ||
		         strncmp(a, "-vS", 3) == 0)
			/* Its words are options, assignments and then a program. */
			return i + 1 < argc ? SCRIPT_PASSES : SCRIPT_UNKNOWN;
		else if (a[0] != '-' && !strchr(a, '='))
			return SCRIPT_PASSES;
	}
	return SCRIPT_SHOWS;
}

enum script_form script_form(enum script_language l, int argc, char *const argv[],
                             const char **what)
{
	const struct options o = options_of(l);
	enum script_form form = SCRIPT_UNKNOWN;
	int text = 0, i;

	*what = NULL;
	if (l == SCRIPT_ENV)
		return argc > 0 && strstr(argv[0], "printenv") ? SCRIPT_SHOWS
		                                               : env_form(argc, argv);
	if (l == SCRIPT_OTHER || l == SCRIPT_NONE)
		return SCRIPT_UNKNOWN;
	for (i = 1; i < argc; i++) {
		int taken;

		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (is_among(argv[i], o.words))
			continue;
		if (argv[i][0] != '-' && !(o.plus && argv[i][0] == '+'))
			break;
		if (!argv[i][1] || argv[i][1] == '-')
			return SCRIPT_UNKNOWN;
		taken = letters(&o, argv + i, what, &form, &text);
		if (taken <= 0) {
			/* A second text would follow a first one. */
			if (taken < 0 || (l == SCRIPT_PERL && argc > i + 2 &&
			                  has("eE", argv[i + 2][1]) && argv[i + 2][0] == '-'))
				return SCRIPT_UNKNOWN;
			return form;
		}
		i += taken - 1;
	}
	*what = i < argc ? argv[i] : NULL;
	return operand(&o, text, *what);
}

/* uname of the machine's kind is the same wherever the same programs run. */
static int uname_tells(int argc, char *const argv[])
{
	static const char same[] = "-s\0-m\0-o\0-p\0-i\0-sm\0-ms\0";

	for (int i = 1; i < argc; i++)
		if (!is_among(argv[i], same))
			return 1;
	return 0;
}

/* 1: an argument holds one of these letters as an option, or any long option or predicate. */
static int option_of(int argc, char *const argv[], const char *letters_that_tell)
{
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-' && (argv[i][1] == '-' || strpbrk(argv[i], letters_that_tell)))
			return 1;
	return 0;
}

int script_teller(const char *base, int argc, char *const argv[])
{
	static const char always[] =
		"hostname\0hostid\0hostnamectl\0id\0whoami\0logname\0users\0groups\0who\0w\0last\0"
		"tty\0stty\0tput\0resize\0ps\0pgrep\0pidof\0pstree\0top\0uptime\0nproc\0lscpu\0"
		"free\0vmstat\0df\0du\0stat\0lsblk\0sysctl\0dmesg\0getent\0getconf\0ulimit\0"
		"test\0[\0nvidia-smi\0lspci\0ip\0ifconfig\0lsof\0fuser\0findmnt\0prlimit\0"
		"mktemp\0tempfile\0taskset\0numactl\0chrt\0ionice\0";
	/* What find asks of a file beside its name and type. */
	static const char asked[] = "-newer\0-mtime\0-mmin\0-ctime\0-cmin\0-atime\0-amin\0-size\0"
		"-perm\0-user\0-group\0-uid\0-gid\0-inum\0-links\0-samefile\0-printf\0-ls\0-empty\0"
		"-nouser\0-executable\0-readable\0-writable\0";

	if (strcmp(base, "uname") == 0)
		return uname_tells(argc, argv);
	if (strcmp(base, "ls") == 0 || strcmp(base, "dir") == 0)
		return option_of(argc, argv, "lgnosStcuizfUX");
	for (int i = 1; strcmp(base, "find") == 0 && i < argc; i++)
		if (is_among(argv[i], asked) || strncmp(argv[i], "-newer", 6) == 0)
			return 1;
	return is_among(base, always);
}

int script_filter(const char *base)
{
	static const char filters[] =
		"cat\0tac\0sed\0grep\0egrep\0fgrep\0tr\0cut\0sort\0uniq\0head\0tail\0wc\0tee\0"
		"md5sum\0sha1sum\0sha256sum\0sha512sum\0cksum\0b2sum\0od\0xxd\0hexdump\0xargs\0"
		"mawk\0gawk\0awk\0bc\0dc\0fold\0fmt\0nl\0rev\0column\0paste\0comm\0join\0expand\0"
		"unexpand\0tsort\0dd\0split\0csplit\0gzip\0gunzip\0zcat\0"
		"xz\0bzip2\0base64\0strings\0"
		"iconv\0patch\0ed\0more\0less\0";

	return is_among(base, filters);
}
