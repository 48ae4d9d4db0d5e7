"""Branches: one or two texts change, and later get back their earlier content."""

import content
from machine.start import STAMP


def branch(state, choice):
    """Changes to another branch, or back to the first one."""
    if state.branch:
        return back(state, choice)
    paths = content.texts(state)
    for path in choice.sample(paths, min(len(paths), choice.choice([1, 1, 2]))):
        state.branch[path] = state.files[path]
        kind = choice.choice([content.digit, content.line_gone, content.asks])
        kind(state, choice, path)
        stamped(state, choice, path)
    return f"branches: another, {' '.join(state.branch)}"


def back(state, choice):
    """Restores texts as git does: as new files. Some files are touched without a change of
    content."""
    for path, entry in state.branch.items():
        if path in state.files:
            state.files[path] = entry
            stamped(state, choice, path)
    state.branch = {}
    touched = choice.choice(content.texts(state))
    stamped(state, choice, touched)
    return f"branches: back, {touched} touched"


def stamped(state, choice, path):
    stamp = STAMP + choice.choice([0, 1, 60, 3600, 10**6])
    state.files[path] = state.files[path]._replace(stamp=stamp)
