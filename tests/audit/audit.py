#!/usr/bin/env python3
"""audit.py --lib LIBREPRISE [--verbose] CMD...: is the trace of CMD complete?

Runs CMD once under strace. A recording Reprise keeps its raw trace (REPRISE_TRACE_KEEP). Compares
the trace with what the processes below the recording tool asked the kernel about files.

Status 0: the trace holds every question, by its kind (read, written, absent, found, link read,
removed, renamed), or the list below does. 1: the missing questions are printed. 2: the audit itself
did not work. 77: it cannot run here.

What may be missing, and why that is right:
  loader     before our constructor runs ld.so searches libraries. The trace has what it loaded as
             LOADED. An earlier library that appears changes ld.so's cache or the tool's own
             directory, which the tool's identity covers
  dlopen     the same search after the constructor, for objects that are LOADED in the trace
  locale     libc opens message catalogues, charset modules and the time zone itself. The key holds
             LANG, LC_* and LANGUAGE; a run that asks for the local time is not stored
  realpath   libc asks for each part of a path whose question and answer are in the trace, and for
             those of the links between them. If a part is absent, the trace has the whole path as
             absent
  parents    a path below one that is in the trace as absent
  self       /proc/self, /proc/PID, /dev/null, /dev/tty; Reprise's own store, settings, runtime
             directory and log; a read of a program's head before it is executed
  cpus       what libc's own malloc, qsort and get_nprocs ask of /sys and /proc about the size of
             the machine
  shell      sh's probe of the current directory at its start
"""
import argparse
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

OPS = """HELLO BYE FORKED LOADED SCRIPT EXEC EXEC_FAILED SPAWN SYSTEM READ WRITE UPDATE ABSENT
FAILED PRESENT STAT LIST READLINK REALPATH RENAME UNLINK MKDIR LINK CHMOD TIMES TEMP GETENV GETCWD
CLOCK SOCKET OTHER PROGRAM REFUSE NATIVE CHANCE""".split()

# The records of the trace that answer for each kind of question to the kernel.
ANSWERS = {
    "read": {"READ", "LIST", "LOADED", "UPDATE", "WRITE", "TEMP", "SCRIPT"},
    "list": {"LIST", "READ", "PRESENT", "STAT"},
    "write": {"WRITE", "UPDATE", "TEMP"},
    "absent": {"ABSENT", "EXEC_FAILED", "UNLINK"},
    "failed": {"FAILED", "ABSENT", "EXEC_FAILED", "OTHER", "MKDIR"},
    "found": {"PRESENT", "STAT", "READ", "WRITE", "UPDATE", "LIST", "TEMP", "EXEC", "LOADED",
              "HELLO", "MKDIR"},
    "readlink": {"READLINK", "REALPATH"},
    "unlink": {"UNLINK"},
    "rename": {"RENAME"},
    "mkdir": {"MKDIR", "TEMP"},
    "link": {"LINK"},
    "change": {"CHMOD", "TIMES", "UPDATE", "WRITE"},
    "exec": {"EXEC", "SPAWN", "HELLO", "SYSTEM"},
}

LOCALE = re.compile(
    r"^(/usr/lib/locale/|/usr/share/locale|/usr/lib/[^/]+/gconv/|/etc/localtime$|"
    r"/usr/share/zoneinfo|/etc/locale|/usr/share/i18n)")
SELF = re.compile(r"^(/proc/(self|thread-self|\d+)(/|$)|/dev/(null|tty)$)")
CPUS = re.compile(r"^(/sys/devices/system/cpu|/proc/(stat|meminfo|cpuinfo|"
                  r"sys/vm/overcommit_memory)$|/sys/fs/cgroup|/etc/malloc\.conf$)")
# Directories below a RUNPATH that dlopen looks for.
RUNPATH = re.compile(r"/\.\./lib(/tls)?(/x86_64)*$|/(tls|x86_64|haswell|avx512_1)(/x86_64)*$")
LOADER = re.compile(r"^/etc/ld\.so\.|/ld-linux[^/]*$|\.so(\.[\w.]+)?$|/glibc-hwcaps")


def tidy(path):
    """Without doubled slashes and '.' parts; '..' stays, since links may stand before it."""
    if not path:
        return path
    parts = [p for p in path.split("/") if p not in ("", ".")]
    return "/" + "/".join(parts)


def read_trace(path):
    data = open(path, "rb").read()
    if data[:8] != b"RPTRACE1":
        sys.exit("audit: %s: no trace" % path)
    (tail,) = struct.unpack_from("<Q", data, 8)
    at, out = 32, []
    while at + 24 <= min(tail, len(data)):
        length, op, flags, pid, arg, la, lb = struct.unpack_from("<IHHIIII", data, at)
        if length == 0:
            sys.exit("audit: a hole in the trace at %d" % at)
        a = data[at + 24:at + 24 + la].decode("latin-1")
        b = data[at + 24 + la + 1:at + 24 + la + 1 + lb].decode("latin-1")
        out.append((OPS[op - 1] if 0 < op <= len(OPS) else "?%d" % op, flags, pid, arg, a, b))
        at += (length + 7) & ~7
    return out


def unhex(s):
    return bytes.fromhex(s.replace("\\x", "")).decode("latin-1")


CALL = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+|\?|0x[0-9a-f]+)(?:<[^>]*>)?(?: (\w+))?")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
AT = re.compile(r"^(AT_FDCWD|-?\d+)(?:<((?:\\x[0-9a-f]{2})*|[^>]*)>)?$")


def joined_lines(path):
    """strace splits calls that block: 'PID call(... <unfinished ...>', then 'PID <... call
    resumed>...'."""
    waiting = {}
    for line in open(path, errors="replace"):
        line = line.rstrip("\n")
        m = re.match(r"^(\d+) +(.*) <unfinished \.\.\.>$", line)
        if m:
            waiting[m.group(1)] = m.group(2)
            continue
        m = re.match(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$", line)
        if m and m.group(1) in waiting:
            line = "%s %s%s" % (m.group(1), waiting.pop(m.group(1)), m.group(2))
        yield line


def split_args(text):
    out, depth, cur, quoted = [], 0, "", False
    for c in text:
        if c == '"':
            quoted = not quoted
        if not quoted:
            if c in "([{<":
                depth += 1
            elif c in ")]}>":
                depth -= 1
            elif c == "," and depth == 0:
                out.append(cur.strip())
                cur = ""
                continue
        cur += c
    return out + [cur.strip()]


class Kernel:
    """The file questions of the processes below the recording one."""

    def __init__(self, trace_dir, cwd):
        self.trace_dir, self.start_cwd = trace_dir, cwd
        self.cwd, self.parent = {}, {}
        # events between execve and the object's constructor
        self.loading, self.early = set(), {}
        self.top = None       # the first process: the tool that forks and supervises
        self.questions = []   # (kind, path, pid, line)
        self.look = {}        # the last question about a file's state

    def absolute(self, pid, at, path):
        if path.startswith("/"):
            return tidy(path)
        base = self.cwd.get(pid, self.start_cwd)
        if at:
            m = AT.match(at)
            if m and m.group(2) and m.group(1) != "AT_FDCWD":
                base = unhex(m.group(2)) if "\\x" in m.group(2) else m.group(2)
        return tidy(base + "/" + path)

    def line(self, line):
        m = CALL.match(line)
        if not m:
            return
        pid, call, args, ret, err = int(m.group(1)), m.group(2), m.group(3), m.group(4), m.group(5)
        if self.top is None:
            self.top = pid
            self.cwd[pid] = self.start_cwd
        if call in ("clone", "clone3", "fork", "vfork"):
            if ret.isdigit() and int(ret) > 0:
                kid = int(ret)
                self.parent[kid] = pid
                self.cwd.setdefault(kid, self.cwd.get(pid, self.start_cwd))
            return
        a = split_args(args)
        strings = [(i, unhex(s.group(1))) for i, x in enumerate(a) for s in [STRING.match(x)] if s]
        if not strings:
            return
        ok = err is None
        at = a[0] if call.endswith("at") or call in ("openat", "openat2", "statx", "faccessat2",
                                                     "execveat", "renameat2", "fchmodat2") else None
        path = self.absolute(pid, at, strings[0][1]) if strings[0][1] else None
        look = self.look.pop(pid, None)
        # A hook looks at a file that is about to be written.
        if (look and not (look[1] == path and "open" in call and
                          re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", args))):
            self.ask(*look)
        if call == "chdir" and ok:
            self.cwd[pid] = path
            return
        if call in ("execve", "execveat"):
            if ok:
                self.loading.discard(pid)
            self.ask("exec" if ok else "absent" if err in ("ENOENT", "ENOTDIR") else "failed", path,
                     pid, line)
            if ok:
                self.loading.add(pid)
            return
        if (path is None or call in ("chdir", "fchdir", "getcwd", "mount", "umount2", "statfs",
                                     "name_to_handle_at")):
            return
        if pid in self.loading and path.startswith(self.trace_dir) and "open" in call:
            # Our constructor is the first code after ld.so and maps the trace at once.
            self.loading.discard(pid)
            self.early.pop(pid, None)
            return
        missing = err in ("ENOENT", "ENOTDIR")
        if call in ("open", "openat", "openat2", "creat"):
            flags = args[args.rfind('"') + 1:]
            if missing:
                kind = "absent"
            elif not ok:
                kind = "failed"
            elif "O_DIRECTORY" in flags:
                kind = "list"
            elif re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", flags) or call == "creat":
                kind = "write"
            else:
                kind = "read"
        elif call in ("readlink", "readlinkat"):
            kind = "absent" if missing else "readlink" if ok else "no link"
        elif call.startswith("unlink") or call == "rmdir":
            kind = "unlink" if ok else "probe"
        elif call.startswith("rename"):
            kind = "rename" if ok else "probe"
            if ok and len(strings) > 1:
                at2 = a[2] if at else None
                self.ask(kind, self.absolute(pid, at2, strings[1][1]), pid, line)
        elif call.startswith("mkdir"):
            kind = "mkdir" if ok else "probe"
        elif call.startswith(("link", "symlink")):
            kind = "link" if ok else "probe"
            path = self.absolute(pid, None, strings[-1][1])
        elif call.startswith(("chmod", "fchmod", "chown", "lchown", "fchown", "utim", "truncate")):
            kind = "change" if ok else "probe"
        else:  # stat family, access family
            self.look[pid] = ("absent" if missing else "found" if ok else "failed", path, pid, line)
            return
        self.ask(kind, path, pid, line)

    def ask(self, kind, path, pid, line):
        if pid in self.loading and kind != "exec":
            self.early.setdefault(pid, []).append((kind, path, pid, line))
        else:
            self.questions.append((kind, path, pid, line))

    def finish(self):
        """Handles a process that was never recorded: its events count, those of the loader, too."""
        for look in self.look.values():
            self.ask(*look)
        for pid, asked in self.early.items():
            self.questions += [q for q in asked if not LOADER.search(q[1])]

    def below_top(self, pid):
        """Whether the process was forked from the supervisor, directly or not."""
        seen = set()
        while pid in self.parent and pid not in seen:
            seen.add(pid)
            pid = self.parent[pid]
            if pid == self.top:
                return True
        return False


def followed(path):
    """The path, and where its links lead, one after the other."""
    for _ in range(40):
        yield path
        if not os.path.islink(path):
            return
        path = tidy(os.path.join(os.path.dirname(path), os.readlink(path)))


def judge(kernel, trace, own):
    by_path = {}
    for op, _flags, _pid, _arg, a, b in trace:
        if a.startswith("/"):
            by_path.setdefault(tidy(a), set()).add(op)
        if b.startswith("/") and op != "GETENV":
            by_path.setdefault(tidy(b), set()).add(op)
    loaded = {os.path.realpath(a) for op, _f, _p, _r, a, _b in trace if op == "LOADED"}
    loaded_names = ({os.path.basename(p) for p in loaded} |
                    {os.path.basename(a) for op, _f, _p, _r, a, _b in trace if op == "LOADED"})
    chains = set()
    for op, _f, _p, _r, a, b in trace:
        if op in ("REALPATH", "READLINK", "READ", "EXEC", "HELLO"):
            for p in (*(followed(tidy(a)) if op == "REALPATH" else [tidy(a)]),
                      tidy(b) if b.startswith("/") else ""):
                while p and p != "/":
                    chains.add(p)
                    p = os.path.dirname(p)
    absent = {p for p, ops in by_path.items() if "ABSENT" in ops}
    above_absent = set()
    for p in absent:
        # realpath follows '..' and links as it goes.
        resolved = os.path.join(os.path.realpath(os.path.dirname(p)), os.path.basename(p))
        above_absent.add(resolved)
        for q in (os.path.dirname(p), os.path.dirname(os.path.normpath(p)),
                  os.path.dirname(resolved)):
            while q not in ("/", ""):
                above_absent.add(q)
                q = os.path.dirname(q)

    def excused(kind, path):
        if (any(path == o or path.startswith(o + "/") for o in own) or
            path.endswith("/reprise.conf")):
            return "self"
        if kind == "read" and by_path.get(path, set()) & {"EXEC", "SPAWN", "SYSTEM"}:
            return "self"
        if SELF.match(path):
            return "self"
        if LOCALE.match(path):
            return "locale"
        if CPUS.match(path):
            return "cpus"
        if (kind in ("readlink", "probe", "no link", "found") and
            (path in chains or os.path.realpath(path) in chains)):
            return "realpath"
        if kind in ("absent", "no link") and path in above_absent:
            return "realpath"
        if (os.path.basename(path) in loaded_names and
            (kind == "absent" or os.path.realpath(path) in loaded)):
            return "dlopen"
        if ("glibc-hwcaps" in path or path == "/etc/ld.so.cache" or
            (kind in ("absent", "found") and RUNPATH.search(path))):
            return "dlopen"
        if kind in ("absent", "probe", "no link", "failed"):
            p = os.path.dirname(path)
            while p != "/":
                if p in absent:
                    return "parents"
                p = os.path.dirname(p)
        return None

    missed, counts = [], {}
    for kind, path, pid, line in kernel.questions:
        if not kernel.below_top(pid):
            continue
        ops = by_path.get(path, set())
        if kind in ("probe", "no link"):
            good = bool(ops)
        else:
            good = bool(ops & ANSWERS[kind])
        why = "seen" if good else excused(kind, path)
        counts[why] = counts.get(why, 0) + 1
        if why is None:
            missed.append((kind, path, sorted(ops), line))
    return missed, counts


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--lib", required=True)
    p.add_argument("--verbose", action="store_true")
    p.add_argument("--allow", action="append", default=[],
                   help="regular expression of further paths")
    p.add_argument("cmd", nargs=argparse.REMAINDER)
    o = p.parse_args()
    work = tempfile.mkdtemp(prefix="reprise-audit.")
    try:
        keep, log = os.path.join(work, "trace"), os.path.join(work, "strace")
        runtime, store = os.path.join(work, "runtime"), os.path.join(work, "store")
        env = {"LD_PRELOAD": o.lib, "REPRISE_CACHE_DIR": store, "REPRISE_RUNTIME_DIR": runtime,
               "REPRISE_TRACE_KEEP": keep,
               "REPRISE_LOG": os.path.join(work, "log"), "REPRISE_STRICT": "1",
               "REPRISE_LOG_LEVEL": "info"}
        calls = "trace=%file,clone,clone3,fork,vfork,execveat"
        strace = ["strace", "-f", "-qq", "-xx", "-y", "-s", "8192", "-e", calls, "-e",
                  "signal=none", "-o", log]
        for k, v in env.items():
            strace += ["-E", "%s=%s" % (k, v)]
        r = subprocess.run(strace + o.cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
        if not os.path.exists(log) or os.path.getsize(log) == 0:
            said = r.stdout.decode(errors="replace")
            if not re.search("ptrace", said, re.I):
                print("strace did not work: %s" % said[:2000])
                return 2
            print("strace is not permitted here: %s" % said[:200])
            return 77
        if r.returncode != 0:
            print("the command ended with %d: %s"
                  % (r.returncode, r.stdout.decode(errors="replace")[:2000]))
            return 2
        if not os.path.exists(keep):
            said = (open(os.path.join(work, "log")).read()
                    if os.path.exists(os.path.join(work, "log")) else "")
            print("no trace was kept; the log: %s" % said)
            return 2
        trace = read_trace(keep)
        kernel = Kernel(tidy(runtime), tidy(os.getcwd()))
        for line in joined_lines(log):
            kernel.line(line)
        kernel.finish()
        missed, counts = judge(kernel, trace,
                               [tidy(work), tidy(os.path.realpath(work)), tidy(o.lib)])
        missed = [m for m in missed if not any(re.search(a, m[1]) for a in o.allow)]
        total = sum(counts.values())
        if total < 5 or not counts.get("seen"):
            print("only %d questions were seen: the audit is blind" % total)
            return 2
        if o.verbose or missed:
            print("%d records, %d questions: %s" % (len(trace), total, ", ".join("%s %d"
                % (k or "MISSED", v) for k, v in sorted(counts.items(), key=str))))
        said = set()
        for kind, path, ops, line in missed:
            if (kind, path) in said:
                continue
            said.add((kind, path))
            print("missed: %s %s (trace: %s)" % (kind, path, " ".join(ops) or "nothing"))
            if o.verbose:
                print("        %s" % STRING.sub(lambda m: '"%s"' % unhex(m.group(1)), line)[:200])
        return 1 if missed else 0
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
