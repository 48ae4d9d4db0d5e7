#!/usr/bin/env python3
"""bench/cold.py [--rounds N] [--object FILE] [--only NAME]... [--cores N] - what Reprise costs
where it finds nothing.

Each row starts plain and under Reprise in turns, with an empty store each time, and prints the
medians of the ratios of wall times and of processor times, all child processes with them. Bars:
1.05 for starts at once, 1.03 for the project. The starts at once are as many as --starts; each row
says how many compiles ran and how often a start waited.

  headers    one source with another config.h in each directory
  mkdtemp    one source with __FILE__ in directories of mkdtemp's, linked as Triton's launchers are
  clang-g    clang -g in directories of its own
  dwarf-4    gcc -gdwarf-4, the same
  warnings   gcc -Wall that warns, with names of other lengths
  failing    a source that does not compile
  failing-clang  the same by clang, whose failures are not stored
  stopped    one start is stopped by SIGSTOP, and the others need the same
  same       identical starts: 1 compile
  outputs    the same under other output names: 1 compile
  project    300 C++ files by CMake or a makefile, on all cores
  train      a training job of torch.compile on the CPU, all caches empty
  aot        an export by AOTInductor, the same

The last two need a Python with torch: PYTHON, or build/venv's. Their bar is 1.02.

The runtime directory lies where Reprise puts it: on a tmpfs where there is one. What a start leaves
is removed after the last one. Otherwise ext4 would pass over each removed file, for a minute, when
it makes a new one beside it, and the row would measure that.
"""
import argparse
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(HERE), "build")
p = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter,
                            description=__doc__)
p.add_argument("--rounds", type=int, default=5)
p.add_argument("--starts", type=int, default=16)
p.add_argument("--files", type=int, default=300)
p.add_argument("--cores", type=int, help="use so many cores of this machine")
p.add_argument("--object", default=os.path.join(BUILD, "libreprise.so"))
p.add_argument("--only", action="append")
a = p.parse_args()
if a.cores:
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:a.cores]))
reprise = os.path.join(os.path.dirname(os.path.abspath(a.object)), "reprise")
root = tempfile.mkdtemp(prefix="cold-", dir="/var/tmp")
shm = os.access("/dev/shm", os.W_OK)
runtime = tempfile.mkdtemp(prefix="cold-", dir="/dev/shm") if shm else root

BODY = "".join("double f%d(double *a, int n) { double s = 0; for (int i = 0; i < n; i++) "
               "for (int j = 0; j < n; j++) s += sin(a[i] * V * %d) * cos(a[j]); return s; }\n"
               % (i, i) for i in range(40))
SOURCE = "#include <math.h>\n#ifndef V\n#define V 1\n#endif\n" + BODY
# Directories, the source, and the command of each start; @ is its number.
ROWS = {
    "headers": ("d@", '#include "config.h"\n' + SOURCE, "gcc -O2 -c a.c"),
    "mkdtemp": ("t/tmpq8w2e4r@", "void tell(const char *);\nvoid q(void) { tell(__FILE__); }\n" +
                SOURCE, "gcc {dir}/a.c -O2 -shared -fPIC -o {dir}/a.so -I{dir}"),
    "clang-g": ("d@", SOURCE, "clang -O2 -g -c a.c"),
    "dwarf-4": ("d@", SOURCE, "gcc -O2 -gdwarf-4 -c a.c"),
    "warnings": ("t/tmpq8w2e4r@", "int q(void) { int unused; }\n" + SOURCE,
                 "gcc -O2 -Wall -c {dir}/a.c -o {dir}/a.o"),
    "failing": ("d@", SOURCE + "int q = undeclared;\n", "gcc -O2 -c a.c"),
    "failing-clang": ("d@", SOURCE + "int q = undeclared;\n", "clang -O2 -c a.c"),
    "stopped": ("d@", SOURCE, "gcc -O2 -c a.c"),
    "same": ("d@", SOURCE, "gcc -O2 -c a.c"),
    "outputs": ("one", SOURCE, "gcc -O2 -c a.c -o o@.o"),
}
PYTHON = os.environ.get("PYTHON", os.path.join(BUILD, "venv/bin/python"))
TORCH = {"train": ["train.py"], "aot": ["aot.py", "model.pt2"]}


def run_dir(work):
    return os.path.join(runtime, "run-" + os.path.basename(work))


def environment(work, on):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("REPRISE_", "LD_PRELOAD"))}
    env.update(TMPDIR=work + "/t", LC_ALL="C")
    if on:
        env.update(LD_PRELOAD=a.object, REPRISE_CACHE_DIR=work + "/store",
                   REPRISE_RUNTIME_DIR=run_dir(work))
    return env


def counted(env):
    env.pop("LD_PRELOAD", None)
    d = json.loads(subprocess.run([reprise, "stats", "--json"], env=env, text=True,
                                  stdout=subprocess.PIPE).stdout or "{}")
    return d


def end(work, env):
    """What Reprise counted."""
    d = counted(env)
    shutil.rmtree(run_dir(work), ignore_errors=True)
    return d


def begin():
    work = tempfile.mkdtemp(dir=root)
    os.makedirs(work + "/t")
    os.makedirs(run_dir(work), mode=0o700)
    return work


def at_once(name, on):
    """Wall time of all starts, and Reprise's counters."""
    place, source, command = ROWS[name]
    work = begin()
    env = environment(work, on)
    starts = []
    for i in range(a.starts):
        d = os.path.join(work, place.replace("@", str(i)))
        os.makedirs(d, exist_ok=True)
        with open(d + "/a.c", "w") as f:
            f.write(source)
        with open(d + "/config.h", "w") as f:
            f.write("#define V %d\n" % i)
        starts.append((d, command.replace("@", str(i)).format(dir=d).split()))
    time.sleep(0.1)
    begun = time.time()
    running = []
    for d, c in starts:
        running.append(subprocess.Popen(c, cwd=d, env=env, stderr=subprocess.DEVNULL))
        if name == "stopped" and len(running) == 1:
            time.sleep(0.1)
            running[0].send_signal(signal.SIGSTOP)
    for r in running[name == "stopped":]:
        r.wait()
    took = time.time() - begun
    if name == "stopped":
        running[0].send_signal(signal.SIGCONT)
        running[0].wait()
    return took, end(work, env) if on else {}


def project(on):
    work = begin()
    env = environment(work, on)
    for i in range(a.files):
        with open("%s/f%d.cc" % (work, i), "w") as f:
            f.write("#include <map>\n#include <string>\n#include <vector>\n"
                    "std::map<std::string, std::vector<int>> g%d;\n"
                    "int f%d(const std::string &s) { g%d[s].push_back(%d); "
                    "return (int)g%d.size(); }\n" % (i, i, i, i, i))
    names = " ".join("f%d.cc" % i for i in range(a.files))
    cores = str(len(os.sched_getaffinity(0)))
    if shutil.which("cmake"):
        with open(work + "/CMakeLists.txt", "w") as f:
            f.write("cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nadd_library(p %s)\n"
                    % names)
        command = "cmake -S . -B b >log && cmake --build b -j %s >log" % cores
    else:
        with open(work + "/Makefile", "w") as f:
            f.write("p.a: %s\n\tar rc $@ $^\n" % names.replace(".cc", ".o"))
        command = "make -s -j %s CXXFLAGS=-O1" % cores
    time.sleep(0.1)
    begun = time.time()
    subprocess.run(command, shell=True, cwd=work, env=env, check=True)
    took = time.time() - begun
    return took, end(work, env) if on else {}


def torch_job(name, on):
    work = begin()
    env = environment(work, on)
    env["HOME"] = work
    script, *arguments = TORCH[name]
    command = [PYTHON, "-B", os.path.join(HERE, "../scripts/demo.d", script)]
    begun = time.time()
    subprocess.run(command + arguments, cwd=work, env=env, check=True, stdout=subprocess.DEVNULL)
    took = time.time() - begun
    return took, end(work, env) if on else {}


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start(name, on):
    """Wall time, processor time, and what Reprise counted."""
    before = processor_time()
    took, d = (project(on) if name == "project" else
               (torch_job if name in TORCH else at_once)(name, on))
    return took, processor_time() - before, d


def missing(name):
    """What a row needs and this machine lacks, or None."""
    if "clang" in name and not shutil.which("clang"):
        return "clang"
    if name in TORCH and (not os.path.exists(PYTHON) or subprocess.run(
            [PYTHON, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode):
        return "torch"
    return None


try:
    for name in a.only or list(ROWS) + ["project"] + list(TORCH):
        if missing(name):
            print("%-14s skipped: no %s" % (name, missing(name)))
            continue
        ratios, processor = [], []
        for i in range(a.rounds):
            v = {}
            for on in ((False, True), (True, False))[i % 2]:
                v[on] = start(name, on)
            ratios.append(v[True][0] / v[False][0])
            processor.append(v[True][1] / v[False][1])
        d = v[True][2]
        print("%-14s %.3f of plain (%s; plain %.2f s), processor %.3f (%s)  %s" % (
            name, statistics.median(ratios), " ".join("%.2f" % r for r in ratios), v[False][0],
            statistics.median(processor), " ".join("%.2f" % r for r in processor),
            " ".join("%s=%s" % (k, d[k]) for k in ("misses", "hits_local", "unstored", "bypasses",
                                                   "waits", "waited_seconds") if d.get(k))),
            flush=True)
finally:
    shutil.rmtree(root, ignore_errors=True)  # processes that a start left may still write there
    shutil.rmtree(runtime, ignore_errors=True)
