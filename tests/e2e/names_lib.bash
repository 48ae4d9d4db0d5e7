# Commands in directories whose names change from run to run. After lib.bash.
#
#     setup() { load lib; load names_lib; names_setup; }
#     in_temp tmpaaaaaaaa gcc -c a.c -o a.o

names_setup() {
	case_setup
	put a.c 'int a(int x) { return x + 1; }'
}

hits() { stat_of hits_local; }

# in_temp NAME CMD...: CMD in a directory $TMPDIR/NAME that holds the files of $W, under Reprise,
# and again plain; the results must be equal. Prints nothing; leaves the result in $ROOT/last.
in_temp() {
	local d=$TMPDIR/$1 w s
	shift
	rm -rf "$d" "$ROOT/last" "$ROOT/lastplain"
	cp -a "$W" "$d"
	(cd "$d" && age && under "$@" >"$ROOT/got.out" 2>&1)
	s=$?
	mv "$d" "$ROOT/last"
	cp -a "$W" "$d"
	(cd "$d" && "$@" >"$ROOT/want.out" 2>&1)
	w=$?
	mv "$d" "$ROOT/lastplain"
	[ $s = $w ] || { fail "status $s, plain $w: $*"; return 1; }
	cmp "$ROOT/got.out" "$ROOT/want.out" || { fail "streams differ: $*"; return 1; }
	diff -r "$ROOT/last" "$ROOT/lastplain" >&2 || { fail "outputs differ: $*"; return 1; }
	[ "$(stat_of errors)" = 0 ] || fail "errors counted"
}

# in_all CMD...: CMD in a directory of each name; each result is the plain one.
in_all() {
	local d
	for d in $FURTHER_NAMES; do in_temp "$d" "$@" || fail "$d"; done
}
misses() { stat_of misses; }

need_gcc() {
	[ "$(gcc -dumpversion | cut -d. -f1)" -ge "$1" ] ||
		skip "gcc $(gcc -dumpversion) writes no DWARF 5"
}
