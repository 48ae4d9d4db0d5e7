"""Runs an unmodified job without Reprise, with Reprise and an empty store, and with Reprise again,
and prints a table: by default the training job, with --job another one, or several. The directories
of the frameworks (Inductor, Triton, temporary) are emptied before each run, so that only Reprise's
store is warm. The AOTInductor row "again" keeps them, as its users do.

The job itself measures the seconds, without a tracer. Process starts are counted in separate runs
under `strace -f -e execve`, because a tracer costs time."""

import argparse
import collections
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(ROOT, "build", "demo")
LIBRARY = os.path.join(ROOT, "build", "libreprise.so")
COMMAND = os.path.join(ROOT, "build", "reprise")
# The stores of the timed runs and of the runs that count process starts. The counters and locks of
# a store are in a node-local directory, which is emptied with it.
SHM = "/dev/shm" if os.access("/dev/shm", os.W_OK) else WORK
STORES = {which: (os.path.join(WORK, f"store-{which}"),
                  os.path.join(SHM, f"reprise-demo-{os.getuid()}-{which}"))
          for which in ("timed", "counted")}
# REPRISE_CLASSES: the frameworks' caches that Reprise carries.
CLASSES = "all"
FRAMEWORK = {
    "TORCHINDUCTOR_CACHE_DIR": os.path.join(WORK, "inductor"),
    "TRITON_CACHE_DIR": os.path.join(WORK, "triton"),
    "TMPDIR": os.path.join(WORK, "tmp"),
}

# These patterns class the started programs. Under Reprise drivers start as well, to replay. Their
# passes start only if something is really compiled.
DRIVERS = re.compile(r"^(g\+\+|gcc|c\+\+|cc|clang|clang\+\+)(-\d+)?$")
PASSES = re.compile(r"^(cc1|cc1plus|as|collect2|ld|ld\.bfd|ld\.gold|ld\.lld|.*-as|.*-ld(\.bfd)?)$")
PTXAS = re.compile(r"^ptxas(-blackwell)?$")
EXEC = re.compile(r'^\d+ +execve\("((?:[^"\\]|\\.)*)", \[(.*)')


class Job:
    """minutes: what all its runs take on two cores that do nothing else."""

    def __init__(self, name, minutes, script, arguments=()):
        self.name = name
        self.minutes = minutes
        self.command = [sys.executable, os.path.join(HERE, script), *arguments]


def empty_framework_directories():
    for path in FRAMEWORK.values():
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)


def empty_store(which):
    for path in STORES[which]:
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path, mode=0o700)


def settings(which):
    store, runtime = STORES[which]
    return {"REPRISE_CACHE_DIR": store, "REPRISE_RUNTIME_DIR": runtime, "REPRISE_CLASSES": CLASSES}


def environment():
    env = {k: v for k, v in os.environ.items() if not k.startswith("REPRISE_")}
    env.pop("LD_PRELOAD", None)
    env.update(FRAMEWORK)
    env.update(CUDA_VISIBLE_DEVICES="", PYTHONWARNINGS="ignore")
    return env


def reprise(*command, which="timed"):
    """Returns what `reprise` prints about the timed runs' store."""
    done = subprocess.run([COMMAND, *command], env=dict(environment(), **settings(which)),
                          stdout=subprocess.PIPE, text=True)
    return done.stdout


def run(job, with_reprise):
    """Runs the job once, timed; returns the JSON that it printed last."""
    env = environment()
    if with_reprise:
        env.update(settings("timed"), LD_PRELOAD=LIBRARY)
    done = subprocess.run(job.command, env=env, cwd=WORK, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def count(job, with_reprise):
    """Counts the starts of compilers in a run under strace: drivers, their passes, ptxas. Returns
    None if strace is missing or not permitted."""
    log = os.path.join(WORK, "strace.log")
    # Only the job gets the preload: strace itself runs without Reprise.
    ours = []
    if with_reprise:
        for name, value in dict(settings("counted"), LD_PRELOAD=LIBRARY).items():
            ours += ["-E", f"{name}={value}"]
    for options in (["--seccomp-bpf"], []):
        command = ["strace", "-f", *options, "-qq", "-s", "256", "-o", log, "-e", "trace=execve"]
        command += ["-e", "status=successful", "-e", "signal=none", *ours, *job.command]
        try:
            done = subprocess.run(command, env=environment(), cwd=WORK, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            return None
        if done.returncode == 0:
            break
    else:
        return None
    starts = collections.Counter()
    for line in open(log, errors="replace"):
        match = EXEC.match(line)
        if not match:
            continue
        program = os.path.basename(match.group(1))
        if DRIVERS.match(program):
            starts["drivers"] += 1
        elif PASSES.match(program):
            starts["passes"] += 1
            starts["cc1plus"] += program == "cc1plus"
        elif PTXAS.match(program) and '"--version"' not in match.group(2):
            starts["ptxas"] += 1
    return starts


@contextlib.contextmanager
def stage(what):
    """Says what begins, and how long it took."""
    print(f"demo: {what} ...", file=sys.stderr, flush=True)
    start = time.monotonic()
    yield
    print(f"demo: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


def misses():
    counted = json.loads(reprise("stats", "--json"))
    return counted["misses"] + counted["bypasses"] + counted["unstored"]


def measure(job, options, again=False):
    """Returns rows of (what, figures, starts): plain, Reprise cold, Reprise warm. Also returns what
    `reprise explain` says of the starts of the last run that were no hits. With `again` there is no
    third run, but each of the first two is followed by a second run in the same directories."""
    modes = ["plain", "Reprise, empty store"]
    runs = [m for mode in modes for m in (mode, mode.split(",")[0] + ", again")] if again else \
        [*modes, "Reprise, warm store"]
    rows = []
    before = 0
    for what in runs:
        if what == "Reprise, empty store":
            empty_store("timed")
        if not what.endswith("again"):
            empty_framework_directories()
        if what == runs[-1]:
            before = misses()
        with stage(f"{job.name}: {what}"):
            rows.append([what, run(job, not what.startswith("plain")), None])
        # Reprise packs in the background what the job completed. The next run stands for another
        # container, so publishing ends first.
        if not what.startswith("plain"):
            reprise("publish", "--wait", "60")
    late = misses() - before
    reasons = reprise("explain", str(late)) if late > 0 else ""
    if not options.no_count:
        empty_store("counted")
        for row in rows:
            if not row[0].endswith("again"):
                empty_framework_directories()
            with stage(f"{job.name}: {row[0]}, counting process starts"):
                row[2] = count(job, not row[0].startswith("plain"))
            if not row[0].startswith("plain"):
                reprise("publish", "--wait", "60", which="counted")
    return rows, reasons


def table(results):
    head = ("job", "run", "seconds", "ratio", "drivers", "passes", "cc1plus", "ptxas")
    lines = [head]
    for job, rows in results:
        base = {}
        for what, figures, starts in rows:
            # "again" is compared with the plain "again", anything else with the plain cold run.
            group = "again" if what.endswith("again") else "cold"
            base.setdefault(group, figures["seconds"])
            cells = [f"{starts[c]}" if starts is not None else "-" for c in head[4:]]
            lines.append((job.name, what, f"{figures['seconds']:.2f}",
                          f"{figures['seconds'] / base[group]:.2f}", *cells))
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        cells = [c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())


def main():
    parser = argparse.ArgumentParser(description="The demonstration of Reprise: one table.")
    parser.add_argument("--no-count", action="store_true", help="no runs under strace")
    parser.add_argument("--job", action="append", choices=("train", "aot", "triton"),
                        help="this job, by default train; may be given several times")
    parser.add_argument("--json", metavar="FILE", help="also write the figures here")
    parser.add_argument("--classes", default="all",
                        help="of the frameworks' caches that are carried (REPRISE_CLASSES)")
    options = parser.parse_args()
    global CLASSES
    CLASSES = options.classes
    os.makedirs(WORK, exist_ok=True)
    jobs = {"train": (Job("torch.compile, first training step", 3, "train.py"), False),
            "aot": (Job("AOTInductor export", 4, "aot.py",
                        [os.path.join(WORK, "inductor", "model.pt2")]), True),
            "triton": (Job("5 Triton kernels, sm_90a, no GPU", 1, "triton_kernel.py"), False),}
    chosen = [jobs[key] for key in options.job or ["train"]]
    minutes = sum(job.minutes for job, _ in chosen)
    print(f"demo: at most {minutes} minutes on two cores that do nothing else, and without process "
          "counts (--no-count) half of that", file=sys.stderr, flush=True)
    results = []
    stats = []
    different = 0
    for job, again in chosen:
        rows, reasons = measure(job, options, again)
        results.append((job, rows))
        different += any(figures["result"] != rows[0][1]["result"] for _, figures, _ in rows)
        stats.append((job, reprise("stats"), reasons))
    print()
    table(results)
    print()
    print("seconds: as the job measured; ratio: to the plain run of the same kind. Process starts: "
          "drivers")
    print("are g++ and gcc (each starts under Reprise too, to replay), passes what they start to "
          "compile")
    print("(cc1plus, as, ld, ...), ptxas without its --version probes; a ptxas that replays is a "
          "start as well:")
    print("the misses below are those that compiled.")
    print(f"results of all runs {'DIFFER' if different else 'are equal'}")
    for job, text, reasons in stats:
        print(f"\nreprise stats, {job.name}:")
        print(text, end="")
        if reasons:
            print("what compiled in the last run all the same, by reprise explain:")
            print(reasons, end="")
    for store, runtime in STORES.values():
        shutil.rmtree(runtime, ignore_errors=True)
    if options.json:
        with open(options.json, "w") as out:
            json.dump({job.name: [(w, f, dict(s) if s is not None else None) for w, f, s in rows]
                       for job, rows in results}, out, indent=1)
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
