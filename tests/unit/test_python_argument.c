/* Texts in Python that pass their arguments on, and texts that look into them. */
#include <criterion/criterion.h>

#include "tools/python_argument.h"
#include "tools/python_text.h"

static void ignore(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
}

static int looks(const char *text, int imported)
{
	struct python_found found = {ignore, ignore, NULL};
	struct python_tokens t = {0};
	struct arena a = ARENA_INIT;
	const char *why;
	int said;

	why = python_text(text, imported, &found, &a);
	cr_expect_null(why, "%s: %s", text, why);
	python_tokens(&t, text, &a);
	said = python_looks_into_arguments(&t, imported, &a);
	arena_free(&a);
	return said;
}

#define OS "import os, sys, subprocess\n"

Test(python_argument, passes)
{
	static const char *const texts[] = {
		OS "os.execv('as', ['as'] + sys.argv[1:])",
		OS "a = sys.argv[1:]\nif '-c' in a and a[0] == '-x': a = ['-g'] + a\n"
		   "subprocess.call(a)",
		OS "for a in sys.argv[1:]:\n  if a.startswith('-') or a.endswith('.cu'): pass\n"
		   "  elif a == '-o': sys.exit(subprocess.call(['as', a]))",
		OS "out = []\nfor a in sys.argv[1:]:\n  if a not in ('-g', '-O2'): out.append(a)\n"
		   "os.execvp('as', out)",
		OS "x = subprocess.check_output(['sed']).decode().strip()[1:]\n"
		   "os.execv('as', ['as', x] + sys.argv[1:])",
		OS "def f(a): return subprocess.call(a)\nsys.exit(f(sys.argv[1:]))",
		OS "a = sys.argv[1:]\nwhile a:\n  x = a.pop(0)\n  sys.stderr.write(x)\n",
		OS "def main(argv):\n  return subprocess.call(['as'] + argv)\nmain(sys.argv[1:])",
		OS "d = os.path.dirname(sys.argv[0])\nx = os.getenv('X', '')[1:].split('/')",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_not(looks(texts[i], 0), "%s", texts[i]);
	cr_expect_not(looks("F = ['-g']\ndef f(a): return F + a\n", 1));
}

Test(python_argument, looks)
{
	static const char *const texts[] = {
		OS "v = ord(sys.argv[-1][-3])", OS "a = sys.argv\nx = a[-1][3]",
		OS "for a in sys.argv: x = a[3]", OS "for a in sys.argv:\n  for c in a: pass",
		OS "x = [c for a in sys.argv for c in a]", OS "x = sys.argv[1] < 'x'",
		OS "a = sys.argv[1:]\nx = a[0][2]", OS "a = sys.argv[1]\nx = 'a' in a",
		OS "x = sys.argv[1].startswith('/tmp/cca')", OS "x = sys.argv[1].endswith('a.s')",
		OS "x = sys.argv[1].split('a')", OS "x = '%.9s' % sys.argv[1]",
		OS "x = f'{sys.argv[1]}'", OS "x = sorted(sys.argv)", OS "x = list(sys.argv[1])",
		OS "x, y = [*sys.argv[1]], 1", OS "x = ''.join(sys.argv[1])",
		OS "x = max(sys.argv)",
		OS "x = []\nx += sys.argv[1]", OS "x = []\nx.extend(sys.argv[1])",
		OS "def f(a): return a[1]\nf(sys.argv[1])",
		OS "def f(): return sys.argv[1]\nx = f()[3]",
		OS "def f(a): x = a\nf(sys.argv[1])\ny = 1\ndef g(a):\n  for c in a: pass\n"
		   "g(sys.argv[1])",
		OS "a = []\nb = a\na.append(sys.argv[1])\nx = b[0][3]",
		OS "a = sys.argv\nb = a\nx = b[1][1]",
		OS "from sys import argv as q\nx = q[1][1]", OS "os.environ['A'] = sys.argv[1]",
		OS "open('f', 'w').write(sys.argv[1])",
		OS "import re\nx = re.sub('a', 'b', sys.argv[1])",
		OS "try: subprocess.check_call(sys.argv)\nexcept OSError as e: x = str(e)[5]",
		OS "def f(a=sys.argv[1][1]): pass", OS "for c in sys.argv[1]: pass",
		OS "def f(a):\n  for c in a: pass\nf(sys.argv[1])", OS "x = sys.argv[1:][0][0]",
		OS "r = subprocess.run(sys.argv)\nx = r.args[1][1]", "import mine\n"
		   "x = mine.f(1)[0]",
		OS "x = subprocess.check_output(['echo'] + sys.argv)\ny = x[3]",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect(looks(texts[i], 0), "%s", texts[i]);
	cr_expect(looks("def f(a): return a[0]\n", 1));
	cr_expect(looks("def f(a):\n  b = a\n  return b.strip()\n", 1));
}
