"""Each variable that a tool, libc or ld.so may ask for: recorded with it and replayed without, and
the reverse.

    environment.py [--share N]

--share N takes every N-th variable of each tool, and every 5 * N-th string. By environment:
ENVIRONMENT_JOBS (number of CPUs), ENVIRONMENT_TOOLS, ENVIRONMENT_VARIABLES (patterns),
ENVIRONMENT_REPORTS (a directory for scripts that show differences). The variables are those that a
run of the tool asked for (asked.c), those that ld.so and libc spell, and those of
machine/variables.py. Each string of the tool's binaries that could be a name is a variable, too,
with one value. Left out are the strings of libLLVM, which are 29,000, and those of nvcc's steps
unless ENVIRONMENT_STEPS is set, since each start takes half a second. Status 1 if a result is not
what a plain run gives, or if nothing was replayed."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from machine import crew, tools, units  # noqa: E402
from machine.start import Start, directory, text  # noqa: E402
from machine.variables import VARIABLES  # noqa: E402

NAMES = {"D": "source", "B": "unit", "W": "work", "O": "output", "o": "object", "I": "header"}
CHUNK = 12  # variables of one row: plain runs without them are made once
# A command of each tool that speaks, searches and writes.
COMMANDS = {
    "gcc": ("c", "gcc -Wall -g -MD -c {rel} -o {out}"),
    "g++": ("cc", "g++ -Wall -c {src} -o {out}"),
    "gcc-link": ("c", "gcc {src} -lm -o {out}"),
    "cpp": ("c", "gcc -E {src}"),
    "clang": ("c", "clang -Wall -MD -c {rel} -o {out}"),
    "clang-link": ("c", "clang {src} -lm -o {out}"),
    "as": ("s", "as -g {src} -o {out}"),
    "ld.bfd": ("o", "ld.bfd -shared -t {src} -lc -o {out}"),
    "ld.gold": ("o", "ld.gold -shared -t {src} -lc -o {out}"),
    "ld.lld": ("o", "ld.lld -shared -t {src} -L/usr/lib/x86_64-linux-gnu -lc -o {out}"),
    "ar": ("o", "ar rcv {out} {src}"),
    "llvm-ar": ("o", "llvm-ar rcv {out} {src}"),
    "ptxas": ("ptx", "ptxas -v -arch=sm_80 {src} -o {out}"),
    "nvcc": ("cu", "nvcc -arch=sm_80 -cubin {src} -o {out}"),
    "gfortran": ("f90", "gfortran -Wall -J{W} -c {rel} -o {out}"),
    "rustc": ("rs", "rustc --crate-type lib --emit obj {src} -o {out}"),
    "script": ("c", "{I}/mycc -Wall -c {src} -o {out}"),
}
SOURCES = {
    "c": "#include <stdio.h>\n"
    'int main(void) { int unused; return puts("it\\xe2\\x80\\x99s") < 0; }\n',
    "cc": "int f() { int unused; return 'a'; }\n",
    "f90": "subroutine f(a)\ninteger :: a, unused\na = 1\nend\n",
    "rs": "pub fn f(a: i32) -> i32 { let unused = 1; a }\n",
    "s": '.warning "told"\na: nop\n',
    "ptx": ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n",
    "cu": "__global__ void k(int *a) { int unused; a[0] = 1; }\n",
}
LOADER = (
    "BIND_NOW BIND_NOT WARN VERBOSE DEBUG DEBUG_OUTPUT LIBRARY_PATH PRELOAD AUDIT SHOW_AUXV "
    "TRACE_LOADED_OBJECTS PROFILE PROFILE_OUTPUT DYNAMIC_WEAK ORIGIN_PATH "
    "HWCAP_MASK ASSUME_KERNEL PREFER_MAP_32BIT_EXEC USE_LOAD_BIAS POINTER_GUARD"
)
SPECIAL = {
    "LD_DEBUG": ("help", "libs", "statistics", "x"),
    "LD_PRELOAD": ("/nonexistent.so", "libm.so.6"),
    "LD_AUDIT": ("/nonexistent.so",),
    "LD_LIBRARY_PATH": ("{I}", ""),
    "LD_PROFILE": ("libc.so.6",),
    "LD_PROFILE_OUTPUT": ("{O}",),
    "LD_DEBUG_OUTPUT": ("{O}/debug",),
    "MALLOC_CHECK_": ("3", "0"),
    "MALLOC_TRACE": ("{O}/trace",),
    "MALLOC_TOP_PAD_": ("1", "x"),
    "NLSPATH": ("{I}/%N",),
    "LOCPATH": ("{I}",),
    "GCONV_PATH": ("{I}",),
    "OUTPUT_CHARSET": ("ASCII", "UTF-8"),
    "LC_CTYPE": ("C.UTF-8",),
    "LC_MESSAGES": ("C.UTF-8", "de_DE"),
    "TMP": ("{O}", "/nonexistent"),
    "TEMP": ("{O}",),
    "TEMPDIR": ("{O}",),
    "XDG_CACHE_HOME": ("{O}",),
    "XDG_CONFIG_HOME": ("{I}",),
}
GENERAL = ("1", "", "/nonexistent")
# variables of Reprise; and variables that hold when or where a run takes place
LEFT_OUT = re.compile(
    "^(REPRISE_.*|ASKED_LOG|.*[^A-Za-z0-9_].*|XBS5.*|POSIX_V.*|ILP32.*|_.*|GLIBC_(PRIVATE|ABI.*))$"
)


def spelled(path, pattern):
    words = set(re.findall(rb"[A-Z][A-Z0-9_]{2,}", open(path, "rb").read()))
    return {word.decode() for word in words if re.fullmatch(pattern, word.decode())}


def of_libc():
    loader, libc = "/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libc.so.6"
    names = {"LD_" + name for name in LOADER.split()}
    for path in loader, libc:
        if os.path.exists(path):
            names |= spelled(
                path,
                "(LD|MALLOC|GLIBC|LC|RES|RESOLV|GCONV|GETCONF|GMON|ARGP|POSIXLY|OUTPUT|NIS|HES"
                "|NLS|LOC|TZ|MSG|SEV|HOST|LOCAL)_?[A-Z_]+_?",
            )
    return names | {"LANG", "LANGUAGE", "LC_ALL", "TZ", "TMPDIR", "HOME", "PATH", "PWD", "IFS"}


# Programs that the tool starts, or whose code it contains.
INSIDE = {
    "gcc": ("cc1", "collect2"),
    "g++": ("cc1plus",),
    "gfortran": ("f951",),
    "clang": ("/usr/lib/x86_64-linux-gnu/libclang-cpp.so.14",),
    "ld.bfd": ("/usr/lib/x86_64-linux-gnu/libbfd-2.40-system.so",),
}
STEPS = ("cudafe++", "cicc", "ptxas", "fatbinary", "nvlink")


def of_binaries(tool, command):
    """The strings of a tool's binaries that could be names of variables."""
    paths = [shutil.which(tools.program(command.split()[0]))]
    for name in INSIDE.get(tool, ()):
        asked = ["gcc", "-print-prog-name=" + name]
        paths.append(name if "/" in name else subprocess.check_output(asked, text=True).strip())
    if tool == "nvcc":
        top = os.path.dirname(os.path.dirname(os.path.realpath(paths[0])))
        steps = [f"{top}/{d}/{step}" for d in ("bin", "nvvm/bin") for step in STEPS]
        paths = paths + steps if os.environ.get("ENVIRONMENT_STEPS") else []
    words = set()
    for path in paths:
        if path and os.path.exists(path):
            with open(path, "rb") as binary:
                found = re.findall(rb"(?<=\0)[A-Z][A-Z0-9_]{2,40}(?=\0)", binary.read())
            words |= {word.decode() for word in found}
    return words


def files_of(tool, place):
    ext, _ = COMMANDS[tool]
    files = {place[role]: directory() for role in "WOI"}
    files[place["src"]] = text(
        SOURCES[ext]
        if ext != "o"
        else units.made_by(
            "gcc -fPIC -c made.c -o made",
            '#include <stdio.h>\nint f(void) { return puts("x"); }\n',
        )
    )
    files[place["I"] + "/mycc"] = text('#!/bin/sh\nexec gcc $EXTRA_FLAGS "$@"\n', 0o755)
    return files


def start_of(tool, root, env, note):
    ext, command = COMMANDS[tool]
    place = units.places(NAMES, ext, root)
    filled = {name: units.filled(value, place) if value else value for name, value in env.items()}
    settings = {"REPRISE_TOOLS": "+mycc"} if tool == "script" else {}
    return Start(
        units.command_line(command, place),
        files_of(tool, place),
        place["W"],
        filled,
        settings=settings,
        note=note,
    )


def asked(tool, logger, scratch):
    """The variables that a run of the tool asks for."""
    from machine.place import Place

    place, log = Place(f"{scratch}/root", f"{scratch}/aside"), f"{scratch}/asked"
    start = start_of(tool, place.root, {"LD_PRELOAD": logger, "ASKED_LOG": log}, "")
    place.lay(start)
    place.run(start, False)
    place.close()
    names = set(open(log, errors="replace").read().split()) if os.path.exists(log) else set()
    if names:
        os.unlink(log)
    return names


def values_of(name, spelled_alone):
    if spelled_alone:
        return ["1"]
    values = list(VARIABLES.get(name, ())) + list(SPECIAL.get(name, ()))
    return dict.fromkeys(values + [v for v in GENERAL if not values or v == "1"])


def starts(tool, names, spelled_alone):
    def all_of(place):
        for name in names:
            for value in values_of(name, spelled_alone):
                for first, second in ({}, {name: value}), ({name: value}, {}):
                    yield None
                    yield start_of(
                        tool,
                        place.root,
                        first,
                        f"{name}: recorded {'with' if first else 'without'}",
                    )
                    yield start_of(
                        tool, place.root, second, f"{name}: {value!r} {'gone' if first else 'set'}"
                    )

    return all_of


def work(the_crew, item):
    number, tool, names, spelled_alone = item
    return the_crew.row(
        f"e{number:04}",
        starts(tool, names, spelled_alone),
        lambda _: tool,
        lambda start: start.note.split(":")[0],
        go_on=True,
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--share", type=int, default=1)
    options = parser.parse_args()
    the_crew = crew.Crew(
        "environment",
        int(os.environ.get("ENVIRONMENT_JOBS") or os.cpu_count()),
        os.environ.get("ENVIRONMENT_REPORTS"),
    )
    begun, items = time.monotonic(), []
    try:
        with tempfile.TemporaryDirectory(prefix="environment.") as scratch:
            subprocess.run(
                ["gcc", "-O2", "-shared", "-fPIC", HERE + "/asked.c", "-o", scratch + "/asked.so"],
                check=True,
            )
            for tool, (_, command) in COMMANDS.items():
                if not re.search(os.environ.get("ENVIRONMENT_TOOLS", ""), tool) or not (
                    tool == "script" or tools.present(command.split()[0])
                ):
                    continue
                heard = asked(tool, scratch + "/asked.so", scratch)
                # A start of nvcc takes long, so it gets fewer variables: those that it was seen to
                # ask for, and the loader's.
                names = heard | (
                    {"LD_" + name for name in LOADER.split()}
                    if tool == "nvcc"
                    else of_libc() | set(VARIABLES) | set(SPECIAL)
                )
                words = () if tool == "script" else of_binaries(tool, command)
                for alone, which in (False, names), (True, set(words) - names):
                    which = [
                        name
                        for name in sorted(which)
                        if not LEFT_OUT.match(name)
                        and re.search(os.environ.get("ENVIRONMENT_VARIABLES", ""), name)
                    ]
                    share = options.share * (5 if alone and options.share > 1 else 1)
                    which = which[len(items) % share :: share]
                    print(
                        f"{tool}: {len(which)} variables, "
                        + ("strings of its binaries" if alone else "of which a run asks for "
                           f"{len(heard.intersection(which))}"),
                        flush=True,
                    )
                    items += [
                        (tool, which[at : at + CHUNK], alone)
                        for at in range(0, len(which), CHUNK)
                    ]
        rows = the_crew.run(work, [(number, *item) for number, item in enumerate(items)])
    finally:
        the_crew.close()
    status = crew.report(rows, time.monotonic() - begun)
    return status


if __name__ == "__main__":
    sys.exit(main())
