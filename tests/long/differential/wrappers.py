"""Scripts that start a compiler, of a random form."""

import shlex

from outputs import COMPILERS

from machine.start import text

HEADS = ("#!/bin/sh", "#!/bin/sh", "#!/bin/sh -e", "#!/bin/bash", "#!/bin/bash\nset -e")
PARTS = (
    "# adds what a site wants",
    'set -- "$@"',
    'set -- -O1 "$@"',
    'set -- "$@" -DSET=1',
    'case "$1" in\n-c) set -- -g "$@" ;;\nesac',
    'case " $* " in\n*" -S "*) FLAGS=-g ;;\nesac',
    "for word; do\n\tcase $word in -O2) FLAGS=-DFAST=1 ;; esac\ndone",
    'for word; do\n\tshift\n\tset -- "$@" "$word"\ndone',
    "FLAGS=${EXTRA_FLAGS:-}",
    'if [ "$1" = -c ] && [ -n "$EXTRA_FLAGS" ]; then set -- "$@" $EXTRA_FLAGS; fi',
    'for a in "$@"; do\n\tshift\n\tcase $a in\n\t-O*) ;;\n\t*.c) set -- "$@" "$a" -g ;;'
    '\n\t*) set -- "$@" "$a" ;;\n\tesac\ndone',
    'if [ $# -gt 3 ]; then set -- -DLONG "$@"; else set -- -DSHORT "$@"; fi',
    'if [ -n "$RANDOM_NAME" ]; then set -- "$@" -DRANDOM; fi',
    '. "${0%/*}/settings.sh"',
    '[ ! -f "${0%/*}/more.sh" ] || . "${0%/*}/more.sh"',
    "export LC_ALL=C",
    "umask 022",
    "cd .",
    "here=${0%/*}",
    "FLAGS=-DWORDS=$#",
    'FLAGS="-DLAST=$(echo 3)"',
)
ENDS = (
    'exec {} "$@"',
    'exec {} "$@"',
    'exec {} $FLAGS "$@"',
    'exec {} -O1 $EXTRA_FLAGS "$@"',
    '{} "$@"',
    '{} "$@"\nexit $?',
    '{} "$@" || exit\necho done: $#',
    "eval exec {} '\"$@\"'",
    'exec env {} "$@"',
    'exec "${{REAL_CC:-{}}}" "$@"',
    'exec {} $FLAGS "$@" # a comment',
)
SETTINGS = ("FLAGS=-O1\n", "FLAGS=-g\n", "FLAGS=\n", "# none\n", "EXTRA_FLAGS=-DSET=2\n")


def form(choice, compiler):
    lines = [choice.choice(HEADS), *choice.sample(PARTS, choice.randrange(0, 3))]
    return "\n".join([*lines, choice.choice(ENDS).format(compiler, compiler)]) + "\n"


def wrap(state, choice, tool):
    """Puts a script before the tool, or below nvcc as the compiler of the host."""
    state.compiler = {"script": "gcc", "nvcc": "g++"}.get(tool, tool)
    own = choice.random() < 0.5
    state.wrapper = "{I}/mycc" if own else "{I}/wrap/" + state.compiler
    # A command with a path: a wrapper of the compiler's name finds itself by PATH.
    state.files[state.wrapper] = text(form(choice, f"/usr/bin/{state.compiler}"), 0o755)
    for name in "{I}/settings.sh", "{I}/wrap/settings.sh":
        state.files[name] = text(choice.choice(SETTINGS))
    if tool == "nvcc":
        state.run = [state.run[0], "-ccbin", state.wrapper, *state.run[1:]]
    else:
        state.run = [state.wrapper, *state.run[1:]]
    if own and choice.random() < 0.7:
        state.settings["REPRISE_TOOLS"] = "+mycc"


def edited(state, choice):
    """Changes the wrapper, its file of settings or its variable; adds a wrapper if there is
    none."""
    if not state.wrapper:
        if state.tool not in COMPILERS + ("nvcc",):
            return "scripts: none of this tool"
        wrap(state, choice, state.tool)
        return "scripts: a wrapper"
    what = choice.choice(["form", "comment", "settings", "more", "variable", "tool"])
    beside = state.wrapper.rsplit("/", 1)[0]
    if what == "form":
        words = form(choice, f"/usr/bin/{state.compiler}")
        state.files[state.wrapper] = text(words, 0o755)
    elif what == "comment":
        first, _, rest = state.files[state.wrapper].data.decode().partition("\n")
        words = f"{first}\n# word {choice.choice('abc')}\n{rest}"
        state.files[state.wrapper] = text(words, 0o755)
    elif what == "settings":
        state.files[f"{beside}/settings.sh"] = text(choice.choice(SETTINGS))
    elif what == "more":
        state.files[f"{beside}/more.sh"] = text(choice.choice(SETTINGS))
    elif what == "variable":
        name, value = shlex.split(
            choice.choice(
                ["EXTRA_FLAGS -g", "FLAGS -DV=1", "RANDOM_NAME 1", "REAL_CC /usr/bin/clang"]
            )
        )
        if state.env.pop(name, None) is None:
            state.env[name] = value
    elif state.settings.pop("REPRISE_TOOLS", None) is None and state.wrapper.endswith("mycc"):
        state.settings["REPRISE_TOOLS"] = "+mycc"
    return f"scripts: {what}"
