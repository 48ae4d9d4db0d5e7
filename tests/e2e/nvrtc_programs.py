"""nvrtc_programs.py SEED COUNT DIR INCLUDE [12] - makes COUNT jobs for helpers/nvrtc_run.c in DIR.

One seed gives one set of programs: kernels of several shapes and types, templates with name
expressions, headers passed and on disk, options of every kind, and at times a mistake. With 12 only
what CUDA 12.1 knows."""
import os
import random
import sys

seed, count, top, include = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
old = len(sys.argv) > 5
random.seed(seed)
pick, chance = random.choice, lambda p: random.random() < p

TYPES = ["int", "float", "double", "unsigned long long", "short", "char"]
BINARY = ["+", "-", "*"]
MISTAKES = ["int x = nothing;", "#error made", "template <class T> void f(T", '#include "absent.h"',
            "extern \"C\" __global__ int k() {}", "static_assert(sizeof(int) == 5, \"no\");"]


def expression(depth, names):
    if depth == 0 or chance(0.2):
        return pick(names + [str(random.randint(1, 99))])
    return "(%s %s %s)" % (expression(depth - 1, names), pick(BINARY), expression(depth - 1, names))


def body(kind, names):
    e = expression(random.randint(1, 4), names)
    return {
        "plain": "o[i] = %s;" % e,
        "loop": "for (int j = 0; j < n; j++) o[i] += %s;" % e.replace("n", "j"),
        "shared": "__shared__ int s[64]; s[threadIdx.x %% 64] = %s; __syncthreads(); o[i] = s[0];"
        % e,
        "branch": "if (i < n) o[i] = %s; else o[i] = 0;" % e,
        "print": 'printf("%%d\\n", (int)(%s)); o[i] = n;' % e,
        "atomic": "atomicAdd((int *)o, (int)(%s));" % e,
        "unused": "int never; o[i] = %s;" % e,
        "switch": "switch (n) { case 1: o[i] = 1; break; case 2: o[i] = %s; break; default: o[i] = "
        "3; }" % e,
    }[kind]


def program(here):
    lines, expressions, headers, options = [], [], [], []
    names = ["i", "n"]
    for h in range(random.randint(0, 3)):
        text = "#define H%d %d\nstruct h%d { int v; };\n" % (h, random.randint(1, 1000), h)
        if chance(0.2):
            text += '#pragma once\n#ifndef G%d\n#define G%d\n#endif\n' % (h, h)
        name = pick(["h%d.h", "dir/h%d.h", "a b%d.h"]) % h
        if chance(0.5):
            open(os.path.join(here, "header%d" % h), "w").write(text)
            headers.append("%s=header%d" % (name, h))
        else:
            disk = os.path.join(here, "disk", name)
            os.makedirs(os.path.dirname(disk), exist_ok=True)
            open(disk, "w").write(text)
            options.append("-I" + os.path.join(here, "disk"))
        lines.append(pick(['#include "%s"', "#include <%s>"]) % name)
        names.append("H%d" % h)
    if chance(0.15):
        lines.append("#include <cuda_fp16.h>")
        options.append("-I" + include)
        lines.append("extern \"C\" __global__ void half_of(__half *x) { *x = __hmul(*x, "
                     "__float2half(0.5f)); }")
    # A program without an external name has the process id in its results.
    lines.append('extern "C" __global__ void anchor() {}')
    for d in range(random.randint(0, 2)):
        options.append(pick(["-DM%d=%d", "--define-macro=M%d=%d"]) % (d, random.randint(1, 9)))
        names.append("M%d" % d)
    if chance(0.3):
        lines.append("namespace { __device__ int secret = %d; }\nstatic __device__ int lost;"
                     % random.randint(1, 9))
        names.append("secret")
    if chance(0.3):
        lines.append("__constant__ %s table[%d];" % (pick(TYPES), random.randint(1, 64)))
        expressions.append("&table")
    for k in range(random.randint(1, 3)):
        kind = pick(["plain", "loop", "shared", "branch", "print", "atomic", "unused", "switch"])
        what = body(kind, names)
        if chance(0.4):
            lines.append("template <typename T, int N> __global__ void t%d(T *o, int n)\n{\n"
                         "\tint i = threadIdx.x + N;\n\t%s\n}"
                         % (k, what))
            expressions += ["t%d<%s, %d>" % (k, pick(TYPES), random.randint(0, 9))
                            for _ in range(random.randint(1, 3))]
        else:
            lines.append('extern "C" __global__ void k%d(%s *o, int n)\n{\n\tint i = threadIdx.x;\n'
                         '\t%s\n}'
                         % (k, pick(TYPES), what))
            if chance(0.3):
                expressions.append("k%d" % k)
    if chance(0.12):
        lines.insert(random.randint(0, len(lines)), pick(MISTAKES))
    if chance(0.05):
        expressions.append("t0<nothing>")
    options.append(pick(["-arch=sm_90", "-arch=sm_80", "-arch=compute_90",
                         "--gpu-architecture=sm_89", "-arch=compute_80", "-arch=sm_90a"]))
    extra = ["-lineinfo", "-G", "-std=c++14", "--std=c++20", "-use_fast_math", "--fmad=false",
             "-ftz=true", "--prec-div=false",
             "--maxrregcount=32", "-rdc=true", "-dc", "-default-device", "-w", "-dlto", "-ewp",
             "--restrict", "--extra-device-vectorization", "-modify-stack-limit=false",
             "--device-int128",
             "--disable-warnings", "-opt-info=inline", "--diag-suppress=177",
             "--display-error-number", "-DUNUSED",
             "-UUNUSED", "--builtin-move-forward=false", "-Xptxas=-O1", "--dopt=on",
             "--no-such-option"]
    if not old:
        extra += ["--minimal", "--no-cache", "-frandom-seed=7", "--optix-ir", "-fno-signed-zeros",
                  "--Ofast-compile=max",
                  "--fmax-errors=1", "-jtd=50", "--device-stack-protector=true"]
    options += random.sample(extra, random.randint(0, 4))
    random.shuffle(options)
    name = pick([None, "p.cu", "dir/p.cu", "/abs/p.cu", "p with blank.cu"])
    return "\n".join(lines) + pick(["\n", "", "\n\n// end\n"]), name, headers, expressions, options


def put(path, lines):
    with open(path, "w") as out:
        out.writelines(line + "\n" for line in lines)


for number in range(count):
    here = os.path.join(top, "p%03d" % number)
    os.makedirs(here)
    source, name, headers, expressions, options = program(here)
    with open(os.path.join(here, "source"), "w") as out:
        out.write(source)
    if name is not None:
        put(os.path.join(here, "name"), [name])
    put(os.path.join(here, "headers"), headers)
    put(os.path.join(here, "expressions"), expressions)
    put(os.path.join(here, "options"), options)
