"""Counts the starts where nothing relevant changed: an earlier start of the same words left the
same files in a plain run. Counts the hits among them, and the reasons of the others (`reprise
explain`)."""

import collections
import os
import re

import scene

REASONS = 8  # that are printed of one kind of change
ALL = "all"  # kinds
NOT_SEEN = "was not seen before"  # nothing that explain could compare with
# Fields of a state that are compared as a whole, in a search for the reason of a miss.
WHOLE = ("tree", "link", "out", "streams", "width", "umask", "base_dirs")
BEFORE = b"before\n"  # what a stream's file may hold


def kinds(note):
    """The kinds of edits of a start."""
    return [part.split(":")[0] for part in note.split(scene.AND)]


def bare(path, laid, names):
    """A path with the names replaced by their roles."""
    stem = os.path.splitext(laid["out"])[0]
    if path.startswith(stem):
        return "{out}" + path[len(stem) :]
    for role in "DWOIT":
        if path.startswith(laid[role] + "/"):
            path = "{" + role + "}" + path[len(laid[role]) :]
            break
    head, base = os.path.split(path)
    for role in "oB":
        if re.match(re.escape(names[role]) + r"\b", base):
            base = "{" + role + "}" + base[len(names[role]) :]
    return f"{head}/{base}"


def left(plain, state, root):
    """Status, messages and files of a plain run, in words that do not depend on names."""
    laid, said = state.laid(root), plain.aspects
    messages = (said["stdout"] + said["stderr"]).replace(BEFORE, b"")
    files = {
        (bare(f"{root}/{aspect[5:]}", laid, state.names), value)
        for aspect, value in said.items()
        if aspect.startswith("file ")
    }
    return said["status"], messages, frozenset(files)


def reason(place, state, ours):
    """Why a start was no hit."""
    missed = [verdict for verdict in ours.verdicts if verdict[1] != "hit"]
    if not missed:
        return "no tool was seen"
    tool, verdict, why = missed[0]
    records = place.reprise("explain", str(len(missed))).split("\n\n")
    lines = records[0].splitlines()
    head = re.match(r"\S+ \S+ .*?: (?:miss|bypass|unstored|error): ([\w-]+)", lines[0])
    if head:
        details = [line.strip() for line in lines[1:] if line[:4] == "    "]
        why = ": ".join([head[1]] + [line for line in details if NOT_SEEN not in line][:2])
    for name, value in sorted(state.laid(place.root).items(), key=lambda item: -len(item[1])):
        if name not in ("d", "b", "o", "rel", "rO"):
            why = why.replace(value, "{" + name + "}")
    for role in "oB":
        why = re.sub(rf"\b{re.escape(state.names[role])}\b", "{" + role + "}", why)
    why = re.sub(r"\b(?:cc\w{6}|[0-9a-f]{6,}|tmp\w{8})\b|\d+", "*", why)
    return f"{tool} {verdict}: {why}"[:120]


def apart(one, other):
    """The names of the fields in which two states differ. Texts are not compared: where they
    matter, the plain runs leave other files."""
    found = [name for name in WHOLE if getattr(one, name) != getattr(other, name)]
    for group in "names", "env", "settings", "files":
        mine, its = getattr(one, group), getattr(other, group)
        differing = {name for name in {*mine, *its} if mine.get(name) != its.get(name)}
        found += [f"{group} {name}" for name in sorted(differing)]
    return found


def refused(ours):
    """Why a start stored nothing for later ones, if so."""
    for tool, verdict, why in ours.verdicts:
        if verdict in ("unstored", "bypass"):
            return f"; before, {tool} {verdict}: {why.split(': ')[0][:50]}"
    return ""


class History:
    """The states of one row, and those that left equal results in plain runs of the same words."""

    def __init__(self):
        self.states, self.seen = [], {}

    def watch(self, place, start, plain, ours):
        """Sums of one start: ("unchanged" or "hit" or a reason, whether it succeeds, kind)."""
        state, sums = self.states[-1], collections.Counter()
        what = (tuple(state.words()), state.at_once, left(plain, state, place.root))
        before = self.seen.setdefault(what, [])
        if before:
            works = plain.aspects["status"] == 0
            why = "hit"
            if ours.verdict() != why:
                near, its = min(
                    ((apart(state, other), its) for other, its in before),
                    key=lambda pair: len(pair[0]),
                )
                why = f"{reason(place, state, ours)} [{', '.join(near[:3])}]{its}"
            for kind in {*kinds(start.note), ALL}:
                sums["unchanged", works, kind] += 1
                sums[why, works, kind] += 1
        before.append((state, refused(ours)))
        return sums


def percent(part, of):
    return 100.0 * part / of if of else 0.0


def report(rows):
    """Prints for each kind the ratio of hits, in per cent, of the starts that succeed. Prints the
    reasons, each with a scene that shows it."""
    sums, scenes = collections.Counter(), {}
    for row in rows:
        for (what, works, kind), number in row.sums.items():
            sums[what, works, kind] += number
            scenes.setdefault((what, works, kind), row.name)
    print("\nnothing relevant changed: starts, hits; where the tool fails: starts, hits")
    for kind in sorted({kind for _, _, kind in sums}, key=lambda kind: (kind == ALL, kind)):
        of, hits = sums["unchanged", True, kind], sums["hit", True, kind]
        print(
            f"{kind:18} {of:6} {hits:6} {percent(hits, of):5.1f} %"
            f" {sums['unchanged', False, kind]:8} {sums['hit', False, kind]:6}"
        )
        reasons = collections.Counter(
            {
                what: number
                for (what, works, its), number in sums.items()
                if works and its == kind and what not in ("unchanged", "hit")
            }
        )
        for what, number in reasons.most_common(REASONS * (5 if kind == ALL else 1)):
            print(f"    {number:6} {what} ({scenes[what, True, kind]})")
    return percent(sums["hit", True, ALL], sums["unchanged", True, ALL])
