"""Outputs: their names, and the old files in their places."""

import re

from machine.start import Entry, directory, text

DIRECTORIES = ("{O}/sub/deep", "{W}/sub")
# In the place of {out}.
NAMES = (
    "{O}/{o}.o",
    "{O}/{o}.o",
    "{O}/renamed.o",
    "{O}/{o}.other.obj",
    "{O}/sub/{o}.o",
    "{O}/sub/deep/{o}.o",
    "{O}//{o}.o",
    "{O}/sub/../{o}.o",
    "{rO}/{o}.o",
    "{o}.o",
    "./{o}.o",
    "sub/{o}.o",
    "{D}/{b}.o",
    "{W}/{b}.o",
)
# In the place of {dep}.
DEPENDENCIES = ("{O}/{o}.d", "deps", "{o}.dep", "./{o}.d", "{O}/./{o}.o", "{D}/h.h", "{rO}/x")
COMPILERS = ("gcc", "g++", "clang", "clang++")
# Options whose outputs, if any, have names of the output's.
ONE_OUTPUT = re.compile(r"-([DUO].*|g[\w-]*|w|W[a-z-]+|std=.*|f(PIC|pic|no-\w+)|I.*)$")
# Each runs in its own process: messages go to files beside the outputs.
AT_ONCE = r"""out=$1; shift
for n in 1 2 3 4 5 6 7 8; do
	(mine=${out%.*}$n.o
	for word; do
		shift
		[ "$word" != "$out" ] || word=$mine
		set -- "$@" "$word"
	done
	exec "$@" >"$mine.out" 2>"$mine.err") &
	jobs="$jobs $!"
done
for job in $jobs; do wait $job || status=$?; done
exit ${status:-0}
"""


def named(state, choice):
    if choice.random() < 0.15 and "{out}" in state.run:
        return at_once(state)
    if choice.random() < 0.2:
        state.dep = choice.choice(DEPENDENCIES)
        if state.tool in COMPILERS and "{dep}" not in " ".join(state.words()):
            state.options.append(["-MD", "-MF", "{dep}"])
        return f"output names: {state.dep}"
    # Sometimes the place of an input, known or not. Places to which there() links an output are
    # left out: a file is no link to itself.
    inputs = [
        path
        for path in state.files
        if path.startswith("{") and "{out}" not in path and "/other-" not in path
    ]
    state.out = choice.choice(NAMES if choice.random() < 0.85 or not inputs else inputs)
    if choice.random() < 0.05 and DIRECTORIES[0] in state.files:
        del state.files[DIRECTORIES[0]]
    return f"output names: {state.out}"


def at_once(state):
    state.options = [
        words for words in state.options if all(ONE_OUTPUT.match(word) for word in words)
    ]
    state.run = [word for word in state.run if not word.startswith(("-save-temps", "-MF", "-MJ"))]
    state.at_once = "{dep}" not in " ".join(state.run).split()
    return "output names: eight at once"


def there(state, choice):
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
