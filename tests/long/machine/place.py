"""A place: a root directory for the files of starts, and beside it a store. Runs one start at a
time."""

import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import time

from machine import streams
from machine.start import below_link, directory, with_parents

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
LIBRARY = os.path.abspath(os.environ.get("REPRISE_LIB") or TOP + "/build/libreprise.so")
AGE = 0.03  # as E2E_AGE of tests/e2e/lib.bash: younger files are rightly not trusted
SECONDS = 120  # longer than any start takes on a loaded machine
DIRECTORY = directory()
WHOLE = 1 << 16  # larger files are kept as digests
# Texts that differ between two real runs: names of nvcc's temporary files hold its pid; ptxas -v
# prints how long it took.
MASKS = [
    (re.compile(rb"tmpxft_[0-9a-f]{8}_"), b"tmpxft_PPPPPPPP_"),
    (re.compile(rb"Compile time = [0-9.]+ ms"), b"Compile time = T ms"),
    # gcc -Q: memory, and a row for what took time at all
    (re.compile(rb"\{heap [0-9]+k\}"), b"{heap N}"),
    (
        re.compile(rb"(?:^ [^:\n]+ :(?: +[0-9.]+(?: \( *[0-9]+%\))?){3}[^\n]*\n)+", re.M),
        b" TIMES\n",
    ),
]
VERDICT = re.compile(
    r"^\S+ \d+ info (?:x86_64-linux-gnu-)?([A-Za-z0-9_+.-]+?)(?:-\d[\d.]*)?: "
    r"(hit|miss|unstored|bypass)\b(.*)",
    re.M,
)


def masked(data):
    for pattern, by in MASKS:
        data = pattern.sub(by, data)
    return data


def digest(data):
    return data if len(data) < WHOLE else hashlib.sha256(data).digest()


class Result:
    """aspects: status, stdout, stderr, and `file PATH` for each path that is not as it was laid:
    type, mode, links, bytes."""

    def __init__(self, aspects, log, seconds):
        self.aspects, self.log, self.seconds = aspects, log, seconds
        self.verdicts = [
            (tool, verdict, why.strip(": ")) for tool, verdict, why in VERDICT.findall(log)
        ]

    def verdict(self):
        """hit if each tool of the start was replayed, otherwise the worst verdict of a tool; none
        if no tool was seen."""
        said = [verdict for _, verdict, _ in self.verdicts]
        return (
            "none"
            if not said
            else (
                "hit"
                if set(said) == {"hit"}
                else "unstored" if "unstored" in said else "bypass" if "bypass" in said else "miss"
            )
        )

    def complaints(self):
        return re.findall(r"^\S+ \d+ ((?:error|warning) .*)", self.log, re.M)


class Place:
    def __init__(self, root, aside):
        """root: the files of starts; aside: the store, the log and the files for streams."""
        self.root, self.aside, self.laid, self.changed, self.seconds = (
            root,
            aside,
            {},
            0.0,
            SECONDS,
        )
        # Seconds after which processes that a start leaves running are ended; None: they are not
        # looked for.
        self.grace = None
        self.ended = 0.0  # when the last start did
        for path in root, aside:
            remove(path)
            os.makedirs(path)
        self.fresh_store()

    def fresh_store(self):
        self.counts = {}
        for name in "store", "runtime":
            remove(f"{self.aside}/{name}")
        os.makedirs(f"{self.aside}/runtime", mode=0o700)

    def close(self):
        remove(self.root)
        remove(self.aside)

    def lay(self, start):
        """Writes only changed files: other files keep their inodes."""
        wanted = with_parents(
            {
                f"{self.root}/tmp": DIRECTORY,
                f"{self.root}/home": DIRECTORY,
                **({} if below_link(start.files, start.cwd) else {start.cwd: DIRECTORY}),
                **start.files,
            },
            self.root,
        )
        gone = {path for path in self.laid if self.laid[path][0] != wanted.get(path)}
        links = {path for path, known in self.laid.items() if known[0].kind == "h"}
        real = {os.path.realpath(path) for path in (gone if links else ())}
        gone |= {  # the file may be named through a link
            path for path in links if os.path.realpath(self.target(self.laid[path][0])) in real
        }
        for path in sorted(gone, key=len, reverse=True):
            self.drop(path)
        for path in sorted(wanted, key=lambda path: (wanted[path].kind == "h", path)):
            if path not in self.laid:
                self.put(path, wanted[path])
        # A directory's mode comes last: below a read-only one its files are made first.
        for path, entry in wanted.items():
            if entry.kind == "d" and entry.mode != 0o755:
                os.chmod(path, entry.mode)

    def drop(self, path):
        self.changed = time.monotonic()
        remove(path)
        for known in [
            known for known in self.laid if known == path or known.startswith(path + "/")
        ]:
            del self.laid[known]

    def target(self, entry):
        return os.path.join(self.root, os.fsdecode(entry.data))

    def put(self, path, entry):
        self.changed = time.monotonic()
        if not os.path.isdir(os.path.dirname(path)):
            os.makedirs(os.path.dirname(path))
        if entry.kind == "d":
            os.makedirs(path, exist_ok=True)
        elif entry.kind == "l":
            os.symlink(entry.data, path)
        elif entry.kind == "h":
            os.link(self.target(entry), path)
        else:
            with open(path, "wb") as file:
                file.write(entry.data)
            os.chmod(path, entry.mode)
            os.utime(path, (entry.stamp, entry.stamp))
        self.laid[path] = (entry, signature(os.lstat(path)))

    def taken_back(self):
        """Restores the laid files. Returns what the start had changed, as aspects."""
        aspects, found, redo = {}, set(), {}
        for path, st in walk(self.root):
            found.add(path)
            known = self.laid.get(path)
            if known and (
                stat.S_ISDIR(st.st_mode) and known[0].kind == "d" or signature(st) == known[1]
            ):
                if stat.S_ISDIR(st.st_mode) and stat.S_IMODE(st.st_mode) != known[0].mode:
                    aspects[f"file {path[len(self.root) + 1:]}"] = ("mode", oct(st.st_mode))
                    os.chmod(path, known[0].mode)
                continue
            what = (oct(st.st_mode), 0 if stat.S_ISDIR(st.st_mode) else st.st_nlink)
            if stat.S_ISREG(st.st_mode):
                with open(path, "rb") as file:
                    what += (digest(masked(file.read())),)
            elif stat.S_ISLNK(st.st_mode):
                what += (os.readlink(path),)
            aspects[f"file {path[len(self.root) + 1:]}"] = what
            redo[path] = known
        for path in set(self.laid) - found:
            aspects[f"file {path[len(self.root) + 1:]}"] = ("gone",)
            redo[path] = self.laid[path]
        for path in sorted(redo, key=len, reverse=True):
            self.drop(path)
        links = (
            {path for path, known in self.laid.items() if known[0].kind == "h"} if redo else set()
        )
        for path in links:  # of a file that was written anew
            redo[path] = self.laid[path]
            self.drop(path)
        for path in sorted(
            redo,
            key=lambda path: (
                path in links or bool(redo[path]) and redo[path][0].kind == "h",
                len(path),
            ),
        ):
            if redo[path] and path not in self.laid:
                self.put(path, redo[path][0])
        return aspects

    def run(self, start, reprise):
        """Runs a start whose files are laid, and removes what it left."""
        env = {
            "PATH": os.environ["PATH"],
            "HOME": f"{self.root}/home",
            "TMPDIR": f"{self.root}/tmp",
            "LC_ALL": "C",
        }
        env.update(start.env)
        env = {name: value for name, value in env.items() if value is not None}
        log = f"{self.aside}/log"
        if reprise:
            env.update(
                REPRISE_CACHE_DIR=f"{self.aside}/store",
                REPRISE_RUNTIME_DIR=f"{self.aside}/runtime",
                REPRISE_LOG=log,
                REPRISE_LOG_LEVEL="info",
                **{"REPRISE_STRICT": "1", **start.settings},
            )
            env["LD_PRELOAD"] = LIBRARY + (
                ":" + env["LD_PRELOAD"] if env.get("LD_PRELOAD") else ""
            )
            time.sleep(max(0.0, AGE - (time.monotonic() - self.changed)))
        begun = time.monotonic()
        status, out, err = self.streams(start, env)
        seconds = self.ended - begun
        said = ""
        if reprise and os.path.exists(log):
            with open(log, errors="replace") as file:
                said = file.read()
            os.unlink(log)
        if reprise and any(word.endswith("/nvrtc_run") for word in start.argv):
            said += self.counted()
        return Result(
            {"status": status, "stdout": masked(out), "stderr": masked(err), **self.taken_back()},
            said,
            seconds,
        )

    def stragglers(self):
        """The processes that a start has left running, of any group: those with this place's
        HOME."""
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/environ", "rb") as file:
                    if f"HOME={self.root}/home".encode() in file.read():
                        yield int(process)
            except OSError:
                pass

    def end_stragglers(self, seconds=0.0):
        """Ends the processes that do not end by themselves within so many seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and any(self.stragglers()):
            time.sleep(0.005)
        for process in self.stragglers():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def reprise(self, *arguments, check=True):
        """The output of a `reprise` command on this place's store."""
        return subprocess.run(
            [TOP + "/build/reprise", *arguments],
            env={
                "REPRISE_CACHE_DIR": f"{self.aside}/store",
                "REPRISE_RUNTIME_DIR": f"{self.aside}/runtime",
                "HOME": f"{self.root}/home",
            },
            stdout=subprocess.PIPE,
            stderr=None if check else subprocess.DEVNULL,
            text=True,
            errors="replace",
            check=check,
        ).stdout

    def counted(self):
        """Hits and misses of programs since the last call, by the statistics, as lines of a log:
        the object logs none of these."""
        said = json.loads(self.reprise("stats", "--json"))
        counts = {
            what: said.get(f"nvrtc_{plural}", 0)
            for what, plural in (("hit", "hits"), ("miss", "misses"))
        }
        lines = [
            f"- 0 info nvrtc: {what}: counted\n"
            for what in counts
            if counts[what] > self.counts.get(what, 0)
        ]
        self.counts = counts
        return "".join(lines)

    def streams(self, start, env):
        opened = streams.Streams(start, self.aside)
        try:
            child = subprocess.Popen(
                opened.argv,
                cwd=start.cwd,
                env=env,
                stdin=opened.stdin,
                stdout=opened.out,
                stderr=opened.err,
                umask=start.umask,
                start_new_session=True,
            )
        except OSError as error:
            self.ended = time.monotonic()
            return ("no start", error.errno), b"", b""
        finally:
            opened.close()
        opened.started()
        try:
            said = child.communicate(timeout=self.seconds)
        except subprocess.TimeoutExpired:
            self.ended = time.monotonic()
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            self.end_stragglers()
            return "hangs", b"", b""
        self.ended = time.monotonic()
        if self.grace is not None:
            self.end_stragglers(self.grace)
        return child.returncode, *opened.said(*said)


def signature(st):
    return st.st_ino, st.st_size, st.st_mtime_ns, st.st_mode


def walk(path):
    try:
        entries = list(os.scandir(path))
    except PermissionError:
        return
    for entry in entries:
        yield entry.path, entry.stat(follow_symlinks=False)
        if entry.is_dir(follow_symlinks=False):
            yield from walk(entry.path)


def remove(path):
    def again(_, name, __):
        # The directory's content is compared, not its parent: that is /tmp.
        if name != path:
            os.chmod(os.path.dirname(name), 0o755)
        remove(name)

    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, onerror=again)
    else:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
