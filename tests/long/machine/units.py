"""Units: sources with the command lines that take them, in ../corpus/*.units. A row is a word and
its arguments; `#` begins a comment.

    unit NAME EXT            a unit begins; the lines of its source follow, each after `| `
    file PATH                another file; before the first unit: of each unit
    made PATH COMMAND        a file that a command makes, in a directory of its own, of `made.EXT`
                             (the lines that follow) as `made`
    run COMMAND              a command line that takes it
    set NAME                 `run` rows that follow have a name for several units; ends at the next
                             unit
    runs NAME                those of a set of the same file
    ask NAME TEXT            a unit of the same file whose source has {ask} is one unit for each
                             `ask`, NAME and TEXT of which it takes; {n} in TEXT ends a line

In paths, commands and texts: {src} {rel} the source, absolute and from the working directory;
{out} {dep} outputs; {D} {W} {O} {I} the directories of the source, the work, outputs and headers;
{d} {b} the bare names of the source's directory and of the source."""

import functools
import glob
import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass, field

from machine import tools
from machine.start import text

CORPUS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "corpus")
ROLES = "DBWOoI"


@dataclass
class Unit:
    name: str
    ext: str
    files: list = field(default_factory=list)  # [path, text]
    made: list = field(default_factory=list)  # [path, command, text]
    runs: list = field(default_factory=list)  # command lines


def read(path):
    units, sets, into, runs, family = [], {}, None, None, os.path.basename(path)[: -len(".units")]
    asks, common, unit = {}, [], None
    for number, line in enumerate(open(path), 1):
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "|" and into:
            into[-1] += rest + "\n"
        elif not line.strip() or word.startswith("#"):
            continue
        elif word == "set":
            runs = sets.setdefault(rest, [])
        elif word == "unit":
            unit = Unit(f"{family}/{rest.split()[0]}", rest.split()[1])
            units.append(unit)
            into, runs = ["{src}", ""], unit.runs
            unit.files += [into, *common]
        elif word == "file":
            into = [rest, ""]
            (unit.files if unit else common).append(into)
        elif word == "made":
            into = [*rest.split(" ", 1), ""]
            unit.made.append(into)
        elif word == "run":
            runs.append(rest)
        elif word == "runs":
            unit.runs += sets[rest]
        elif word == "ask":
            name, words = rest.split(" ", 1)
            asks[name] = words.replace("{n}", "\n")
        else:
            raise SystemExit(f"{path}:{number}: no such row")
    return [one for unit in units for one in crossed(unit, asks)]


def crossed(unit, asks):
    """The unit. If its source has {ask}, one unit for each way to ask."""
    if "{ask}" not in unit.files[0][1]:
        return [unit]
    return [
        Unit(
            f"{unit.name}-{name}",
            unit.ext,
            [[path, source.replace("{ask}", words)] for path, source in unit.files],
            unit.made,
            unit.runs,
        )
        for name, words in asks.items()
    ]


def corpus(crosses=False):
    """crosses: also the units of crossed.units, which are many of one kind."""
    return [
        unit
        for path in sorted(glob.glob(CORPUS + "/*.units"))
        if crosses or not path.endswith("/crossed.units")
        for unit in read(path)
    ]


def places(names, ext, root):
    """The values of the words in braces. names: one for each role: D directory and B base name of
    the source, W, O and o, I."""
    at = {role: f"{root}/{names[role]}" for role in "DWOI"}
    source = f"{at['D']}/{names['B']}.{ext}"
    output = f"{at['O']}/{names['o']}"
    return {
        **at,
        "src": source,
        "rel": os.path.relpath(source, at["W"]),
        "out": output + ".o",
        "dep": output + ".d",
        "d": names["D"],
        "b": names["B"],
    }


def filled(words, place):
    for name, value in place.items():
        words = words.replace("{" + name + "}", value)
    return words


def rendered(unit, names, root):
    """The unit's files under these names, and the values of the words in braces."""
    place = places(names, unit.ext, root)
    made = {path for path, _, _ in unit.made}
    files = {
        filled(path, place): text(filled(words, place))
        for path, words in unit.files
        if path not in made
    }
    for path, command, words in unit.made:
        files[filled(path, place)] = text(made_by(command, words))
    return files, place


def command_line(run, place):
    """The words of a command line: a name may hold spaces."""
    return tuple(tools.program(filled(word, place)) for word in shlex.split(run))


@functools.lru_cache(maxsize=None)
def made_by(command, words):
    with tempfile.TemporaryDirectory(prefix="made.") as scratch:
        for ext in "c", "s":
            with open(f"{scratch}/made.{ext}", "w") as file:
                file.write(words)
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        subprocess.run(shlex.split(command), cwd=scratch, env=env, check=True)
        with open(f"{scratch}/made", "rb") as file:
            return file.read()
