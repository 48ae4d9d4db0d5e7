"""What a run of the bars writes: the machine, the table, and the cells in bench/README.md."""

import datetime
import os
import platform
import re
import subprocess


def first_line(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout.splitlines()[0]
    except (OSError, IndexError):
        return "none"


def said_in(path, name, mark):
    """Returns the text after `mark` in the first line that begins with `name`, or ""."""
    lines = (line for line in open(path) if line.startswith(name))
    return next((line.split(mark, 1)[1].strip() for line in lines), "")


def machine(work, python):
    """Returns the processor's name, and lines about all that figures depend on."""
    cpu = said_in("/proc/cpuinfo", "model name", ":") or platform.machine()
    memory = int(said_in("/proc/meminfo", "MemTotal", ":").split()[0]) / 2**20
    system = said_in("/etc/os-release", "PRETTY_NAME", "=").strip('"')
    filesystem = first_line("stat", "-f", "-c", "%T", work)
    versions = ("import torch, triton; "
                "print('torch', torch.__version__, 'triton', triton.__version__)")
    frameworks = first_line(python, "-c", versions) if python else "none"
    tools = [first_line(tool, "--version") for tool in ("gcc", "ccache")]
    return cpu, [f"CPU: {cpu}, {os.cpu_count()} cores; memory {memory:.0f} GiB",
                 f"Kernel: {platform.system()} {platform.release()}; {system}; "
                 f"libc {' '.join(platform.libc_ver())}; build directory on {filesystem}",
                 f"Tools: {'; '.join([*tools, frameworks])}",
                 f"Load when begun: {os.getloadavg()[0]:.1f}"]


def table(rows, described):
    lines = ["| what | bar | measured | quartiles | of |", "|---|---|---|---|---|"]
    for name, r in rows:
        lines.append(f"| {r.what} | {r.bar} | **{r.figure}** | {r.spread} | {r.detail}; "
                     f"`bench/run.sh --only {name}` |")
    head = [f"# Measured on {datetime.date.today().isoformat()}", "",
            *[f"- {d}" for d in described], "",
            "Medians over rounds in which the variants took turns. A ratio is formed within each "
            "round.", ""]
    return "\n".join(head + lines) + "\n"


def into_readme(path, rows):
    """Writes the figures of rows into the cells of bench/README.md that carry the rows' names."""
    text = open(path).read()
    for name in {n for n, _ in rows}:
        figures = " / ".join(r.figure for n, r in rows if n == name)
        if figures:
            text = re.sub(rf"\| [^|]* <!-- {name} --> \|", f"| {figures} <!-- {name} --> |", text)
    with open(path, "w") as out:
        out.write(text)
