"""Each system call that Reprise makes fails: the compile ends as a plain one does, as soon, with
the same bytes.

    faults.py [--share N]

--share N takes every N-th fault. By environment: FAULTS_JOBS (number of CPUs), FAULTS_CALLS and
FAULTS_COMMANDS (patterns of names of calls, and of the keys of COMMANDS), FAULTS_ERRORS (of a call
and an error: "openat ENXIO"), FAULTS_PART (3of4: the third of four parts), FAULTS_NTH (8: how many
times of each call fail alone; 0: none), FAULTS_REPORTS (a directory for what is found).

A fault is a call and an error, for all calls by a seccomp filter (tests/e2e/helpers/refuse.c), or
for the n-th call of each process by strace. It meets a start that is recorded and a start that is
replayed. These are compilers, a shell with two of them, a host that compiles with NVRTC, a host
with three caches of its own (UNIT lines), and a compiler with a remote store. The publishers of the
last two run on for a while and have the fault, too. What is asked for:

- where a plain run does as well with the fault as without, a run under Reprise leaves the same;
- where a plain run does not, the run under Reprise fails, too, or leaves what either plain
  run leaves;
- neither takes SECONDS longer than the plain run, each time of TRIES;
- where the tool itself does not mind the fault, what the store holds then is right: the next run
  leaves what a plain run leaves. With a remote store that is the run of another node, which has
  an empty store of its own.

Where ld.so met the fault as it loaded the object or libc, and says so, only the next run is
judged, and the start is counted as "loader".

A call that plain runs do not make is also met by the filter that kills. A process of Reprise's own
may be killed by it; what was killed must fail, and what ended well must be right."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import calls  # noqa: E402
from machine import crew, tools  # noqa: E402
from machine.judge import alike, differing, shown  # noqa: E402
from machine.place import LIBRARY, TOP, Place  # noqa: E402
from machine.start import Start, text  # noqa: E402

SLICE = 12  # faults of a call that one job meets, so that no call takes longest
CALLS = 24  # of a plain run that are asked whether they are what failed
SECONDS, TRIES = 2, 3
LIMIT = 30  # seconds after which a run hangs
PUBLISHES = 0.5  # seconds that a publisher has before it is killed
PACKS = 2  # the same for a publisher that packs caches: a closed file waits for a second
REFUSE = TOP + "/build/helpers/refuse"
COMMANDS = {
    "gcc": ("gcc", "-Wall", "-MD", "-c", "a.c", "-o", "a.o"),
    "clang": ("clang", "-Wall", "-c", "a.c", "-o", "a.o"),
    "shell": ("sh", "-c", "gcc -c a.c -o a.o && gcc -c b.c -o b.o && echo both"),
    "host": (tools.program("nvrtc_run"), tools.program("NVRTC"), "o", "j"),
    "units": ("python3", "-I", "-S", "units.py"),
    "publisher": ("gcc", "-c", "a.c", "-o", "a.o"),
}
# What ld.so prints about the object, or about libc, which it loads some calls later if there is an
# object.
LOADER = f"ld.so: object '{LIBRARY}'".encode(), b"error while loading shared libraries: "
# If one directory of Reprise cannot be used, the next one is (store/dirs.h).
NEXT_PLACE = re.compile(r"file (home/\.cache(/reprise(/.*)?)?|tmp/reprise(-runtime-|_)\d+(/.*)?)$")
# Where nothing can be removed, a stage stays, and files in it have a second name
# (units/find/stage.h).
STAGE = re.compile(r"file .*/\.reprise-\d+(/.*)?$")
# Calls without which nothing starts or ends.
NEVER_ALL = (
    "execve",
    "exit",
    "exit_group",
    "rt_sigreturn",
    "restart_syscall",
    "arch_prctl",
    "set_tid_address",
)
SOURCES = {
    "a.c": '#include <stdio.h>\nint main(void) { int unused; return puts("x") < 0; }\n',
    "b.c": "int b;\n",
}
JOB = {
    "j/source": 'extern "C" __global__ void k(int *o) { o[0] = 1; }\n',
    "j/name": "k.cu",
    "j/options": "-arch=compute_90\n",
}
# Three caches, as programs keep them: a renamed file, a closed file, a renamed directory. The words
# that are printed come from the caches.
UNITS = {
    "w/units.py": '''import os
def use(path, make):
    if not os.path.exists(path):
        make(path)
    with open(path if os.path.isfile(path) else path + "/data") as file:
        print(path, file.read())
def put(path, words):
    with open(path, "w") as file:
        file.write(words)
def renamed(path):
    put(path + ".tmp", "one")
    os.rename(path + ".tmp", path)
def directory(path):
    os.makedirs(path + ".tmp")
    put(path + ".tmp/data", "three")
    put(path + ".tmp/more", "four")
    os.rename(path + ".tmp", path)
os.makedirs("own", exist_ok=True)
use("own/aa11.bin", renamed)
use("own/bb22.txt", lambda path: put(path, "two"))
use("own/mod_cc33", directory)
''',
    "home/.config/reprise/reprise.conf": """\
UNIT=first path=own/<[a-z0-9]{4}.bin complete=rename kind=file
UNIT=second path=own/<[a-z0-9]{4}.txt complete=close kind=file
UNIT=third path=own/<mod_[a-z0-9]{4} complete=rename kind=dir
""",
}


class Redis:
    """A server for one run of the machine, in a directory."""

    def __init__(self, base):
        self.socket = f"{base}/redis"
        self.server = subprocess.Popen(
            ("redis-server", "--port", "0", "--unixsocket", self.socket, "--save", ""),
            stdout=subprocess.DEVNULL,
        )
        while not os.path.exists(self.socket):
            if self.server.poll() is not None:
                raise SystemExit("redis-server ended")
            time.sleep(0.01)

    def close(self):
        self.server.kill()
        self.server.wait()


def present(command):
    if command == "publisher":
        return shutil.which("redis-server") is not None
    if command == "units":
        return shutil.which("python3") is not None
    return tools.present("nvrtc_run" if command == "host" else COMMANDS[command][0])


def start_of(command, root, fault=(), settings=None):
    words = {**SOURCES, **(JOB if command == "host" else {})}
    words = {f"w/{name}": word for name, word in words.items()}
    words.update(UNITS if command == "units" else {})
    files = {f"{root}/{name}": text(word) for name, word in words.items()}
    return Start(
        tuple(fault) + COMMANDS[command],
        files,
        f"{root}/w",
        {"CUDA_CACHE_DISABLE": "1"},  # turns off the driver's own cache
        settings=settings or {},
    )


def fault_words(call, error, nth, stays=False):
    """stays: the command leaves a process behind, for which strace must not wait."""
    if nth:
        return (
            "strace",
            *(("-D",) if stays else ()),
            "-f",
            "-qq",
            "--seccomp-bpf",
            "-o",
            "/dev/null",
            "-e",
            f"trace={call}",
            "-e",
            f"inject={call}:error={error}:when={nth}",
        )
    return (
        REFUSE,
        str(calls.numbers()[call]),
        "kill" if error == "kill" else str(calls.number_of_error(error)),
    )


def traced(command, runs, reprise, remote):
    """The calls of a command's runs on one store, by strace, and how often a process makes
    each."""
    with tempfile.TemporaryDirectory(prefix="faults.") as scratch:
        place, counts = Place(f"{scratch}/root", f"{scratch}/aside"), {}
        for _ in range(runs):
            start = start_of(
                command, place.root, ("strace", "-f", "-qq", "-o", f"{scratch}/calls"), remote
            )
            place.lay(start)
            place.run(start, reprise)
            seen = {}
            for process, call in re.findall(
                r"^(\d+) +(\w+)\(", open(f"{scratch}/calls", errors="replace").read(), re.M
            ):
                seen[process, call] = seen.get((process, call), 0) + 1
            for (_, call), count in seen.items():
                counts[call] = max(counts.get(call, 0), count)
            if remote:  # the next start asks the remote store
                place.fresh_store()
        place.close()
        return counts


def late(plains, ours):
    return ours.seconds > max(plain.seconds for plain in plains) + SECONDS


def judged(plain, faulty_plain, ours):
    """The errors of a run under a fault."""
    if late((plain, faulty_plain), ours):
        return [f"{ours.seconds:.1f} s where plain takes {faulty_plain.seconds:.1f}"]
    wrong = differing(plain, ours)
    if alike(faulty_plain, ours) or differing(plain, faulty_plain) and ours.aspects["status"] != 0:
        return []
    return [shown(plain, ours, aspect) for aspect in wrong]


def met_by_plain(row, place, command, call, error, ours):
    """Whether a plain run ends in the same way if another of its calls fails. The fault counts the
    calls of a process. Under Reprise a tool's own call has a higher number, or a lower one in a
    process of its own."""
    for nth in range(1, CALLS + 1):
        if (error, nth) not in row.plains:
            row.plains[error, nth] = place.run(
                start_of(command, place.root, fault_words(call, error, nth)), False
            )
        if alike(row.plains[error, nth], ours):
            return True
    return False


def run(place, start):
    """A run under Reprise. Its aspects lack the files in the next place (NEXT_PLACE)."""
    ours = place.run(start, True)
    ours.aspects = {k: v for k, v in ours.aspects.items() if not NEXT_PLACE.match(k)}
    return ours


def without_stages(ours):
    ours.aspects = {
        aspect: (
            (what[0], 1, *what[2:]) if aspect.startswith("file ") and what[1:2] == (2,) else what
        )
        for aspect, what in ours.aspects.items()
        if not STAGE.match(aspect)
    }
    return ours


def pack(place, command):
    """Waits until what a host left in caches of its own is packed, which may fail."""
    if command == "units":
        place.reprise("publish", "--wait", "20", check=False)


def check_units(base):
    """Without a fault the second start finds all that the first one left."""
    place = Place(f"{base}/units", f"{base}.aside/units")
    place.grace = PACKS
    start = start_of("units", place.root)
    place.lay(start)
    for _ in range(2):
        run(place, start)
        pack(place, "units")
    said = json.loads(place.reprise("stats", "--json"))
    place.close()
    found = [said.get(f"brought_user_{kind}") for kind in ("files", "dirs")]
    if found != [2, 1]:
        raise SystemExit(f"units: {found} of 2 files and 1 directory were found again")


def under_fault(place, way, command, clean, fault, remote):
    """One run under the fault, on a store where the start was recorded, or on an empty one."""
    place.fresh_store()
    if way == "replayed":
        run(place, clean)
        pack(place, command)
        if remote:
            place.fresh_store()
    return run(place, fault)


def meet(row, place, command, call, error, nth):
    """Tries one fault in a recorded and in a replayed start."""
    # If the fault replaces a close, the descriptor stays open, which no real kernel does. Strict
    # runs would end a tool for that.
    strict = {"REPRISE_STRICT": "0"} if call.startswith("close") else {}
    plain_start = start_of(command, place.root)
    words = fault_words(call, error, nth, row.redis or command == "units")
    place.lay(plain_start)
    plain = place.run(plain_start, False)
    faulty_plain = place.run(start_of(command, place.root, words), False)
    if faulty_plain.aspects["status"] == 77 and not nth:
        raise OSError("no filter can be installed here")
    for way in "recorded", "replayed":
        for _ in range(TRIES):
            remote = row.remote()
            clean = start_of(command, place.root, settings=remote)
            fault = start_of(command, place.root, words, {**remote, **strict})
            ours = under_fault(place, way, command, clean, fault, remote)
            if call == "unlinkat" and not nth:
                ours = without_stages(ours)
            if not late((plain, faulty_plain), ours):
                break
        counts = ["starts", ours.verdict()] + ["failed"] * (faulty_plain.aspects["status"] != 0)
        wrong = judged(plain, faulty_plain, ours)
        if nth and wrong and met_by_plain(row, place, command, call, error, ours):
            wrong = []
        if nth and any(words in ours.aspects["stderr"] for words in LOADER):
            counts.append("loader")
            wrong = []
        if error == "kill" and ours.aspects["status"] != 0:
            wrong = [word for word in wrong if " s where plain " in word]
            row.killed.add(call)
        if remote:
            place.fresh_store()
        pack(place, command)
        then = run(place, clean)
        # If the tool ended otherwise, the fault hit the tool itself. No key can hold that.
        after = differing(plain, then) if alike(plain, faulty_plain) else []
        after = [
            f"the next run, without a fault: {shown(plain, then, aspect)}" for aspect in after
        ]
        if wrong or after:
            counts.append("different")
            row.found.append(
                (
                    f"{command}: {call}: {'n-th' if nth else 'all'}",
                    [f"{way}: {error}{f', call {nth}' if nth else ''}: {' '.join(fault.argv)}"]
                    + (wrong + after)[:5]
                    + [f"status {ours.aspects['status']}, {ours.seconds:.1f} s"]
                    + [" ".join(said)[:160] for said in ours.verdicts[:3]],
                )
            )
        row.counts.update(((f"{command}, {'n-th' if nth else 'all'}", count) for count in counts))


class Faults(crew.Row):
    """redis: the path of a server's socket, or None. killed: calls that the killing filter met.
    plains: what plain runs leave under faults."""

    def __init__(self, name, redis):
        super().__init__(name)
        self.redis, self.fresh, self.killed, self.plains = redis, 0, set(), {}

    def remote(self):
        """The settings of a remote store that is empty."""
        self.fresh += 1
        return remote_settings(self.redis, f"{self.name}-{self.fresh}") if self.redis else {}


def remote_settings(socket, prefix):
    return {"REPRISE_REDIS_SOCKET": socket, "REPRISE_REDIS_PREFIX": prefix}


def work(the_crew, item):
    number, command, call, faults = item
    row = Faults(f"f{number:04}", the_crew.redis.socket if command == "publisher" else None)
    place = Place(f"{the_crew.base}/{row.name}", f"{the_crew.base}.aside/{row.name}")
    place.seconds = LIMIT
    place.grace = PUBLISHES if row.redis else PACKS
    try:
        for error, nth in faults:
            meet(row, place, command, call, error, nth)
    finally:
        place.close()
    return row


def faults_of(call, count, plain_makes, nth, strace):
    errors = calls.errors_of(call)
    faults = [(error, 0) for error in errors if call not in NEVER_ALL] + (
        [("kill", 0)] if not plain_makes else []
    )
    # Of the calls in NEVER_ALL only execve can fail once.
    if strace and calls.ERRORS.get(call) and call not in NEVER_ALL[1:]:
        faults += [(error, at) for error in errors for at in range(1, min(count, nth) + 1)]
    return faults


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--share", type=int, default=1)
    options = parser.parse_args()
    strace, nth = shutil.which("strace"), int(os.environ.get("FAULTS_NTH") or 8)
    if not strace:
        print("no strace here: which calls are made is not known, and no n-th one fails")
        return 77
    begun, items, known = time.monotonic(), [], calls.numbers()
    the_crew = crew.Crew(
        "faults",
        int(os.environ.get("FAULTS_JOBS") or os.cpu_count()),
        os.environ.get("FAULTS_REPORTS"),
    )
    the_crew.redis = Redis(the_crew.base) if present("publisher") else None
    try:
        every = 0
        for command in COMMANDS:
            if not re.search(os.environ.get("FAULTS_COMMANDS", ""), command):
                continue
            if not present(command):
                print(f"{command}: not here")
                continue
            if command == "units":
                check_units(the_crew.base)
            remote = {}
            if command == "publisher":
                remote = remote_settings(the_crew.redis.socket, "traced")
            plain, ours = traced(command, 1, False, {}), traced(command, 2, True, remote)
            made = [
                call
                for call in sorted(ours)
                if call in known and re.search(os.environ.get("FAULTS_CALLS", ""), call)
            ]
            print(
                f"{command}: {len(made)} calls; not plain's:",
                *(call for call in made if call not in plain),
                flush=True,
            )
            for call in made:
                faults = [
                    fault
                    for fault in faults_of(call, ours[call], call in plain, nth, strace)
                    if re.search(os.environ.get("FAULTS_ERRORS", ""), f"{call} {fault[0]}")
                ]
                taken = [
                    fault for at, fault in enumerate(faults, every) if at % options.share == 0
                ]
                every += len(faults)
                items += [
                    (command, call, taken[at : at + SLICE])
                    for at in range(0, len(taken), SLICE)
                ]
        items = [(number, *item) for number, item in enumerate(items)]
        rows = the_crew.run(work, crew.part(items, os.environ.get("FAULTS_PART")))
    finally:
        if the_crew.redis:
            the_crew.redis.close()
        the_crew.close()
    if the_crew.reports:
        with open(f"{the_crew.reports}/found", "w") as file:
            file.writelines(
                f"{kind}\n    " + "\n    ".join(words) + "\n"
                for row in rows
                for kind, words in row.found
            )
    status = crew.report(rows, time.monotonic() - begun)
    print("ld.so met", crew.total(rows)["loader"], "of these as it loaded the object")
    print(
        "killed for what plain runs do not call:",
        *sorted(set().union(*(row.killed for row in rows if isinstance(row, Faults)))),
    )
    return status


if __name__ == "__main__":
    sys.exit(main())
