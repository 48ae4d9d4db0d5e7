/* tools/python_start.c - options, variables and files of CPython 3.9 to 3.13. */
#include "tools/python_start.h"

#include <string.h>

#include "shim/banned.h"

/* Before 3.9 stderr had a buffer that depended on the terminal. */
#define MINOR_MIN 9
#define MINOR_MAX 13
#define DIGITS "0123456789"

const char python_variables[] =
	"PYTHON*\0HOME\0PATH\0LC_ALL\0LC_CTYPE\0LANG\0LANGUAGE\0LOCPATH\0"
	"NO_COLOR\0FORCE_COLOR\0SETUPTOOLS_USE_DISTUTILS\0";

static int is_among(const char *s, size_t n, const char *list)
{
	for (; *list; list += strlen(list) + 1)
		if (strlen(list) == n && memcmp(s, list, n) == 0)
			return 1;
	return 0;
}

static int ends(const char *s, size_t n, const char *end)
{
	size_t len = strlen(end);

	return n >= len && memcmp(s + n - len, end, len) == 0;
}

int python_interpreter(const char *base)
{
	int minor = 0;

	if (strncmp(base, "python3.", 8) != 0)
		return 0;
	base += 8;
	if (!*base || strlen(base) > 2 || strspn(base, DIGITS) != strlen(base))
		return 0;
	for (; *base; base++)
		minor = minor * 10 + *base - '0';
	return minor >= MINOR_MIN && minor <= MINOR_MAX;
}

enum script_form python_form(int argc, char *const argv[], const char **what)
{
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++)
		if (!argv[i][1] || strspn(argv[i] + 1, "EsSIBuOP") != strlen(argv[i] + 1))
			return SCRIPT_UNKNOWN;
	if (i >= argc)
		return SCRIPT_UNKNOWN;
	*what = argv[i];
	return SCRIPT_FILE;
}

const char *python_variable(char *const envp[])
{
	/* Their values are keyed, and what they lead to is in the trace. Others print, wait for
	 * input, or bring modules. */
	static const char known[] =
		"PYTHONPATH\0PYTHONHASHSEED\0PYTHONDONTWRITEBYTECODE\0PYTHONUNBUFFERED\0"
		"PYTHONNOUSERSITE\0PYTHONUTF8\0PYTHONIOENCODING\0PYTHONSAFEPATH\0PYTHONOPTIMIZE\0"
		"PYTHONUSERBASE\0PYTHONCOERCECLOCALE\0PYTHONSTARTUP\0"
		/* of makefiles and images, not of the interpreter */
		"PYTHON\0PYTHON3\0"
		"PYTHON_VERSION\0PYTHON_SHA256\0PYTHON_PIP_VERSION\0PYTHON_SETUPTOOLS_VERSION\0"
		"PYTHON_GET_PIP_URL\0PYTHON_GET_PIP_SHA256\0";
	int home = 0;

	for (; *envp; envp++) {
		size_t n = strcspn(*envp, "=");

		home |= strncmp(*envp, "HOME=", 5) == 0;
		if (strncmp(*envp, "PYTHON", 6) == 0 && (*envp)[n] && (*envp)[n + 1] &&
		    !is_among(*envp, n, known))
			return *envp;
	}
	return home ? NULL : "HOME is not set";
}

/* The part of the path inside the library, or NULL. The library of /usr/bin/python3.11 is
 * /usr/lib/python3.11. */
static const char *in_library(const char *exe, const char *path)
{
	static const char *const libs[] = {"/lib/", "/lib64/"};
	const char *base = strrchr(exe, '/');
	size_t prefix, n;

	if (!base || base == exe)
		return NULL;
	for (prefix = (size_t)(base - exe) - 1; prefix && exe[prefix] != '/'; prefix--)
		;
	if (strncmp(path, exe, prefix) != 0)
		return NULL;
	base++;
	for (size_t i = 0; i < sizeof libs / sizeof *libs; i++) {
		const char *p = path + prefix;

		n = strlen(libs[i]);
		if (strncmp(p, libs[i], n) != 0)
			continue;
		p += n;
		n = strlen(base);
		if (strncmp(p, base, n) == 0 && p[n] == '/')
			return p + n + 1;
	}
	return NULL;
}

static int is_package_of_others(const char *inside)
{
	return strncmp(inside, "site-packages/", 14) == 0 ||
	       strncmp(inside, "dist-packages/", 14) == 0;
}

static int is_site(const char *base)
{
	static const char *const names[] = {"sitecustomize.", "usercustomize."};

	return strncmp(base, names[0], strlen(names[0])) == 0 ||
	       strncmp(base, names[1], strlen(names[1])) == 0;
}

enum python_file python_file(const char *exe, const char *path)
{
	const char *inside = in_library(exe, path), *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t n = strlen(path);

	if (strstr(path, "/../"))
		inside = NULL;
	if (ends(path, n, ".pth"))
		return PYTHON_FILE_PATHS;
	if (inside && !is_package_of_others(inside))
		return is_site(base) ? PYTHON_FILE_SITE : PYTHON_FILE_LIBRARY;
	if (strstr(path, "/_distutils_hack/__init__.py") ||
	    (strstr(path, "/_distutils_hack/__pycache__/__init__.") && ends(path, n, ".pyc")))
		return PYTHON_FILE_HACK;
	if (ends(path, n, ".py"))
		return PYTHON_FILE_SOURCE;
	if (ends(path, n, ".pyc"))
		return PYTHON_FILE_COMPILED;
	/* A module may have any name but that of a library that another one needs. */
	if (ends(path, n, ".so") && strncmp(base, "lib", 3) != 0)
		return PYTHON_FILE_OBJECT;
	return PYTHON_FILE_DATA;
}

int python_source(const char *path, char *out, size_t n)
{
	static const char cache[] = "__pycache__/";
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash + 1 - path) : 0, stem = strcspn(path + dir, ".");
	const char *base = path + dir;

	if (ends(path, dir, cache))
		dir -= sizeof cache - 1;
	if (dir + stem + sizeof ".py" > n)
		return -1;
	memcpy(out, path, dir);
	memcpy(out + dir, base, stem);
	memcpy(out + dir + stem, ".py", sizeof ".py");
	return 0;
}

/* FNV-1a is enough: the texts are those of releases, and a forged text would gain nothing. */
static unsigned long long fingerprint(const char *text, size_t n)
{
	unsigned long long h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return h;
}

int python_site_known(const char *text, size_t n)
{
	/* Debian's sitecustomize.py: imports apport_python_hook where it is, which is refused. */
	static const char debian[] =
		"# install the apport exception handler if available\n"
		"try:\n"
		"    import apport_python_hook\n"
		"except ImportError:\n"
		"    pass\n"
		"else:\n"
		"    apport_python_hook.install()\n";
	/* _distutils_hack/__init__.py of setuptools: it acts on an import of distutils alone. */
	static const unsigned long long hacks[] = {
		0x5feab611e762d195ull, /* 84.2.1 */
		0x6a13c6876f3ed09full, /* 50.3.2 */
		0x7aa10c1fc5efe90aull, /* 56.0.0 */
		0x148cd88ffdb04e64ull, /* 58.1.0 */
		0xcb0e8325078ba1b3ull, /* 59.6.0 */
		0xf0b1b8cdffad107full, /* 65.5.0, 66.1.1, 65.5.1 */
		0x35829cda281eb802ull, /* 68.1.2 */
		0x34a1fb0232a0ad38ull, /* 69.5.1 */
		0x8fa57d4a1f9d1d03ull, /* 78.1.0, 80.9.0, 75.8.0 */
	};

	if (n == sizeof debian - 1 && memcmp(text, debian, n) == 0)
		return 1;
	for (size_t i = 0; i < sizeof hacks / sizeof *hacks; i++)
		if (fingerprint(text, n) == hacks[i])
			return 1;
	return n == 0;
}

/* 1: the line has no control character but tabs. Python 3.13 takes some of these for a line's
 * end. */
static int is_plain_line(const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
			return 0;
	return 1;
}

const char *python_paths_run(const char *text, size_t *len)
{
	static const char hack[] = "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; "
		"enabled = os.environ.get(var, '";
	static const char hack_end[] = "') == 'local'; "
		"enabled and __import__('_distutils_hack').add_shim();";

	for (const char *line = text; *line; line += *len + (line[*len] == '\n')) {
		const char *value = line + sizeof hack - 1;
		size_t n;

		*len = strcspn(line, "\n");
		if (is_plain_line(line, *len) && strncmp(line, "import ", 7) != 0 &&
		    strncmp(line, "import\t", 7) != 0)
			continue;
		if (*len < sizeof hack || memcmp(line, hack, sizeof hack - 1) != 0)
			return line;
		n = strspn(value, "abcdefghijklmnopqrstuvwxyz");
		if (strncmp(value + n, hack_end, sizeof hack_end - 1) != 0)
			return line;
		value += n + sizeof hack_end - 1;
		if (strspn(value, " ") != *len - (size_t)(value - line))
			return line;
	}
	return NULL;
}

int python_archive(const char *bytes, size_t n)
{
	return memmem(bytes, n, "PK\005\006", 4) != NULL;
}
