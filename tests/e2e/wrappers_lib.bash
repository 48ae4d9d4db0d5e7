# Scripts that gcc starts as its assembler. HEAD: an array of the first lines of each script.

AS=$(command -v as)

# script NAME LINE...: makes bin/NAME, which gcc -B bin starts if NAME is `as`.
script() { put_script "bin/$1" "${@:2}"; }

# stored_script LINE...: bin/as of these lines; a hit follows.
stored_script() {
	script as "${HEAD[@]}" "$@"
	differential --makes a.o -- gcc -B bin -c a.c || { cat bin/as >&2; return 1; }
}

# refused_for WORD LINE...: not stored, and the word is in the reason.
refused_for() {
	local word=$1
	shift
	script as "${HEAD[@]}" "$@"
	differential --status any --cold unstored:script --warm unstored:script -- \
		gcc -B bin -c a.c || { cat bin/as >&2; return 1; }
	under "$REPRISE_BIN" explain 1 >said
	grep -qF "$word" said || fail "not $word: $(cat said)"
}
