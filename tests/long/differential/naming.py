"""Names of directories and files, most of them as programs generate them."""

from machine import units

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"
MIXED = LETTERS[:36] + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ORDINARY = (
    "build",
    "src",
    "a",
    "zzzzzzzz",
    "aaaaaaaa",
    "obj.dir",
    "project2024",
    "very-long-name-of-a-directory-of-somebody",
    "q+r",
    "include",
    "x86_64",
)


def generated(choice, length=8):
    """A name as tempfile, mkstemp or clang make them."""
    kind = choice.randrange(4)
    if kind == 0:
        return "cc" + "".join(choice.choice(MIXED) for _ in range(4)) + "Q7"
    if kind == 1:
        return "main-" + "".join(choice.choice("0123456789abcdef") for _ in range(6))
    return "tmp" + "".join(choice.choice(LETTERS) for _ in range(length))


def like(choice, name):
    """Another name of the same length and shape."""
    if name.startswith("tmp") and len(name) == 11:
        return "tmp" + "".join(choice.choice(LETTERS) for _ in range(8))
    if name.startswith("cc") and len(name) == 8:
        return "cc" + "".join(choice.choice(MIXED) for _ in range(4)) + "R3"
    if name.startswith("main-"):
        return "main-" + "".join(choice.choice("0123456789abcdef") for _ in range(6))
    return "".join(choice.choice(LETTERS[:26]) for _ in name)


def any_name(choice):
    return generated(choice) if choice.random() < 0.7 else choice.choice(ORDINARY)


def named(choice):
    names = {role: any_name(choice) for role in units.ROLES}
    return names if len(set(names.values())) == len(names) else named(choice)
