#!/usr/bin/env bats
# What the headers of a unit say of names is found once, and kept: facts in the store, and what a
# precompiled header asks.

setup() {
	load lib
	load names_lib
	load names_table
	names_setup
}
teardown() { case_teardown; }

# in_two: the unit in two directories.
in_two() {
	local d
	for d in tmpaaaaaaaa tmpzzzzzzzz; do
		in_temp $d sh -c "gcc -O1 -I$ROOT/headers -c \"\$PWD/a.c\""
	done
}

# bats test_tags=check
@test "names_facts: facts of headers are stored, and not those of a unit" {
	local i
	for i in $(seq 1 9000); do
		echo "#define MACRO_$i(x) ((x) + CONSTANT_$i) // no more"
	done >many.h
	echo '#define WHO __FILE__' >>many.h
	put a.c '#include "many.h"' 'int a(int x) { return x; }'
	mkdir "$ROOT/headers"
	mv many.h "$ROOT/headers"
	in_two
	[ "$(find "$STORE/texts" -type f | wc -l)" = 1 ] || fail "$(find "$STORE/texts")"
	# Other units that read the same headers, whose facts are stored. For one unit the facts
	# settle nothing.
	put a.c '#include "many.h"' 'int b(int x) { return x; }'
	in_two
	[ "$(hits)" = 2 ] || fail "hits $(hits)"
	put a.c '#include "many.h"' 'const char *b(void) { return WHO; }'
	in_two
	[ "$(hits)" = 2 ] || fail "hits $(hits)"
	# A header that changed, and facts that cannot be read.
	echo '#define MACRO_9001 WHO' >>"$ROOT/headers/many.h"
	put a.c '#include "many.h"' 'const char *b(void) { return MACRO_9001; }'
	in_two
	[ "$(find "$STORE/texts" -type f | wc -l)" = 2 ] || fail "$(find "$STORE/texts")"
	for i in $(find "$STORE/texts" -type f); do : >"$i"; done
	put a.c '#include "many.h"' 'const char *c(void) { return MACRO_9001; }'
	in_two
	[ "$(hits)" = 2 ] || fail "hits $(hits)"
}

@test "names_facts: many headers are searched when a start has another name" {
	local h="$ROOT/headers" i
	in_each() { for i; do in_temp "$i" sh -c "gcc -O1 -I$h -c \"\$PWD/a.c\""; done; }
	mkdir "$h"
	for i in $(seq 1 9000); do
		echo "#define MACRO_$i(x) ((x) + CONSTANT_$i) // no more"
	done >"$h/many.h"
	echo '#define WHO __FILE__' >>"$h/many.h"
	put a.c '#include "many.h"' 'int a(int x) { return x; }'
	in_each tmpaaaaaaaa tmpaaaaaaaa
	[ ! -e "$STORE/texts" ] || fail "the recorded run searched the headers"
	in_each tmpzzzzzzzz tmpyyyyyyyy
	[ "$(find "$STORE/texts" -type f | wc -l)" = 1 ] || fail "$(find "$STORE/texts")"
	[ "$(hits)" = 3 ] || fail "hits $(hits)"
	# The object shows no name, and depends on it.
	put a.c '#include "many.h"' 'int b(void) { return sizeof WHO + WHO[6]; }'
	in_each tmpaaaaaaaa
	rm -rf "$STORE/texts"
	in_each tmpzzzzzzzz tmpyyyyyyyy tmpzzzzzzzz
	[ "$(hits)" = 4 ] || fail "hits $(hits)"
}

# bats test_tags=check
@test "names_facts: facts serve a set of headers in any order, and no other set" {
	local h="$ROOT/headers" i
	mkdir -p "$h/copy"
	for i in $(seq 1 9000); do
		echo "#define MACRO_$i(x) ((x) + CONSTANT_$i) // no more"
	done >"$h/many.h"
	echo '#define PLACE LATE' >"$h/place.h"
	cp "$h/place.h" "$h/copy"
	echo '#define LATE __FILE__' >"$h/late.h"
	put a.c '#include "many.h"' '#include "place.h"' 'int a(int x) { return x; }'
	in_two
	put a.c '#include "place.h"' '#include "copy/place.h"' '#include "many.h"' \
		'int b(int x) { return x; }'
	in_two
	[ "$(find "$STORE/texts" -type f | wc -l)" = 1 ] || fail "$(find "$STORE/texts")"
	[ "$(hits)" = 2 ] || fail "hits $(hits)"
	# One more header gives a word of another header a meaning.
	put a.c '#include "many.h"' '#include "place.h"' '#include "late.h"' \
		'const char *c(void) { return PLACE; }'
	in_two
	[ "$(find "$STORE/texts" -type f | wc -l)" = 2 ] || fail "$(find "$STORE/texts")"
	[ "$(hits)" = 2 ] || fail "hits $(hits)"
	# The same set of paths, one of which has another content.
	echo '#define PLACE 1' >"$h/place.h"
	put a.c '#include "many.h"' '#include "place.h"' '#include "late.h"' \
		'int d(void) { return PLACE; }'
	in_two
	[ "$(find "$STORE/texts" -type f | wc -l)" = 3 ] || fail "$(find "$STORE/texts")"
	[ "$(hits)" = 3 ] || fail "hits $(hits)"
}

# bats test_tags=long
@test "names_facts: a precompiled header asks what its texts ask" {
	need_gcc 11
	local d h
	mkdir "$ROOT/pch"
	cd "$ROOT/pch"
	put plain.h '#include <vector>' '#include <map>'
	put tells.h '#define WHO __FILE__' '#define ASK(x) WHO[x]'
	put alien.h 'inline int alien() { return 1; }'
	cp plain.h edited.h
	age
	for h in plain tells edited; do under g++ -O1 -g1 -x c++-header $h.h -o $h.h.gch; done
	g++ -O1 -g1 -x c++-header alien.h -o alien.h.gch
	touch -r plain.h alien.h.gch
	echo '#define WHO __FILE__' >>edited.h
	cd "$W"
	put plain.cc 'int f(std::map<int, std::vector<int>> &m) { return m[1][2]; }'
	put tells.cc 'char c = ASK(12);'
	put alien.cc 'int f() { return alien(); }'
	cp plain.cc edited.cc
	for h in tells alien edited; do
		for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd; do
			in_temp $d sh -c "g++ -O1 -g1 -shared -fPIC -include \"$ROOT/pch/$h.h\" \
				\"\$PWD/$h.cc\" -o \"\$PWD/$h.so\"" || fail "$h $d"
		done
	done
	[ "$(hits)" = 0 ] || fail "$(hits) hits"
	in_all sh -c "g++ -O1 -g1 -include \"$ROOT/pch/plain.h\" -c \"\$PWD/plain.cc\" \
		-o \"\$PWD/plain.o\""
	[ "$(hits)" -ge 10 ] || fail "misses $(misses), hits $(hits)"
	# A store that got its entries from elsewhere lacks the list. The first replay writes it,
	# unless the store is read-only.
	rm -rf "$STORE/texts" "$ROOT/pch/plain.h.gch"
	(
		cd "$ROOT/pch" && under env REPRISE_READONLY=1 g++ -O1 -g1 -x c++-header plain.h \
			-o plain.h.gch
	)
	[ ! -e "$STORE/texts" ] || fail "a replay writes to a store that is only read"
	rm "$ROOT/pch/plain.h.gch"
	(cd "$ROOT/pch" && under g++ -O1 -g1 -x c++-header plain.h -o plain.h.gch)
	[ -n "$(find "$STORE/texts" -type f)" ] || fail "a replay leaves no list of texts"
	local before
	before=$(hits)
	put plain.cc 'int g(std::map<int, std::vector<int>> &m) { return m[1][3]; }'
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd; do
		in_temp $d sh -c "g++ -O1 -include \"$ROOT/pch/plain.h\" -c \"\$PWD/plain.cc\" \
			-o \"\$PWD/plain.o\"" || fail "$d"
	done
	[ "$(hits)" = $((before + 3)) ] || fail "$before hits, then $(hits)"
}
