"""A row of starts as a shell script that shows a difference without the machine."""

import base64
import os
import shlex

HEAD = r"""#!/bin/bash
# {title}
# Usage: REPRISE_LIB=.../libreprise.so bash {name}
# Status 1: what Reprise leaves is not what a plain run leaves.
set -u
: "${{REPRISE_LIB:?}}"
R={root}
ASIDE=$(mktemp -d)
trap 'rm -rf "$ASIDE" "$R"' EXIT
file() {{ # MODE STAMP PATH, the content from stdin
	mkdir -p "${{3%/*}}"; cat >"$3"; chmod "$1" "$3"; touch -d "@$2" "$3"
}}
fresh() {{
	rm -rf "$R"; mkdir -p "$R/tmp" "$R/home"
	printf 'before\n' >"$ASIDE/out"; printf 'before\n' >"$ASIDE/err"
}}
plain() {{ env -i PATH="$PATH" HOME="$R/home" TMPDIR="$R/tmp" LC_ALL=C "$@"; }}
under() {{
	plain REPRISE_CACHE_DIR="$ASIDE/store" REPRISE_RUNTIME_DIR="$ASIDE/runtime" \
		REPRISE_LOG="$ASIDE/log" REPRISE_LOG_LEVEL=info LD_PRELOAD="$REPRISE_LIB" "$@"
}}
"""
TAIL = r"""
lay{last}
start{last} plain; mv "$R" "$ASIDE/plain"
mkdir "$ASIDE/s1"; mv "$ASIDE/out" "$ASIDE/err" "$ASIDE/status" "$ASIDE/s1"
lay{last}; sleep 0.1
start{last} under; mv "$R" "$ASIDE/ours"
mkdir "$ASIDE/s2"; mv "$ASIDE/out" "$ASIDE/err" "$ASIDE/status" "$ASIDE/s2"
modes() {{ (cd "$1" && find . ! -type d -printf '%m %y %n %p %l\n' | LC_ALL=C sort); }}
modes "$ASIDE/plain" >"$ASIDE/s1/modes"; modes "$ASIDE/ours" >"$ASIDE/s2/modes"
cat "$ASIDE/log"
diff -r --no-dereference "$ASIDE/plain" "$ASIDE/ours" || exit 1
diff -ra "$ASIDE/s1" "$ASIDE/s2" || exit 1
echo equal
"""
STREAMS = {
    "files": '>"$ASIDE/out" 2>"$ASIDE/err"',
    "append": '>>"$ASIDE/out" 2>>"$ASIDE/err"',
    "one": '>"$ASIDE/out" 2>&1',
    "null": ">/dev/null 2>&1",
    "pipe": '2>&1 | cat >"$ASIDE/out"',
    "pipes": '2> >(cat >"$ASIDE/err") | cat >"$ASIDE/out"',
    "closed": ">&- 2>&-",
    "out closed": '>&- 2>"$ASIDE/err"',
    "err closed": '>"$ASIDE/out" 2>&-',
    "offset": '1<>"$ASIDE/out" 2<>"$ASIDE/err"',
}
# Inside of a terminal: the other stream, and where the terminal's text goes.
TERMINALS = {
    "terminal": ("", "out"),
    "typed": ("", "out"),
    "log": (' >"$ASIDE/out"', "err"),
    "listing": (' 2>"$ASIDE/err"', "out"),
}


def content(entry, path):
    head = f"file {entry.mode:o} {entry.stamp} {shlex.quote(path)}"
    try:
        words = entry.data.decode("ascii")
        if "\0" in words or "\r" in words:
            raise UnicodeDecodeError("ascii", b"", 0, 0, "")
    except UnicodeDecodeError:
        return f"base64 -d <<'EOF' | {head}\n{base64.encodebytes(entry.data).decode()}EOF\n"
    if not words:
        return f"{head} </dev/null\n"
    if words.endswith("\n") and "\nEOF\n" not in words:
        return f"{head} <<'EOF'\n{words}EOF\n"
    return f"printf %s {shlex.quote(words)} | {head}\n"


def lines_of(entry, path, root):
    quoted = shlex.quote(path)
    if entry.kind == "d":
        return (
            f"mkdir -p {quoted}"
            + (f"; chmod {entry.mode:o} {quoted}" if entry.mode != 0o755 else "")
            + "\n"
        )
    made = f"mkdir -p {shlex.quote(os.path.dirname(path))}; "
    if entry.kind == "l":
        return f"{made}ln -s {shlex.quote(os.fsdecode(entry.data))} {quoted}\n"
    if entry.kind == "h":
        return f"{made}ln {shlex.quote(os.path.join(root, os.fsdecode(entry.data)))} {quoted}\n"
    return content(entry, path)


def function(number, start, root):
    said = f"lay{number}() {{ # {start.note}\nfresh\n"
    for path, entry in sorted(
        start.files.items(), key=lambda item: (item[1].kind == "h", item[0])
    ):
        said += lines_of(entry, path, root)
    said += f"mkdir -p {shlex.quote(start.cwd)}\n"
    words = [f"{name}={value}" for name, value in start.env.items() if value is not None]
    gone = [f"-u {name}" for name, value in start.env.items() if value is None]
    ours = " ".join(shlex.quote(f"{name}={value}") for name, value in start.settings.items())
    command = " ".join(["env"] + gone + [shlex.quote(word) for word in words + list(start.argv)])
    stdin = shlex.quote(start.stdin)
    under = '"$1" "${more[@]}"'
    whole = f"{under} {command} <{stdin} {STREAMS.get(start.streams)}"
    if start.streams in TERMINALS:
        inside, side = TERMINALS[start.streams]
        command += f" <{stdin}" * (start.streams != "typed") + inside
        if start.width:
            command = f"stty rows 24 cols {start.width}; exec {command}"
        other = "err" if side == "out" else "out"
        whole = (
            f': >"$ASIDE/{other}"; {under} ASIDE="$ASIDE" script -E never -qec '
            f'{shlex.quote(command)} /dev/null <{stdin} >"$ASIDE/{side}"'
        )
    return (
        f"{said}}}\nstart{number}() {{ # plain or under\n"
        f"(cd {shlex.quote(start.cwd)} && umask {start.umask:o}\n"
        f'more=(); [ "$1" = plain ] || more=({ours})\n'
        f'set -o pipefail\n{whole}\necho $? >"$ASIDE/status")\n}}\n'
    )


def write(path, row, root, title):
    with open(path, "w") as file:
        file.write(
            HEAD.format(
                title=title.replace("\n", " "), root=shlex.quote(root), name=os.path.basename(path)
            )
        )
        for number, start in enumerate(row):
            file.write("\n" + function(number, start, root))
        file.write(
            "".join(
                f"\nlay{number}; sleep 0.1; start{number} under" for number in range(len(row) - 1)
            )
        )
        file.write(TAIL.format(last=len(row) - 1))
