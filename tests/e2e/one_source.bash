# One source and its expected result, for suites that ask how a compile fares: under settings, with
# a bad store. After lib.bash.
#
#     setup() { load lib; load one_source; one_source_setup; }
#     compile_ok REPRISE_COMPRESS=0

one_source_setup() {
	case_setup
	put a.c 'int a(int x) { return x + 1; }'
	gcc -c a.c -o "$ROOT/want.o"
	age
}

# A compile under the given settings: right output, empty streams, status 0. Its files are removed.
compile_ok() { # [VAR=VALUE...]
	rm -f a.o "$ROOT/out"
	under env "$@" gcc -c a.c >"$ROOT/out" 2>&1 ||
		{ fail "status $?: $(cat "$ROOT/out")"; return 1; }
	[ ! -s "$ROOT/out" ] || { fail "on the streams: $(cat "$ROOT/out")"; return 1; }
	cmp a.o "$ROOT/want.o" || { fail "another output"; return 1; }
	rm -f a.o "$ROOT/out"
}
