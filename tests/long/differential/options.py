"""Options of each tool: what its --help lists, and those that write, read or name something else
than the listed ones do."""

import functools
import os
import re
import subprocess
import tempfile

from machine import tools

# Values for options whose help says nothing of them.
VALUES = ("0", "1", "2", "name", "{I}/h.h", "{O}/extra", "{W}", "all", "none", "a=b")
# Options that run for long, run what was made, ask a terminal or load code.
LEFT_OUT = re.compile(
    r"^--?(run|r|clean.*|completion.*|fplugin.*|load.*|plugin.*|time.*|wrapper|pipe|gdb.*|"
    r"threads?.*|split-compile.*|t|version|help.*|target-help|v|analyze|ftime.*|fmem-report.*|"
    r"fpre-ipa.*|dump-config|fbuild-session.*|fself-test.*|reproduce.*|cuid.*|stats.*|"
    r"save-stats.*|fexperimental-new-constant-interpreter)$"  # whose results are random
)
GCC = """-g -g1 -g3 -ggdb3 -gdwarf-4 -gdwarf-2 -gsplit-dwarf -gz -flto -frandom-seed=1
    -ffat-lto-objects --coverage -fprofile-arcs -fprofile-generate -fprofile-use
    -fprofile-use={O} -fprofile-dir={O} -fprofile-update=atomic -ftest-coverage -save-temps
    -save-temps=obj -fverbose-asm -S -E -M -MM -MD -MMD -MP -MG -MF{dep} -MT{o} -MQ{o}
    -MD|-MF|{dep} -H -P -dM -dD -dI -C -CC -Wall -Wextra -Werror -w -pedantic -Winvalid-pch
    -I{I} -I{D} -I. -I.. -iquote|{I} -isystem|{I} -idirafter|{I} -iprefix|{I}/
    -imacros|{I}/h.h -include|{I}/h.h -nostdinc -undef -DX=1 -DX={D} -DX=__FILE__ -UX
    -D__FILE__="x" -DNDEBUG -Wa,-g -Wa,--gdwarf-5 -Wa,-a -Wa,-aln={O}/list -Wa,--MD,{O}/md
    -Wa,-I{I} -Wp,-MD,{O}/md -Wp,-I{I} -Wl,-Map={O}/map -Wl,-t -Wl,--build-id=none
    -fdebug-prefix-map={D}=/d -fmacro-prefix-map={D}=/d -ffile-prefix-map={W}=.
    -ffile-prefix-map={D}/= -fdump-tree-optimized -fdump-rtl-expand -dumpbase|x -dumpdir|{O}/
    -fstack-usage -fcallgraph-info -fdiagnostics-format=json -fdiagnostics-color=always
    -fdiagnostics-absolute-paths -fopt-info-all -fopt-info-vec={O}/opt -aux-info|{O}/aux
    -frecord-gcc-switches -grecord-gcc-switches -gno-record-gcc-switches
    -finstrument-functions -O0 -O1 -O2 -O3 -Os -Ofast -march=native -mtune=native -m32
    -std=c99 -std=gnu17 -ansi -trigraphs -fPIC -fno-pic -fsanitize=undefined
    -fsanitize=address -pg -p -B{I}/bin -B|{I} -x|c -x|none -no-integrated-cpp
    -fpch-preprocess -fdirectives-only -fpreprocessed -fworking-directory
    -fno-working-directory -fdebug-types-section -fno-eliminate-unused-debug-types
    -fuse-ld=gold -fuse-ld=lld -L{I} -l|m -### -fmax-errors=1 -fdump-ada-spec -fsyntax-only
    -specs={I}/specs --param|max-inline-insns-auto=1 -frepo -fno-ident -Q @{W}/args"""
GXX = GCC + """ -std=c++11 -std=c++17 -std=c++20 -fmodules-ts -fno-exceptions -fno-rtti -nostdinc++
    -fdump-lang-class -fvisibility=hidden -fno-implicit-templates"""
CLANG = """-g -g3 -gdwarf-4 -gline-tables-only -gsplit-dwarf -gz -flto -flto=thin -emit-llvm -S -E
    -M
    -MM -MD -MMD -MP -MF{dep} -MT{o} -MJ{dep} -H -P -dM -Wall -Weverything -Werror -w -I{I}
    -I{D} -I. -iquote|{I} -isystem|{I} -imacros|{I}/h.h -include|{I}/h.h -DX=1 -DX=__FILE__
    -DNDEBUG --coverage -fprofile-instr-generate -fcoverage-mapping -fprofile-generate
    -fprofile-use={O}/p -save-temps -save-temps=obj -fstack-usage -fsave-optimization-record
    -foptimization-record-file={O}/rec -Rpass=.* -funique-internal-linkage-names
    -frecord-command-line -grecord-command-line -frecord-gcc-switches
    -fdebug-prefix-map={D}=/d -fmacro-prefix-map={D}=/d -ffile-prefix-map={W}=.
    -fdebug-compilation-dir={W} -fcoverage-compilation-dir=. -fmodules
    -fmodules-cache-path={O}/cache -no-integrated-as -fintegrated-as -Wa,-g -O0 -O1 -O2 -O3
    -Os -march=native -fsanitize=undefined -fsanitize=address -fsanitize-ignorelist={I}/h.h
    -fcolor-diagnostics -fdiagnostics-absolute-paths -fdiagnostics-format=msvc
    -fdiagnostics-print-source-range-info --serialize-diagnostics|{O}/dia -Xclang|-dump-tokens
    -Xclang|-ast-dump -ast-dump -ivfsoverlay|{I}/h.h --config={I}/specs --sysroot={I}
    -working-directory={D} -fproc-stat-report={O}/stat -fcrash-diagnostics-dir={O}
    -fembed-bitcode -c -fuse-ld=lld -std=c99 -trigraphs -fPIC -B{I}/bin -### -fsyntax-only
    -fno-ident -fverbose-asm -fdirectives-only -frewrite-includes -mllvm|-print-after-all
    @{W}/args -print-search-dirs -fxray-instrument -faddrsig"""
AS = """-g --gdwarf-5 --gdwarf-3 --gstabs -a -aln={O}/list -ahls --MD|{O}/md -I{I} -I{D}
    --defsym|x=1 --debug-prefix-map|{D}=/d --keep-locals -L -W --warn --fatal-warnings -Z -R
    --strip-local-absolute --64 --32 --listing-lhs-width=2 --reduce-memory-overheads
    --compress-debug-sections @{W}/args --size-check=warning
    --generate-missing-build-notes=yes -D -J -K"""
LD = """-r -shared -pie -static -Map={O}/map -M --cref -t --trace --verbose --build-id
    --build-id=sha1 --build-id=uuid --build-id=md5 -s -S -x -X -q --emit-relocs --gc-sections
    --print-gc-sections -z|now -z|noexecstack -soname|x.so -rpath|{I} -rpath-link|{I} -L{I}
    -L{D} -l|no -e|f --no-undefined -T|{I}/l.ld --defsym=x=1 --wrap=f --sort-section=name
    --sort-common -O2 --hash-style=gnu --hash-style=sysv --export-dynamic
    --dynamic-list={I}/list --exclude-libs=ALL --version-script={I}/ver
    --dependency-file={dep} --retain-symbols-file={I}/keep --print-map --warn-common
    --whole-archive --as-needed --no-as-needed --start-group --end-group --print-memory-usage
    --compress-debug-sections=zlib --icf=all --print-icf-sections --gdb-index @{W}/args
    --oformat=binary --entry=f --demangle --no-demangle --noinhibit-exec
    --unresolved-symbols=ignore-all --allow-multiple-definition --sysroot={I} -d -n -N
    -b|binary"""
AR = """v c u s S D U T P o f l|x V N|1 @{W}/args --plugin=x --thin --output={O}
    --record-libdeps=x"""
NVCC = """-g -G -lineinfo -src-in-ptx -rdc=true -dc -ptx -cubin -fatbin -arch=sm_80 -arch=sm_90
    -arch=compute_80 -gencode|arch=compute_80,code=sm_80 -O1 -Xptxas|-v -Xptxas|-O1
    -Xcompiler|-g -Xcompiler|-O2 -Xcompiler|-fPIC -Xcicc|-O1 --use_fast_math -I{I} -I{D} -DX=1
    -DX=__FILE__ -include|{I}/h.h -M -MM -MD -MF|{dep} -MT|x -E --keep --keep-dir|{O}
    -res-usage -maxrregcount=16 -std=c++17 -ewp -ccbin|clang++ -allow-unsupported-compiler
    -dlto -v --dryrun -w -Werror|all-warnings -restrict -default-stream|per-thread
    --generate-line-info -optf|{W}/args --objdir-as-tempdir -nodlink -lib -cudart=none
    -forward-unknown-to-host-compiler -Wall -t2"""
PTXAS = """-v -g -lineinfo -O0 -O1 -O3 -arch=sm_80 -arch=sm_90 -arch=sm_75 -c -w -Werror
    -warn-spills
    -warn-lmem-usage -maxrregcount=16 -fmad=false --generate-line-info
    -suppress-stack-size-warning -dlcm=cg -preserve-relocs --compile-only -e|k -optf|{W}/args
    -m64 -sp-bounds-check -suppress-debug-info -ewp -warn-double-usage"""
GFORTRAN = """-g -g1 -O0 -O1 -O2 -O3 -Os -fPIC -ffree-form -ffixed-form -cpp -nocpp -DX=1
    -DX=__FILE__ -E -S -MD -MMD -MF{dep} -I{I} -I{D} -I. -J{O} -J{W} -fcheck=all -fbacktrace
    -fopenmp -fcoarray=single -std=f2008 -std=legacy -Wall -Wextra -Werror -w -fdefault-real-8
    -fno-underscoring -fdump-fortran-original -fdump-parse-tree -ffile-prefix-map={D}=/d
    -fdebug-prefix-map={W}=. -fsyntax-only -flto -pg --coverage -fsanitize=undefined
    -fstack-usage -fverbose-asm -fintrinsic-modules-path|{I} -fpreprocessed -fmax-errors=1
    -fdiagnostics-color=always -save-temps @{W}/args -march=native"""
RUST = """-g -O -Cdebuginfo=1 -Cdebuginfo=2 -Copt-level=3 -Copt-level=s -Ccodegen-units=1
    -Ccodegen-units=4 -Cpanic=abort -Clto=off -Clto=thin -Cmetadata=x -Cextra-filename=-x
    -Ctarget-cpu=native -Csave-temps -Coverflow-checks=on -Cdebug-assertions=off
    -Crelocation-model=static -Cembed-bitcode=no -Cstrip=symbols -Csplit-debuginfo=packed
    -Cinstrument-coverage -Cprofile-generate -Cllvm-args=-time-passes -Cremark=all -Clinker=gcc
    -Clink-arg=-s -Cforce-frame-pointers --cfg|x --cfg|feature="a" --check-cfg|cfg(x)
    --edition=2018 --edition=2021 -L{I} -L|dependency={I} -L|native={O}
    --extern|no={I}/libno.rlib --remap-path-prefix={D}=/d --remap-path-prefix={W}=. -A|warnings
    -D|warnings -W|unused --cap-lints=allow --error-format=json --error-format=short
    --color=always --json=artifacts|--error-format=json --emit=dep-info={dep}
    --emit=llvm-ir={O}/ir --emit=mir={O}/mir --print=crate-name --print=cfg -v --sysroot={I}
    --explain|E0001 -Csymbol-mangling-version=v0 --out-dir|{O} @{W}/args --test"""
KNOWN = {
    "gcc": GCC,
    "g++": GXX,
    "clang": CLANG,
    "clang++": CLANG + " -std=c++17 -std=c++20 -fno-rtti -nostdinc++ -stdlib=libc++",
    "as": AS,
    "ld.bfd": LD,
    "ld.gold": LD,
    "ld.lld": LD,
    "mold": LD,
    "ar": AR,
    "llvm-ar": AR,
    "nvcc": NVCC,
    "ptxas": PTXAS,
    "gfortran": GFORTRAN,
    "rustc": RUST,
}
HELP = {
    "gfortran": ["--help=fortran", "--help=optimizers"],
    "rustc": [],
    "gcc": ["--help=optimizers", "--help=warnings", "--help=target", "--help=common", "--help=c"],
    "g++": [
        "--help=optimizers",
        "--help=warnings",
        "--help=target",
        "--help=common",
        "--help=c++",
    ],
}
ROW = re.compile(r"^ {1,6}(--?[A-Za-z][\w+-]*)(?:(=|\[=| )?[<\[{]?([^\s>\]}]*)[>\]}]?)")


@functools.lru_cache(maxsize=None)
def listed(tool):
    """The options that the tool's help lists: each a spelling with its values."""
    found = {}
    for help_of in HELP.get(tool, ["--help"]):
        for row in tools.output(tools.program(tool), help_of).splitlines():
            match = ROW.match(row)
            if match and not LEFT_OUT.match(match[1]):
                spelled, by, value = match.groups()
                values = (
                    [v for v in value.split("|") if re.fullmatch(r"[\w.+-]+", v)]
                    if "|" in value
                    else []
                )
                joined = (
                    "="
                    if by and "=" in by or row[match.end(1) : match.end(1) + 1] == "="
                    else None
                )
                found[spelled] = (joined, values)
    return sorted(found.items())


# The least that a tool compiles: an option that it refuses here begins few scenes.
LEAST = {
    "gcc": "int a;\n",
    "g++": "int a;\n",
    "clang": "int a;\n",
    "clang++": "int a;\n",
    "as": "a: nop\n",
    "gfortran": "end\n",
    "rustc": "pub fn f() {}\n",
    "ptxas": ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n",
}


EXTENSION = {
    "g++": "cc",
    "clang++": "cc",
    "as": "s",
    "ptxas": "ptx",
    "gfortran": "f90",
    "rustc": "rs",
}
COMPILES = {
    "as": [],
    "ptxas": ["-arch=sm_80"],
    "rustc": ["--crate-type=lib", "--emit=obj"],
}


@functools.lru_cache(maxsize=None)
def accepted(tool, words):
    if tool not in LEAST or any("{" in word or word.startswith("@") for word in words):
        return True
    with tempfile.TemporaryDirectory(prefix="accepted.") as scratch:
        name = "a." + EXTENSION.get(tool, "c")
        with open(f"{scratch}/{name}", "w") as file:
            file.write(LEAST[tool])
        compile_it = COMPILES.get(tool, ["-c"])
        return (
            subprocess.run(
                [tools.program(tool), *words, *compile_it, name, "-o", "out"],
                cwd=scratch,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C", "TMPDIR": scratch},
            ).returncode
            == 0
        )


def one(tool, choice):
    """A random option, as a list of words: half of them of the table above, half of the tool's
    help."""
    for _ in range(8):
        words = drawn(tool, choice)
        if choice.random() < 0.05 or accepted(tool, tuple(words)):
            break
    return words


def drawn(tool, choice):
    known = KNOWN.get(tool, "").split()
    if not known:
        return []
    if choice.random() < 0.5 or tool in ("ar", "llvm-ar") or not listed(tool):
        return choice.choice(known).split("|")
    spelled, (joined, values) = choice.choice(listed(tool))
    if joined:
        return [spelled + "=" + choice.choice(values or VALUES)]
    return [spelled]
