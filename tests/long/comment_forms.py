#!/usr/bin/python3
"""Texts with one comment-free form are one text to gcc and clang.

usage: comment_forms.py HELPER SECONDS [SEED]

Makes random texts, or takes headers of the system, edits them, and keeps the pairs whose form is
equal (tests/long/comment_form.c). If the compiler prints no diagnostic for the first text, both
texts must give the same output. Compared are clang's tokens with line and column, and gcc's
preprocessed text in four languages. For texts that compile, objects with -g, -fsanitize=undefined
and all warnings are compared as well. Prints what it compared; exits 1 and keeps the pair if one
differs.
"""
import glob, os, random, re, subprocess, sys, tempfile, time

LEXICAL = [
    "int a;", "/* c */", "// c", "/* c\n d */", "\n", "\n", "\n", " ", "\t", "  ", "'x'", "\"s\"",
    "'\\''", "\"\\\"\"",
    "\"/*\"", "'\"'", "\"//\"", "#define X 1", "#define F(x) #x", "F(a /* b */ c)", "X", "#if 0\n",
    "#endif\n", "#if 1\n",
    "#else\n", "don't", "\\\n", "\\ \n", "#include <stddef.h>", "#include \"stddef.h\"", "/*/ x */",
    "/**/", "/***/", "//*",
    "R\"(x)\"", "R\"d(\n)d\"", "LR\"(\")\"", "1'000", "0x1'f", "u8R\"(x)\"", "u'x'", "L'x'", "/",
    "*", "a/b", "a / *p", "??/", "??=",
    "%:define Y 2", "%:", "#", "##", "#pragma once", "_Pragma(\"once\")", "#error don't",
    "__LINE__", "__COUNTER__", "\f",
    "/* fall through */", "/* FALLTHRU */", "/* \xe9 */", "// x \\\n", "/* # */", "/*\n# */",
    "#line 3", "$", "$R\"(x)\"", "1.R\"(x)\"",
    "\"a\"R\"(x)\"", "e+1", "1e+R\"(x)\"", "__has_include", "#if __has_include(<a//b>)\n#endif\n",
    "#include <a//b>", "*/", "\r\n",
    "x" * 70 + ";", "/* " + "c" * 70 + " */", "#warning w", "\\", "@", "`", "#ident \"x\"",
    "/* /* */", "// /* x", "*\\\n/", "/\\\n/ x",
    "/\\\n* x */", "/* x *\\\n/", "R\\\n\"(x)\"", "'\\\n'", "\"a\\\nb\"",
]
C = [
    "int f%d(int x)\n{\n\tif (x)\n\t\tx++;\n\treturn x * 3;\n}\n",
    "int g%d(int x) { if (x) x++; x--; return x << 3; }\n",
    "int h%d(int x)\n{\n\tswitch (x) {\n\tcase 1: x = 2;\n\t/* fall through */\n"
    "\tcase 2: return 1;\n\tdefault: return x / 0x10;\n\t}\n}\n",
    "#define M%d(a) \\\n\t((a) + \\\n\t 1)\n",
    "int k%d(int x)\n{\n  if (x)\n    x = x + 7;\n\n    x = x * 2;\n  return x;\n}\n",
    "const char *s%d = \"/* no */\";\n",
    "int l%d(int *p, int i)\n{\n\tfor (; i; i--)\n\t\t;\n\treturn p[i] + *p;\n}\n", "\n",
    "#if 0\nint don\n#endif\n", "#include <stddef.h>\n", "struct s%d { int a; char b; };\n",
    "int m%d(int x) {\n  while (x > 3)\n    x -= 3;\n#define EMPTY\n  return x % 5; }\n",
]
COMMENTS = ["/* c */", "/* %s */" % ("w " * 20), "// end", "/* a\n   b */", "/*\n * a\n */", "/**/",
            "/* x */ ", "\t/* t */", "/*\t*/",
            "  // %s" % ("z" * 60), "/* q'\" */", "// 'x\" y", "/* f */", "// F", "/* {}; */"]
ALPHABET = "ab /*\"'\\\n#?R(x)1 \t<>f;{"


def lexical(r):
    return "".join(r.choice(LEXICAL) + r.choice(["", "", " ", "\n"])
                   for _ in range(r.randint(1, 12)))


def program(r):
    text = "".join(t.replace("%d", str(i))
                   for i, t in enumerate(r.choice(C) for _ in range(r.randint(1, 6))))
    for _ in range(r.randint(1, 8)):
        at = r.randint(0, len(text))
        # mostly between tokens
        for _ in range(4):
            if at < len(text) and text[at] in " \n\t":
                break
            at = r.randint(0, len(text))
        text = text[:at] + r.choice(COMMENTS) + text[at:]
    return text


def header(r, headers):
    """A header of the system that is short enough to be compiled often."""
    while True:
        path = r.choice(headers)
        if os.path.isfile(path) and os.path.getsize(path) < 60000:
            with open(path, encoding="latin-1", newline="") as f:
                return f.read()


def in_comments(text):
    places, i = [], 0
    while i < len(text):
        end = (text.find("*/" if text.startswith("/*", i) else "\n", i + 2)
               if text.startswith(("/*", "//"), i) else -1)
        if end > 0:
            places += range(i, end + 3)
            i = end
        i += 1
    return places


def other_style(r, text):
    """Line comments for a block comment at a line's end, with the indentation of its lines."""
    found = list(re.finditer(r"/\*([^*]*)\*/(?=[ \t]*\n)", text))
    if not found:
        return text
    m = r.choice(found)
    lines = m[1].split("\n")
    return text[:m.start()] + "//" + "\n".join(re.sub(r"^([ \t]*)", r"\1//" if i else r"\1", line)
                                             for i, line in enumerate(lines)) + text[m.end():]


def other_end(r, text):
    """Adds or removes lines at the end."""
    if r.random() < 0.3:
        return text[:text.rstrip("\n").rfind("\n") + 1]
    return text + "".join(r.choice(COMMENTS + ["", "", " ", "\t", "// f\n/* */"]) + "\n"
                          for _ in range(r.choice([1, 2, 5, 31, 40])))


def edit(r, text):
    if r.random() < 0.2:
        return other_style(r, text)
    if r.random() < 0.3:
        return other_end(r, text)
    for _ in range(r.randint(1, 4)):
        places = in_comments(text)
        at = r.choice(places) if places and r.random() < 0.8 else r.randint(0, len(text))
        kind = r.randint(0, 5)
        if kind == 0:
            text = text[:at] + r.choice(ALPHABET) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + 1:]
        elif kind == 2:
            text = text[:at] + r.choice(ALPHABET) + text[at + 1:]
        elif kind == 3:
            text = text[:at] + r.choice(COMMENTS) + text[at:]
        elif kind == 4:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            text = text[:at] + text[end:]
        else:
            text = text[:at] + r.choice("abxyz") * r.randint(1, 90) + text[at:]
    return text


class Forms:
    def __init__(self, helper, place):
        self.process = subprocess.Popen([helper], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.path = os.path.join(place, "form")

    def of(self, text):
        with open(self.path, "w", encoding="latin-1", newline="") as f:
            f.write(text)
        self.process.stdin.write(self.path + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


def run(command, place, text, name):
    with open(os.path.join(place, name), "w", encoding="latin-1", newline="") as f:
        f.write(text)
    out = os.path.join(place, "out.o")
    if os.path.exists(out):
        os.unlink(out)
    command = command + ([] if name in INCLUDED else [name])
    p = subprocess.run(command, cwd=place, capture_output=True, check=False)
    made = open(out, "rb").read() if os.path.exists(out) else b""
    # Where clang's text ends is no token's place.
    said = re.sub(rb"(?m)^eof .*\n", b"", p.stderr) if "-dump-tokens" in command else p.stderr
    return p.returncode, p.stdout, said, made


WARN = ["-Wall", "-Wextra", "-fno-diagnostics-show-caret"]
PREPROCESS = [
    (["gcc", "-std=gnu17", "-E"] + WARN, "t.c"), (["gcc", "-std=c99", "-E"] + WARN, "t.c"),
    (["g++", "-std=c++20", "-E"] + WARN, "t.cc"), (["g++", "-std=c++98", "-E"] + WARN, "t.cc"),
    (["clang", "-std=gnu17", "-Xclang", "-dump-tokens"] + WARN, "t.c"),
    (["clang++", "-std=c++20", "-Xclang", "-dump-tokens"] + WARN, "t.cc"),
]
COMPILE = [
    (["gcc", "-g", "-O2", "-fsanitize=undefined", "-c", "-o", "out.o"] + WARN, "t.c"),
    (["g++", "-g3", "-O1", "-fsanitize=undefined", "-c", "-o", "out.o"] + WARN, "t.cc"),
    (["clang", "-O1", "-fsanitize=undefined", "-c", "-o", "out.o"] + WARN, "t.c"),
]


# Texts that another text includes. The lines of that text follow them.
INCLUDED = ("i.h", "i.hh")
INCLUDER = """#define BEFORE 1
#include "%s"
static int after(int x) { if (x) x += __LINE__; return x << 3; }
int last(int x) { return after(x); }
"""
HEADER = [
    (["gcc", "-g3", "-O1", "-fsanitize=undefined", "-c", "-o", "out.o", "-x", "c"] + WARN, "t.h.c"),
    (["g++", "-g", "-O1", "-c", "-o", "out.o", "-x", "c++"] + WARN, "t.h.cc"),
]
INCLUDE = [
    (["gcc", "-g3", "-O1", "-fsanitize=undefined", "-c", "-o", "out.o", "m.c"] + WARN, "i.h"),
    (["g++", "-g", "-O1", "-c", "-o", "out.o", "m.cc"] + WARN, "i.hh"),
    (["clang", "-O1", "-c", "-o", "out.o", "m.c"] + WARN, "i.h"),
    (["gcc", "-E", "m.c"] + WARN, "i.h"),
]


def quiet(command, answer):
    """Whether only the answer itself was printed."""
    code, _, err, _ = answer
    if "-dump-tokens" in command:
        return code == 0 and b"warning:" not in err and b"error:" not in err
    return code == 0 and not err


def main():
    helper, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    r, end = random.Random(seed), time.time() + seconds
    pairs = compared = 0
    headers = sorted(glob.glob("/usr/include/**/*.h",
                               recursive=True) + glob.glob("/usr/include/c++/*/*"))
    with tempfile.TemporaryDirectory() as place:
        forms = Forms(helper, place)
        for name, included in ("m.c", "i.h"), ("m.cc", "i.hh"):
            with open(os.path.join(place, name), "w", encoding="ascii") as f:
                f.write(INCLUDER % included)
        while time.time() < end:
            make, commands = r.choice([(program, COMPILE), (program, COMPILE),
                                       (lexical, PREPROCESS),
                                       (lambda r: header(r, headers), HEADER),
                                       (program, INCLUDE),
                                       (lambda r: header(r, headers), INCLUDE)])
            first = make(r)
            form = forms.of(first)
            if len(form) != 64:
                continue
            second = None
            for _ in range(20):
                second = edit(r, first)
                if second != first and forms.of(second) == form:
                    break
            else:
                continue
            pairs += 1
            for command, name in commands:
                x = run(command, place, first, name)
                if not quiet(command, x):
                    continue
                y = run(command, place, second, name)
                compared += 1
                if x != y:
                    keep = tempfile.mkdtemp(prefix="comment_forms.")
                    for suffix, text in ("1", first), ("2", second):
                        with open(os.path.join(keep, suffix), "w", encoding="latin-1",
                                  newline="") as f:
                            f.write(text)
                    print(f"seed {seed}: {' '.join(command)} tells {keep}/1 and {keep}/2 apart")
                    print((x[2] or x[1])[:600], "\n--\n", (y[2] or y[1])[:600])
                    return 1
    print(f"seed {seed}: {pairs} pairs of texts, {compared} comparisons")
    return 0 if pairs else 1


if __name__ == "__main__":
    sys.exit(main())
