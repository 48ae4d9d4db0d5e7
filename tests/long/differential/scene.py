"""A scene: what one row of starts is about. A state is all that a start sees, with names left
open; edits change it."""

import copy
import os
import shlex
from dataclasses import dataclass, field

import checkouts
import naming
import options
import outputs
import wrappers
from machine import tools, units
from machine.start import Entry, Start, directory, text

AND = " && "  # between the notes of two edits
# How often a tool begins a scene.
WEIGHTS = {
    "gcc": 24,
    "g++": 12,
    "clang": 18,
    "clang++": 9,
    "as": 6,
    "ld.bfd": 5,
    "ld.gold": 3,
    "ld.lld": 4,
    "mold": 2,
    "ar": 4,
    "llvm-ar": 2,
    "ptxas": 6,
    "nvcc": 2,
    "gfortran": 3,
    "rustc": 3,
    "script": 4,
}
KINDS = {
    "gcc": ("c", "S", "i"),
    "g++": ("cc",),
    "clang": ("c", "S"),
    "clang++": ("cc",),
    "nvcc": ("cu",),
    "ptxas": ("ptx",),
    "as": ("s",),
    "gfortran": ("f90", "F90"),
    "rustc": ("rs",),
}
# The first options of most scenes of a tool. Other tools begin with -I{I} -c {src} -o {out}.
GENERAL = {
    "as": "as {src} -o {out}",
    "ptxas": "ptxas -arch=sm_80 {src} -o {out}",
    "rustc": "rustc --crate-type=lib --emit=obj {src} -o {out}",
}


@dataclass
class State:
    tool: str
    unit: units.Unit
    run: list  # the words of the command line, with braces
    options: list  # of lists of words
    names: dict
    files: dict  # path with braces: Entry
    env: dict = field(default_factory=dict)
    settings: dict = field(default_factory=dict)
    streams: str = "files"
    width: int = 0
    umask: int = 0o022
    base_dirs: tuple = ()
    tree: str = ""  # a checkout: the directory of all the names, below the root
    link: str = ""  # a link to it, through which the start sees them
    out: str = outputs.NAMES[0]
    dep: str = outputs.DEPENDENCIES[0]
    at_once: bool = False  # this start is eight
    branch: dict = field(default_factory=dict)  # the entries of another branch
    wrapper: str = ""  # the script before or below the tool
    compiler: str = ""  # that it starts
    note: str = "first"

    def words(self):
        """The options come after the tool's name; ar's are letters of its first word."""
        given = [word for option in self.options for word in option]
        if self.tool in ("ar", "llvm-ar"):
            letters = "".join(word for word in given if len(word) == 1 and word.isalpha())
            return (
                [self.run[0], self.run[1] + letters]
                + [word for word in given if word.startswith(("-", "@"))]
                + self.run[2:]
            )
        return self.run[:1] + given + self.run[1:]

    def places(self, top):
        """The values of the words in braces, below a top directory."""
        place = units.places(self.names, self.unit.ext, top)
        place.update(T=top, o=self.names["o"], rO=os.path.relpath(place["O"], place["W"]))
        place.update(aT=os.path.dirname(top))
        place.update({"a" + role: os.path.dirname(place[role]) for role in "IW"})
        place["out"] = units.filled(self.out, place)
        place["dep"] = units.filled(self.dep, place)
        return place

    def laid(self, root):
        """The same, without links and relative names."""
        place = self.places(f"{root}/{self.tree}")
        for name in ("out", "dep"):
            place[name] = os.path.normpath(os.path.join(place["W"], place[name]))
        return place

    def entries(self, root, place):
        laid, files = self.laid(root), {}
        for path, entry in self.files.items():
            data = entry.data
            for name, value in place.items():
                data = data.replace(b"{" + name.encode() + b"}", value.encode())
            files[units.filled(path, laid)] = entry._replace(data=data)
        if self.link:
            files[f"{root}/{self.link}"] = Entry("l", laid["T"].encode())
        return {**{laid[role]: directory() for role in "WOI"}, **files}

    def start(self, root):
        place = self.places(f"{root}/{self.link}") if self.link else self.laid(root)
        for name, spelled in (("out", self.out), ("dep", self.dep)):
            place[name] = units.filled(spelled, place)
        argv = tuple(tools.program(units.filled(word, place)) for word in self.words())
        if self.at_once:
            argv = ("/bin/sh", "-c", outputs.AT_ONCE, "sh", place["out"], *argv)
        env = {
            name: units.filled(value, place) if value is not None else None
            for name, value in self.env.items()
        }
        settings = dict(self.settings)
        if self.base_dirs:
            settings["REPRISE_BASE_DIRS"] = ":".join(
                units.filled(path, place) for path in self.base_dirs
            )
        return Start(
            argv,
            self.entries(root, place),
            place["W"],
            env,
            self.streams,
            self.width,
            umask=self.umask,
            settings=settings,
            note=self.note,
        )


def drawn(choice, corpus):
    """A random state."""
    here = {
        tool: weight for tool, weight in WEIGHTS.items() if tool == "script" or tools.present(tool)
    }
    tool = choice.choices(list(here), list(here.values()))[0]
    wanted = "gcc" if tool == "script" else tool
    state = begin(choice, corpus, tool, lambda: [options.one(wanted, choice) for _ in range(2)])
    if tool == "script" or tool == "nvcc" and choice.random() < 0.5:
        wrappers.wrap(state, choice, tool)
    checkouts.begin(state, choice)
    if choice.random() < 0.2:
        state.base_dirs = tuple(
            choice.sample(["{D}", "{W}", "{O}", "{I}"], choice.randrange(1, 4))
        )
    state.streams = choice.choice(
        ("files", "files", "pipes", "pipe", "one", "append", "null", "terminal")
    )
    return state


def begin(choice, corpus, tool, given):
    """A state of this tool with the options that given() returns."""
    wanted = "gcc" if tool == "script" else tool
    if wanted in KINDS:
        unit = choice.choice([unit for unit in corpus if unit.ext in KINDS[wanted] and unit.runs])
        own = [run for run in unit.runs if run.split()[0] == wanted]
    else:
        like_it = "ld.bfd" if wanted == "mold" else wanted
        unit = choice.choice(
            [unit for unit in corpus if any(run.split()[0] == like_it for run in unit.runs)]
        )
        own = [run.replace(like_it, wanted, 1) for run in unit.runs if run.split()[0] == like_it]
    general = GENERAL.get(wanted, wanted + " -I{I} -c {src} -o {out}")
    run = shlex.split(
        choice.choice(own) if own and choice.random() < 0.5 or wanted not in KINDS else general
    )
    files = {}
    for path, words in unit.files:
        files[path] = text(words)
    for path, command, words in unit.made:
        files[path] = text(units.made_by(command, words))
    files.setdefault("{I}/h.h", text("#define H 1\n"))
    files.update((path, directory()) for path in outputs.DIRECTORIES)
    files["{W}/args"] = text(
        "-DARGS=1\n" if wanted in ("gcc", "g++", "clang", "clang++") else "\n"
    )
    if wanted.startswith("ld") or wanted == "mold":
        files["{I}/l.ld"] = text(
            "SECTIONS { .text : { *(.text*) } .data : { *(SORT_BY_NAME(.data*)) *(.mysec*) } }\n"
        )
        files["{I}/ver"] = text("{ global: afun; local: *; };\n")
    return State(
        tool,
        unit,
        run,
        given(),
        naming.named(choice),
        files,
    )


def copied(state):
    new = copy.copy(state)
    for part in "run", "options", "names", "files", "env", "settings", "branch":
        setattr(new, part, copy.copy(getattr(state, part)))
    new.at_once = False
    return new
