#!/usr/bin/env bats
# Precompiled headers, made and used. Two real gcc runs make different .gch files: a replay gives
# the recorded one.

setup() {
	load lib
	case_setup
	put pre.h '#include <stddef.h>' '#define V 1' 'static inline int pre(void) { return V; }'
	put a.c '#include "pre.h"' 'int a(void) { return pre(); }'
}
teardown() { case_teardown; }

@test "pch: gcc makes one" {
	differential --ignore '*.gch' --makes pre.h.gch -- gcc -O2 pre.h
	differential --ignore '*.gch' --makes out.gch -- gcc -O2 -x c-header pre.h -o out.gch
}

# bats test_tags=check
@test "pch: g++ makes one, as Inductor does" {
	put top.h '#include "pre.h"' '#include <vector>'
	differential --ignore '*.gch' --makes top.h.gch -- \
		g++ -std=c++17 -fPIC -x c++-header "$W/top.h" -o "$W/top.h.gch"
}

@test "pch: a changed header makes a new one" {
	differential --ignore '*.gch' -- gcc -O2 pre.h
	put pre.h '#define V 2' 'static inline int pre(void) { return V; }'
	again miss
}

# bats test_tags=check
@test "pch: used by #include and by -include" {
	gcc -O2 pre.h
	differential --makes a.o -- gcc -O2 -c a.c
	put b.c 'int b(void) { return pre(); }'
	differential --makes b.o -- gcc -O2 -include pre.h -c b.c
	differential --makes b.o -- gcc -O2 -include "$W/pre.h" -Winvalid-pch -c b.c
}

# bats test_tags=check
@test "pch: it appears, changes and is removed" {
	differential -- gcc -O2 -H -c a.c
	gcc -O2 pre.h
	again miss
	put pre.h '#include <stddef.h>' '#define V 3' 'static inline int pre(void) { return V; }'
	gcc -O2 pre.h
	again miss
	rm pre.h.gch
	again miss
}

@test "pch: the header is gone, only the .gch is left" {
	gcc -O2 pre.h
	rm pre.h
	put b.c 'int b(void) { return pre(); }'
	differential --makes b.o -- gcc -O2 -include pre.h -c b.c
}

@test "pch: a directory of precompiled headers" {
	mkdir pre.h.gch
	gcc -O2 -x c-header pre.h -o pre.h.gch/one
	gcc -O0 -x c-header pre.h -o pre.h.gch/two
	differential -- gcc -O2 -H -c a.c
	rm pre.h.gch/one
	again miss
	gcc -O2 -DX=1 -x c-header pre.h -o pre.h.gch/three
	again any
}

@test "pch: one for other options is refused with a warning" {
	gcc -O2 -DOTHER=1 pre.h
	differential -- gcc -O2 -DOTHER=2 -Winvalid-pch -c a.c
}

@test "pch: -fpch-preprocess, -fpch-deps" {
	gcc -O2 pre.h
	differential -- gcc -O2 -E -fpch-preprocess a.c
	differential --makes a.d -- gcc -O2 -MD -fpch-deps -c a.c
}

@test "pch: too new at the start of the run" {
	gcc -O2 pre.h
	differential -- gcc -O2 -c a.c
	# Made and used at once: whatever the verdict is, the result is right and nothing wrong is
	# stored.
	local i
	for i in 1 2 3; do
		put pre.h "#define V $((i + 10))" 'static inline int pre(void) { return V; }'
		under gcc -O2 pre.h
		under gcc -O2 -c a.c -o now.o
		gcc -O2 -c a.c -o real.o
		cmp now.o real.o
		rm now.o real.o
	done
}

# bats test_tags=check
@test "pch: clang makes and uses one" {
	need clang
	differential --makes pre.pch -- clang -x c-header pre.h -o pre.pch
	clang -x c-header pre.h -o pre.pch
	put b.c 'int b(void) { return pre(); }'
	differential --makes b.o -- clang -include-pch pre.pch -c b.c
	cp -p pre.pch pre.h.pch
	differential --makes b.o -- clang -include pre.h -c b.c
}

# bats test_tags=check
@test "pch: clang's contains the headers' times: touch is a miss" {
	need clang
	differential --makes pre.pch -- clang -x c-header pre.h -o pre.pch
	touch pre.h
	again miss
	# A compile that uses the new PCH does not fail with "has been modified".
	under clang -x c-header pre.h -o pre.pch
	put b.c 'int b(void) { return pre(); }'
	differential --makes b.o -- clang -include-pch pre.pch -c b.c
}

@test "pch: a compile with clang's fails as uncached after a header was touched" {
	need clang
	# Clang keeps whole seconds, and this case may take less than one.
	touch -d '10 seconds ago' pre.h
	clang -x c-header pre.h -o pre.pch
	put b.c 'int b(void) { return pre(); }'
	differential -- clang -include-pch pre.pch -c b.c
	touch pre.h
	again unstored:failed --status 1
}

# bats test_tags=check
@test "pch: clang's AST contains the times of its texts, and a compile checks them" {
	need clang
	put b.c '#include "pre.h"' 'int b(void) { return pre(); }'
	touch -d '10 seconds ago' pre.h b.c
	differential --makes b.ast -- clang -emit-ast b.c -o b.ast
	touch b.c
	again miss
	clang -emit-ast b.c -o b.ast
	differential --makes b.o -- clang -c b.ast -o b.o
	again hit
	touch -d '20 seconds ago' pre.h
	again unstored:failed --status 1
	# The same file under a name without the suffix.
	clang -emit-ast b.c -o odd
	differential --makes b.o -- clang -x ast -c odd -o b.o
	touch b.c
	again unstored:failed --status 1
}

@test "pch: clang with -fno-pch-timestamp does not mind touch" {
	need clang
	differential --makes pre.pch -- \
		clang -Xclang -fno-pch-timestamp -x c-header pre.h -o pre.pch
	touch pre.h
	again any
}

@test "pch: clang's with a changed header fails as uncached" {
	need clang
	clang -x c-header pre.h -o pre.pch
	put b.c 'int b(void) { return pre(); }'
	differential -- clang -include-pch pre.pch -c b.c
	put pre.h '#define V 12345' 'static inline int pre(void) { return V; }'
	again unstored:failed --status 1
}

# users HIT CC SOURCE...: compiles each source with a header that was just made or replayed.
users() {
	local verdict=$1 cc=$2 s
	shift 2
	for s; do
		differential --cold "$verdict" -- $cc -c "$s" -o "${s%.*}.o" ||
			fail "$verdict: $cc $s"
	done
}

# rebuilt MAKE USE FILE...: two builds in a clean tree. In the second one the header is replayed and
# serves all its users at once.
rebuilt() {
	local make=$1 use=$2 i
	shift 2
	for i in 1 2; do
		under $make
		users $([ $i = 1 ] && echo stored || echo hit) "$use" "$@"
		rm -f ./*.gch ./*.pch ./*.pcm ./*.ast ./*.o
	done
	# Its own time is no input. Its content is one.
	under $make
	touch -d '1 hour ago' ./*.pch ./*.pcm ./*.gch 2>/dev/null || true
	users hit "$use" "$1"
	put pre.h '#define V 2' 'static inline int pre(void) { return V; }'
	under $make
	users miss "$use" "$1"
}

@test "pch: users of a header of gcc that was just replayed" {
	put b.c 'int b(void) { return pre(); }'
	put d.c 'int d(void) { return pre() + 1; }'
	touch -d '10 seconds ago' ./*.h ./*.c
	rebuilt 'gcc -O2 pre.h' 'gcc -O2 -include pre.h' b.c d.c
}

# bats test_tags=check
@test "pch: users of a header of clang that was just replayed" {
	need clang
	put b.c 'int b(void) { return pre(); }'
	put d.c 'int d(void) { return pre() + 1; }'
	touch -d '10 seconds ago' ./*.h ./*.c
	rebuilt 'clang -O2 -x c-header pre.h -o pre.h.pch' 'clang -O2 -include pre.h' b.c d.c
	put pre.h '#define V 1' 'static inline int pre(void) { return V; }'
	touch -d '10 seconds ago' pre.h
	rebuilt 'clang -O1 -x c-header pre.h -o pre.pch' 'clang -O1 -include-pch pre.pch' b.c d.c
	# Under another name
	put pre.h '#define V 1' 'static inline int pre(void) { return V; }'
	touch -d '10 seconds ago' pre.h
	rebuilt 'clang -O0 -x c-header pre.h -o odd' 'clang -O0 -include-pch odd' b.c d.c
}

# bats test_tags=check
@test "pch: users of a module of clang that was just replayed" {
	local i
	need clang
	put m.cppm 'export module m;' '#include "pre.h"' 'export int f() { return pre(); }'
	put u.cc 'import m;' 'int u() { return f(); }'
	put v.cc 'import m;' 'int v() { return f() + 1; }'
	touch -d '10 seconds ago' ./*.h ./*.cc ./*.cppm
	rebuilt 'clang++ -std=c++20 --precompile m.cppm -o m.pcm' \
		'clang++ -std=c++20 -fmodule-file=m.pcm' u.cc v.cc
}

# bats test_tags=check
@test "pch: one of clang's that names another one checks the other's time" {
	need clang
	put top.h '#define TOP 1'
	put b.c 'int b(void) { return pre() + TOP; }'
	touch -d '10 seconds ago' ./*.h ./*.c
	clang -x c-header pre.h -o pre.pch
	touch -d '10 seconds ago' pre.pch
	differential --makes top.pch -- clang -include-pch pre.pch -x c-header top.h -o top.pch
	clang -include-pch pre.pch -x c-header top.h -o top.pch
	differential -- clang -include-pch top.pch -c b.c
	touch pre.pch
	again unstored:failed --status 1
	under clang -include-pch pre.pch -x c-header top.h -o top.pch
	differential --cold miss -- clang -include-pch top.pch -c b.c
}

lists() { (cd "$STORE/texts" && find . -type f | sort); }

# bats test_tags=check
@test "pch: a replay lists the texts of a large header, unpacked in memory or as it is written" {
	local h compress before
	put plain.h '#include <bits/stdc++.h>'
	put warns.h '#include <bits/stdc++.h>' '#warning "seen"'
	for compress in 0 1; do
		for h in plain.h warns.h; do
			under env REPRISE_COMPRESS=$compress g++ -O2 "$h"
			(($(stat -c %s "$h.gch") > 32 << 20)) || fail "$h.gch is small"
			before=$(lists)
			[ "$before" ] || fail "$h: nothing is listed"
			rm -rf "$STORE/texts" "$h.gch"
			under env REPRISE_COMPRESS=$compress g++ -O2 "$h"
			[[ $(tail -n 1 "$LOG") = *': hit: '* ]] || fail "$h"
			[ "$(lists)" = "$before" ] || fail "$h: $(lists) in place of $before"
			rm -rf "$STORE"
		done
	done
}
