/* tools/python_names.c - the tables. A row may stand here only if its answer follows from its
 * arguments and from what the trace shows, in every Python from 3.9 on. */
#include "tools/python_names.h"

#include <string.h>

#include "shim/banned.h"

#define RUN PYTHON_CALL | PYTHON_SINGLE | PYTHON_ENV | PYTHON_STREAMS
#define PATH PYTHON_CALL | PYTHON_PATH
#define CONSUMES PYTHON_CALL | PYTHON_TAKES

static const struct python_member members[] = {
	{PYTHON_OS, PYTHON_ENVIRON, 0, "environ", WITH_NONE},
	{PYTHON_OS, PYTHON_MAYBE, PYTHON_CALL | PYTHON_VARIABLE, "getenv", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "execv", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "execvp", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "execl", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "execlp", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PATH | PYTHON_ENV, "execve", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL | PYTHON_ENV, "execvpe", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "system", WITH_NONE},
	{PYTHON_OS, PYTHON_TEXT, PYTHON_CALL | PYTHON_NO_ARGUMENT, "getcwd", WITH_NONE},
	{PYTHON_OS, PYTHON_LISTING, PATH, "listdir", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "makedirs", WITH_EXIST_OK},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "mkdir", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "remove", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "unlink", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "rename", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "replace", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PYTHON_CALL, "rmdir", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, PATH, "access", WITH_NONE},
	{PYTHON_OS, PYTHON_MODULE, 0, "path", WITH_NONE},
	{PYTHON_OS, PYTHON_TEXT, 0, "name", WITH_NONE},
	{PYTHON_OS, PYTHON_TEXT, 0, "sep", WITH_NONE},
	{PYTHON_OS, PYTHON_TEXT, 0, "pathsep", WITH_NONE},
	{PYTHON_OS, PYTHON_TEXT, 0, "linesep", WITH_NONE},
	{PYTHON_OS, PYTHON_TEXT, 0, "curdir", WITH_NONE},
	{PYTHON_OS, PYTHON_TEXT, 0, "pardir", WITH_NONE},
	{PYTHON_OS, PYTHON_TEXT, 0, "devnull", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, 0, "X_OK", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, 0, "R_OK", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, 0, "W_OK", WITH_NONE},
	{PYTHON_OS, PYTHON_ANY, 0, "F_OK", WITH_NONE},

	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "join", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "basename", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "dirname", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "abspath", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "realpath", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "normpath", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_TEXT, PYTHON_CALL, "relpath", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_TEXTS, PYTHON_CALL, "split", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_TEXTS, PYTHON_CALL, "splitext", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_ANY, PYTHON_CALL, "isabs", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_ANY, PATH, "exists", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_ANY, PATH, "lexists", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_ANY, PATH, "isfile", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_ANY, PATH, "isdir", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_ANY, PATH, "islink", WITH_NONE},
	{PYTHON_OS_PATH, PYTHON_TEXT, 0, "sep", WITH_NONE},

	{PYTHON_SYS, PYTHON_TEXTS, 0, "argv", WITH_NONE},
	{PYTHON_SYS, PYTHON_ANY, PYTHON_CALL, "exit", WITH_NONE},
	{PYTHON_SYS, PYTHON_STDOUT, 0, "stdout", WITH_NONE},
	{PYTHON_SYS, PYTHON_STDERR, 0, "stderr", WITH_NONE},
	{PYTHON_SYS, PYTHON_TEXT, 0, "platform", WITH_NONE},
	{PYTHON_SYS, PYTHON_ANY, 0, "version_info", WITH_NONE},
	{PYTHON_SYS, PYTHON_TEXT, 0, "byteorder", WITH_NONE},
	{PYTHON_SYS, PYTHON_ANY, 0, "maxsize", WITH_NONE},
	{PYTHON_SYS, PYTHON_ANY, 0, "hexversion", WITH_NONE},
	{PYTHON_SYS, PYTHON_ANY, 0, "path", WITH_NONE},

	{PYTHON_SUBPROCESS, PYTHON_ANY, RUN, "call", WITH_RUN},
	{PYTHON_SUBPROCESS, PYTHON_ANY, RUN, "check_call", WITH_RUN},
	{PYTHON_SUBPROCESS, PYTHON_ANY, RUN, "run", WITH_RUN},
	{PYTHON_SUBPROCESS, PYTHON_TEXT, RUN, "check_output", WITH_RUN},
	{PYTHON_SUBPROCESS, PYTHON_PROCESS, RUN, "Popen", WITH_RUN},
	{PYTHON_SUBPROCESS, PYTHON_ANY, 0, "PIPE", WITH_NONE},
	{PYTHON_SUBPROCESS, PYTHON_ANY, 0, "STDOUT", WITH_NONE},
	{PYTHON_SUBPROCESS, PYTHON_ANY, 0, "DEVNULL", WITH_NONE},
	{PYTHON_SUBPROCESS, PYTHON_TYPE, 0, "CalledProcessError", WITH_NONE},
	{PYTHON_SUBPROCESS, PYTHON_ANY, PYTHON_CALL | PYTHON_SINGLE, "list2cmdline", WITH_NONE},

	{PYTHON_SHLEX, PYTHON_TEXTS, PATH | PYTHON_SINGLE, "split", WITH_SHLEX},
	{PYTHON_SHLEX, PYTHON_TEXT, PYTHON_CALL, "quote", WITH_NONE},
	{PYTHON_SHLEX, PYTHON_TEXT, CONSUMES, "join", WITH_NONE},

	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "match", WITH_FLAGS},
	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "search", WITH_FLAGS},
	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "fullmatch", WITH_FLAGS},
	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "compile", WITH_FLAGS},
	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "findall", WITH_FLAGS},
	{PYTHON_RE, PYTHON_TEXT, PYTHON_CALL, "sub", WITH_COUNT_FLAGS},
	{PYTHON_RE, PYTHON_ANY, PYTHON_CALL, "split", WITH_MAXSPLIT_FLAGS},
	{PYTHON_RE, PYTHON_TEXT, PYTHON_CALL, "escape", WITH_NONE},
	{PYTHON_RE, PYTHON_ANY, 0, "I", WITH_NONE}, {PYTHON_RE, PYTHON_ANY, 0, "M", WITH_NONE},
	{PYTHON_RE, PYTHON_ANY, 0, "S", WITH_NONE}, {PYTHON_RE, PYTHON_ANY, 0, "X", WITH_NONE},
	{PYTHON_RE, PYTHON_ANY, 0, "IGNORECASE", WITH_NONE},
	{PYTHON_RE, PYTHON_ANY, 0, "MULTILINE", WITH_NONE},
	{PYTHON_RE, PYTHON_ANY, 0, "DOTALL", WITH_NONE},
	{PYTHON_RE, PYTHON_ANY, 0, "VERBOSE", WITH_NONE},

	{PYTHON_JSON, PYTHON_ANY, PYTHON_CALL, "load", WITH_NONE},
	{PYTHON_JSON, PYTHON_ANY, PYTHON_CALL, "loads", WITH_NONE},
	{PYTHON_JSON, PYTHON_ANY, PYTHON_CALL, "dump", WITH_JSON},
	{PYTHON_JSON, PYTHON_TEXT, PYTHON_CALL, "dumps", WITH_JSON},

	{PYTHON_SHUTIL, PYTHON_MAYBE, PYTHON_CALL, "which", WITH_WHICH_PATH},
	{PYTHON_SHUTIL, PYTHON_TEXT, PATH | PYTHON_PATHS, "copyfile", WITH_NONE},
	{PYTHON_GLOB, PYTHON_LISTING, PYTHON_CALL, "glob", WITH_RECURSIVE},
	{PYTHON_ERRNO, PYTHON_ANY, 0, "ENOENT", WITH_NONE},
	{PYTHON_ERRNO, PYTHON_ANY, 0, "EEXIST", WITH_NONE},
	{PYTHON_ERRNO, PYTHON_ANY, 0, "EACCES", WITH_NONE},
	{PYTHON_PATHLIB, PYTHON_TEXT, PYTHON_CALL | PYTHON_VALUE | PYTHON_IS_TYPE, "Path",
	 WITH_NONE},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Any", WITH_NONE},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Dict", WITH_NONE},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Iterable", WITH_NONE},
	{PYTHON_TYPING, PYTHON_ANY, 0, "List", WITH_NONE},
	{PYTHON_TYPING, PYTHON_ANY, 0, "NoReturn", WITH_NONE},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Optional", WITH_NONE},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Sequence", WITH_NONE},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Tuple", WITH_NONE},
	{PYTHON_TYPING, PYTHON_ANY, 0, "Union", WITH_NONE},
	{PYTHON_FUTURE, PYTHON_ANY, 0, "annotations", WITH_NONE},
	{PYTHON_FUTURE, PYTHON_ANY, 0, "print_function", WITH_NONE},
	{PYTHON_FUTURE, PYTHON_ANY, 0, "absolute_import", WITH_NONE},
	{PYTHON_FUTURE, PYTHON_ANY, 0, "division", WITH_NONE},
	{PYTHON_FUTURE, PYTHON_ANY, 0, "unicode_literals", WITH_NONE},

	{PYTHON_BUILTIN, PYTHON_ANY, CONSUMES, "all", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ANY, CONSUMES, "any", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "abs", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL, "chr", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "ord", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "divmod", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ITERATOR, CONSUMES, "enumerate", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "exit", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "isinstance", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_TAKES_LISTING, "len", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ANY, CONSUMES, "max", WITH_DEFAULT},
	{PYTHON_BUILTIN, PYTHON_ANY, CONSUMES, "min", WITH_DEFAULT},
	{PYTHON_BUILTIN, PYTHON_ANY, CONSUMES, "sum", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, PATH, "open", WITH_OPEN},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_PRINTS, "print",
	 WITH_PRINT},
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL, "range", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL, "repr", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ITERATOR, CONSUMES, "reversed", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "round", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_SET, CONSUMES | PYTHON_TAKES_LISTING, "set", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_SET, CONSUMES | PYTHON_TAKES_LISTING, "frozenset", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, CONSUMES | PYTHON_TAKES_LISTING | PYTHON_KEEPS, "sorted",
	 WITH_REVERSE},
	{PYTHON_BUILTIN, PYTHON_ITERATOR, CONSUMES | PYTHON_TAKES_EACH, "zip", WITH_NONE},
	/* types, and what texts catch */
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_VALUE, "bool", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL | PYTHON_VALUE, "bytes", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, CONSUMES | PYTHON_VALUE | PYTHON_ENV | PYTHON_COPIES, "dict",
	 WITH_ANY},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_VALUE, "float", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_VALUE, "int", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, CONSUMES | PYTHON_VALUE | PYTHON_KEEPS, "list", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL | PYTHON_VALUE, "str", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, CONSUMES | PYTHON_VALUE | PYTHON_KEEPS, "tuple", WITH_NONE},
#define EXCEPTION(name) {PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_VALUE, name, WITH_NONE}
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

#define METHOD(kind, flags, name) {PYTHON_BUILTIN, kind, PYTHON_CALL | (flags), name, WITH_NONE}
#define DATA(name) {PYTHON_BUILTIN, PYTHON_ANY, 0, name, WITH_NONE}
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
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "split", WITH_MAXSPLIT_SEP},
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL, "rsplit", WITH_MAXSPLIT_SEP},
	METHOD(PYTHON_ANY, 0, "splitlines"), METHOD(PYTHON_ANY, 0, "startswith"),
	METHOD(PYTHON_TEXT, 0, "strip"), METHOD(PYTHON_TEXT, 0, "swapcase"),
	METHOD(PYTHON_TEXT, 0, "title"), METHOD(PYTHON_TEXT, 0, "upper"),
	METHOD(PYTHON_TEXT, 0, "zfill"),
	{PYTHON_BUILTIN, PYTHON_TEXT, PYTHON_CALL | PYTHON_FORMAT, "format", WITH_ANY},
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
	METHOD(PYTHON_TEXT, 0, "sub"),
	/* A path without an argument tells the group of the file. */
	METHOD(PYTHON_ANY, PYTHON_ARGUMENT, "group"),
	METHOD(PYTHON_ANY, 0, "groups"), METHOD(PYTHON_ANY, 0, "groupdict"),
	METHOD(PYTHON_ANY, 0, "start"), METHOD(PYTHON_ANY, 0, "end"),
	METHOD(PYTHON_ANY, 0, "span"), DATA("pattern"),
	/* of processes. Without a time limit */
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "wait"),
	{PYTHON_BUILTIN, PYTHON_ANY, PYTHON_CALL | PYTHON_SINGLE, "communicate", WITH_INPUT},
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "check_returncode"),
	DATA("returncode"), DATA("stdout"), DATA("stderr"), DATA("args"), DATA("output"),
	DATA("cmd"),
	/* of exceptions and versions */
	DATA("errno"), DATA("strerror"), DATA("filename"), DATA("code"),
	DATA("major"), DATA("minor"), DATA("micro"),
	/* of paths */
	{PYTHON_BUILTIN, PYTHON_TEXT, 0, "parent", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, 0, "stem", WITH_NONE},
	{PYTHON_BUILTIN, PYTHON_TEXT, 0, "suffix", WITH_NONE},
	METHOD(PYTHON_TEXT, PYTHON_NO_ARGUMENT, "resolve"),
	METHOD(PYTHON_TEXT, PYTHON_NO_ARGUMENT, "absolute"),
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "exists"),
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "is_file"),
	METHOD(PYTHON_ANY, PYTHON_NO_ARGUMENT, "is_dir"),
	METHOD(PYTHON_TEXT, PYTHON_NO_ARGUMENT, "read_text"), METHOD(PYTHON_ANY, 0, "write_text"),
	METHOD(PYTHON_TEXT, 0, "joinpath"), METHOD(PYTHON_TEXT, 0, "with_suffix"),
	METHOD(PYTHON_TEXT, 0, "with_name"), METHOD(PYTHON_TEXT, 0, "as_posix"),
};

static const struct {
	unsigned char module;
	char name[12];
} modules[] = {
	{PYTHON_OS, "os"}, {PYTHON_OS_PATH, "os.path"}, {PYTHON_SYS, "sys"},
	{PYTHON_SUBPROCESS, "subprocess"}, {PYTHON_SHLEX, "shlex"}, {PYTHON_RE, "re"},
	{PYTHON_JSON, "json"}, {PYTHON_SHUTIL, "shutil"}, {PYTHON_GLOB, "glob"},
	{PYTHON_ERRNO, "errno"}, {PYTHON_PATHLIB, "pathlib"}, {PYTHON_TYPING, "typing"},
	{PYTHON_FUTURE, "__future__"},
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

const char *python_keywords(const struct python_member *m)
{
	static const char lists[][144] = {
		[WITH_ANY] = "*",
		[WITH_COUNT_FLAGS] = "count\0flags\0",
		[WITH_DEFAULT] = "default\0",
		[WITH_EXIST_OK] = "exist_ok\0",
		[WITH_FLAGS] = "flags\0",
		[WITH_INPUT] = "input\0",
		[WITH_JSON] = "indent\0sort_keys\0separators\0",
		[WITH_MAXSPLIT_FLAGS] = "maxsplit\0flags\0",
		[WITH_MAXSPLIT_SEP] = "maxsplit\0sep\0",
		[WITH_OPEN] = "mode\0encoding\0errors\0newline\0",
		[WITH_PRINT] = "sep\0end\0file\0flush\0",
		[WITH_RECURSIVE] = "recursive\0",
		[WITH_REVERSE] = "reverse\0",
		[WITH_RUN] = "env\0shell\0cwd\0stdout\0stderr\0stdin\0universal_newlines\0"
			     "text\0encoding\0errors\0close_fds\0executable\0bufsize\0check\0"
			     "input\0capture_output\0",
		[WITH_SHLEX] = "posix\0comments\0",
		[WITH_WHICH_PATH] = "path\0",
	};

	return lists[m->keywords];
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
	if (same(name, n, "CalledProcessError")) /* of subprocess */
		return 0;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t len = strlen(ends[i]);

		if (n >= len && memcmp(name + n - len, ends[i], len) == 0 && *name >= 'A' &&
		    *name <= 'Z')
			return 1;
	}
	return 0;
}

int python_is_library(const char *name, size_t n)
{
	static const char names[] =
		"abc\0aifc\0annotationlib\0antigravity\0argparse\0array\0ast\0asynchat\0asyncio\0"
		"asyncore\0atexit\0audioop\0base64\0bdb\0binascii\0binhex\0bisect\0builtins\0bz2\0"
		"cProfile\0calendar\0cgi\0cgitb\0chunk\0cmath\0cmd\0code\0codecs\0codeop\0"
		"collections\0colorsys\0compileall\0compression\0concurrent\0configparser\0"
		"contextlib\0contextvars\0copy\0copyreg\0crypt\0csv\0ctypes\0curses\0dataclasses\0"
		"datetime\0dbm\0decimal\0difflib\0dis\0distutils\0doctest\0dummy_threading\0email\0"
		"encodings\0ensurepip\0enum\0errno\0faulthandler\0fcntl\0filecmp\0fileinput\0"
		"fnmatch\0formatter\0fractions\0ftplib\0functools\0gc\0genericpath\0getopt\0"
		"getpass\0gettext\0glob\0graphlib\0grp\0gzip\0hashlib\0heapq\0hmac\0html\0http\0"
		"idlelib\0imaplib\0imghdr\0imp\0importlib\0inspect\0io\0ipaddress\0itertools\0"
		"json\0keyword\0lib2to3\0linecache\0locale\0logging\0lzma\0macpath\0mailbox\0"
		"mailcap\0marshal\0math\0mimetypes\0mmap\0modulefinder\0msilib\0msvcrt\0"
		"multiprocessing\0netrc\0nis\0nntplib\0nt\0ntpath\0nturl2path\0numbers\0opcode\0"
		"operator\0optparse\0os\0ossaudiodev\0parser\0pathlib\0pdb\0pickle\0pickletools\0"
		"pipes\0pkgutil\0platform\0plistlib\0poplib\0posix\0posixpath\0pprint\0profile\0"
		"pstats\0pty\0pwd\0py_compile\0pyclbr\0pydoc\0pydoc_data\0pyexpat\0queue\0quopri\0"
		"random\0re\0readline\0reprlib\0resource\0rlcompleter\0runpy\0sched\0secrets\0"
		"select\0selectors\0shelve\0shlex\0shutil\0signal\0site\0smtpd\0smtplib\0sndhdr\0"
		"socket\0socketserver\0spwd\0sqlite3\0sre_compile\0sre_constants\0sre_parse\0ssl\0"
		"stat\0statistics\0string\0stringprep\0struct\0subprocess\0sunau\0symbol\0"
		"symtable\0sys\0sysconfig\0syslog\0tabnanny\0tarfile\0telnetlib\0tempfile\0"
		"termios\0textwrap\0this\0threading\0time\0timeit\0tkinter\0token\0tokenize\0"
		"tomllib\0trace\0traceback\0tracemalloc\0tty\0turtle\0turtledemo\0types\0typing\0"
		"unicodedata\0unittest\0urllib\0uu\0uuid\0venv\0warnings\0wave\0weakref\0"
		"webbrowser\0winreg\0winsound\0wsgiref\0xdrlib\0xml\0xmlrpc\0zipapp\0zipfile\0"
		"zipimport\0zlib\0zoneinfo\0";

	return is_among(name, n, names);
}

int python_is_keyword(const char *name, size_t n)
{
	static const char words[] =
		"False\0None\0True\0and\0as\0assert\0async\0await\0break\0class\0continue\0def\0"
		"del\0elif\0else\0except\0finally\0for\0from\0global\0if\0import\0in\0is\0lambda\0"
		"nonlocal\0not\0or\0pass\0raise\0return\0try\0while\0with\0yield\0";

	return is_among(name, n, words);
}
