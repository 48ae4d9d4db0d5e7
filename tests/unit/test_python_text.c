/* tests/unit/test_python_text.c - which texts in Python are read, and what they depend on. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/python_text.h"

struct found {
	char text[512];
};

static void variable(void *ctx, const char *name)
{
	struct found *f = ctx;

	strncat(f->text, name, sizeof f->text - strlen(f->text) - 1);
	strncat(f->text, " ", sizeof f->text - strlen(f->text) - 1);
}

static void helper(void *ctx, const char *name)
{
	struct found *f = ctx;

	strncat(f->text, "+", sizeof f->text - strlen(f->text) - 1);
	variable(ctx, name);
}

/* Copies the reason to why; "" if the text is read. */
static void read_text(const char *text, int imported, struct found *f, char *why, size_t n)
{
	struct arena a = ARENA_INIT;
	struct python_found found = {variable, helper, f};
	const char *said;

	f->text[0] = '\0';
	said = python_text(text, imported, &found, &a);
	strncpy(why, said ? said : "", n - 1);
	why[n - 1] = '\0';
	arena_free(&a);
}

#define OS "import os, sys, subprocess, shlex, re, json\n"
#define PO "from subprocess import Popen, PIPE\n"

Test(python_text, reads)
{
	static const char *const texts[] = {
		"",
		"#!/usr/bin/python3\n# -*- coding: utf-8 -*-\n'''doc'''\n",
		OS "os.execvp('g++', ['g++'] + sys.argv[1:])\n",
		OS "sys.exit(subprocess.call(['g++'] + sys.argv[1:]))",
		OS "cmd = ['g++']\nfor a in sys.argv[1:]:\n    if a != '-g': cmd.append(a)\n"
		   "os.execv('/usr/bin/g++', cmd)\n",
		OS "args = [a for a in sys.argv[1:] if not a.startswith('-W')]\n"
		   "r = subprocess.run(args, stdout=subprocess.PIPE, check=True)\n"
		   "sys.stderr.write(r.stdout.decode())\n",
		OS "p = subprocess.Popen(sys.argv[1:])\np.communicate()\nsys.exit(p.returncode)\n",
		OS "for a in sys.argv:\n  if a[0] == '@' and os.path.exists(a[1:]):\n"
		   "    with open(a[1:]) as f: sys.argv += shlex.split(f.read())\n",
		OS "def main(argv):\n  return subprocess.call(argv)\n"
		   "if __name__ == '__main__':\n  sys.exit(main(sys.argv[1:]))\n",
		OS "x = {'a': 1, **{'b': 2}}\n"
		   "for k, v in sorted(x.items()): print(k, v, flush=True)\n",
		OS "print('x', file=sys.stderr)\nprint(f'{sys.argv[1]!r:>10}', flush=True)\n",
		OS "print('%s %d' % ('a', 1), 'x{}y{0:>3}'.format(1), file=sys.stderr)\n",
		OS "d = os.path.dirname(os.path.abspath(__file__))\n"
		   "if os.path.isfile(os.path.join(d, 'x')): pass\n",
		OS "m = re.match(r'-O(\\d)', sys.argv[1])\nif m and m.group(1) == '3': pass\n",
		OS "try:\n  os.remove('x')\nexcept (OSError, IOError) as e:\n"
		   "  sys.exit(str(e))\nfinally:\n  pass\n",
		OS "x = 1 if len(sys.argv) > 1 else 2\nx += 1\nwhile x < 3: x = x + 1\n",
		"from __future__ import annotations\nfrom os import path, execvp\n"
		"from typing import List\ndef f(x: List[str], *, y: int = 1) -> None:\n"
		"  execvp(x[0], x)\nf([path.join('a', 'b')])\n",
		"import sys\nsys.dont_write_bytecode = True\n",
		"from pathlib import Path\nd = Path(__file__).resolve().parent\n"
		"if (d / 'x').exists(): print(d, flush=True)\n",
		OS "x = sorted(os.listdir('.'))\nn = len(os.listdir('.'))\n",
		OS "x = (1,\n  2)  # (\ny = \"\"\"a\n'b\n\"\"\"\nz = 'a' \\\n 'b'\n",
		OS "a, *b = sys.argv\n(c, d), e = ('x', 'y'), 'z'\ndel b[0]\nassert a, e\n",
		OS "SKIP = {'-g', '-O2'}\nseen = set()\nfor a in sys.argv:\n"
		   "    if a in SKIP or a in {'-x'} or a not in seen: seen.add(a)\n"
		   "n = len(seen)\ny = {a for a in 'b'} if n else {*'ab'}\nz = 'a' in y\n",
		OS "def never(x): return open(str(x))\n",
		"x = {}\nx['a'] = max(x.keys(), default='')\n"
		"x['b'] = list(zip(x.keys(), x.values()))\n",
		"from subprocess import Popen, PIPE, CalledProcessError, run\n"
		"from pathlib import Path\n"
		"p = Popen('a', stdout=PIPE, stderr=PIPE, stdin=None)\nout, err = p.communicate()\n"
		"for x in p.stdout: p.stdout.close()\n"
		"x = Popen('b', stdin=PIPE).communicate('c')[0]\n"
		"def w():\n  p = Popen('b', stderr=open('log', 'w'))\n\n  # waits\n"
		"  return p.wait()\n"
		"q = Popen('b', stdin=p.stdout); q.wait()\nPopen('a').wait()\n"
		"q = Popen('a')\nif q.wait() != 0: pass\nq = Popen('a')\n"
		"x = q.communicate(input=out)\n"
		"with open('log') as f: run('c', stdin=f)\n"
		"def g(x: Path) -> Path: return isinstance(x, (str, Path))\n"
		"try: x: Path = Path('a')\nexcept (OSError, CalledProcessError) as e:\n"
		"  str(e.stdout.read())\n",
		OS "r = subprocess.run('a', stdout=subprocess.PIPE, stderr=sys.stdout)\n"
		"print(r.stdout, flush=True)\n",
		"lower = 'x'.lower()\nx = 0x1f + 10 if lower else 1.5\n",
	};
	struct found f;
	char why[256];

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		read_text(texts[i], 0, &f, why, sizeof why);
		cr_expect_str_empty(why, "%s: %s", texts[i], why);
	}
}

Test(python_text, variables)
{
	static const struct { const char *text, *found; } rows[] = {
		{OS "x = os.environ.get('A')", "A "},
		{OS "x = os.environ['A']; y = os.getenv('B', '')", "A B "},
		{OS "if 'A' in os.environ: pass", "A "},
		{"from os import environ as e\nx = e.get('A')", "A "},
		{OS "e = os.environ.copy()\ne['A'] = '1'\nsubprocess.call('x', env=e)", "A "},
		{OS "e = dict(os.environ, A='1')\nos.execve('x', ['x'], e)", ""},
		{OS "e = {**os.environ, 'A': 'b'}\nos.execvpe('x', ['x'], e)", ""},
		{OS "del os.environ['A']\nos.environ.update({'B': 'c'})", "A "},
		{OS "e = os.environ\ne.pop('A', None)", "A "},
		{"import mine\nfrom other import f\nmine.f(1)\nf(2)\n", "+mine +other "},
	};
	struct found f;
	char why[256];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		read_text(rows[i].text, 0, &f, why, sizeof why);
		cr_expect_str_empty(why, "%s: %s", rows[i].text, why);
		cr_expect_str_eq(f.text, rows[i].found, "%s: %s", rows[i].text, f.text);
	}
}

/* Each way in which a value that differs between two runs could reach the effects of a script. */
static const char *const refused[] = {
	/* modules, and members without a row */
	"import a.b", "from os import *", "from . import x", "import os.path.x", "import _thread",
	/* A module of the library may be loaded without a trace. A text of its name may get
	 * functions from it. */
	"import sys, time", "from time import now", "import random as r", "import copyreg",
	OS "x = os.getpid()", OS "x = os.uname()", OS "x = os.stat('a')", OS "x = os.getuid()",
	OS "x = os.urandom(4)", OS "x = sys.stdin.read()", OS "x = sys.modules",
	OS "x = os.path.getmtime('a')", OS "x = os.cpu_count()", OS "x = sys.stdout.isatty()",
	"from os import getpid", "from os import getpid as environ", "from sys import stdin",
	OS "o = os\no.getpid()", OS "x = os.environ.data", OS "x = subprocess.os.getpid()",
	OS "x = os.path.os", OS "x = os.path.expandvars('$A')", OS "x = os.path.expanduser('~a')",
	OS "os.environ.pop('HOME')\nx = os.path.expanduser('~')",
	OS "x = re.sys", OS "x = json.decoder", OS "x = sys.path.x", "import os as sys\nsys.stdin",
	/* what is built in */
	"x = id(1)", "x = hash('a')", "x = eval('1')", "exec('x = 1')", "x = __import__('time')",
	"x = input()", "x = globals()", "x = locals()", "x = vars()", "x = dir()", "x = type(1)",
	"x = getattr(1, 'a')", "x = object()", "x = iter('a')", "x = next(iter('a'))",
	"x = map(str, 'a')", "x = filter(None, 'a')", "x = callable(1)", "x = format(1, 'a')",
	"x = ().__class__", "x = 'a'.__doc__", "x = __builtins__", "x = __spec__", "x = __loader__",
	"x = 1..__class__", "x = 1.5.hex()", "x = 1j.real", "x = memoryview(b'a')", "x = super()",
	/* new meanings */
	"open = 1", "def print(x): pass", "list = []", "import sys as len", "for id in 'a': pass",
	OS "os = 1", OS "def os(): pass", OS "def f(os): pass", OS "for sys in 'a': pass",
	OS "[os for os in 'a']", OS "with open('a') as os: pass",
	OS "try: pass\nexcept OSError as sys: pass", "def f(): pass\nf = 1",
	"def f(): pass\ndef f(): pass", OS "os.environ = {}", OS "sys.argv = []",
	OS "os.path.join = 1", OS "x = []\nx.append = 1", "from pathlib import Path\nPath = int",
	"import os\nimport sys as os", "import mine as os\nimport os",
	/* values that print an address or an order */
	OS "print(os, flush=True)", OS "x = os.getcwd", OS "x = [len]", "x = len",
	"def f(): pass\nx = str(f)", "def f(): pass\nx = f'{f}'", "def f(): pass\nx = '%s' % f",
	"def f(): pass\nx = {'a': f}", "def f(): return f", "x = 'a'.upper", "x = str('a'.upper)",
	OS "x = str(os.path)", OS "sys.exit(main)\ndef main(): pass", "x = (len)", "x = len or 1",
	"x = len if 1 else 2", "raise len", "assert 0, len", "x = [1].index(len)",
	"x = (a for a in 'b')", "x = str(a for a in 'b')", "x = enumerate('a')",
	"x = str(enumerate('a'))", "x = zip('a', 'b')", "x = reversed('a')", "x = {}.keys()",
	"x = {}.keys() - []", "x = {}.items() | []", "x = [{}.keys()]", "x = str({}.values())",
	"x = f'{enumerate(1)}'", "x = 'a' in len", "x = *enumerate('a'), 1",
	"for a in enumerate('a'), 1: pass", "for a in (enumerate('a'), 1): pass",
	"x = sorted([len])", "x = list(zip)", OS "x = os.listdir('.')",
	OS "x = list(os.listdir('.'))",
	OS "for x in os.listdir('.'): pass", OS "x = [a for a in os.listdir('.')]",
	OS "x = ' '.join(os.listdir('.'))", "import glob\nx = glob.glob('*')",
	OS "x = '%s' % os.listdir('.')", OS "x = os.listdir('.')[0]", "x = 1 is 2",
	"x = 'a' is not sys", "x = lambda: 1", "class A: pass", "def f(): yield 1",
	"async def f(): pass", "@f\ndef g(): pass", "x = [y := 1]", "x = (yield)",
	"x = sorted('a', key=len)", "x = max('a', key=len)", "[].sort(key=len)",
	OS "x = re.sub('a', len, 'b')", OS "x = re.sub('a', f, 'b')\ndef f(m): return 'a'",
	OS "x = json.dumps(1, default=str)",
	"x = {1, 2}\nfor y in x: pass", "x = {1, 2}\nprint(x, flush=True)", "x = sorted({1, 2})",
	"x = list({1})", "x = str({1})", "x = f'{ {1} }'", "x = [{1}]", "x = {1} | {2}",
	"x = {1} - {2}", "x = {1}\ny = x.pop()", "x = {1}.union('a')", "x, y = {1, 2}",
	"x = [y for y in {1, 2}]", "x = [*{1, 2}]", "x = ' '.join({'a'})", "x = '%s' % {1}",
	"x = {1}\nx = [1]", "x = {1}\ndef f(y): pass\nf(x)", "def f(): return {1}",
	"x = {1: {2}}", "x = {1} == {2}", "x = max({1, 2})", "x = any({1})", "x = tuple({1})",
	"x = {y for y in 'b'}\nx = str(x)", "x = set('ab')\nx = min(x)", "x = {*'ab'}\nx = [x]",
	"x = frozenset('a')\ny = (x,)", "x = {1}\nx |= {2}", "x = {1}.__iter__()", "x = set",
	"x = {1}\nx.update({2})", "x = enumerate({1})", "x = {1} or 1", "x = repr(set())",
	"x = {}\nx['a'] = {1}", "raise {1}", "assert 0, {1}", "x = {1} if 1 else [1]",
	/* the same by an assignment */
	OS "x, y = os.environ", OS "[x] = os.listdir('.')", OS "x, y = os.listdir('.')",
	OS "x, *y = os.environ", "x = {}\nx['a'] = len", OS "x = {}\nx['a'] = os.getcwd",
	OS "x = {}\nx['a'] = os", "x = {}\nx['a'] = enumerate('a')", "x, y = {}.keys()",
	OS "x = {}\nx['a'] = os.environ", "def f(): pass\nx = [1]\nx[0] = f", "(x) = {1}",
	OS "x = {}\nx[os.getcwd] = 1", "x = {}\nx[len] = 1", "x = {}\nx['a'] = x['b'] = len",
	/* the same as items, as parts, and by keyword arguments that become items */
	"def f(): pass\nx = {}\nx['a'] = f", OS "x = [0]\nx[0] = os",
	OS "x = {}\nx['a'] = os.environ",
	OS "x = {}\nx['a'] = os.listdir('.')", "x = {}\nx['a'] = x.keys()",
	"x = {}\nx['a'] = zip('a')",
	OS "a, *b = os.environ", OS "a, *b = os.listdir('.')", OS "[a, *b] = os.listdir('.')",
	/* The mode of the first file is not keyed. Here it becomes the mode of the second file. */
	"import shutil\nshutil.copy('a', 'b')",
	OS "(a, b), c = os.listdir('.'), 1", OS "*a, = os.environ", OS "a, b = os",
	OS "x = dict(env=os.environ)", OS "x = dict(stdout=sys.stdout)",
	OS "x = dict(file=sys.stderr)",
	OS "x = '{file}'.format(file=sys.stdout)", OS "subprocess.call('a', stdin=os.environ)",
	/* one of two views, which subtract as sets do */
	"x = max({}.keys(), {}.keys())", "x = min({}.items(), {}.items())",
	"x = max([], {}.keys())", "x = sum([], {}.keys())",
	/* properties of types, and the group of a file */
	OS "x = subprocess.CalledProcessError.stdout", OS "x = [subprocess.CalledProcessError]",
	"from pathlib import Path\nx = Path.parent", "import pathlib\nx = pathlib.Path.name",
	"from pathlib import Path\nx = Path", "from pathlib import Path\nfor x in Path, str: pass",
	"from pathlib import Path\ndef f(x): pass\nf(Path)", "import pathlib as p\nx = {0: p.Path}",
	"from pathlib import Path\ntry: pass\nexcept print([x for x in (Path,)]): pass",
	"from pathlib import Path\nx = isinstance(str(Path.name), str)",
	"from pathlib import Path\nx = Path('a').group()", "x = ''.group(*[])",
	/* attributes by texts */
	"x = '{0.__class__}'.format(1)", "x = '{0[a]}'.format(1)", "x = '{:{}}'.format(1, 2)",
	"x = '\\x7b0.a}'.format(1)", "x = ('{' + '0.a}').format(1)", "y = '{0.a}'\nx = y.format(1)",
	"x = str.format('{0.a}', 1)", "x = f'{1=}'", "x = f'{1:{2}}'", "x = f'{id(1)}'",
	"x = f'{(lambda: 1)()}'", "x = f'\\N{DIGIT ONE}'", "x = t'{1}'",
	"x = f'{\"{id(1)}\"}' + id(1)",
	/* descriptors, and standard input by None */
	"x = open(0)", "n = 0\nx = open(n)", "x = open(len(''))", "x = open('a'.find('a'))",
	"x = open('a' and 0)", "x = open(0 or 'a')", "x = open([0][0])", "x = open(*[0])",
	"x = open(file=0)", "for i in range(3): open(i)", "a = []\na.append(0)\nopen(a[0])",
	"a = ['x']\nb = a\nb[0] = 0\nopen(a[0])", "a = ['x']\nb = a\nb += [0]\nopen(a[0])",
	"a = ['x']\na.extend([0])\nopen(a[0])", "a = ['x']\na.insert(0, 0)\nopen(a[0])",
	OS "sys.argv[0] = 0\nopen(sys.argv[0])", OS "import mine\nopen(sys.argv[0])",
	"def f(x): open(x)\nf(0)", "def f(x): open(x)\nf('a')\nf(*[0])",
	"def f(x=0): open(x)\nf('a')",
	"def f(x): open(x)\nf('a')\nf(x=0)", "def f(x): open(x)\nf('a')\nf(**{'x': 0})",
	"def f(): return 'a'\nopen(f())", "x = open(b'a'[0])", "x = open(int('0'))",
	OS "x = os.path.exists(0)", OS "x = os.path.isfile(1)", OS "x = os.listdir(0)",
	OS "os.execve(3, [], {})", "import shutil\nshutil.copyfile('a', 0)",
	"import shutil\nshutil.copyfile(0, 'a')", OS "x = shlex.split(None)",
	OS "x = shlex.split(os.environ.get('A'))", OS "x = shlex.split(os.getenv('A', None))",
	"a = ['x']\na[0:] = [0]\nopen(a[0])", "a = ['x']\na[:] = b'a'\nopen(a[0])",
	"x = list(*[b'a'])\nopen(x[0])", "x = sorted(*[b'a'])\nopen(x[0])",
	"import shutil\nshutil.copy('a', 'b')", /* the mode of the first file is not keyed */
	OS "subprocess.call('cat', stdin=5)", OS "subprocess.call('a', stdout=len(''))",
	OS "subprocess.call('a', stderr=True)", OS "subprocess.call('a', stdin=-subprocess.PIPE)",
	OS "n = 7\nsubprocess.Popen('a', stdin=n)", "with 0 as x: open(x)",
	/* and their numbers */
	OS "p = subprocess.Popen('a')\nx = str(p.stdout)",
	OS "x = subprocess.Popen('a').stderr.name",
	PO "p = Popen('a')\np.wait()\nx = str(p.stdout)",
	PO "p = Popen('a')\np.wait()\nx = p.stdout",
	PO "p = Popen('a')\np.wait()\nx = p.stderr.name",
	PO "p = Popen('a')\np.wait()\nx = f'{p.stdout}'",
	PO "def f(p): print(p.stdout, flush=True)\np = Popen('a'); p.wait()\nf(p)",
	OS "p = subprocess.Popen('a')\nx = p.stdout", OS "def f(p): print(p.stdout, flush=True)\n"
	"f(subprocess.Popen('a'))", "import mine\nx = str(mine.f().stdout)",
	/* processes that run at the same time, or while the text does something else */
	PO "Popen('a')",
	PO "p = Popen('a')", PO "p = Popen('a')\nq = Popen('b')\np.wait()\nq.wait()",
	PO "p = Popen('a')\nopen('x', 'w').write('y')\np.wait()", PO "p = q = Popen('a')\np.wait()",
	PO "p = Popen('a', stdout=PIPE)\nx = p.stdout.readline()\np.stdout.close()\np.wait()",
	PO "x = Popen('a', stdout=PIPE).stdout.read()", PO "x = [Popen('a'), Popen('b')]",
	PO "for a in 'bc': p = Popen(a)\np.wait()", PO "for a in 'bc':\n  p = Popen(a)\np.wait()",
	PO "for a in 'bc':\n  p = Popen(a)\n\\\n  p.wait()\n", PO "with Popen('a') as p: p.wait()",
	PO "def f(): return Popen('a')\nf().wait()",
	PO "p = Popen('a')\nx = f(), p.wait()\ndef f(): pass",
	PO "p = Popen('a')\nx = p.wait() if open('b', 'w') else 0",
	PO "p: Popen = Popen('a')\np.wait()",
	PO "p = Popen('a', stdin=PIPE)\np.communicate(open('b').read())",
	PO "p = (Popen('a'), 1)[0]\np.wait()",
	PO "Popen('a', stdin=PIPE).communicate(open('b').read())",
	PO "q = Popen('a', stdin=Popen('b').stdout)",
	PO "p = Popen('a')\nx = p.returncode",
	PO "p = Popen('a')\nx = p.wait", PO "x = Popen('a').wait",
	PO "p = Popen('a')\n{f(): 1}[0], x = p.wait(), 1\ndef f(): pass",
	PO "p = Popen('a')\nq.wait()\nq = 1",
	PO "if 1: p = Popen('a')\np.wait()",
	PO "while Popen('a'): pass", PO "x = Popen('a') if 1 else 0",
	/* variables whose names are made */
	OS "x = os.environ['\\x41']", OS "x = sys.argv[1] in os.environ", OS "x = os.getenv(*'AB')",
	OS "def f(n): return os.getenv(n)\nf('A')", OS "x = os.environ.get('REPRISE_' + 'TRACE')",
	OS "x = os.environ['REPRISE_' 'TRACE']", OS "x = os.environ[f'REPRISE_{1}']",
	OS "for x in ('A', 'B'): os.environ.get(x)", OS "x = os.getenv('REPRISE_TRACE')",
	"x = open(True)", "x = open('a' if 1 else 0)", "x = open(not 'a')",
	"x = open('a', opener=len)",
	"x = 'a'\nx = 0\nopen(x)", "x = y = 0\nopen(x)", "x, y = 'a', 0\nopen(x)",
	"for x in 0, 'a': open(x)", "[open(x) for x in (0, 1)]", "global x\nx = 0\nopen(x)",
	"x: int = 0\nopen(x)", "x = 'a'\nx -= 1\nopen(x)", "with 0 as x: open(x)",
	"open(list(*[[0]])[0])", "open(sorted(*[[0]])[0])", "open([*[0]][0])", "open([[0]][0][0])",
	"x = {}\nx['a'] = 0\nopen(x['a'])", "a = ['x']\na[0], b = 0, 1\nopen(a[0])",
	"a = ['x']\nfor a[0] in (0, 1): open(a[0])", "a = ('x', 0)\nopen(a[1])",
	"from pathlib import Path\nx = Path.read_text(0)", "x = str.upper('a')",
	"from pathlib import Path\nP = Path\nx = P.read_text(0)", "x = str.join('a', 'b')",
	"from pathlib import Path\nP = Path\nx = P.exists(0)",
	"x: int = 0\nopen(x)", "x = 'a'\nx -= 1\nopen(x)",
	/* streams whose buffers depend on the terminal, and times */
	"print('a')", "print('a', file=None)", "print('a', flush=False)", "print('a', flush=1 - 1)",
	OS "print('a', file=sys.stdout)", OS "sys.stdout.write('a')", OS "x = sys.stdout",
	OS "subprocess.call('a', timeout=1)", OS "subprocess.Popen('a').wait(1)",
	OS "subprocess.Popen('a').poll()", OS "subprocess.Popen('a').pid",
	OS "subprocess.Popen('a').communicate(None, 1)", OS "subprocess.call('a', 0, None)",
	OS "subprocess.call('a', preexec_fn=len)", OS "subprocess.call(*sys.argv)",
	OS "subprocess.call('a', **{'timeout': 1})", OS "sys.stderr.fileno()",
	OS "f = subprocess.Popen\nf('a')",
	/* the environment as a whole, and what Reprise sets */
	OS "print(os.environ, flush=True)", OS "x = list(os.environ)", OS "x = os.environ.items()",
	OS "for k in os.environ: pass", OS "x = len(os.environ)", OS "x = str(os.environ)",
	OS "x = [os.environ]", OS "def f(e): pass\nf(os.environ)", OS "def f(): return os.environ",
	OS "subprocess.call(os.environ)", OS "subprocess.call(['a', *os.environ])",
	OS "x = os.environ.get('REPRISE_TRACE')", OS "x = os.environ.get('LD_PRELOAD')",
	OS "x = os.environ.get('_')", OS "x = f'{os.environ}'", OS "x = os.environ == {}",
	OS "x = {'a': os.environ}", OS "e = os.environ\ne = 1", OS "x = os.environ.keys()",
	/* other texts */
	"import mine\nx = mine.f", "import mine\nx = mine.os.getpid()",
	"import mine\nx = mine._f()",
	"import mine\nprint(mine, flush=True)", "from mine import f\nx = f", "from mine import *",
	"from mine import Popen\nx = Popen('a')", "import mine\nx = mine.environ('a')",
	"import mine\nx = str(mine.listdir('.'))", "from mine import _x",
	"import mine\nmine.X()", "from mine import Popen",
	/* forms of texts */
	"x = 'a", "x = \"\"\"a", "x = 1if id(1) else 2", "x = \xc3\xa9", "\xef\xbb\xbfx = 1",
	"# a\rx = id(1)", "# coding: utf-7\nx = 1", "# vim: fileencoding=rot13\nx = 1", "x = $",
	"# coding coding: utf-7\nx = 1", "# coding: utf-8 coding=utf-7\nx = 1",
	"x = ?", "x = `a`", "print 'a'", "match 1:\n case 1: pass", "x = 1 y = 2", "if 1 x = 1",
	"((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))",
	"x = undefined",
};

Test(python_text, refuses)
{
	struct found f;
	char why[256];

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		read_text(refused[i], 0, &f, why, sizeof why);
		cr_expect_str_not_empty(why, "is read: %s", refused[i]);
	}
}

Test(python_text, imported)
{
	/* Other texts take these names for values. */
	static const char *const constants[] = {"def F(): pass", "import os as OS", "X = {1, 2}",
	                                        OS "ENV = os.environ"};
	struct found f;
	char why[256];

	/* The calls of the function are not seen if the text is imported. */
	read_text("def f(x): open(x)\nf('a')\n", 0, &f, why, sizeof why);
	cr_expect_str_empty(why, "%s", why);
	for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
		read_text(constants[i], 0, &f, why, sizeof why);
		cr_expect_str_empty(why, "%s: %s", constants[i], why);
		read_text(constants[i], 1, &f, why, sizeof why);
		cr_expect_str_not_empty(why, "is read: %s", constants[i]);
	}
	/* The importing text may have changed the list. */
	read_text("import sys\nopen(sys.argv[1])\n", 1, &f, why, sizeof why);
	cr_expect_str_not_empty(why);
	read_text("def f(x): open(x)\nf('a')\n", 1, &f, why, sizeof why);
	cr_expect_str_not_empty(why);
	/* Importing texts may change its lists, and know a function by its name alone. */
	read_text("A = ['x']\ndef f(): return open(A[0])\n", 0, &f, why, sizeof why);
	cr_expect_str_empty(why, "%s", why);
	read_text("A = ['x']\ndef f(): return open(A[0])\n", 1, &f, why, sizeof why);
	cr_expect_str_not_empty(why);
	read_text("from os import listdir as names\n", 0, &f, why, sizeof why);
	cr_expect_str_empty(why, "%s", why);
	read_text("from os import listdir as names\n", 1, &f, why, sizeof why);
	cr_expect_str_not_empty(why);
	read_text("def f(p): return str(p.stdout)\n", 1, &f, why, sizeof why);
	cr_expect_str_not_empty(why);
	read_text("FLAGS = ['-g']\ndef f(x): return [x] + FLAGS\n", 1, &f, why, sizeof why);
	cr_expect_str_empty(why, "%s", why);
}

Test(python_text, says_what_and_where)
{
	static const struct { const char *text, *why; } rows[] = {
		{"import os\n\nx = os.getpid()\n", "getpid (line 3)"},
		{"print('a')\n", "print without flush=True (line 1)"},
		{"x = 1\ny = [{1, 2}]\n", "a set as a value (line 2)"},
		{"import os\nfor x in os.environ: pass\n", "the environment as a value (line 2)"},
	};
	struct found f;
	char why[256];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		read_text(rows[i].text, 0, &f, why, sizeof why);
		cr_expect(strstr(why, rows[i].why), "%s: %s", rows[i].text, why);
	}
}
