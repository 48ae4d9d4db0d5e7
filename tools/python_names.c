/* tools/python_names.c - the tables. A row may stand here only if its answer follows from its
 * arguments and from what the trace shows, in every Python from 3.9 on. */
#include "tools/python_names.h"

#include <string.h>

#include "shim/banned.h"

#define RUN_KEYWORDS "env\0shell\0cwd\0stdout\0stderr\0stdin\0universal_newlines\0text\0" \
	"encoding\0errors\0close_fds\0executable\0bufsize\0check\0input\0capture_output\0"
#define RUN PYTHON_CALL | PYTHON_SINGLE | PYTHON_ENV
#define PATH PYTHON_CALL | PYTHON_PATH
#define CONSUMES PYTHON_CALL | PYTHON_TAKES

static const struct python_member members[] = {
	{PYTHON_OS, PYTHON_ENVIRON, 0, "environ", NULL},
	{PYTHON_OS, PYTHON_MAYBE, PYTHON_CALL | PYTHON_VARIABLE, "getenv", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "execv", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "execvp", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "execl", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "execlp", NULL},
	{PYTHON_OS, PYTHON_ANY, PATH | PYTHON_ENV, "execve", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL | PYTHON_ENV, "execvpe", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "system", NULL},
	{PYTHON_OS, PYTHON_TEXT, PYTHON_CALL | PYTHON_NO_ARGUMENT, "getcwd", NULL},
	{PYTHON_OS, PYTHON_LISTING, PATH, "listdir", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "makedirs", "exist_ok\0"},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "mkdir", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "remove", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "unlink", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "rename", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "replace", NULL},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "rmdir", NULL},
	{PYTHON_OS, PYTHON_ANY, PATH, "access", NULL},
	{PYTHON_OS, PYTHON_MODULE, 0, "path", NULL},
	{PYTHON_OS, PYTHON_TEXT, 0, "name", NULL},
	{PYTHON_OS, PYTHON_TEXT, 0, "sep", NULL},
	{PYTHON_OS, PYTHON_TEXT, 0, "pathsep", NULL},
	{PYTHON_OS, PYTHON_TEXT, 0, "linesep", NULL},
	{PYTHON_OS, PYTHON_TEXT, 0, "curdir", NULL},
	{PYTHON_OS, PYTHON_TEXT, 0, "pardir", NULL},
	{PYTHON_OS, PYTHON_TEXT, 0, "devnull", NULL},
	{PYTHON_OS, PYTHON_ANY, 0, "X_OK", NULL},
	{PYTHON_OS, PYTHON_ANY, 0, "R_OK", NULL},
	{PYTHON_OS, PYTHON_ANY, 0, "W_OK", NULL},
	{PYTHON_OS, PYTHON_ANY, 0, "F_OK", NULL},

	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "join", NULL},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "basename", NULL},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "dirname", NULL},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "abspath", NULL},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "realpath", NULL},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "normpath", NULL},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "relpath", NULL},
	{PYTHON_OS_PATH, PYTHON_TEXTS, PYTHON_CALL, "split", NULL},
	{PYTHON_OS_PATH, PYTHON_TEXTS, PYTHON_CALL, "splitext", NULL},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL | PYTHON_HOME_ONLY, "expanduser", NULL},
	{PYTHON_OS_PATH, PYTHON_ANY, PYTHON_CALL, "isabs", NULL},
	{PYTHON_OS_PATH, PYTHON_ANY, PATH, "exists", NULL},
	{PYTHON_OS_PATH, PYTHON_ANY, PATH, "lexists", NULL},
	{PYTHON_OS_PATH, PYTHON_ANY, PATH, "isfile", NULL},
	{PYTHON_OS_PATH, PYTHON_ANY, PATH, "isdir", NULL},
	{PYTHON_OS_PATH, PYTHON_ANY, PATH, "islink", NULL},
	{PYTHON_OS_PATH, PYTHON_TEXT, 0, "sep", NULL},

	{PYTHON_SYS, PYTHON_TEXTS, 0, "argv", NULL},
	{PYTHON_SYS, PYTHON_ANY, PYTHON_CALL, "exit", NULL},
	{PYTHON_SYS, PYTHON_STDOUT, 0, "stdout", NULL},
	{PYTHON_SYS, PYTHON_STDERR, 0, "stderr", NULL},
	{PYTHON_SYS, PYTHON_TEXT, 0, "platform", NULL},
	{PYTHON_SYS, PYTHON_ANY, 0, "version_info", NULL},
	{PYTHON_SYS, PYTHON_TEXT, 0, "byteorder", NULL},
	{PYTHON_SYS, PYTHON_ANY, 0, "maxsize", NULL},
	{PYTHON_SYS, PYTHON_ANY, 0, "hexversion", NULL},
	{PYTHON_SYS, PYTHON_ANY, 0, "path", NULL},

	{PYTHON_SUBPROCESS, PYTHON_ANY, RUN, "call", RUN_KEYWORDS},
	{PYTHON_SUBPROCESS, PYTHON_ANY, RUN, "check_call", RUN_KEYWORDS},
	{PYTHON_SUBPROCESS, PYTHON_ANY, RUN, "run", RUN_KEYWORDS},
	{PYTHON_SUBPROCESS, PYTHON_TEXT, RUN, "check_output", RUN_KEYWORDS},
	{PYTHON_SUBPROCESS, PYTHON_ANY, RUN, "Popen", RUN_KEYWORDS},
	{PYTHON_SUBPROCESS, PYTHON_ANY, 0, "PIPE", NULL},
	{PYTHON_SUBPROCESS, PYTHON_ANY, 0, "STDOUT", NULL},
	{PYTHON_SUBPROCESS, PYTHON_ANY, 0, "DEVNULL", NULL},
	{PYTHON_SUBPROCESS, PYTHON_ANY, 0, "CalledProcessError", NULL},
	{PYTHON_SUBPROCESS, PYTHON_ANY, PYTHON_CALL | PYTHON_SINGLE, "list2cmdline", NULL},

	{PYTHON_SHLEX, PYTHON_TEXTS, PATH | PYTHON_SINGLE, "split", "posix\0comments\0"},
	{PYTHON_SHLEX, PYTHON_TEXT, PYTHON_CALL, "quote", NULL},
	{PYTHON_SHLEX, PYTHON_TEXT, CONSUMES, "join", NULL},

	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "match", "flags\0"},
	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "search", "flags\0"},
	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "fullmatch", "flags\0"},
	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "compile", "flags\0"},
	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "findall", "flags\0"},
	{PYTHON_RE, PYTHON_TEXT, PYTHON_CALL, "sub", "count\0flags\0"},
	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "split", "maxsplit\0flags\0"},
	{PYTHON_RE, PYTHON_TEXT, PYTHON_CALL, "escape", NULL},
	{PYTHON_RE, PYTHON_ANY, 0, "I", NULL}, {PYTHON_RE, PYTHON_ANY, 0, "M", NULL},
	{PYTHON_RE, PYTHON_ANY, 0, "S", NULL}, {PYTHON_RE, PYTHON_ANY, 0, "X", NULL},
	{PYTHON_RE, PYTHON_ANY, 0, "IGNORECASE", NULL},
	{PYTHON_RE, PYTHON_ANY, 0, "MULTILINE", NULL},
	{PYTHON_RE, PYTHON_ANY, 0, "DOTALL", NULL},
	{PYTHON_RE, PYTHON_ANY, 0, "VERBOSE", NULL},

	{PYTHON_JSON, PYTHON_ANY, PYTHON_CALL, "load", NULL},
	{PYTHON_JSON, PYTHON_ANY, PYTHON_CALL, "loads", NULL},
	{PYTHON_JSON, PYTHON_ANY, PYTHON_CALL, "dump", "indent\0sort_keys\0separators\0"},
	{PYTHON_JSON, PYTHON_TEXT, PYTHON_CALL, "dumps", "indent\0sort_keys\0separators\0"},

	{PYTHON_SHUTIL, PYTHON_MAYBE, PYTHON_CALL, "which", "path\0"},
	{PYTHON_SHUTIL, PYTHON_TEXT, PATH | PYTHON_PATHS, "copyfile", NULL},
	{PYTHON_SHUTIL, PYTHON_TEXT, PATH | PYTHON_PATHS, "copy", NULL},
	{PYTHON_GLOB, PYTHON_LISTING, PYTHON_CALL, "glob", "recursive\0"},
	{PYTHON_ERRNO, PYTHON_ANY, 0, "ENOENT", NULL},
	{PYTHON_ERRNO, PYTHON_ANY, 0, "EEXIST", NULL},
	{PYTHON_ERRNO, PYTHON_ANY, 0, "EACCES", NULL},
	{PYTHON_PATHLIB, PYTHON_TEXT, PYTHON_CALL | PYTHON_VALUE, "Path", NULL},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Any", NULL},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Dict", NULL},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Iterable", NULL},
	{PYTHON_TYPING, PYTHON_ANY, 0, "List", NULL},
	{PYTHON_TYPING, PYTHON_ANY, 0, "NoReturn", NULL},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Optional", NULL},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Sequence", NULL},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Tuple", NULL},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Union", NULL},
	{PYTHON_FUTURE, PYTHON_ANY, 0, "annotations", NULL},
	{PYTHON_FUTURE, PYTHON_ANY, 0, "print_function", NULL},
	{PYTHON_FUTURE, PYTHON_ANY, 0, "absolute_import", NULL},
	{PYTHON_FUTURE, PYTHON_ANY, 0, "division", NULL},
	{PYTHON_FUTURE, PYTHON_ANY, 0, "unicode_literals", NULL},

	{PYTHON_BUILTIN, PYTHON_ANY, CONSUMES, "all", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, CONSUMES, "any", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "abs", NULL},
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL, "chr", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "ord", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "divmod", NULL},
	{PYTHON_BUILTIN, PYTHON_ITERATOR, CONSUMES, "enumerate", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "exit", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "isinstance", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_TAKES_LISTING, "len", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, CONSUMES, "max", "default\0"},
	{PYTHON_BUILTIN, PYTHON_ANY, CONSUMES, "min", "default\0"},
	{PYTHON_BUILTIN, PYTHON_ANY, CONSUMES, "sum", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, PATH, "open", "mode\0encoding\0errors\0newline\0"},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_PRINTS, "print",
	 "sep\0end\0file\0flush\0"},
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL, "range", NULL},
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL, "repr", NULL},
	{PYTHON_BUILTIN, PYTHON_ITERATOR, CONSUMES, "reversed", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "round", NULL},
	{PYTHON_BUILTIN, PYTHON_SET, CONSUMES | PYTHON_TAKES_LISTING, "set", NULL},
	{PYTHON_BUILTIN, PYTHON_SET, CONSUMES | PYTHON_TAKES_LISTING, "frozenset", NULL},
	{PYTHON_BUILTIN, PYTHON_TEXT, CONSUMES | PYTHON_TAKES_LISTING | PYTHON_KEEPS, "sorted",
	 "reverse\0"},
	{PYTHON_BUILTIN, PYTHON_ITERATOR, CONSUMES, "zip", NULL},
	/* types, and what texts catch */
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_VALUE, "bool", NULL},
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL | PYTHON_VALUE, "bytes", NULL},
	{PYTHON_BUILTIN, PYTHON_TEXT, CONSUMES | PYTHON_VALUE | PYTHON_ENV | PYTHON_COPIES, "dict",
	 "*"},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_VALUE, "float", NULL},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_VALUE, "int", NULL},
	{PYTHON_BUILTIN, PYTHON_TEXT, CONSUMES | PYTHON_VALUE | PYTHON_KEEPS, "list", NULL},
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL | PYTHON_VALUE, "str", NULL},
	{PYTHON_BUILTIN, PYTHON_TEXT, CONSUMES | PYTHON_VALUE | PYTHON_KEEPS, "tuple", NULL},
#define EXCEPTION(name) {PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_VALUE, name, NULL}
	EXCEPTION("AssertionError"), EXCEPTION("AttributeError"), EXCEPTION("BaseException"),
	EXCEPTION("EnvironmentError"), EXCEPTION("Exception"), EXCEPTION("FileExistsError"),
	EXCEPTION("FileNotFoundError"), EXCEPTION("IOError"), EXCEPTION("ImportError"),
	EXCEPTION("IndexError"), EXCEPTION("IsADirectoryError"), EXCEPTION("KeyError"),
	EXCEPTION("KeyboardInterrupt"), EXCEPTION("NotADirectoryError"),
	EXCEPTION("NotImplementedError"), EXCEPTION("OSError"), EXCEPTION("PermissionError"),
	EXCEPTION("RuntimeError"), EXCEPTION("SystemExit"), EXCEPTION("TypeError"),
	EXCEPTION("UnicodeDecodeError"), EXCEPTION("UnicodeError"), EXCEPTION("ValueError"),
#undef EXCEPTION
};

#define METHOD(kind, flags, name) {PYTHON_BUILTIN, kind, PYTHON_CALL | (flags), name, NULL}
#define DATA(name) {PYTHON_BUILTIN, PYTHON_ANY, 0, name, NULL}
static const struct python_member attributes[] = {
	/* of texts */
	METHOD(PYTHON_TEXT, 0, "capitalize"), METHOD(PYTHON_TEXT, 0, "casefold"),
	METHOD(PYTHON_TEXT, 0, "center"), METHOD(PYTHON_TEXT, 0, "decode"),
	METHOD(PYTHON_TEXT, 0, "encode"), METHOD(PYTHON_ANY, 0, "endswith"),
	METHOD(PYTHON_TEXT, 0, "expandtabs"), METHOD(PYTHON_ANY, 0, "find"),
	METHOD(PYTHON_ANY, 0, "isalnum"), METHOD(PYTHON_ANY, 0, "isalpha"),
	METHOD(PYTHON_ANY, 0, "isdigit"), METHOD(PYTHON_ANY, 0, "islower"),
	METHOD(PYTHON_ANY, 0, "isspace"), METHOD(PYTHON_ANY, 0, "isupper"),
	METHOD(PYTHON_TEXT, PYTHON_TAKES, "join"), METHOD(PYTHON_TEXT, 0, "ljust"),
	METHOD(PYTHON_TEXT, 0, "lower"), METHOD(PYTHON_TEXT, 0, "lstrip"),
	METHOD(PYTHON_TEXTS, 0, "partition"), METHOD(PYTHON_TEXT, 0, "removeprefix"),
	METHOD(PYTHON_TEXT, 0, "removesuffix"), METHOD(PYTHON_TEXT, 0, "replace"),
	METHOD(PYTHON_ANY, 0, "rfind"),
	METHOD(PYTHON_ANY, 0, "rindex"), METHOD(PYTHON_TEXT, 0, "rjust"),
	METHOD(PYTHON_TEXTS, 0, "rpartition"), METHOD(PYTHON_TEXT, 0, "rstrip"),
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "split", "maxsplit\0sep\0"},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "rsplit", "maxsplit\0sep\0"},
	METHOD(PYTHON_ANY, 0, "splitlines"), METHOD(PYTHON_ANY, 0, "startswith"),
	METHOD(PYTHON_TEXT, 0, "strip"), METHOD(PYTHON_TEXT, 0, "swapcase"),
	METHOD(PYTHON_TEXT, 0, "title"), METHOD(PYTHON_TEXT, 0, "upper"),
	METHOD(PYTHON_TEXT, 0, "zfill"),
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL | PYTHON_FORMAT, "format", "*"},
	/* of lists and dictionaries. keys and items are sets, in part */
	METHOD(PYTHON_ANY, PYTHON_MUTATES, "append"), METHOD(PYTHON_ANY, 0, "clear"),
	METHOD(PYTHON_ANY, 0, "copy"), METHOD(PYTHON_ANY, 0, "count"),
	METHOD(PYTHON_ANY, PYTHON_MUTATES | PYTHON_TAKES, "extend"),
	METHOD(PYTHON_ANY, PYTHON_MUTATES, "insert"), METHOD(PYTHON_ANY, 0, "index"),
	METHOD(PYTHON_ANY, 0, "get"), METHOD(PYTHON_ITERATOR, PYTHON_NO_ARGUMENT, "items"),
	METHOD(PYTHON_ITERATOR, PYTHON_NO_ARGUMENT, "keys"),
	METHOD(PYTHON_ITERATOR, PYTHON_NO_ARGUMENT, "values"),
	METHOD(PYTHON_ANY, 0, "pop"), METHOD(PYTHON_ANY, 0, "remove"),
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "reverse"),
	METHOD(PYTHON_ANY, 0, "setdefault"), METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "sort"),
	METHOD(PYTHON_ANY, 0, "update"), METHOD(PYTHON_ANY, 0, "fromkeys"),
	/* of files */
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "close"),
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "flush"),
	METHOD(PYTHON_TEXT, 0, "read"), METHOD(PYTHON_TEXT, 0, "readline"),
	METHOD(PYTHON_TEXTS, 0, "readlines"), METHOD(PYTHON_ANY, 0, "write"),
	METHOD(PYTHON_ANY, PYTHON_TAKES, "writelines"), DATA("name"),
	/* of patterns and matches */
	METHOD(PYTHON_ANY, 0, "match"), METHOD(PYTHON_ANY, 0, "search"),
	METHOD(PYTHON_ANY, 0, "fullmatch"), METHOD(PYTHON_ANY, 0, "findall"),
	METHOD(PYTHON_TEXT, 0, "sub"), METHOD(PYTHON_ANY, 0, "group"),
	METHOD(PYTHON_ANY, 0, "groups"), METHOD(PYTHON_ANY, 0, "groupdict"),
	METHOD(PYTHON_ANY, 0, "start"), METHOD(PYTHON_ANY, 0, "end"),
	METHOD(PYTHON_ANY, 0, "span"), DATA("pattern"),
	/* of processes. Without a time limit */
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "wait"),
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_SINGLE, "communicate", "input\0"},
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "check_returncode"),
	DATA("returncode"), DATA("stdout"), DATA("stderr"), DATA("args"), DATA("output"),
	DATA("cmd"),
	/* of exceptions and versions */
	DATA("errno"), DATA("strerror"), DATA("filename"), DATA("code"),
	DATA("major"), DATA("minor"), DATA("micro"),
	/* of paths */
	{PYTHON_BUILTIN, PYTHON_TEXT, 0, "parent", NULL},
	{PYTHON_BUILTIN, PYTHON_TEXT, 0, "stem", NULL},
	{PYTHON_BUILTIN, PYTHON_TEXT, 0, "suffix", NULL},
	METHOD(PYTHON_TEXT, PYTHON_NO_ARGUMENT, "resolve"),
	METHOD(PYTHON_TEXT, PYTHON_NO_ARGUMENT, "absolute"),
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "exists"),
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "is_file"),
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "is_dir"),
	METHOD(PYTHON_TEXT, PYTHON_NO_ARGUMENT, "read_text"), METHOD(PYTHON_ANY, 0, "write_text"),
	METHOD(PYTHON_TEXT, 0, "joinpath"), METHOD(PYTHON_TEXT, 0, "with_suffix"),
	METHOD(PYTHON_TEXT, 0, "with_name"), METHOD(PYTHON_TEXT, 0, "as_posix"),
};

static const struct { const char *name; unsigned char module; } modules[] = {
	{"os", PYTHON_OS}, {"os.path", PYTHON_OS_PATH}, {"sys", PYTHON_SYS},
	{"subprocess", PYTHON_SUBPROCESS}, {"shlex", PYTHON_SHLEX}, {"re", PYTHON_RE},
	{"json", PYTHON_JSON}, {"shutil", PYTHON_SHUTIL}, {"glob", PYTHON_GLOB},
	{"errno", PYTHON_ERRNO}, {"pathlib", PYTHON_PATHLIB}, {"typing", PYTHON_TYPING},
	{"__future__", PYTHON_FUTURE},
};

static int same(const char *name, size_t n, const char *other)
{
	return strlen(other) == n && memcmp(name, other, n) == 0;
}

static int is_among(const char *name, size_t n, const char *list)
{
	for (; *list; list += strlen(list) + 1)
		if (same(name, n, list))
			return 1;
	return 0;
}

const struct python_member *python_member(enum python_module m, const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (members[i].module == m && same(name, n, members[i].name))
			return &members[i];
	return NULL;
}

const struct python_member *python_attribute(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
		if (same(name, n, attributes[i].name))
			return &attributes[i];
	return NULL;
}

int python_module(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
		if (same(name, n, modules[i].name))
			return modules[i].module;
	return -1;
}

int python_is_builtin(const char *name, size_t n)
{
	/* Those without a row above, of Python 3.6 to 3.14. */
	static const char others[] =
		"aiter\0anext\0ascii\0bin\0breakpoint\0bytearray\0callable\0classmethod\0compile\0"
		"complex\0copyright\0credits\0delattr\0dir\0eval\0exec\0filter\0format\0"
		"getattr\0globals\0hasattr\0hash\0help\0hex\0id\0input\0issubclass\0iter\0license\0"
		"locals\0map\0memoryview\0next\0object\0oct\0pow\0property\0quit\0setattr\0"
		"slice\0staticmethod\0super\0type\0vars\0Ellipsis\0NotImplemented\0";
	/* The other exceptions and warnings. */
	static const char *const ends[] = {"Error", "Warning", "Iteration", "Exit", "Group",
	                                   "Exception", "Interrupt"};

	if (python_member(PYTHON_BUILTIN, name, n) || is_among(name, n, others))
		return 1;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t len = strlen(ends[i]);

		if (n >= len && memcmp(name + n - len, ends[i], len) == 0 && *name >= 'A' &&
		    *name <= 'Z')
			return 1;
	}
	return 0;
}

int python_is_keyword(const char *name, size_t n)
{
	static const char words[] =
		"False\0None\0True\0and\0as\0assert\0async\0await\0break\0class\0continue\0def\0"
		"del\0elif\0else\0except\0finally\0for\0from\0global\0if\0import\0in\0is\0lambda\0"
		"nonlocal\0not\0or\0pass\0raise\0return\0try\0while\0with\0yield\0";

	return is_among(name, n, words);
}
