"""Edits of comments, also where a comment is hard to recognise: in strings, on continued lines and
in directives."""

import re

import content

# In texts of other languages a comment is a line.
LINES = {"s": "# {}", "ptx": "// {}", "ld": "/* {} */", "inc": "# {}", "S": "/* {} */"}
LINES |= {"f90": "! {}", "F90": "! {}", "d": "// {}", "rs": "// {}"}
C = ("c", "cc", "h", "cu", "i")
# Each holds a word that word() finds.
HOSTILE = (
    'const char *quoted = "/* word */";',
    'const char *sliced = "a \\\n// word\\n";',
    'const char *url = "http://word"; // word',
    "char quote = '\"'; /* word\" */",
    "char other_quote = '\\''; // 'word",
    "#define JOINED(a) a /* word\n over lines */ + 1",
    "#define CONTINUED 1 \\\n /* word */ + 2 // word \\\n word",
    "#define STRUNG(a) #a\nconst char *strung = STRUNG(a /* word */ b);",
    "#define PASTED(a, b) a##b\nint PASTED(p, /* word */ q);",
    "int kept; // word \\\nint gone;",
    "int split = 4 /\\\n* word */ 2;",
    "int split_end /* word *\\\n/ = 3;",
    "int split_line; /\\\n/ word",
    '#include /* word */ "h.h" // word',
    "#if 1 /* word */\nint conditional;\n#endif // word",
    "#if 0\n it's /* word */ not seen\n#endif",
    "#/* word */define EMPTY /* word */",
    "int line_asked /* word */ = __LINE__;",
    "const char *name_asked = /* word */ __FILE__;",
    "#pragma message /* word */ \"x\"",
    '#line /* word */ 7',
    "int divided = 8 /* / word */ / 2 /**/ /* /* word */;",
    "int fall(int x) { switch (x) { case 1: x = 2; /* word fall through */ case 2: return x; } "
    "return 0; }",
    "void lint(int x) { if (x) /* word */; }",
    "int unused(void) { int a; /* word */ }",
    "#ifdef /* word */ X\nint x_is;\n#endif",
    "#warning /* word */ told",
    "#ident /* word */ \"word\"",
    "#error it's /* word",
)
RAW = (
    'const char *raw = R"(/* word */)";',
    'const char *raw_end = R"x(// word )" /* word )x"; // word',
    'const char *raw_lines = R"(\n// word \\\n/* word\n)"; /* word */',
    "long grouped = 1'000'0; // word '",
)


def word(choice, words, keep):
    """Replaces a word in a comment, or in a text that looks like one, by a word of the same length
    or of another."""
    at = [match.span() for match in re.finditer(r"\b(?:word|w[a-z]*z)\b", words)]
    if not at:
        return words
    begin, end = choice.choice(at)
    length = end - begin if keep else choice.randrange(2, 90)
    letters = "".join(choice.choice("abcdef") for _ in range(length - 2))
    return words[:begin] + "w" + letters + "z" + words[end:]


def lines_kept(choice, words):
    """A comment at the end of a line."""
    lines = words.split("\n")
    at = choice.randrange(len(lines))
    lines[at] += choice.choice([" /* word */", " // word", "/* word */ ", "/**/", "//"])
    return "\n".join(lines)


def lines_moved(choice, words):
    lines = words.split("\n")
    new = choice.choice(["/* word */", "// word", "/* word\n * word\n */", "", "/* word"])
    lines.insert(choice.randrange(len(lines)), new + ("\n*/" if new == "/* word" else ""))
    return "\n".join(lines)


def columns_moved(choice, words):
    """A comment or space between two words."""
    at = [match.start() for match in re.finditer(r"(?<=\w)(?=[ ;(])", words)]
    where = choice.choice(at) if at else 0
    said = choice.choice(["/* word */", "/* */", " ", "/*word*/ "])
    return words[:where] + said + words[where:]


def at_end(choice, words):
    """Lines behind the last one."""
    given = choice.choice(
        ["// word\n", "// word\n\n// word\n", "\n", "// /* word\n", "/* word */\n", "// word \\\n"]
    )
    return words.rstrip("\n") + "\n" + given


def hostile(choice, words, ext):
    given = choice.choice(HOSTILE + RAW if ext in ("cc", "cu") else HOSTILE)
    return choice.choice([words + given + "\n", given + "\n" + words])


def line(state, choice, path, words):
    """Adds a line to a text that is no C."""
    said = LINES.get(content.ext_of(state, path), "# {}").format("word " + choice.choice("abc"))
    lines = words.splitlines()
    at = choice.choice([0, len(lines)])
    if at or not path.endswith(("args", "name", "options")) and not words.startswith("#!"):
        lines.insert(at, choice.choice([said, ""]))
        content.put(state, path, "\n".join(lines) + "\n")
    return f"comments: a line in {path}"


def comment(state, choice):
    path, words = content.source(state, choice)
    ext = content.ext_of(state, path)
    if ext not in C:
        return line(state, choice, path, words)
    how = {
        "word of the same length": lambda: word(choice, words, True),
        "word of another length": lambda: word(choice, words, False),
        "end of a line": lambda: lines_kept(choice, words),
        "line": lambda: lines_moved(choice, words),
        "at the end": lambda: at_end(choice, words),
        "between two words": lambda: columns_moved(choice, words),
        "hostile": lambda: hostile(choice, words, ext),
    }
    what = choice.choices(list(how), [3, 3, 2, 2, 4, 1, 4])[0]
    content.put(state, path, how[what]())
    return f"comments: {what} in {path}"
