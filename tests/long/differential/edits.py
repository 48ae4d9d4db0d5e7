"""Edits between two starts. Each changes a state and says how: `kind` or `kind: more`."""

import re

import branches
import checkouts
import comments
import content
import naming
import options
import outputs
import scene
import wrappers
from machine.start import STAMP, STREAMS, Entry, text
from machine.variables import VARIABLES


def again(state, choice):
    return "again"


def rename(state, choice):
    roles = choice.choice(["D", "D", "B", "W", "O", "o", "I", "DW", "Oo", "DBWOoI", "DBWOoI"])
    shape = choice.choice(["like", "like", "like", "other"])
    for role in roles:
        like = shape == "like"
        name = naming.like(choice, state.names[role]) if like else naming.any_name(choice)
        if name not in state.names.values():
            state.names[role] = name
    return f"names: {roles}"


def spelled(state, choice):
    by = choice.choice(
        [
            "{rel}",
            "{W}/../{d}/{b}." + state.unit.ext,
            "{D}//{b}." + state.unit.ext,
            "{D}/./{b}." + state.unit.ext,
            "{W}/link/{b}." + state.unit.ext,
            "{src}",
        ]
    )
    state.run = [
        by if word in ("{src}", "{rel}") or word.endswith("/{b}." + state.unit.ext) else word
        for word in state.run
    ]
    if "link" in by:
        state.files["{W}/link"] = Entry("l", choice.choice([b"{D}", b"../{d}"]))
    return f"spelling: {by}"


def linked(state, choice):
    files = [
        path
        for path, entry in state.files.items()
        if entry.kind == "f" and not path.startswith("{O}")
    ]
    if not files:
        return "links: no file is left that could become one"
    path = choice.choice(files)
    kind, real = choice.choice("lh"), "{O}/real-" + re.sub(r"\W", "", path)
    state.files[real] = state.files[path]
    state.files[path] = Entry(kind, real.encode())
    return f"links: {path} is one ({kind})"


def shadow(state, choice):
    heads = [
        path.rsplit("/", 1)[-1] for path in state.files if path.endswith((".h", ".inc", ".bin"))
    ] + ["late.h", "h.h", "stdio.h"]
    path = choice.choice(["{D}/", "{I}/", "{W}/", "{O}/"]) + choice.choice(heads)
    if path in state.files and choice.random() < 0.6:
        del state.files[path]
        return f"headers: {path} is gone"
    state.files[path] = text(
        f"#define SHADOW {choice.randrange(3)}\nextern int shadow_{choice.randrange(3)};\n"
    )
    return f"headers: {path} is new"


def stamp(state, choice):
    path = choice.choice([path for path, entry in state.files.items() if entry.kind == "f"])
    state.files[path] = state.files[path]._replace(stamp=STAMP + choice.randrange(-9, 9) * 1000)
    return f"stamps: {path}"


def mode(state, choice):
    path = choice.choice(
        [
            path
            for path, entry in state.files.items()
            if entry.kind == "f" and path != state.wrapper
        ]
    )
    state.files[path] = state.files[path]._replace(
        mode=choice.choice([0o600, 0o444, 0o755, 0o644])
    )
    return f"modes: {path}"


def streams(state, choice):
    state.streams = choice.choice(list(STREAMS))
    state.width = choice.choice([0, 20, 80, 132, choice.randrange(1, 300)])
    return f"streams: {state.streams} {state.width}"


def masked(state, choice):
    state.umask = choice.choice([0o022, 0o077, 0o002, 0])
    return "umask"


def option(state, choice):
    tool = "gcc" if state.tool == "script" else state.tool
    at = choice.randrange(len(state.options) + 1)
    what = choice.choice(["other", "other", "gone", "turned"])
    if what == "other":
        state.options[at : at + 1] = [options.one(tool, choice)]
    elif what == "gone":
        del state.options[at : at + 1]
    else:
        state.options.reverse()
    state.options = state.options[:3]
    return f"options: {what}"


def response(state, choice):
    state.files["{W}/args"] = text(
        choice.choice(
            ["-DARGS=2\n", "-g\n", "-O2\n", "\n", "-I{I}\n", '-DARGS=1 -DX="a b"\n', "@{I}/args\n"]
        )
    )
    state.files["{I}/args"] = text(choice.choice(["-DINNER=1\n", "-w\n"]))
    if ["@{W}/args"] not in state.options and state.tool not in ("script", "nvcc", "ptxas"):
        state.options.append(["@{W}/args"])
    return "response file"


def variable(state, choice):
    name = choice.choice(sorted(VARIABLES))
    if name in state.env and choice.random() < 0.5:
        del state.env[name]
        return f"variables: no {name}"
    state.env[name] = choice.choice(VARIABLES[name])
    return f"variables: {name}"


def below_path(state, choice):
    """Adds a program that comes before the real one."""
    tool = choice.choice(["as", "ld", "cc1", "collect2", "gcc", "ptxas", "cicc", "clang"])
    extra = choice.choice(["", " -g" if tool == "as" else ""])
    real = {
        "as": "/usr/bin/as",
        "ld": "/usr/bin/ld",
        "gcc": "/usr/bin/gcc",
        "clang": "/usr/bin/clang",
    }.get(tool, "/bin/false")
    state.files[f"{{I}}/bin/{tool}"] = text(f'#!/bin/sh\nexec {real}{extra} "$@"\n', 0o755)
    state.env["PATH"] = "{I}/bin:/usr/local/bin:/usr/bin:/bin"
    return f"path: {tool}"


def bases(state, choice):
    state.base_dirs = tuple(
        choice.sample(["{T}", "{D}", "{W}", "{O}", "{I}"], choice.randrange(0, 4))
    )
    return "base directories"


def other_file(state, choice):
    path = choice.choice(
        [
            "{W}/specs",
            "{O}/{o}.gcda",
            "{O}/{b}.gcda",
            "{W}/{b}.gcda",
            "{D}/.clang",
            "{W}/a.out",
            "{I}/specs",
            "{D}/module.modulemap",
            "{I}/h.h.gch",
            "{O}/real.d",
        ]
    )
    if path in state.files:
        del state.files[path]
        return f"others: {path} is gone"
    state.files[path] = text(choice.choice(["", "*cc1:\n+ -g\n\n", "x\n"]))
    return f"others: {path} is new"


EDITS = {
    again: 6,
    branches.branch: 8,
    checkouts.checkout: 12,
    outputs.named: 8,
    streams: 9,
    wrappers.edited: 5,
    comments.comment: 14,
    content.digit: 5,
    content.line_gone: 2,
    content.asks: 5,
    content.from_above: 3,
    rename: 12,
    spelled: 4,
    linked: 3,
    shadow: 6,
    stamp: 3,
    mode: 2,
    outputs.there: 4,
    masked: 2,
    option: 6,
    response: 2,
    variable: 8,
    below_path: 1,
    bases: 2,
    other_file: 2,
}


def edited(states, choice):
    """A new state: the last one with an edit, or, at times, an earlier one again."""
    if len(states) > 1 and choice.random() < 0.15:
        new = scene.copied(choice.choice(states[:-1]))
        new.note = "back"
        return new
    new = scene.copied(states[-1])
    if new.branch and choice.random() < 0.4:
        new.note = branches.branch(new, choice)
        return new
    notes = [
        edit(new, choice)
        for edit in choice.choices(
            list(EDITS), list(EDITS.values()), k=choice.choice([1, 1, 1, 2])
        )
    ]
    new.note = scene.AND.join(notes)
    return new
