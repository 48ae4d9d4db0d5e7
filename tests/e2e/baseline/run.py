#!/usr/bin/env python3
"""run.py - starts of compilers whose bytes must be right and whose verdicts must not get worse.

    tests/e2e/baseline/run.py              run the corpus and compare it with starts.txt
    tests/e2e/baseline/run.py --record     write starts.txt anew

    --fast, --rest     only the cases marked `fast`; only the others
    --case REGEX       only cases whose name matches (FILE/CASE); prints each start
    --jobs N, --keep   cases that run at once (default 2); leave the directories of the cases

REPRISE_LIB and REPRISE_BIN choose the object and the command (default: build/ of this checkout),
REPRISE_TEST_ROOT the directory for the cases, REPRISE_TEST_VENV the Python environment that has
Triton.

THE CORPUS is corpus/*.cases. A row is a word and its arguments; `#` begins a comment:

    needs TOOL...            the tools of all cases of the file, by their names in versions() below
    case NAME [fast] [TOOL...]   a case begins; more tools that it needs
    ignore GLOB              files whose content differs between real runs: a replay must give what
                             a run made
    write FILE               writes a file; its lines follow, each after `| `
    edit SHELL COMMAND       changes the tree, without Reprise
    start SHELL COMMAND      a start: the command runs plain, then under Reprise
    again                    the last start once more

Commands may use $W (the working directory) and the variables of programs() below. Each case has a
store, a runtime directory, HOME and TMPDIR of its own. Two copies of its tree take turns under one
path: one sees only plain runs, the other one runs under Reprise. After each step the files just
written get a fixed old time of modification, and no run under Reprise begins within 30 ms of a
change, because Reprise does not trust younger files.

THE RECORD, starts.txt, has one row a start, in columns between two spaces:

    case  step  bytes  hits  stored  unstored  bypasses  tools  reasons  command

bytes is `same` if status, streams and every file (bytes, mode, type, links, written or not) equal
those of the plain run, else `DIFFERENT`. The next four are counts of `reprise stats`: hits, misses
that were stored, misses that were not, bypasses. tools are the programs that the log names, with
their verdicts; reasons are counts of `reprise stats`, too. Rows `# tool NAME: VERSION` say what was
recorded. Cases of tools that have another version here are compared for bytes only; those of tools
that are absent are not run. Both are counted in the last line.

THE COMPARISON fails if bytes are DIFFERENT, a recorded start is missing, a start is not recorded,
or a verdict is worse (fewer hits; as many, but fewer stored, or more unstored or bypassed). A start
without any real run is never worse. A better verdict, or other reasons for the same one, is
reported; --record then writes it down.
"""
import argparse, fnmatch, glob, json, os, re, shutil, stat, subprocess, sys, time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = HERE[:-len("/tests/e2e/baseline")]
LIB = os.path.abspath(os.environ.get("REPRISE_LIB") or TOP + "/build/libreprise.so")
BIN = os.path.abspath(os.environ.get("REPRISE_BIN") or TOP + "/build/reprise")
RECORD = HERE + "/starts.txt"
BEGUN = time.time() - 5         # files younger than this were written by a step
# from 2020 on: modification times of files that steps wrote, ten seconds a step
STAMP_BASE = 1577836800
AGE = 0.03                      # as E2E_AGE of lib.bash: two ticks of the coarsest clock and some
START_SECONDS = 120             # longer than any start takes on a loaded machine
COLUMNS = "case step bytes hits stored unstored bypasses tools reasons command".split()
# Real runs differ here: names of nvcc's temporary files hold its pid, ptxas -v prints how long it
# took.
MASKS = [(re.compile(rb"tmpxft_[0-9a-f]{8}_"), b"tmpxft_PPPPPPPP_"),
         (re.compile(rb"Compile time = [0-9.]+ ms"), b"Compile time = T ms")]


def output(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True).stdout
    except OSError:
        return ""


def programs():
    """The paths of programs that commands name by variables; None for absent ones."""
    found = {"CC1": output("gcc", "-print-prog-name=cc1").strip(),
             "CC1PLUS": output("g++", "-print-prog-name=cc1plus").strip(),
             "COLLECT2": output("gcc", "-print-prog-name=collect2").strip(),
             "LTO1": output("gcc", "-print-prog-name=lto1").strip()}
    here = re.search(r"^#\$ _HERE_=(.*)", output("nvcc", "--dryrun", "-c", "-x", "cu", "/dev/null",
                                                 "-o", "/dev/null"), re.M)
    if here:  # not a wrapper script in PATH
        cuda = os.path.dirname(here.group(1))
        found.update(CUDA=cuda, NVCC=cuda + "/bin/nvcc", CICC=cuda + "/nvvm/bin/cicc",
                     CUDA_PTXAS=cuda + "/bin/ptxas")
    venv = os.environ.get("REPRISE_TEST_VENV") or os.environ.get("E2E_VENV") or TOP + "/build/venv"
    for name, program in ("PTXAS", "ptxas"), ("PTXAS_BLACKWELL", "ptxas-blackwell"):
        paths = glob.glob(venv + "/lib/python3*/site-packages/triton/backends/nvidia/bin/" +
                          program)
        found[name] = paths[0] if paths else None
    places = dict(line.split("=", 1) for line in output("sh", TOP + "/scripts/nvrtc.sh")
                  .splitlines() if line.startswith("E2E_"))
    for name, place in ("NVRTC", "E2E_NVRTC"), ("NVJITLINK", "E2E_NVJITLINK"):
        found[name] = os.environ.get(place) or places.get(place)
    found.update(NVRTC_RUN=TOP + "/build/helpers/nvrtc_run",
                 NVJITLINK_RUN=TOP + "/build/helpers/nvjitlink_run")
    return {name: path if path and (os.path.exists(path) or shutil.which(path)) else None
            for name, path in found.items()}


def versions(path_of):
    """The version of each tool that cases need: the first line it prints that holds a number. None
    if the tool is absent."""
    def program(path):
        return (next((line.strip() for line in output(path, "--version").splitlines()
                      if re.search(r"\d\.\d", line)), None) if path else None)

    def library(path, helper):  # a wheel records its version beside what it installs
        kind = re.sub("^lib|[.].*", "", os.path.basename(path or "")).lower()
        wheels = glob.glob("%s/../../../*%s*.dist-info" % (os.path.dirname(path or ""), kind))
        return ((os.path.basename(wheels[0]) if wheels
                 else os.path.basename(os.path.realpath(path))) if path and helper else None)

    found = {name: program(name) for name in ("gcc", "g++", "clang", "llvm-ar", "ccache", "distcc")}
    found.update({"binutils": program("ld.bfd"), "gold": program("ld.gold"),
                  "lld": program("ld.lld"), "nvcc": program(path_of.get("NVCC")),
                  "ptxas": program(path_of["PTXAS"]),
                  "ptxas-blackwell": program(path_of["PTXAS_BLACKWELL"])})
    return dict(found, nvrtc=library(path_of["NVRTC"], path_of["NVRTC_RUN"]),
                nvjitlink=library(path_of["NVJITLINK"], path_of["NVJITLINK_RUN"]))


def corpus():
    """All cases, each as a namespace: name, fast, needs (tools), ignore (globs), and steps, which
    are tuples that begin with a row's word."""
    cases = []
    for path in sorted(glob.glob(HERE + "/corpus/*.cases")):
        family, needs, case = os.path.basename(path)[:-len(".cases")], [], None
        for number, line in enumerate(open(path), 1):
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "|" and case and case.steps[-1][0] == "write":
                case.steps[-1][2].append(rest)
            elif not line.strip() or word.startswith("#"):
                continue
            elif word == "needs":
                needs = rest.split()
            elif word == "case":
                name, *more = rest.split()
                more_needs = [tool for tool in more if tool != "fast"]
                case = SimpleNamespace(name=family + "/" + name, fast="fast" in more,
                                       needs=needs + more_needs, ignore=[], steps=[])
                cases.append(case)
            elif word == "ignore" and case:
                case.ignore.append(rest)
            elif word in ("write", "edit", "start") and case:
                case.steps.append((word, rest, []))
            elif word == "again" and case:
                case.steps.append([step for step in case.steps if step[0] == "start"][-1])
            else:
                sys.exit("%s:%d: no such row: %s" % (path, number, line.rstrip()))
    for name in [name for name, count in Counter(case.name for case in cases).items() if count > 1]:
        sys.exit("run.py: two cases are called " + name)
    return cases


def masked(data):
    for pattern, by in MASKS:
        data = pattern.sub(by, data)
    return data


def listing(tree):
    """Every entry below a tree: content; type, mode, links, written or not. And the files written
    since the last step."""
    entries, written = {}, []
    for directory, names, files in os.walk(tree):
        for name in names + files:
            path = os.path.join(directory, name)
            st = os.lstat(path)
            isdir = stat.S_ISDIR(st.st_mode)
            content = (os.readlink(path).encode() if stat.S_ISLNK(st.st_mode)
                       else Path(path).read_bytes() if stat.S_ISREG(st.st_mode) else b"")
            new = not isdir and st.st_mtime > BEGUN
            written += [path] if new else []
            entries[os.path.relpath(path, tree)] = content, (oct(st.st_mode),
                                                             0 if isdir else st.st_nlink,
                                                             "written" if new else "not written")
    return entries, written


class Run:
    """One case: its directories, its two trees, its store."""

    def __init__(self, case, root, path_of):
        self.case, self.number, self.stamps, self.seen, self.changed = (case, 0, 0, {},
                                                                        time.monotonic())
        self.dir = root + "/" + case.name.replace("/", "-")
        self.w, self.tmp, self.log = self.dir + "/w", self.dir + "/tmp", self.dir + "/log"
        for name in "plain", "ours", "tmp", "home", "r":
            os.makedirs(self.dir + "/" + name)
        path = [os.path.dirname(path_of["NVCC"])] if path_of.get("NVCC") else []
        self.env = {"PATH": ":".join(path + [os.environ["PATH"]]), "HOME": self.dir + "/home",
                    "TMPDIR": self.tmp, "LC_ALL": "C"}
        store = {"REPRISE_CACHE_DIR": self.dir + "/store",
                 "REPRISE_RUNTIME_DIR": self.dir + "/runtime", "REPRISE_LOG": self.log}
        self.stats_env = dict(self.env, **store)
        self.reprise_env = dict(self.env, LD_PRELOAD=LIB, REPRISE_STRICT="1",
                                REPRISE_LOG_LEVEL="info", **store)
        self.prefix = "W=%s\n" % self.w + "".join("%s='%s'\n" % item
                                                  for item in path_of.items() if item[1])

    def in_tree(self, tree, command, env):
        """Runs a command in a tree; returns status, stdout, stderr."""
        os.rename(self.dir + "/" + tree, self.w)
        try:
            with open(self.dir + "/r/out", "wb") as out, open(self.dir + "/r/err", "wb") as err:
                status = subprocess.run(["/bin/sh", "-c", self.prefix + command], cwd=self.w,
                                        env=env, stdin=subprocess.DEVNULL,
                                        stdout=out, stderr=err, umask=0o022,
                                        timeout=START_SECONDS).returncode
        finally:
            os.rename(self.w, self.dir + "/" + tree)
        return (status, masked(Path(self.dir + "/r/out").read_bytes()),
                masked(Path(self.dir + "/r/err").read_bytes()))

    def stamp(self, written):
        """Gives what a step wrote an old time of modification, equal in both trees."""
        self.stamps += 1
        when = (STAMP_BASE + 10 * self.stamps) * 10**9 + 123456789
        for path in written:
            os.utime(path, ns=(when, when), follow_symlinks=False)
        self.changed = time.monotonic()

    def stats(self):
        said = subprocess.run([BIN, "stats", "--json"], env=self.stats_env, stdout=subprocess.PIPE,
                              check=True).stdout
        return Counter({key: value
                        for key, value in json.loads(said).items() if isinstance(value, int)})

    def differences(self, plain, ours, plain_tree, ours_tree, replayed):
        """Lines about all differences."""
        said = ["%s: plain %.300r, under Reprise %.300r" % (what, a, b)
                for what, a, b in zip(("status", "stdout", "stderr"), plain, ours) if a != b]
        for name in sorted(set(plain_tree) | set(ours_tree)):
            a, b = plain_tree.get(name), ours_tree.get(name)
            if a is None or b is None:
                said.append("%s: only %s" % (name, "under Reprise" if a is None else "plain"))
                continue
            if any(fnmatch.fnmatch(name, pattern) for pattern in self.case.ignore):
                known = self.seen.setdefault(name, set())
                if replayed and b[0] not in known:
                    said.append("%s: replayed, and no real run made it" % name)
                known.add(b[0])
            elif a[0] != b[0] and masked(a[0]) != masked(b[0]):
                said.append("%s: content" % name)
            if a[1] != b[1]:
                said.append("%s: plain %s, under Reprise %s" % (name, a[1], b[1]))
        for name in os.listdir(self.tmp):
            said.append("left in TMPDIR: " + name)
            subprocess.run(["rm", "-rf", self.tmp + "/" + name])
        return said

    def tools(self):
        """The log's verdicts by tool, and its errors and warnings."""
        verdicts, bad = Counter(), []
        if os.path.exists(self.log):
            for line in open(self.log, errors="replace"):
                words = line.split(" ", 4)
                if len(words) > 2 and words[2] in ("error", "warning"):
                    bad.append("log: " + line.strip())
                found = re.match(r"(?:x86_64-linux-gnu-)?([A-Za-z0-9_+.-]+?)(?:-\d[\d.]*)?: (hit|"
                                 r"miss|unstored|bypass)\b", line.split(" ", 3)[-1])
                if found:
                    verdicts[":".join(found.groups())] += 1
            os.unlink(self.log)
        return (",".join(name + ("*%d" % n if n > 1 else "")
                         for name, n in sorted(verdicts.items())) or "-", bad)

    def start(self, command):
        self.number += 1
        before = self.stats()
        plain = self.in_tree("plain", command, self.env)
        time.sleep(max(0, AGE - (time.monotonic() - self.changed)))
        ours = self.in_tree("ours", command, self.reprise_env)
        moved = self.stats()
        moved.subtract(before)
        hits, bypasses = moved["hits_local"] + moved["hits_remote"], moved["bypasses"]
        unstored, stored = moved["unstored"], moved["misses"] - moved["unstored"]
        plain_tree, written = listing(self.dir + "/plain")
        ours_tree, more = listing(self.dir + "/ours")
        said = self.differences(plain, ours, plain_tree, ours_tree,
                                hits and not stored + unstored + bypasses)
        self.stamp(written + more)
        tools, bad = self.tools()
        said += bad + (["errors counted: %d" % moved["errors"]] if moved["errors"] else [])
        reasons = ",".join("%s=%d" % (key[len("reason_"):], n)
                           for key, n in sorted(moved.items()) if key.startswith("reason_") and n)
        counts = hits, stored, unstored, bypasses
        return dict(zip(COLUMNS, (self.case.name, self.number, "DIFFERENT" if said else "same",
                                  *counts, tools, reasons or "-", command))), said

    def edit(self, step):
        for tree in "plain", "ours":
            if step[0] == "write":
                path = Path(self.dir, tree, step[1])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join(line + "\n" for line in step[2]))
            else:
                status, out, err = self.in_tree(tree, step[1], self.env)
                if status:
                    raise RuntimeError("edit ended with status %d: %s\n%s"
                                       % (status, step[1], (out + err).decode(errors="replace")))
        self.stamp(listing(self.dir + "/plain")[1] + listing(self.dir + "/ours")[1])

    def all(self):
        return [row for row in (self.start(step[1]) if step[0] == "start" else self.edit(step)
                                for step in self.case.steps) if row]


def read_record():
    rows, recorded = {}, {}
    for line in open(RECORD):
        if line.startswith("# tool "):
            name, _, version = line[len("# tool "):].rstrip("\n").partition(": ")
            recorded[name] = version
        elif line.strip() and not line.startswith("#"):
            row = dict(zip(COLUMNS, line.rstrip("\n").split("  ", len(COLUMNS) - 1)))
            for name in COLUMNS[3:7] + ["step"]:
                row[name] = int(row[name])
            rows[row["case"], row["step"]] = row
    return rows, recorded


def line_of(row):
    return "  ".join(str(row[name]) for name in COLUMNS)


def rank(row):
    """Greater is better. A start without a real run is best. Its hits do not count: one hit of a
    parent action may replace several hits of its steps."""
    if row["hits"] and not row["stored"] + row["unstored"] + row["bypasses"]:
        return (1, 0, 0, 0, 0)
    return (0, row["hits"], row["stored"], -row["bypasses"], -row["unstored"])


def judge(row, said, want, same_tools):
    """The result of the comparison for a start, and whether it is a failure."""
    if said:
        return "DIFFERENT", True
    if want is None or want["command"] != row["command"]:
        return "not recorded: run.py --record", True
    if not same_tools:
        return "bytes only", False
    if rank(row) != rank(want):
        return ("better: run.py --record", False) if rank(row) > rank(want) else ("worse", True)
    return ("other reasons" if any(row[name] != want[name] for name in COLUMNS[2:9]) else "", False)


def compare(results, cases, here):
    rows, recorded = read_record()
    needs = {case.name: case.needs for case in cases}
    absent = [name for name in needs if any(here[tool] is None for tool in needs[name])]
    failed, count = 0, Counter()
    for row, said in results:
        want = rows.pop((row["case"], row["step"]), None)
        word, failure = judge(row, said, want,
                              all(here[tool] == recorded.get(tool) for tool in needs[row["case"]]))
        failed += failure
        count[word.split(":")[0]] += 1
        if word and word != "bytes only":
            print("\n    ".join(["%s: %s step %s: %s"
                                 % (word, row["case"], row["step"], row["command"])] + said[:10]))
            if want and not said:
                print("    was: %s\n    is:  %s"
                      % tuple("  ".join("%s %s" % (c, r[c]) for c in COLUMNS[3:9])
                              for r in (want, row)))
    everything = {case.name for case in corpus()}
    for (name, step), row in sorted(rows.items()):
        if name not in everything or (name in needs and name not in absent):
            print("missing: %s step %s: %s" % (name, step, row["command"]))
            failed += 1
    for tool in sorted({tool for name in needs
                        for tool in needs[name] if here[tool] != recorded.get(tool)}):
        print("%s: recorded with %s, here is %s" % (tool, recorded.get(tool), here[tool]))
    print("%d starts of %d cases: %d failed, %d better, %d for other reasons, %d compared for "
          "bytes only (another version); %d cases not run (no such tool)"
          % (len(results), len(cases) - len(absent), failed, count["better"],
             count["other reasons"], count["bytes only"], len(absent)))
    return 1 if failed else 0


def record(results, cases, here):
    tools = sorted({tool for case in cases for tool in case.needs})
    absent = [tool for tool in tools if here[tool] is None]
    if absent:
        sys.exit("run.py: not recorded, because tools of the corpus are absent here: " +
                 " ".join(absent))
    with open(RECORD + ".new", "w") as file:
        file.write("# What the starts of corpus/ gave. Written by run.py --record, which explains "
                   "the columns:\n# %s\n" % "  ".join(COLUMNS))
        file.write("".join("# tool %s: %s\n" % (tool, here[tool]) for tool in tools))
        file.write("".join(line_of(row) + "\n" for row, _ in results))
    os.rename(RECORD + ".new", RECORD)
    different = [row for row, said in results if said]
    print("%d starts of %d cases recorded, %d of them DIFFERENT"
          % (len(results), len(cases), len(different)))
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description="The top of this file explains.")
    for name in "record", "compare", "fast", "rest", "keep":
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("--case", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.record and (options.fast or options.rest or options.case):
        sys.exit("run.py: --record takes the whole corpus")
    if not os.path.exists(LIB) or not os.path.exists(BIN):
        sys.exit("run.py: no %s or no %s: run make first" % (LIB, BIN))
    os.environ.pop("LD_PRELOAD", None)
    path_of = programs()
    here = versions(path_of)
    cases = [case for case in corpus() if (not options.fast or case.fast) and
             (not options.rest or not case.fast) and re.search(options.case, case.name)]
    for tool in {tool for case in cases for tool in case.needs} - set(here):
        sys.exit("run.py: a case needs %s, which versions() does not know" % tool)
    # An ordinary name: generated ones are treated specially.
    root = "%s/%d" % (os.environ.get("REPRISE_TEST_ROOT") or "/tmp/reprise-baseline", os.getpid())
    shutil.rmtree(root, ignore_errors=True)

    def one(case):
        run = Run(case, root, path_of)
        try:
            return run.all()
        except Exception as error:  # an edit that failed is a defect of the case
            return "%s: %s" % (case.name, error)
        finally:
            if not options.keep:
                shutil.rmtree(run.dir, ignore_errors=True)

    begun = time.time()
    present = [case for case in cases if all(here[tool] for tool in case.needs)]
    # The longest begin first.
    present.sort(key=lambda case: (not set(case.needs) & {"nvcc", "nvrtc"}, -len(case.steps),
                                   case.name))
    with ThreadPoolExecutor(options.jobs) as pool:
        ended = list(pool.map(one, present))
    if not options.keep:
        subprocess.run(["rmdir", root, os.path.dirname(root)], stderr=subprocess.DEVNULL)
    failed = [said for said in ended if isinstance(said, str)]
    results = sorted((row for rows in ended if rows not in failed for row in rows),
                     key=lambda result: (result[0]["case"], result[0]["step"]))
    for row, said in results if options.case else []:
        print("\n    ".join([line_of(row)] + said))
    if failed:
        sys.exit("\n".join(failed))
    status = record(results, cases, here) if options.record else compare(results, cases, here)
    print("%.1f s" % (time.time() - begun))
    return status


if __name__ == "__main__":
    sys.exit(main())
