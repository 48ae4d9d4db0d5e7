"""Rows about starts in random directories: how many compiles ran in the first start with a store,
in the second, and so on. mkdtemp makes a new directory for each start. The counts come from the
log. The frameworks' directories are random too, and their unit classes are off."""

import os
import random
import re
import shutil
import string
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
DEMO = os.path.join(os.path.dirname(HERE), "scripts", "demo.d")
STARTS, SERIES = 5, 4
C = "#include <stdio.h>\nint a(int x) { return printf(\"%d\", x); }\n"
CXX = ("#include <vector>\n#include <map>\n"
       "int a(std::map<int, std::vector<int>> &m) { return m[1].size(); }\n")
EXTENSION = "#include <torch/extension.h>\nPYBIND11_MODULE(e, m) { m.attr(\"one\") = 1; }\n"
LOAD = ("import sys; from torch.utils.cpp_extension import load; "
        "load(name='e', sources=[sys.argv[1]], build_directory=sys.argv[2])")
SETUP = ("from setuptools import Extension, setup\n"
         "setup(name='p', version='1', ext_modules=[Extension('p', ['p.c'])])\n")
MODULE = ("#include <Python.h>\nstatic struct PyModuleDef m = {PyModuleDef_HEAD_INIT, \"p\"};\n"
          "PyMODINIT_FUNC PyInit_p(void) { return PyModule_Create(&m); }\n")
# pip unpacks the archive in a directory of mkdtemp's below TMPDIR.
PIP = ('cd "$0"; tar -czf p-1.tar.gz p; exec "$1" -m pip wheel --no-index --no-deps '
       '--no-build-isolation --no-cache-dir -w out ./p-1.tar.gz')
# The base names of tools that count as a compile. If a driver's compiler is an action too, the
# driver does not count again. pip asks rustc for its version.
COMPILERS = re.compile(r" info (?!rustc)(\S+): (hit|miss)\b")
KINDS = {"c": ("gcc -O2 -c", {"a.c": C}, ["gcc", "-O2", "-c", "{at}/a.c", "-o", "{at}/a.o"]),
         "c-debug": ("gcc -g -O2 -c", {"a.c": C},
                     ["gcc", "-g", "-O2", "-c", "{at}/a.c", "-o", "{at}/a.o"]),
         "shared-debug": ("g++ -g1 -O2 -shared, one command", {"a.cc": CXX},
                          ["g++", "-g1", "-O2", "-shared", "-fPIC", "{at}/a.cc", "-o",
                           "{at}/a.so"]),
         "cuda": ("nvcc -c, machine code", {"a.cu": "__global__ void k(int *p) { *p = 1; }\n"},
                  ["nvcc", "-gencode", "arch=compute_80,code=sm_80", "-c", "{at}/a.cu", "-o",
                   "{at}/a.o"]),
         "train": ("Inductor: the demonstration's training step", {},
                   ["{python}", os.path.join(DEMO, "train.py")]),
         "aot": ("AOTInductor: its export", {},
                 ["{python}", os.path.join(DEMO, "aot.py"), "{at}/inductor/model.pt2"]),
         "extension": ("torch.utils.cpp_extension.load", {"e.cpp": EXTENSION},
                       ["{python}", "-c", LOAD, "{at}/e.cpp", "{at}/inductor"]),
         "pip": ("pip wheel, of a source archive with an extension",
                 {"p/setup.py": SETUP, "p/p.c": MODULE},
                 ["sh", "-ec", PIP, "{at}", "{python}"]),}


def made(files):
    """Makes a directory with a name as tempfile gives it."""
    at = "/tmp/tmp" + "".join(random.choice(string.ascii_lowercase + string.digits + "_")
                              for _ in range(8))
    os.makedirs(at, mode=0o700)
    for name in "inductor", "triton", "tmp":
        os.mkdir(os.path.join(at, name))
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(at, name)), exist_ok=True)
        with open(os.path.join(at, name), "w") as out:
            out.write(text)
    return at


def ran(log):
    """Returns how many compiles ran: the misses, less those of drivers whose compiler was looked up
    as a step."""
    seen = []
    if os.path.exists(log):
        seen = [m.groups() for m in map(COMPILERS.search, open(log)) if m]
    steps = sum(tool.startswith("cc1") for tool, _ in seen)
    return sum(what == "miss" for _, what in seen) - steps


def series(b, kind):
    what, files, command = KINDS[kind]
    store, tmp, counts = b.directory(f"starts-{kind}"), b.directory(f"starts-{kind}-tmp"), []
    for number in range(STARTS):
        at, log = made(files), os.path.join(b.WORK, f"starts-{kind}-{number}.log")
        if os.path.exists(log):
            os.unlink(log)
        try:
            argv = [word.format(at=at, python=b.PYTHON) for word in command]
            subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env=b.reprise_env(store, REPRISE_LOG=log, REPRISE_LOG_LEVEL="info",
                                             REPRISE_CLASSES="none",
                                             TORCHINDUCTOR_CACHE_DIR=at + "/inductor",
                                             TRITON_CACHE_DIR=at + "/triton", TMPDIR=tmp,
                                             CCACHE_DISABLE="1",  # torch starts one of the PATH
                                             CUDA_VISIBLE_DEVICES="", PYTHONWARNINGS="ignore"))
            counts.append(ran(log))
        finally:
            shutil.rmtree(at)
    return counts


def row_of(b, kind):
    what, _, command = KINDS[kind]
    if ("{python}" in command and not b.PYTHON) or (command[0] == "nvcc"
                                                       and not shutil.which("nvcc")):
        return None
    found = [series(b, kind) for _ in range(b.count(8 * SERIES) if b.options.quick else SERIES)]
    if not all(counts[0] for counts in found):
        raise SystemExit("bench: the first start compiled nothing")
    first = [next((i + 1 for i, n in enumerate(counts) if n < counts[0]), STARTS + 1)
             for counts in found]
    return b.Row(f"{what}, each start in a directory of mkdtemp's: the first start that compiles "
                 f"less", "2", f"{sum(first) / len(first):.1f}",
                 "compiles that ran, start by start: " +
                 "; ".join(", ".join(map(str, counts)) for counts in found))


def add_rows(b):
    for kind in KINDS:
        b.row(f"starts-{kind}")(lambda kind=kind: row_of(b, kind))
