# Scripts that gcc starts as its assembler.

AS=$(command -v as)

# script NAME LINE...: makes bin/NAME, which gcc -B bin starts if NAME is `as`.
script() { put_script "bin/$1" "${@:2}"; }

# stored_script LINE...: bin/as of these lines; a hit follows.
stored_script() {
	script as "$@"
	differential --makes a.o -- gcc -B bin -c a.c || { cat bin/as >&2; return 1; }
}
