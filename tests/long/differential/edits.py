"""Edits between two starts. Each changes a state and says how: `kind` or `kind: more`."""

import re

import options
import scene
from machine.start import STAMP, STREAMS, Entry, directory, text
from machine.variables import VARIABLES

COMMENTS = {
    "c": "/* {} */",
    "cc": "// {}",
    "h": "/* {} */",
    "S": "/* {} */",
    "s": "# {}",
    "cu": "// {}",
    "ptx": "// {}",
    "ld": "/* {} */",
    "inc": "# {}",
    "i": "/* {} */",
}
ASKS = (
    "const char *asked = __FILE__;",
    "int asked_size = sizeof(__FILE__);",
    "int asked_letter(void) { return __FILE__[sizeof(__FILE__) - 7]; }",
    '#line 5 "x.c"',
    "const char *asked_when = __TIMESTAMP__;",
    '#pragma message "seen"',
    '#include "h.h"',
    "#include <h.h>",
    "int asked_line = __LINE__;",
    '#if __has_include("late.h")\n#include "late.h"\n#endif',
    "#ifdef X\nint x_is = 1;\n#endif",
    "int unused_static(void) { int unused; return 1; }",
    "#error told",
)


def texts(state):
    return [
        path
        for path, entry in state.files.items()
        if entry.kind == "f" and b"\0" not in entry.data and not path.endswith((".o", ".so", ".a"))
    ]


def ext_of(state, path):
    return state.unit.ext if path == "{src}" else path.rsplit(".", 1)[-1]


def put(state, path, data):
    state.files[path] = state.files[path]._replace(data=data.encode())


def source(state, choice):
    path = choice.choice(texts(state))
    return path, state.files[path].data.decode(errors="replace")


def again(state, choice):
    return "again"


def digit(state, choice):
    path, words = source(state, choice)
    at = [match.start() for match in re.finditer(r"\b\d\b", words)]
    if at:
        where = choice.choice(at)
        put(state, path, words[:where] + choice.choice("0123456789") + words[where + 1 :])
    return f"content: a digit in {path}"


def comment(state, choice):
    path, words = source(state, choice)
    said = COMMENTS.get(ext_of(state, path), "# {}").format("word " + choice.choice("abc"))
    lines = words.splitlines()
    at = choice.choice([0, len(lines)])
    if not path.endswith(("mycc", "args", "name", "options")) or at:
        lines.insert(at, choice.choice([said, ""]))
        put(state, path, "\n".join(lines) + "\n")
    return f"content: a comment in {path}"


def line_gone(state, choice):
    path, words = source(state, choice)
    lines = words.splitlines()
    if len(lines) > 1:
        del lines[choice.randrange(len(lines))]
        put(state, path, "\n".join(lines) + "\n")
    return f"content: a line less in {path}"


def asks(state, choice):
    paths = [path for path in texts(state) if ext_of(state, path) in ("c", "cc", "cu", "h")]
    if not paths:
        return digit(state, choice)
    path, line = choice.choice(paths), choice.choice(ASKS)
    put(state, path, state.files[path].data.decode() + line + "\n")
    return f"content: {path} has {line!r}"


def rename(state, choice):
    roles = choice.choice(["D", "D", "B", "W", "O", "o", "I", "DW", "Oo", "DBWOoI", "DBWOoI"])
    shape = choice.choice(["like", "like", "like", "other"])
    for role in roles:
        name = scene.like(choice, state.names[role]) if shape == "like" else scene.any_name(choice)
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
            if entry.kind == "f" and not path.endswith("mycc")
        ]
    )
    state.files[path] = state.files[path]._replace(
        mode=choice.choice([0o600, 0o444, 0o755, 0o644])
    )
    return f"modes: {path}"


def output_there(state, choice):
    path = choice.choice(["{out}", "{out}", "{dep}", "{O}/map"])
    other = "{O}/other-" + re.sub(r"\W", "", path)
    for old in path, other:
        state.files.pop(old, None)
    kind = choice.choice(
        ["file", "private", "link", "dangling", "second name", "directory", "gone"]
    )
    if kind in ("file", "private"):
        state.files[path] = text(
            "old\n", 0o644 if kind == "file" else choice.choice([0o600, 0o755, 0o444])
        )
    elif kind in ("link", "second name"):
        state.files[other] = text("other\n")
        state.files[path] = Entry("l" if kind == "link" else "h", other.encode())
    elif kind == "dangling":
        state.files[path] = Entry("l", b"nowhere")
    elif kind == "directory":
        state.files[path] = directory()
    return f"outputs: {path} {kind}"


def streams(state, choice):
    state.streams = choice.choice(STREAMS)
    return f"streams: {state.streams}"


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
    """A program that comes before the real one."""
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
    state.base_dirs = tuple(choice.sample(["{D}", "{W}", "{O}", "{I}"], choice.randrange(0, 4)))
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
    digit: 6,
    comment: 5,
    line_gone: 2,
    asks: 6,
    rename: 16,
    spelled: 4,
    linked: 3,
    shadow: 6,
    stamp: 3,
    mode: 2,
    output_there: 5,
    streams: 6,
    masked: 2,
    option: 8,
    response: 2,
    variable: 10,
    below_path: 1,
    bases: 3,
    other_file: 2,
}


def edited(states, choice):
    """A state made of the last one, or, at times, an earlier one again."""
    if len(states) > 1 and choice.random() < 0.15:
        new = scene.copied(choice.choice(states[:-1]))
        new.note = "back"
        return new
    new = scene.copied(states[-1])
    notes = [
        edit(new, choice)
        for edit in choice.choices(
            list(EDITS), list(EDITS.values()), k=choice.choice([1, 1, 1, 2])
        )
    ]
    new.note = "; ".join(notes)
    return new
