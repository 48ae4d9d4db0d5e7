"""The tools that this machine has."""

import functools
import os
import re
import shutil
import subprocess

from machine.place import TOP


def output(*command):
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ).stdout
    except OSError:
        return ""


@functools.lru_cache(maxsize=None)
def cuda():
    """The directory of nvcc itself, where PATH has a script."""
    here = re.search(
        r"^#\$ _HERE_=(.*)",
        output("nvcc", "--dryrun", "-c", "-x", "cu", "/dev/null", "-o", "/dev/null"),
        re.M,
    )
    return here.group(1) if here else None


@functools.lru_cache(maxsize=None)
def rustc():
    """rustc itself: rustup puts a program of its own on PATH, which looks below HOME."""
    return output("rustc", "--print", "sysroot").strip() + "/bin/rustc"


@functools.lru_cache(maxsize=None)
def places():
    said = dict(
        line.split("=", 1)
        for line in output("sh", TOP + "/scripts/nvrtc.sh").splitlines()
        if line.startswith("E2E_")
    )
    return {**said, **os.environ}


@functools.lru_cache(maxsize=None)
def program(word):
    """The program that is started for a word of a command line."""
    if word == "nvrtc_run":
        return TOP + "/build/helpers/nvrtc_run"
    if word == "NVRTC":
        return places().get("E2E_NVRTC", "no-nvrtc")
    if word == "rustc":
        return rustc()
    if word in ("nvcc", "ptxas") and cuda():
        return f"{cuda()}/{word}"
    return word


@functools.lru_cache(maxsize=None)
def present(word):
    if word == "nvrtc_run":
        return os.path.exists(program("NVRTC")) and os.path.exists(program(word))
    return shutil.which(program(word)) is not None


def name_of(start):
    """The name under which a start is counted."""
    words = [os.path.basename(word) for word in start.argv[:3]]
    return "nvrtc" if words[0] == "nvrtc_run" else words[0]
