"""nvrtc_asks.py SEED COUNT DIR [12] - makes COUNT jobs for helpers/nvrtc_run.c in DIR, whose
programs may ask for their own name.

Two headers, one passed and one on disk, hold macros. The macros lead to each other, to __FILE__, to
results of ##, to assert, and to a function with a default argument. A program uses some of them.
With 12 only what CUDA 12.1 knows."""
import os
import random
import sys

seed, count, top = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
old = len(sys.argv) > 4
random.seed(seed)
pick, chance = random.choice, lambda p: random.random() < p

LEAVES = ["7", "(x + 1)", "sizeof(int)", "__LINE__", "(x * 3)", "v[x % 4]"]
ASKS = ["__FILE__[10]", "CAT(__FI, LE__)[11]", "(__FILE__[12] == 'c')", "PASTED(LE)[10]",
        "(int)sizeof(__FILE__)"]


def macros(n, before):
    """n definitions, each of which may use those before it."""
    lines = []
    for _ in range(n):
        name = "M%d" % len(before)
        body = pick(ASKS) if chance(0.1) else pick(LEAVES)
        for other in random.sample(before, min(len(before), random.randint(0, 1))):
            body += pick([" + ", " \\\n + ", " /* + \n"
                          " + */ + "]) + pick(["%s(x)", "%s(x + 1)", "%s(x * 2)", "%s(1)",
                                               "CAT(M, %s)(x)" % other[1:]]).replace("%s", other)
        line = "%sdefine %s%s(x) (%s)" % (pick(["#", "# ", "  #\t"]), pick(["", " "]), name, body)
        lines.append("/* %s */" % pick(["", "__FILE__", "#define"]) + line if chance(0.1) else line)
        before.append(name)
    return lines


def program(here):
    names = []
    head = ["#define CAT_(a, b) a##b", "#define CAT(a, b) CAT_(a, b)",
            "#define PASTED(b) CAT(__FI, b##__)"]
    one = macros(random.randint(2, 6), names)
    two = macros(random.randint(2, 6), names)
    calls = ""
    if not old and chance(0.3):
        where = pick(["__builtin_FILE()", "HERE", "CAT(__builtin_, FILE)()"])
        if where == "HERE":
            two.append("#define HERE __builtin_FILE()")
        two.append("__device__ __forceinline__ int who(const char *s = %s) { return s[10]; }"
                   % where)
        two.append("__device__ __forceinline__ int through() { return who(); }")
        calls = pick(["", " + through()", " + who()"])
    if chance(0.3):
        two.append("__device__ __forceinline__ int inside(int x) { const int v[4] = {1, 2, 3, 4}; "
                   "(void)v; return %s(x); }" % pick(names))
        calls += pick(["", " + inside(5)"])
    used = random.sample(names, random.randint(0, 2))
    body = " + ".join(["i"] + ["%s(i)" % u for u in used]) + calls
    check = "assert(i < 4);" if chance(0.1) else ""
    lines = head if chance(0.1) else []
    if not lines:
        one = head + one
    lines += ['#include "one.h"', "#include <two.h>"]
    lines.append('extern "C" __global__ void k(int *o) { const int v[4] = {4, 3, 2, 1}; (void)v; '
                 'int i = threadIdx.x; %s o[i] = %s; }' % (check, body))
    os.makedirs(os.path.join(here, "disk"))
    for name, text in (("source", lines), ("passed", one), ("disk/two.h", two),
                       ("headers", ["one.h=passed"]),
                       ("options", ["-I" + os.path.join(here, "disk"),
                                    pick(["-arch=sm_90", "-arch=compute_90"])])):
        with open(os.path.join(here, name), "w") as f:
            f.write("\n".join(text) + "\n")


for i in range(count):
    here = os.path.join(os.path.abspath(top), "p%03d" % i)
    os.makedirs(here)
    program(here)
