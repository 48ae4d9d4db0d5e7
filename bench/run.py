"""Measures the bars, prints them, and writes bench/results/<date>-<machine>.md."""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys

import ahead
import ending
import events
import hosts
import nvcc
import nvrtc
import peers
import ptxas
import remote
import report
import tileiras
import units
from harness import CPU, Variant, median, milliseconds, ratios, rounds, spread

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
WORK = os.path.join(ROOT, "build", "bench")
LIBRARY = os.path.join(ROOT, "build", "libreprise.so")
COMMAND = os.path.join(ROOT, "build", "reprise")
RUNTIME = f"/dev/shm/reprise-bench-{os.getpid()}"
ROWS = {}
PYTHON = None
options = None


def row(name):
    def keep(function):
        ROWS[name] = function
        return function

    return keep


class Row:
    def __init__(self, what, bar, figure, detail, spread_text=""):
        self.what, self.bar, self.figure = what, bar, figure
        self.detail, self.spread = detail, spread_text


def directory(name):
    path = os.path.join(WORK, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path, mode=0o700)
    return path


def plain_env():
    env = {k: v for k, v in os.environ.items() if not k.startswith(("REPRISE_", "CCACHE_"))}
    env.pop("LD_PRELOAD", None)
    return env


def reprise_env(store, **more):
    return dict(plain_env(), LD_PRELOAD=LIBRARY, REPRISE_CACHE_DIR=store,
                REPRISE_RUNTIME_DIR=RUNTIME, **more)


def ccache_env(store, **more):
    return dict(plain_env(), CCACHE_DIR=store, **more)


def stats(store):
    done = subprocess.run([COMMAND, "stats", "--json"], stdout=subprocess.PIPE, check=True,
                          env=dict(plain_env(), REPRISE_CACHE_DIR=store,
                                   REPRISE_RUNTIME_DIR=RUNTIME))
    return json.loads(done.stdout)


def expect_hits(store, least):
    """Ends the run if a row of hits measured misses: its figure would be worth nothing."""
    hits = stats(store)["hits_local"]
    if hits < least:
        raise SystemExit(f"bench: {hits} hits, {least} expected: reprise explain says why")


def copy(name, to):
    path = os.path.join(to, name)
    shutil.copy(os.path.join(HERE, name), path)
    return path


def helper(name, *flags):
    out = os.path.join(WORK, name.replace(".c", ".so" if "-shared" in flags else ""))
    subprocess.run(["gcc", "-O2", "-o", out, os.path.join(HERE, name), *flags], check=True)
    return out


def which(name):
    path = shutil.which(name)
    if not path:
        raise SystemExit(f"bench: no {name}")
    return path


def count(number):
    return max(3, number // 8) if options.quick else number


# --- hits ---------------------------------------------------------------------------------------


@row("gcc-hit")
def gcc_hit():
    at = directory("gcc-hit")
    source = copy("small.c", at)
    store, peer = directory("gcc-hit-store"), directory("gcc-hit-ccache")
    command = ["-O2", "-c", source, "-o", os.path.join(at, "small.o")]
    n = count(200)
    theirs, ours, plain = rounds([
        Variant("ccache", [which("ccache"), which("gcc"), *command], ccache_env(peer), cwd=at),
        Variant("Reprise", [which("gcc"), *command], reprise_env(store), cwd=at),
        Variant("plain", [which("gcc"), *command], plain_env(), cwd=at)], n, warm=4)
    expect_hits(store, n)
    r = ratios(ours, theirs)
    return Row("hit, small gcc -c: Reprise / ccache", "0.5", f"{median(r):.2f}",
               f"{milliseconds(ours)} / {milliseconds(theirs)}, no cache {milliseconds(plain)}",
               spread(r))


def torch_paths():
    if not PYTHON:
        return None
    script = ("import sysconfig, importlib.util, os; print(sysconfig.get_paths()['include']); "
              "print(os.path.dirname(importlib.util.find_spec('torch').origin))")
    out = subprocess.run([PYTHON, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    return out.stdout.split("\n")[:2]


def kernel_command(at):
    """Returns the options with which Inductor calls g++ for one kernel, without its precompiled
    header."""
    include, torch = torch_paths()
    return ["-std=c++17", "-O3", "-DNDEBUG", "-march=native", "-fPIC", "-fopenmp", "-ffast-math",
            "-DCPU_CAPABILITY=AVX2", "-DCPU_CAPABILITY_AVX2", "-mavx2", "-mfma", "-mf16c",
            f"-I{include}", f"-I{torch}/include", f"-I{torch}/include/torch/csrc/api/include",
            "-MD", "-MF", os.path.join(at, "kernel.d"), "-c", os.path.join(at, "kernel.cpp"), "-o",
            os.path.join(at, "kernel.o")]


@row("gxx-hit")
def gxx_hit():
    if not PYTHON:
        return None
    at = directory("gxx-hit")
    copy("kernel.cpp", at)
    store, peer = directory("gxx-hit-store"), directory("gxx-hit-ccache")
    command = kernel_command(at)
    n = count(60)
    theirs, ours = rounds([
        Variant("ccache", [which("ccache"), which("g++"), *command],
                ccache_env(peer, CCACHE_DEPEND="1", CCACHE_INODECACHE="1"), cwd=at),
        Variant("Reprise", [which("g++"), *command], reprise_env(store), cwd=at)], n, warm=4)
    expect_hits(store, n)
    headers = len(open(os.path.join(at, "kernel.d")).read().replace("\\\n", " ").split()) - 2
    r = ratios(ours, theirs)
    return Row(f"hit, g++ -c of a torch kernel, {headers} headers: Reprise / ccache (depend mode, "
               f"inode cache)", "1.0", f"{median(r):.2f}",
               f"{milliseconds(ours)} / {milliseconds(theirs)}", spread(r))


peers.add_rows(sys.modules[__name__])
ptxas.add_rows(sys.modules[__name__])
tileiras.add_rows(sys.modules[__name__])
events.add_rows(sys.modules[__name__])


# --- misses -------------------------------------------------------------------------------------


def miss(name, source, compiler, command, n, what, bar):
    """A row of misses: every round compiles a new text. Both variants get the same bytes, with a
    new declaration each time."""
    at, store = os.path.dirname(source), directory(name + "-store")
    text = open(source).read()

    def edit(number):
        with open(source, "w") as out:
            out.write(f"{text}\nextern int round_{number};\n")

    ours, plain = rounds([
        Variant("Reprise", [which(compiler), *command], reprise_env(store), before=edit, cwd=at),
        Variant("plain", [which(compiler), *command], plain_env(), before=edit, cwd=at)], n)
    seen = stats(store)
    if seen["misses"] < n or seen["unstored"] > n // 4:
        raise SystemExit(f"bench: {name}: {seen['misses']} misses, {seen['unstored']} unstored in "
                         f"{n} rounds")
    r = ratios(ours, plain, CPU)
    wall = median(ratios(ours, plain))
    return Row(what, bar, f"{median(r):.3f}", f"CPU {milliseconds(ours, CPU)} / "
                                              f"{milliseconds(plain, CPU)}, wall ratio {wall:.3f}",
               spread(r))


@row("gcc-miss")
def gcc_miss():
    at = directory("gcc-miss")
    source = copy("small.c", at)
    return miss("gcc-miss", source, "gcc", ["-O2", "-c", source, "-o", os.path.join(at, "small.o")],
                count(100), "miss, small gcc -c: Reprise / no cache, CPU", "1.15")


@row("gxx-miss")
def gxx_miss():
    if not PYTHON:
        return None
    at = directory("gxx-miss")
    source = copy("kernel.cpp", at)
    return miss("gxx-miss", source, "g++", kernel_command(at), count(12),
                "miss, heavy g++ -c: Reprise / no cache, CPU", "1.02")


# --- hosts --------------------------------------------------------------------------------------

hosts.add_rows(sys.modules[__name__])


# --- together -----------------------------------------------------------------------------------


@row("flight")
def flight():
    at, store = directory("flight"), directory("flight-store")
    source = os.path.join(at, "heavy.cpp")
    with open(source, "w") as out:
        out.write("#include <algorithm>\n#include <functional>\n#include <iostream>\n#include "
                  "<map>\n#include <regex>\n" "int main(int, char **v) { return "
                                              "std::regex_match(v[0], std::regex(\".*x\")); }\n")
    command = [which("g++"), "-O2", "-c", source, "-o"]
    alone, = rounds([Variant("one", [*command, os.path.join(at, "one.o")], plain_env(), cwd=at)], 3,
                    warm=1)
    start = datetime.datetime.now()
    running = [subprocess.Popen([*command, os.path.join(at, "out.o")], env=reprise_env(store),
                                cwd=at) for _ in range(8)]
    if any(p.wait() for p in running):
        raise SystemExit("bench: flight: a compile failed")
    wall = (datetime.datetime.now() - start).total_seconds()
    seen = stats(store)
    one = median([f[0] for f in alone])
    return Row("8 identical compiles at once: compiles that ran", "1", str(seen["misses"]),
               f"{wall:.2f} s, one alone without Reprise {one:.2f} s: ratio {wall / one:.2f}; "
               f"{seen['hits_local']} hits")


# --- torch --------------------------------------------------------------------------------------


def demo(job):
    """Returns the seconds of one round of the demonstration, by run: only compilers are replayed,
    and no caches of frameworks are carried."""
    out = os.path.join(WORK, "demo.json")
    done = subprocess.run([PYTHON, os.path.join(ROOT, "scripts", "demo.d", "run.py"), "--no-count",
                           "--job", job, "--json", out, "--classes", "none"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=plain_env())
    if done.returncode:
        raise SystemExit(f"bench: scripts/demo.d/run.py --job {job} failed")
    (runs,) = json.load(open(out)).values()
    return {what: figures["seconds"] for what, figures, _ in runs}


@row("torch")
def torch():
    if not PYTHON:
        return None
    runs = [demo("train") for _ in range(count(24) if options.quick else 5)]
    r = [x["Reprise, warm store"] / x["plain"] for x in runs]
    cold = median([x["Reprise, empty store"] / x["plain"] for x in runs])
    return Row("torch job of the demo, framework directories emptied, first step: "
               "Reprise warm / plain cold", "0.22",
               f"{median(r):.2f}",
               f"{median([x['Reprise, warm store'] for x in runs]):.2f} s / "
               f"{median([x['plain'] for x in runs]):.2f} s; "
               f"with an empty store {cold:.2f}", spread(r))


@row("aot")
def aot():
    if not PYTHON:
        return None
    runs = [demo("aot") for _ in range(3)]
    r = [x["Reprise, again"] / x["plain, again"] for x in runs]
    return Row("AOTInductor export again in the same directory: with / without Reprise", "0.5",
               f"{median(r):.2f}", f"{median([x['Reprise, again'] for x in runs]):.2f} s / "
                                   f"{median([x['plain, again'] for x in runs]):.2f} s", spread(r))


# --- remote -------------------------------------------------------------------------------------

remote.add_rows(sys.modules[__name__])


# --- the end of a job ---------------------------------------------------------------------------

ending.add_rows(sys.modules[__name__])


# --- frameworks' directories --------------------------------------------------------------------

units.add_rows(sys.modules[__name__])
ahead.add_rows(sys.modules[__name__])


# --- nvcc ---------------------------------------------------------------------------------------

nvcc.add_rows(sys.modules[__name__])


# --- compilers inside the process ---------------------------------------------------------------

nvrtc.add_rows(sys.modules[__name__])


def find_python():
    found = subprocess.run(["sh", os.path.join(ROOT, "scripts", "torch-python.sh")],
                           stdout=subprocess.PIPE, text=True)
    return found.stdout.strip() or None


def main():
    global options, PYTHON
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=list(ROWS), help="only this row")
    parser.add_argument("--quick", action="store_true", help="few rounds: to see that it works")
    parser.add_argument("--pairs", type=int, default=10,
                        help="starts of each kind in the rows of units (10)")
    parser.add_argument("--no-write", action="store_true", help="print, keep no file")
    options = parser.parse_args()
    for needed in (LIBRARY, COMMAND):
        if not os.path.exists(needed):
            raise SystemExit(f"bench: {needed} is not built: make")
    os.makedirs(WORK, exist_ok=True)
    PYTHON = find_python()
    if not PYTHON:
        print("bench: no Python with torch and Triton: rows that need them are left out",
              file=sys.stderr)
    cpu, described = report.machine(WORK, PYTHON)
    rows = []
    failed = 0
    for name in options.only or ROWS:
        print(f"bench: {name}", file=sys.stderr)
        try:
            result = ROWS[name]()
        except SystemExit as error:
            print(error, file=sys.stderr)
            failed = 1
            continue
        finally:
            shutil.rmtree(RUNTIME, ignore_errors=True)
            os.chdir(ROOT)
        for r in result if isinstance(result, list) else [result] if result else []:
            rows.append((name, r))
            print(f"{r.figure:>10}  (bar {r.bar})  {r.what}: {r.detail}")
    text = report.table(rows, described)
    if not options.no_write and not options.only and not options.quick:
        slug = re.sub(r"[^a-z0-9]+", "-", f"{cpu} {os.cpu_count()} cores".lower()).strip("-")
        path = os.path.join(HERE, "results", f"{datetime.date.today().isoformat()}-{slug}.md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        report.into_readme(os.path.join(HERE, "README.md"), rows)
        print(f"bench: {os.path.relpath(path, ROOT)}, and bench/README.md")
    else:
        print("\n" + text)
    sys.exit(failed)


if __name__ == "__main__":
    main()
