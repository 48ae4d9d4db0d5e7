"""Edits of the texts of a start."""

import re

from machine.start import text

ASKS = (
    "const char *asked = __FILE__;",
    "int asked_size = sizeof(__FILE__);",
    "int asked_letter(void) { return __FILE__[sizeof(__FILE__) - 7]; }",
    '#line 5 "x.c"',
    "const char *asked_when = __TIMESTAMP__;",
    '#pragma message "seen"',
    '#include "h.h"',
    "#include <h.h>",
    "int asked_line = __LINE__;",
    '#if __has_include("late.h")\n#include "late.h"\n#endif',
    "#ifdef X\nint x_is = 1;\n#endif",
    "int unused_static(void) { int unused; return 1; }",
    "#error told",
)


def texts(state):
    return [
        path
        for path, entry in state.files.items()
        if entry.kind == "f" and b"\0" not in entry.data and not path.endswith((".o", ".so", ".a"))
    ]


def ext_of(state, path):
    return state.unit.ext if path == "{src}" else path.rsplit(".", 1)[-1]


def put(state, path, data):
    state.files[path] = state.files[path]._replace(data=data.encode())


def source(state, choice, path=None):
    path = path or choice.choice(texts(state))
    return path, state.files[path].data.decode(errors="replace")


def digit(state, choice, path=None):
    path, words = source(state, choice, path)
    at = [match.start() for match in re.finditer(r"\b\d\b", words)]
    if at:
        where = choice.choice(at)
        put(state, path, words[:where] + choice.choice("0123456789") + words[where + 1 :])
    return f"content: a digit in {path}"


def line_gone(state, choice, path=None):
    path, words = source(state, choice, path)
    lines = words.splitlines()
    if len(lines) > 1:
        del lines[choice.randrange(len(lines))]
        put(state, path, "\n".join(lines) + "\n")
    return f"content: a line less in {path}"


def asks(state, choice, path=None):
    paths = [path] if path else texts(state)
    paths = [path for path in paths if ext_of(state, path) in ("c", "cc", "cu", "h")]
    if not paths:
        return digit(state, choice, path)
    path, line = choice.choice(paths), choice.choice(ASKS)
    put(state, path, state.files[path].data.decode(errors="replace") + line + "\n")
    return f"content: {path} has {line!r}"


def from_above(state, choice):
    """Adds an #include that leads into a base directory by the end of its name, and an option that
    names the directory above. When the base is renamed, that #include no longer leads there."""
    # A header that read itself twice would never end.
    paths = [path for path in texts(state) if ext_of(state, path) in ("c", "cc", "cu")]
    if not paths or any("{a" in word for option in state.options for word in option):
        return digit(state, choice)
    path, base = choice.choice(paths), choice.choice("ITWW")
    last = {
        "I": state.names["I"] + "/h.h",
        "T": state.tree.rsplit("/", 1)[-1] + "/" + state.names["I"] + "/h.h",
        "W": state.names["W"] + "/w.h",
    }[base]
    state.files.setdefault("{W}/w.h", text("#define W_H 1\n"))
    before = source(state, choice, path)[1]
    put(state, path, f'#include "{last}"\n{before}')
    state.options.append([choice.choice(["-I", "-iquote", "-isystem"]) + "{a" + base + "}"])
    # With -g and with prefix maps the working directory is a base in any case.
    if base == "W" and choice.random() < 0.7:
        state.options.append([choice.choice(["-g", "-ffile-prefix-map={W}=."])])
    elif "{" + base + "}" not in state.base_dirs:
        state.base_dirs += ("{" + base + "}",)
    return f"content: {path} leads to {base} from above"
