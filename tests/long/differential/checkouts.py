"""Checkouts: the tree in another directory, and through a symbolic link."""

import scene

LINK = "by-link"


def checkout(state, choice):
    what = choice.choice(["equal", "equal", "other", "other", "deeper", "link", "none"])
    if what == "link":
        state.link = "" if state.link else LINK + choice.choice("12")
    elif what == "none":
        state.tree = ""
    elif what == "equal" and state.tree:
        state.tree = "/".join(scene.like(choice, name) for name in state.tree.split("/"))
    else:
        state.tree = scene.any_name(choice)
        if what == "deeper":
            state.tree += "/" + choice.choice(scene.ORDINARY)
    if choice.random() < 0.3:
        state.base_dirs = choice.choice([(), ("{T}",), ("{T}",)])
    if choice.random() < 0.2:
        state.env["PWD"] = "{W}"
    bases = " with base directories" if state.base_dirs else ""
    return f"checkouts: {what}{bases}"
