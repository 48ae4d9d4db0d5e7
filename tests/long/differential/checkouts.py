"""Checkouts: the tree in another directory, and through a symbolic link."""

import naming

LINK = "by-link"


def begin(state, choice):
    state.tree = naming.any_name(choice)
    if choice.random() < 0.4:
        state.base_dirs = ("{T}",)


def checkout(state, choice):
    what = choice.choice(["equal", "equal", "other", "other", "deeper", "link"])
    if what == "link":
        state.link = "" if state.link else LINK + choice.choice("12")
    elif what == "equal":
        state.tree = "/".join(naming.like(choice, name) for name in state.tree.split("/"))
    else:
        state.tree = naming.any_name(choice)
        if what == "deeper":
            state.tree += "/" + choice.choice(naming.ORDINARY)
    if choice.random() < 0.1:
        state.base_dirs = () if state.base_dirs else ("{T}",)
    if choice.random() < 0.2:
        state.env["PWD"] = "{W}"
    bases = " with base directories" if state.base_dirs else ""
    return f"checkouts: {what}{bases}"
