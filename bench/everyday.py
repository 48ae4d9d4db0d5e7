"""bench/everyday.sh: compiles real projects anew after what happens every day, plain and with each
cache, counts the hits, compares all objects with plain's, and writes a table to bench/results/."""

import argparse
import collections
import dataclasses
import datetime
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

import report
import run
from everyday_caches import Sccache, all_caches
from everyday_projects import JOBS, PROJECTS, PYTHON, VERSION, Missing, Way
from harness import Variant, once

WORK = os.path.join(run.WORK, "everyday")
# A checkout of equal length, and one of another length.
FIRST, EQUAL, OTHER = "first", "equal", "a-third-checkout"
# Caches do not trust a file that was written a moment ago; for ccache that is a second.
AGE_S = 2.1


@dataclasses.dataclass(frozen=True)
class Column:
    """What differs from the build that filled the store."""
    head: str
    says: str
    checkout: str = FIRST
    more: str = ""
    directory: str = "build"
    renamed: bool = False
    piped: bool = False
    edit: str = ""
    debug: bool = False


COLUMNS = [
    Column("again", "built again in an emptied build directory"),
    Column("-o", "objects under other names", renamed=True),
    Column("checkout", "in a second checkout, path of equal length", EQUAL),
    Column("longer checkout", "in a third checkout, path of another length", OTHER),
    Column("build dir", "build directory of another name", directory="another-build"),
    Column("branch", "after a branch that edits two headers, and back", edit="branch"),
    Column("touch", "after `touch` of all texts", edit="touch"),
    Column("piped", "output to a pipe (`2>&1 \\| cat`), before to files", piped=True),
    Column("-D", "with `-DEVERYDAY_UNUSED`, which no text asks for", more="-DEVERYDAY_UNUSED"),
    Column("comment", "the comment at the end of each source changed", edit="comment"),
    Column("-g checkout", "with `-g`: second checkout, equal length", EQUAL, debug=True),
    Column("-g longer checkout", "with `-g`: third checkout, another length", OTHER, debug=True)]


class Cell:
    def __init__(self, hits, compiles, wall):
        self.hits, self.compiles, self.wall = hits, compiles, wall
        self.plain_wall = wall
        self.other_bytes = 0  # plain objects that differ from those of the first checkout
        self.debug_only = 0   # objects that differ from plain's in debug information, as accepted
        self.reasons = {}

    def text(self):
        mark = f" ≠{self.other_bytes}" if self.other_bytes else ""
        mark += f" ~{self.debug_only}" if self.debug_only else ""
        return f"{self.hits}/{self.compiles} {self.wall / self.plain_wall:.2f}{mark}"


def digest(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def stripped(path):
    out = os.path.join(WORK, "stripped")
    subprocess.run(["objcopy", "--strip-debug", "-R", ".note.gnu.build-id", path, out], check=True)
    return digest(out)


def is_object(name):
    return name.endswith((".o", ".lo"))


def binaries(directory, known=()):
    """Returns {path in the directory: file} of its ELF files, less those in `known`."""
    found = {}
    for at, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(at, name)
            if os.path.islink(path) or os.path.relpath(path, directory) in known:
                continue
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    found[os.path.relpath(path, directory)] = path
    return found


class Bench:
    """One project, and all caches."""

    def __init__(self, project, caches, columns):
        self.project, self.caches, self.columns = project, caches, columns
        self.cells, self.findings, self.unsteady = {}, [], set()
        self.blank = os.path.join(WORK, "blank")
        for path in self.blank, os.path.join(WORK, "checkouts"):
            shutil.rmtree(path, ignore_errors=True)
            os.makedirs(path)
        for name in FIRST, EQUAL, OTHER:
            project.unpack(self.at(name))
        time.sleep(AGE_S)

    def at(self, checkout):
        return os.path.join(WORK, "checkouts", checkout)

    def lay(self, way):
        """Lays the configured and otherwise empty build directory of this way."""
        name = hashlib.sha256(repr(way).encode()).hexdigest()[:16]
        kept = os.path.join(self.blank, name)
        shutil.rmtree(way.build(), ignore_errors=True)
        if not os.path.exists(kept):
            os.makedirs(way.build())
            self.project.configure(way)
            if way.renamed:
                self.project.rename(way)
            shutil.copytree(way.build(), kept, symlinks=True)
            shutil.rmtree(way.build())
        shutil.copytree(kept, way.build(), symlinks=True)
        return set(binaries(kept))

    def build(self, cache, column, debug):
        """Builds once and returns the seconds and the ELF files made."""
        at = self.at(column.checkout)
        flags = f"{'-g' if debug else ''} {column.more}".strip()
        way = Way(at, flags, column.directory, column.renamed, cache.launcher)
        known = self.lay(way)
        argv, cwd, more = self.project.command(way)
        to = '2>&1 | cat >"$0"' if column.piped else '>"$0" 2>"$0.err"'
        log = os.path.join(WORK, "log")
        variant = Variant(f"{self.project.name}, {cache.name}, {column.head}",
                          [run.which("sh"), "-c", f'"$@" {to}', log, *argv],
                          cache.env(at) | more, cwd=cwd)
        try:
            wall, _ = once(variant, 0)
        except SystemExit as error:
            raise SystemExit(f"{error}\n{open(log).read()[-2000:]}") from None
        return wall, binaries(way.build(), known)

    def edited(self, edit, version):
        """Writes version 1 or 2 of what the edit changes. Version 1 is what was there."""
        at = self.at(FIRST)
        paths = {"comment": self.project.sources(at), "touch": list(self.project.texts(at)),
                 "branch": [os.path.join(at, name) for name in self.project.headers]}[edit]
        for path in paths:
            text = open(path, "rb").read()
            if edit == "comment":
                new = text.replace((VERSION % (3 - version)).encode(), (VERSION % version).encode())
            else:
                line = b"extern int everyday_branch;\n"
                new = text.removesuffix(line)
                new += line if edit == "branch" and version == 2 else b""
            with open(path, "wb") as out:
                out.write(new)
        time.sleep(AGE_S)

    def measure(self, cache, column):
        cache.restore()
        if column.edit == "branch":
            self.edited("branch", 2)
            if cache.name != "plain":
                self.build(cache, column, column.debug)
            self.edited("branch", 1)
        elif column.edit:
            self.edited(column.edit, 2)
        cache.begin()
        wall, made = self.build(cache, column, column.debug)
        if column.edit == "comment":
            self.edited(column.edit, 1)
        return wall, made

    def fill(self, cache, debug):
        cache.empty()
        first = Column("fill", "", debug=debug)
        _, made = self.build(cache, first, debug)
        cache.save()
        if cache.name != "plain":
            return None
        digests = {name: digest(path) for name, path in made.items()}
        _, made = self.build(cache, first, debug)
        self.unsteady |= {name for name, path in made.items() if digest(path) != digests[name]}
        return digests

    def compare(self, cache, column, cell, made, want):
        """Compares what a build left with plain's. want: {name: (digest, digest without debug)}."""
        where = f"{self.project.name}, {cache.name}, {column.head}"
        if set(made) != set(want):
            self.findings.append(f"{where}: other files: {sorted(set(made) ^ set(want))[:5]}")
        for name in set(made) & set(want) - self.unsteady:
            if digest(made[name]) == want[name][0]:
                continue
            if cache.debug_only and stripped(made[name]) == want[name][1]:
                cell.debug_only += is_object(name)
                continue
            self.findings.append(f"{where}: {name} differs from plain's")
            print(f"bench: FINDING: {self.findings[-1]}", file=sys.stderr)

    def column(self, column, first):
        """Measures one column: plain, and then each cache."""
        plain = want = None
        for cache in self.caches:
            if cache.debug_only and not column.debug:
                continue
            wall, made = self.measure(cache, column)
            if plain is None:
                compiles = sum(map(is_object, made))
                plain = cell = Cell(0, compiles, wall)
                want = {n: (digest(p), stripped(p) if column.debug else "")
                        for n, p in made.items()}
                if column.checkout != FIRST:
                    cell.other_bytes = sum(is_object(n) and want[n][0] != first.get(n)
                                           for n in want)
            else:
                cell = Cell(cache.hits(plain.compiles), plain.compiles, wall)
                cell.plain_wall, cell.other_bytes = plain.wall, plain.other_bytes
                cell.reasons = cache.reasons()
                self.compare(cache, column, cell, made, want)
            cache.end()
            self.cells[cache.name, column.head] = cell
            print(f"bench: {self.project.name:14} {column.head:18} {cache.name:28} "
                  f"{cell.text() if cache.name != 'plain' else f'{wall:.2f} s'}",
                  file=sys.stderr)

    def all(self):
        for debug in False, True:
            columns = [c for c in self.columns if c.debug == debug
                       and (self.project.named or not c.renamed)]
            if not columns:
                continue
            for cache in self.caches:
                if debug or not cache.debug_only:
                    digests = self.fill(cache, debug)
                    first = digests if digests is not None else first
                    cache.end()
            for column in columns:
                self.column(column, first)
        os.chdir(run.ROOT)


def table(benches, caches, columns):
    lines = ["| project | cache | " + " | ".join(c.head for c in columns) + " |",
             "|---|---|" + "---|" * len(columns)]
    for bench in benches:
        for cache in caches:
            cells = []
            for column in columns:
                cell = bench.cells.get((cache.name, column.head))
                text = "" if not cell else cell.text() if cache.name != "plain" else (
                    f"{cell.compiles}; {cell.wall:.2f} s")
                cells.append(text)
            lines.append(f"| {bench.project.name} | {cache.name} | " + " | ".join(cells) + " |")
    return lines


def short(reason):
    """Leaves the directories of this run out of a reason."""
    return re.sub(r"\s+", " ", reason.replace(os.path.join(WORK, "checkouts"), "..."))[:300]


def losses(benches, caches, columns):
    """Lists the cells where a cache has more hits than the row of Reprise that it is set against,
    with the most frequent reasons. Cells in which plain's own objects differ are listed apart."""
    counted, listed = [], []
    for bench in benches:
        for cache in (c for c in caches if c.against):
            for column in columns:
                theirs = bench.cells.get((cache.name, column.head))
                against = cache.against if column.debug else cache.against.removesuffix(
                    ", debugdir")
                ours = bench.cells.get((against, column.head))
                if not theirs or not ours or theirs.hits <= ours.hits:
                    continue
                reasons = collections.Counter(ours.reasons).most_common(2)
                line = (f"- {bench.project.name}, {column.head}: {cache.name} "
                        f"{theirs.hits}/{theirs.compiles}, {against} "
                        f"{ours.hits}/{ours.compiles}")
                line += "".join(f"\n  - {n} times: `{short(r)}`" for r, n in reasons)
                (listed if theirs.other_bytes else counted).append(line)
    return counted, listed


def text_of(benches, caches, columns, skipped, described, command):
    counted, listed = losses(benches, caches, columns)
    findings = [f"- {f}" for b in benches for f in b.findings]
    unsteady = {b.project.name: sorted(b.unsteady) for b in benches if b.unsteady}
    return "\n".join([
        f"# Everyday builds, {datetime.date.today().isoformat()}", "",
        "Reprise beside ccache and sccache. Each cell: hits / compiles, and the build's wall time "
        "as a ratio to a plain build in the same run. A plain row has the compiles and seconds.",
        "", *[f"- {line}" for line in described], f"- Command: `{command}`", "",
        *[f"- **{c.head}**: {c.says}" for c in columns], "",
        "Each build begins with the store that one build in the first checkout filled, and with an "
        "emptied build directory; configuring is not measured. Links are not counted. *parent*, "
        "*checkout*: `REPRISE_BASE_DIRS` is the checkouts' directory and `/*`, or the checkout `C` "
        "and `C/*`. "
        "*debugdir*: `REPRISE_SLOPPY=debugdir`. ≠n: plain writes n of the objects otherwise than "
        "in the first checkout, so a hit needs patched bytes or an opt-in. ~n: n objects name "
        "another checkout in their debug information, as the row accepts.", "",
        *table(benches, caches, columns), "",
        *[f"Left out: {line}" for line in skipped], *([""] if skipped else []),
        "## Cells where another cache has more hits than Reprise", "",
        *(counted or ["None."]), "",
        "Not counted, since plain's own objects differ between the checkouts:", "",
        *(listed or ["None."]), "",
        "## Bytes", "",
        "All objects and programs were compared with plain's. "
        + ("No difference." if not findings else "Differences:"), "", *findings,
        *(f"Plain's own builds differ from each other in {len(v)} files of {n}, which were left "
          f"out." for n, v in unsteady.items())]).rstrip() + "\n"


def arguments():
    parser = argparse.ArgumentParser(prog="bench/everyday.sh", description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="NAME=PATH")
    parser.add_argument("--only", action="append", choices=list(PROJECTS))
    parser.add_argument("--columns", help="regular expression: only these columns")
    parser.add_argument("--no-write", action="store_true", help="print, keep no file")
    options = parser.parse_args()
    paths = dict(p.split("=", 1) for p in options.paths)
    if set(paths) - set(PROJECTS) - {"sccache"}:
        parser.error("NAME is one of " + ", ".join([*PROJECTS, "sccache"]))
    return options, {name: os.path.abspath(path) for name, path in paths.items()}


def versions(sccache, benches):
    tools = [report.first_line(*words) for words in (
        ("cmake", "--version"), ("ninja", "--version"), ("make", "--version"),
        *([(sccache, "--version")] if sccache else []))]
    commit = report.first_line("git", "-C", run.ROOT, "describe", "--always", "--dirty")
    sources = "; ".join(f"{b.project.name} {b.project.version()}" for b in benches)
    return [f"Also: {tools[0]}; ninja {tools[1]}; {'; '.join(tools[2:])}; make -j {JOBS}",
            f"Reprise: {commit}", f"Projects: {sources}"]


def main():
    options, paths = arguments()
    columns = [c for c in COLUMNS if re.search(options.columns or "", c.head)]
    os.makedirs(WORK, exist_ok=True)
    sccache, skipped, benches = paths.get("sccache"), [], []
    if not sccache or not os.access(sccache, os.X_OK):
        skipped, sccache = ["sccache: no binary was given or it is not there"], None
    if not shutil.which("ccache"):
        skipped.append("ccache: not installed")
    _, described = report.machine(WORK, PYTHON)
    caches = all_caches(WORK, sccache)
    try:
        for name in options.only or PROJECTS:
            project = PROJECTS[name](paths.get(name))
            try:
                project.check()
                benches.append(Bench(project, caches, columns))
                benches[-1].all()
            except Missing as error:
                skipped.append(f"{name}: {error}")
    finally:
        os.chdir(run.ROOT)
        for cache in caches:
            if isinstance(cache, Sccache):
                cache.end()
        shutil.rmtree(run.RUNTIME, ignore_errors=True)
    command = " ".join(["bench/everyday.sh", *(f"{name}=..." for name in paths)])
    text = text_of(benches, caches, columns, skipped,
                   described + versions(sccache, benches), command)
    print(text)
    if not options.no_write and not options.only and not options.columns:
        path = os.path.join(run.HERE, "results",
                            f"{datetime.date.today().isoformat()}-everyday.md")
        with open(path, "w") as out:
            out.write(text)
    sys.exit(any(b.findings for b in benches))


if __name__ == "__main__":
    main()
