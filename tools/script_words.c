/* tools/script_words.c - what the texts of scripts ask for. Words count wherever they stand: a
 * script that is refused without need runs for real. */
#include <string.h>

#include "tools/script.h"
#include "tools/script_words.h"

#include "shim/banned.h"

static int in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static const char *find_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p++)
		if ((!in_word(*word) || p == text || !in_word(p[-1])) &&
		    (!in_word(word[n - 1]) || !in_word(p[n])))
			return p;
	return NULL;
}

/* The first word of the list (each with its NUL, then an empty one) that the text holds. */
static const char *any_word(const char *text, const char *list)
{
	for (; *list; list += strlen(list) + 1)
		if (find_word(text, list))
			return list;
	return NULL;
}

/* Kernel files that a tool's trace ignores tell a script of its host. */
static const char everywhere[] = "/proc/\0/sys/\0/dev/tty\0/dev/stdin\0/dev/fd/0\0";

/* /data/proc/ is another path. */
static int spells(const char *text, const char *path)
{
	for (const char *p = text; (p = strstr(p, path)); p++)
		if (p == text || (!in_word(p[-1]) && !strchr("./-+~*@%}", p[-1])))
			return 1;
	return 0;
}

/* Variables that the shell itself sets, builtins that ask the process or the session, and standard
 * input. `%(` is the time in bash's printf. */
static const char shell_words[] =
	"${$}\0$!\0${!}\0$_\0${_}\0RANDOM\0SRANDOM\0SECONDS\0EPOCHSECONDS\0EPOCHREALTIME\0"
	"BASHPID\0PPID\0UID\0EUID\0GROUPS\0HOSTNAME\0COLUMNS\0"
	"LINES\0DIRSTACK\0BASH_EXECUTION_STRING\0"
	"%(\0<&0\0";
static const char shell_builtins[] =
	"umask\0ulimit\0times\0jobs\0mapfile\0readarray\0select\0coproc\0enable\0"
	"time\0kill\0";
/* Questions of `test` about more than a file's type and content. */
static const char shell_tests[] = "-t\0-nt\0-ot\0-ef\0-O\0-G\0-N\0-u\0-g\0-k\0-w\0";

/* A loop that reads has its input from a file, a pipe or the text. */
static const char *shell_reads(const char *text)
{
	if (!find_word(text, "read") || strstr(text, "done <") || strstr(text, "done<") ||
	    strstr(text, "<<") || strstr(text, "| while") || strstr(text, "|while"))
		return NULL;
	return "read";
}

#define BETWEEN " \t\n;&|(){}<>`\"'"

static int is_token(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

static const char *among(const char *s, size_t n, const char *list)
{
	for (; *list; list += strlen(list) + 1)
		if (is_token(s, n, list))
			return list;
	return NULL;
}

/* A builtin of the list above, or a question between `[` and its end. */
static const char *shell_tokens(const char *text)
{
	enum { OUTSIDE, TEST, BRACKETS } where = OUTSIDE;
	const char *found = NULL;
	size_t n;

	for (const char *s = text; !found; s += n) {
		size_t gap = strspn(s, BETWEEN);

		/* Inside [[ ]] these characters join questions. */
		if (where == TEST && strcspn(s, "\n;&|") < gap)
			where = OUTSIDE;
		s += gap;
		if (!*s)
			break;
		n = strcspn(s, BETWEEN);
		if (is_token(s, n, "[") || is_token(s, n, "test"))
			where = TEST;
		else if (is_token(s, n, "[["))
			where = BRACKETS;
		else if (is_token(s, n, "]") || is_token(s, n, "]]"))
			where = OUTSIDE;
		else
			found = among(s, n, where == OUTSIDE ? shell_builtins : shell_tests);
	}
	return found;
}

/* The process id, also as eval sees it: `$$` and `\$\$`, but not `\$$name`, which eval expands to
 * the variable that is named so. */
static const char *shell_pid(const char *text)
{
	static const char pid[] = "$$";

	for (const char *p = text; (p = strchr(p, '$')); p++) {
		int escaped = p > text && p[-1] == '\\';

		if (p[1] == '\\' && p[2] == '$')
			return pid;
		if (p[1] == '$' && (!escaped || (!in_word(p[2]) && p[2] != '{')))
			return pid;
	}
	return NULL;
}

/* The home of another user. */
static const char *shell_home(const char *text)
{
	for (const char *p = text; (p = strchr(p, '~')); p++)
		if ((p == text || strchr(" \t\n;=:\"'(", p[-1])) && in_word(p[1]))
			return "~";
	return NULL;
}

static const char *shell_asks(const char *text)
{
	const char *word = any_word(text, shell_words);

	if (!word)
		word = shell_pid(text);
	if (!word)
		word = shell_home(text);
	if (!word)
		word = shell_tokens(text);
	return word ? word : shell_reads(text);
}

/* Modules, which a text must import by name. */
static const char python_modules[] =
	"time\0datetime\0random\0uuid\0secrets\0tempfile\0socket\0platform\0resource\0psutil\0"
	"multiprocessing\0ctypes\0getpass\0pwd\0grp\0importlib\0mmap\0asyncio\0calendar\0numpy\0"
	"urllib\0http\0ssl\0cffi\0fcntl\0termios\0tty\0pty\0curses\0locale\0syslog\0";
static const char python_words[] =
	"getpid\0getppid\0getuid\0geteuid\0getgid\0getegid\0getresuid\0getlogin\0gethostname\0"
	"uname\0isatty\0get_terminal_size\0umask\0cpu_count\0sched_getaffinity\0getloadavg\0"
	"urandom\0getrandom\0stat\0lstat\0fstat\0getmtime\0getctime\0getatime\0getsize\0times\0"
	"sys.stdin\0import stdin\0input(\0exec(\0eval(\0__import__\0getpgid\0getsid\0ttyname\0"
	"ctermid\0statvfs\0disk_usage\0samefile\0is_mount\0ismount\0owner(\0id(\0hash(\0";

static const char *python_asks(const char *text)
{
	const char *word = any_word(text, python_words);

	for (const char *line = text; !word && line; line = strchr(line, '\n')) {
		char one[256];
		size_t n;

		line += strspn(line, " \t\n;");
		n = strcspn(line, "\n");
		if (strncmp(line, "import", 6) != 0 && strncmp(line, "from", 4) != 0)
			continue;
		if (n >= sizeof one)
			return "import";
		memcpy(one, line, n);
		one[n] = '\0';
		word = any_word(one, python_modules);
	}
	return word;
}

static const char perl_words[] =
	"$$\0$^T\0$<\0$>\0$(\0$)\0time\0localtime\0gmtime\0rand\0"
	"srand\0getppid\0getpgrp\0hostname\0"
	"uname\0STDIN\0<>\0<<>>\0stat\0lstat\0getpwuid\0getpwnam\0getlogin\0umask\0times\0POSIX\0"
	"Socket\0tempfile\0tempdir\0Sys\0Time\0Temp\0PROCESS_ID\0PID\0BASETIME\0UID\0EUID\0-M $\0"
	"-M _\0-A $\0-A _\0-C $\0-C _\0-t STDIN\0-t STDOUT\0-t STDERR\0-t *\0-t \\*\0-t(\0-w $\0-w "
	"_\0-o $\0-O $\0isatty\0"
	"getpgid\0syscall\0Inline\0unpack(\"%\0";
static const char awk_words[] = "srand\0rand\0systime\0strftime\0PROCINFO\0mktime\0";

const char *script_asks(enum script_language l, const char *text)
{
	for (const char *path = everywhere; *path; path += strlen(path) + 1)
		if (spells(text, path))
			return path;
	switch (l) {
	case SCRIPT_SH:
	case SCRIPT_BASH:
		return shell_asks(text);
	case SCRIPT_PYTHON:
		return python_asks(text);
	case SCRIPT_PERL:
		return any_word(text, perl_words);
	case SCRIPT_AWK:
		return any_word(text, awk_words);
	default:
		return "";
	}
}

int script_lists_variables(enum script_language l, const char *text)
{
	static const char python[] = "environ.items\0environ.keys\0environ.values\0in os.environ:\0"
				     "in environ:\0sorted(os.environ\0list(os.environ\0"
				     "print(os.environ\0str(os.environ\0environb\0";
	static const char perl[] =
		"keys %ENV\0each %ENV\0values %ENV\0keys(%ENV\0each(%ENV\0%$ENV\0";
	static const char shell[] = "compgen\0declare -p\0declare -x\0export -p\0readonly -p\0"
				    "typeset -p\0${!\0";
	static const char awk[] = "in ENVIRON\0";

	return any_word(text, l == SCRIPT_PYTHON ? python
	                      : l == SCRIPT_PERL ? perl
	                      : l == SCRIPT_AWK  ? awk
	                                         : shell) != NULL;
}

/* Where the text is inside quotes and substitutions; each level one letter. */
struct nest {
	char level[32];
	int depth;
};

static int push(struct nest *n, char what)
{
	if (n->depth == (int)sizeof n->level)
		return -1;
	n->level[n->depth++] = what;
	return 0;
}

static char top(const struct nest *n)
{
	return n->depth ? n->level[n->depth - 1] : '\0';
}

/* One step of a shell's text at p. Returns the bytes that it takes, or -1. */
static int shell_step(struct nest *n, const char *p)
{
	char in = top(n);

	if (in == '\'') {
		n->depth -= *p == '\'';
		return 1;
	}
	if (*p == '\\')
		return p[1] ? 2 : 1;
	if (*p == '$' && p[1] == '(')
		return push(n, '(') < 0 ? -1 : 2;
	if (*p == '"') {
		if (in == '"')
			n->depth--;
		else if (push(n, '"') < 0)
			return -1;
		return 1;
	}
	if (in == '"')
		return 1;
	if (*p == '\'')
		return push(n, '\'') < 0 ? -1 : 1;
	/* The text of a here-document is no code, and may hold any quote. */
	if (*p == '<' && p[1] == '<')
		return -1;
	if (in == '(' && *p == '(')
		return push(n, '(') < 0 ? -1 : 1;
	if (in == '(' && *p == ')')
		n->depth--;
	return 1;
}

static int clean_shell(const char *text, size_t n, char *out)
{
	struct nest nest = {.depth = 0};
	const char *joined = NULL; /* behind a joined line */
	char *to = out;

	for (const char *p = text; p < text + n;) {
		int step;

		if (*p == '#' && p != joined && top(&nest) != '"' && top(&nest) != '\'' &&
		    (p == text || strchr(" \t\n;", p[-1]))) {
			while (p < text + n && *p != '\n')
				p++;
			continue;
		}
		step = shell_step(&nest, p);
		if (step < 0)
			return -1;
		if (*p == '\\' && step == 2)
			joined = p + 2;
		for (; step && p < text + n; step--)
			*to++ = *p++;
	}
	*to = '\0';
	return nest.depth ? -1 : 0;
}

/* Of other languages, lines that are comments as a whole; of Perl also its documentation and what
 * follows the program. */
static void clean_lines(const char *text, size_t n, int perl, char *out)
{
	const char *end = text + n;
	int documentation = 0;

	while (text < end) {
		const char *next = memchr(text, '\n', (size_t)(end - text));
		size_t len = next ? (size_t)(next - text) + 1 : (size_t)(end - text);
		size_t blank = strspn(text, " \t");

		if (perl && (strncmp(text, "__END__", 7) == 0))
			break;
		if (perl && *text == '=' && len > 1 && text[1] >= 'a' && text[1] <= 'z')
			documentation = strncmp(text, "=cut", 4) != 0;
		else if (!documentation && text[blank] != '#') {
			memcpy(out, text, len);
			out += len;
		}
		text += len;
	}
	*out = '\0';
}

void script_clean(enum script_language l, const char *text, size_t n, char *out)
{
	if (l != SCRIPT_SH && l != SCRIPT_BASH) {
		clean_lines(text, n, l == SCRIPT_PERL, out);
	} else if (clean_shell(text, n, out) < 0) {
		memcpy(out, text, n);
		out[n] = '\0';
	}
}
