"""Caches that bench/everyday.py compares: how each is reached, emptied, saved and asked."""

import collections
import json
import os
import re
import shutil
import subprocess

from nodes import free_port
from run import COMMAND, RUNTIME, ccache_env, plain_env, reprise_env, stats, which

# The settings that ccache's manual lists for builds that share as widely as possible.
SLOPPINESS = ("pch_defines,time_macros,include_file_mtime,include_file_ctime,locale,"
              "system_headers")
# Records of one build that explain is asked for.
RECORDS_MAX = "5000"


class Cache:
    """Plain: no cache. against: the row that should hit wherever this one does. debug_only: a row
    of the columns with -g alone, whose debug information may name other directories."""

    def __init__(self, name, work, launcher="", against=None, debug_only=False):
        self.name, self.launcher, self.against = name, launcher, against
        self.debug_only = debug_only
        self.store = os.path.join(work, "stores", re.sub(r"\W+", "-", name))

    def env(self, _checkout):
        return plain_env()

    def empty(self):
        shutil.rmtree(self.store, ignore_errors=True)
        os.makedirs(self.store, mode=0o700)

    def save(self):
        """Copies the store as it is now, for restore()."""
        shutil.rmtree(self.store + ".saved", ignore_errors=True)
        shutil.copytree(self.store, self.store + ".saved", symlinks=True)

    def restore(self):
        shutil.rmtree(self.store, ignore_errors=True)
        shutil.copytree(self.store + ".saved", self.store, symlinks=True)

    def begin(self):
        """From here on hits() counts."""

    def hits(self, compiles):
        """Returns the hits among so many compiles, since begin()."""
        return 0

    def reasons(self):
        """Returns why compiles since begin() were no hits: {text: count}."""
        return {}

    def end(self):
        pass


class Ccache(Cache):
    def __init__(self, name, work, settings=None, **more):
        super().__init__(name, work, which("ccache"), **more)
        self.settings = settings or {}

    def env(self, _checkout):
        return ccache_env(self.store, **self.settings)

    def asked(self, *words):
        return subprocess.run([self.launcher, *words], env=self.env(None), check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def begin(self):
        self.asked("--zero-stats")

    def hits(self, compiles):
        figures = dict(line.split("\t") for line in self.asked("--print-stats").splitlines())
        return int(figures["direct_cache_hit"]) + int(figures["preprocessed_cache_hit"])


class Sccache(Cache):
    """Its server is started for each build, as it holds what it knows of its store in memory."""

    def __init__(self, work, path, **more):
        super().__init__("sccache", work, path, **more)
        self.port, self.up = str(free_port()), False

    def env(self, _checkout):
        return dict(plain_env(), SCCACHE_DIR=self.store, SCCACHE_SERVER_PORT=self.port,
                    SCCACHE_IDLE_TIMEOUT="0", SCCACHE_IGNORE_SERVER_IO_ERROR="0")

    def asked(self, *words):
        return subprocess.run([self.launcher, *words], env=self.env(None), check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def end(self):
        if self.up:
            self.asked("--stop-server")
        self.up = False

    def start(self):
        self.end()
        self.asked("--start-server")
        self.up = True

    def empty(self):
        self.end()
        super().empty()
        self.start()

    def save(self):
        self.end()
        super().save()

    def restore(self):
        self.end()
        super().restore()
        self.start()

    def begin(self):
        self.asked("--zero-stats")

    def hits(self, compiles):
        found = json.loads(self.asked("--show-stats", "--stats-format=json"))["stats"]
        return sum(found["cache_hits"]["counts"].values())


class Reprise(Cache):
    """bases: a function of the checkout that gives REPRISE_BASE_DIRS."""

    def __init__(self, name, work, bases=None, settings=None, **more):
        super().__init__(name, work, **more)
        self.bases, self.settings, self.before = bases, settings or {}, 0

    def env(self, checkout):
        more = {"REPRISE_BASE_DIRS": self.bases(checkout)} if self.bases else {}
        return reprise_env(self.store, **more, **self.settings)

    def begin(self):
        for at, _, names in os.walk(RUNTIME):
            for name in {"journal", "journal.1"} & set(names):
                os.unlink(os.path.join(at, name))
        self.before = stats(self.store)["hits_local"]

    def records(self):
        """Returns (argv, pid, reason) of the compiles that were no hits. explain cuts an argv after
        1 KiB. So a longer argv is taken for a compile unless its beginning shows a link."""
        done = subprocess.run([COMMAND, "explain", RECORDS_MAX], env=self.env(None), text=True,
                              stdout=subprocess.PIPE, check=True)
        for block in done.stdout.split("\n\n"):
            lines = block.splitlines()
            if len(lines) < 4:
                continue
            argv, pid = lines[1].strip(), re.search(r"pid (\d+)", lines[3])
            links = "-shared" in argv or "-Wl," in argv or argv.count(".o ") > 1
            if " -c " in argv or (len(argv) > 1000 and not links):
                verdict = re.sub(r"^\S+ \S+ .*?: (?=(miss|bypass|unstored|error): )", "",
                                 lines[0])
                yield argv, pid and pid[1], "; ".join([verdict, *(w.strip() for w in lines[4:])])

    def hits(self, compiles):
        records = list(self.records())
        ran = len({pid for _, pid, _ in records})
        counted = stats(self.store)["hits_local"] - self.before
        if not 0 <= compiles - ran <= counted:
            raise SystemExit(f"bench: {self.name}: {ran} of {compiles} compiles ran, and only "
                             f"{counted} hits: some compiles were not seen\n"
                             + "\n".join(f"{pid} {argv}: {why}" for argv, pid, why in records))
        return compiles - ran

    def reasons(self):
        return collections.Counter(reason for _, _, reason in self.records())


def all_caches(work, sccache):
    """Returns all caches, plain first."""
    checkouts = os.path.join(work, "checkouts")
    bases = {"CCACHE_BASEDIR": checkouts, "CCACHE_SLOPPINESS": SLOPPINESS}
    debugdir = {"REPRISE_SLOPPY": "debugdir"}

    def parent(_):
        return checkouts + "/*"

    def own(checkout):
        return f"{checkout or checkouts}:{checkout or checkouts}/*"

    made = [Cache("plain", work)]
    if shutil.which("ccache"):
        made += [Ccache("ccache", work, against="Reprise"),
                 Ccache("ccache, base_dir, sloppy", work, bases, against="Reprise, parent"),
                 Ccache("ccache, also no hash_dir", work, dict(bases, CCACHE_NOHASHDIR="1"),
                        against="Reprise, parent, debugdir", debug_only=True)]
    if sccache:
        made.append(Sccache(work, sccache, against="Reprise"))
    return made + [
        Reprise("Reprise", work), Reprise("Reprise, parent", work, parent),
        Reprise("Reprise, checkout", work, own),
        Reprise("Reprise, debugdir", work, None, debugdir, debug_only=True),
        Reprise("Reprise, parent, debugdir", work, parent, debugdir, debug_only=True),
        Reprise("Reprise, checkout, debugdir", work, own, debugdir, debug_only=True)]
