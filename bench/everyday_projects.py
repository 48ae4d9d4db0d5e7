"""Projects that bench/everyday.py builds: how each is unpacked, configured and built.

A project has an emptied build directory for each way to build it (class Way). It is made once, by
configuring without any cache, and copied before each build, so that only compiles are measured."""

import dataclasses
import os
import re
import shutil
import subprocess

from run import find_python, plain_env, which

JOBS = str(os.cpu_count())
PYTHON = find_python()
TEXTS = (".c", ".cc", ".cpp", ".h", ".hpp")
VERSION = "\n/* end of the file, version %d */\n"


@dataclasses.dataclass(frozen=True)
class Way:
    """launcher: words before the compiler. renamed: objects have other names."""
    at: str
    flags: str = ""
    directory: str = "build"
    renamed: bool = False
    launcher: str = ""

    def build(self):
        return os.path.join(self.at, self.directory)

    def compiler(self, name):
        return f"{self.launcher} {name}".strip()


class Missing(Exception):
    """The project cannot be built here; the text says why."""


def called(argv, cwd, **more):
    done = subprocess.run(argv, cwd=cwd, env=plain_env() | more, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Missing(f"{os.path.basename(argv[0])}: {done.stdout.strip()[-300:]}")
    return done.stdout


def other_names(directory, compiled):
    """Gives objects another name in all texts of a build directory: x_a.o for a.o."""
    for at, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(at, name)
            try:
                text = open(path).read()
            except UnicodeDecodeError:
                continue
            new = re.sub(rf"\b([\w-]+{compiled})(\.l?o)\b", r"x_\1\2", text)
            if new != text:
                times = os.stat(path)
                with open(path, "w") as out:
                    out.write(new)
                os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


class Project:
    """headers: the two that a branch edits. compiled: the ending before an object's ".o"."""
    name, headers, compiled, needs, named = "", (), "", (), True

    def __init__(self, path):
        self.path = path

    def check(self):
        if not self.path or not os.path.exists(self.path):
            raise Missing("no source was given" if not self.path else "its source is not there")
        for tool in self.needs:
            if not shutil.which(tool):
                raise Missing(f"no {tool}")

    def unpack(self, at):
        """Makes a checkout, with a comment at the end of each text."""
        os.makedirs(at)
        if os.path.isfile(self.path):
            called(["tar", "xf", self.path, "-C", at, "--strip-components=1"], at)
        elif os.path.isdir(os.path.join(self.path, "objects")):
            called(["sh", "-c", 'git --git-dir="$1" archive HEAD | tar x', "sh", self.path], at)
        else:
            shutil.copytree(self.path, at, symlinks=True, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns(".git", "build"))
        for path in self.texts(at):
            with open(path, "ab") as out:
                out.write((VERSION % 1).encode())

    def version(self):
        if os.path.isfile(self.path):
            return os.path.basename(self.path)
        git = self.path if os.path.isdir(os.path.join(self.path, "objects")) else os.path.join(
            self.path, ".git")
        try:
            return called(["git", f"--git-dir={git}", "rev-parse", "--short=12", "HEAD"],
                          "/").strip()
        except Missing:
            return "of no known version"

    def texts(self, at):
        for where, directories, names in os.walk(at):
            directories.sort()
            yield from (os.path.join(where, n) for n in sorted(names) if n.endswith(TEXTS))

    def sources(self, at):
        return [path for path in self.texts(at) if not path.endswith((".h", ".hpp"))]

    def configure(self, way):
        """Fills way.build(), which is empty."""

    def command(self, way):
        """Returns the build's argv, its directory and the variables it needs."""
        raise NotImplementedError

    def rename(self, way):
        other_names(way.build(), self.compiled)


class Zlib(Project):
    name, headers, needs = "zlib", ("zutil.h", "deflate.h"), ("make",)

    def configure(self, way):
        called(["sh", "../configure"], way.build(), CC="gcc", CFLAGS=f"-O3 {way.flags}".strip())

    def command(self, way):
        return [which("make"), "-j", JOBS, f"CC={way.compiler('gcc')}"], way.build(), {}


class Lua(Project):
    name, headers, needs = "lua", ("lobject.h", "lstate.h"), ("make",)

    def configure(self, way):
        shutil.copy(os.path.join(way.at, "makefile"), way.build())

    def rename(self, way):
        super().rename(way)
        with open(os.path.join(way.build(), "makefile"), "a") as out:
            out.write("\nx_%.o: %.c\n\t$(CC) $(CFLAGS) -c -o $@ $<\n")

    def command(self, way):
        return [which("make"), "-j", JOBS, f"CC={way.compiler('gcc')}", "VPATH=..",
                f"MYCFLAGS=-std=c99 -DLUA_USE_LINUX {way.flags}".strip()], way.build(), {}


class CMake(Project):
    generator, options, top, compiled = "Ninja", (), ".", r"\.cc"
    needs = ("cmake", "ninja")

    def configure(self, way):
        launcher = [f"-DCMAKE_{language}_COMPILER_LAUNCHER={way.launcher}"
                    for language in ("C", "CXX") if way.launcher]
        called([which("cmake"), "-G", self.generator, "-S", os.path.join(way.at, self.top), "-B",
                way.build(), f"-DCMAKE_CXX_FLAGS={way.flags}", f"-DCMAKE_C_FLAGS={way.flags}",
                *launcher, *self.options], way.at)

    def command(self, way):
        return [which("cmake"), "--build", way.build(), "-j", JOBS], way.at, {}


class Fmt(CMake):
    name, headers = "fmt", ("include/fmt/format.h", "include/fmt/os.h")
    generator, needs = "Unix Makefiles", ("cmake", "make")
    options = ("-DFMT_TEST=OFF", "-DFMT_DOC=OFF")


class Ninja(CMake):
    name, top = "ninja", "ninja-upstream"
    headers = ("ninja-upstream/src/util.h", "ninja-upstream/src/graph.h")
    options = ("-DBUILD_TESTING=OFF",)

    def unpack(self, at):
        """Takes PyPI's archive, and ninja's own tree as well."""
        super().unpack(at)
        upstream = os.path.join(at, self.top)
        if not os.path.isdir(upstream):
            os.rename(at, at + ".own")
            os.makedirs(at)
            os.rename(at + ".own", upstream)


class Ujson(Project):
    """setup.py asks setuptools_scm for the version alone, which a module of one function gives
    where it is not installed."""
    name, headers = "ujson", ("src/ujson/ujson.h", "src/ujson/ultrajson.h")

    def check(self):
        super().check()
        try:
            called([PYTHON or "python3", "-c", "import setuptools"], "/")
        except (Missing, OSError):
            raise Missing("no Python with setuptools") from None

    def unpack(self, at):
        super().unpack(at)
        with open(os.path.join(at, "setuptools_scm.py"), "w") as out:
            out.write("def get_version(**_):\n    return '1.0'\n")

    def rename(self, way):
        pass

    def command(self, way):
        objects = os.path.join(way.directory, "names" if way.renamed else "objects")
        python = which(PYTHON or "python3")
        # Python's own flags may hold -g; the last one of its kind counts.
        flags = way.flags if "-g" in way.flags.split() else f"-g0 {way.flags}".strip()
        return [python, "setup.py", "build_ext", "--build-temp", objects, "--build-lib",
                os.path.join(way.directory, "library")], way.at, {
                    "CC": way.compiler("gcc"), "CXX": way.compiler("g++"), "CFLAGS": flags,
                    "CXXFLAGS": flags, "PYTHONPATH": way.at,
                    "PYTHONDONTWRITEBYTECODE": "1"}


LOAD = """import sys
from torch.utils.cpp_extension import load
directory, flags, *sources = sys.argv[1:]
load('everyday', sources, extra_cflags=flags.split(), build_directory=directory)
"""
TORCH = {
    "scale.h": "#pragma once\n#include <vector>\nstd::vector<float> scales(int n);\n",
    "count.h": "#pragma once\n#define EVERYDAY_COUNT 3\n",
    "scale.cpp": '#include "scale.h"\n#include "count.h"\n'
                 "std::vector<float> scales(int n)\n{\n"
                 "\treturn std::vector<float>(n * EVERYDAY_COUNT, 0.5f);\n}\n",
    "extension.cpp": '#include <torch/extension.h>\n#include "scale.h"\n'
                     "torch::Tensor scaled(torch::Tensor t)\n{\n"
                     "\treturn t * scales(1)[0];\n}\n"
                     "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)\n{\n"
                     '\tm.def("scaled", &scaled);\n}\n',
}


class Torch(Project):
    """load() names objects after sources, so nothing is renamed. By itself it would start a ccache
    of the PATH in each way, also in the plain one. Its compiler is one word: a launcher gets a
    script."""
    name, headers, needs, named = "torch extension", ("scale.h", "count.h"), ("ninja",), False

    def check(self):
        if not PYTHON:
            raise Missing("no Python with torch")
        self.path = os.path.abspath(__file__)
        super().check()

    def version(self):
        return "torch " + called([PYTHON, "-c", "import torch; print(torch.__version__)"],
                                 "/").strip()

    def unpack(self, at):
        os.makedirs(at)
        for name, text in TORCH.items():
            with open(os.path.join(at, name), "w") as out:
                out.write(text + VERSION % 1)

    def compiler(self, way):
        if not way.launcher:
            return "g++"
        path = os.path.join(way.at, "compiler")
        with open(path, "w") as out:
            out.write(f'#!/bin/sh\nexec {way.compiler("g++")} "$@"\n')
        os.chmod(path, 0o755)
        return path

    def command(self, way):
        return [PYTHON, "-c", LOAD, way.build(), way.flags,
                *(os.path.join(way.at, name) for name in TORCH if name.endswith(".cpp"))
                ], way.at, {"CXX": self.compiler(way), "TORCH_DONT_CHECK_COMPILER_ABI": "1",
                            "TORCH_NO_COMPILER_WRAPPER": "1", "MAX_JOBS": JOBS}


PROJECTS = {p.name: p for p in (Zlib, Lua, Fmt, Ujson, Ninja, Torch)}
