"""Values of variables that change what some tool does. Words in braces are as in units.py; None takes the variable away."""

VARIABLES = {
    "LANG": ("C.UTF-8", "de_DE.UTF-8"), "LC_ALL": (None, "C.UTF-8", "POSIX"), "LC_MESSAGES": ("de_DE.UTF-8",), "LANGUAGE": ("de",), "TERM": ("dumb", "xterm-256color"),
    "COLUMNS": ("60", "132"), "GCC_COLORS": ("", "error=01;32"), "GCC_URLS": ("st",), "TERM_URLS": ("bel",), "NO_COLOR": ("1",), "CLICOLOR_FORCE": ("1",),
    "CPATH": ("{I}", ".", ":{D}"), "C_INCLUDE_PATH": ("{I}", "{D}"), "CPLUS_INCLUDE_PATH": ("{I}", "{W}"), "LIBRARY_PATH": ("{I}", "{O}"), "COMPILER_PATH": ("{I}/bin",),
    "GCC_EXEC_PREFIX": ("{I}/", "/usr/lib/gcc/"), "DEPENDENCIES_OUTPUT": ("{O}/deps", "{O}/deps x.o"), "SUNPRO_DEPENDENCIES": ("{O}/sun",),
    "SOURCE_DATE_EPOCH": ("1000000000", "1234567890", "x"), "CCC_OVERRIDE_OPTIONS": ("#+-g", "#O0", "+-Wall"), "GCC_COMPARE_DEBUG": ("-g", "-gtoggle"),
    "GCC_EXTRA_DIAGNOSTIC_OUTPUT": ("fixits-v1",), "LD_RUN_PATH": ("{I}",), "LDEMULATION": ("elf_i386", "elf_x86_64"), "GNUTARGET": ("elf32-i386", "binary"),
    "COLLECT_NO_DEMANGLE": ("1",), "LD_LIBRARY_PATH": ("{I}",), "LD_BIND_NOW": ("1",), "LD_WARN": ("1",), "LD_DEBUG": ("statistics",), "MALLOC_PERTURB_": ("165",),
    "MALLOC_ARENA_MAX": ("1",), "GLIBC_TUNABLES": ("glibc.malloc.check=3", "x"), "TZ": ("UTC", "America/New_York"), "POSIXLY_CORRECT": ("1",),
    "TMPDIR": ("{O}", "{W}", "/nonexistent", None), "TEMP": ("{O}",), "HOME": ("{W}", None), "PWD": ("{W}", "{W}/.", "/nonexistent", "{W}/../{d}"), "ZERO_AR_DATE": ("1",),
    "NVCC_APPEND_FLAGS": ("-DX=2", "-lineinfo"), "NVCC_PREPEND_FLAGS": ("-O1",), "CUDA_HOME": ("{I}",), "NVVMIR_LIBRARY_DIR": ("{I}",), "PATH": ("{I}/bin:/usr/bin:/bin",),
    "EXTRA_FLAGS": ("-g", "-DEXTRA"), "FLAGS": ("-g",), "IFS": ("x",), "ENV": ("{I}/settings.sh",), "BASH_ENV": ("{I}/settings.sh",), "CDPATH": ("/",), "SHLVL": ("7",),
    "LLVM_PROFILE_FILE": ("{O}/prof",), "GCOV_PREFIX": ("{O}",), "ASAN_OPTIONS": ("x=1",), "MAKEFLAGS": ("-j2",), "CC": ("clang",), "RANDOM_NAME": ("1",),
}
