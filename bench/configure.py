"""bench/configure.py [--rounds N] NAME=PATH...: wall time of configuring under Reprise to plain.

hello (GNU's, an archive) runs its configure script, fmt (a directory) CMake: again in the same
emptied directory, and in a directory of another name. The store is filled by one run in the first
directory; the other directories are new in each round. Plain and the two ways are run in turn."""

import argparse
import itertools
import os
import shutil
import subprocess
import time

import run
from harness import Variant, median, ratios, rounds, spread

WORK = os.path.join(run.WORK, "configure")
# As in bench/everyday.py.
AGE_S = 2.1
NUMBER = itertools.count()


def emptied(name):
    path = os.path.join(WORK, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def argv_of(name, source):
    if name == "hello":
        return [run.which("sh"), os.path.join(source, "configure"), "-q"]
    return [run.which("cmake"), "-S", source, "-B", ".", "-DCMAKE_BUILD_TYPE=Release"]


def unpacked(name, path):
    source = emptied(f"{name}-source")
    if os.path.isdir(path):
        shutil.copytree(path, source, symlinks=True, dirs_exist_ok=True)
    else:
        subprocess.run(["tar", "xf", path, "-C", source, "--strip-components=1"], check=True)
    return source


def measure(name, path, count):
    argv = argv_of(name, unpacked(name, path))
    env = run.plain_env() | {"LD_PRELOAD": run.LIBRARY, "REPRISE_CACHE_DIR": emptied("cache"),
                             "REPRISE_RUNTIME_DIR": emptied("runtime")}
    same = os.path.join(WORK, "build")

    def variant(title, env, other):
        v = Variant(title, argv, env, cwd=same)

        def before(_):
            emptied("build")
            v.cwd = emptied(f"build-{next(NUMBER)}") if other else same

        v.before = before
        return v

    time.sleep(AGE_S)
    plain = variant("plain", run.plain_env(), False)
    again = variant("again", env, False)
    rounds([again], 1, warm=0)
    time.sleep(AGE_S)
    figures = rounds([plain, again, variant("another directory", env, True)], count, warm=0)
    for title, figure in zip(("again", "another directory"), figures[1:]):
        v = ratios(figure, figures[0])
        print(f"{name}: {title}: {median(v):.2f} of plain ({spread(v)}; {count} rounds)")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("project", nargs="+", metavar="NAME=PATH")
    wish = parser.parse_args()
    for project in wish.project:
        name, _, path = project.partition("=")
        if name not in ("hello", "fmt") or not os.path.exists(path):
            parser.error(f"{project}: not hello=ARCHIVE or fmt=DIRECTORY")
        measure(name, path, wish.rounds)


if __name__ == "__main__":
    main()
