#!/usr/bin/env bats
# Results that are free of a name, because the name cannot reach them: one compile, then hits under
# names of any length. A tool that hides its name gets no shared result.

setup() {
	load lib
	load names_lib
	load names_further
	names_setup
}
teardown() { case_teardown; }

# in_all CMD...: CMD in a directory of each name; each result is the plain one.
in_all() {
	local d
	for d in $FURTHER_NAMES; do in_temp "$d" "$@" || fail "$d"; done
}
misses() { stat_of misses; }

# bats test_tags=check
@test "names_proof: C without debug information: one compile under twenty names" {
	put a.c '#include <stdio.h>' 'int a(int x) { puts("a"); return x + 1; }'
	in_all sh -c 'gcc -O2 -Wall -c "$PWD/a.c" -o "$PWD/a.o"'
	[ "$(misses) $(hits)" = "1 19" ] || fail "misses $(misses), hits $(hits)"
}

# bats test_tags=long
@test "names_proof: C++ with the standard library, a shared library in one command" {
	put a.cc '#include <vector>' '#include <string>' '#include <map>' \
		'#include <source_location>' \
		'int a(std::vector<std::string> v) { std::map<std::string, int> m;' \
		'for (auto &s : v) m[s]++; return m.size(); }'
	in_all sh -c 'g++ -std=c++20 -O1 -fPIC -shared "$PWD/a.cc" -o "$PWD/a.so" "-L$PWD" "-I$PWD"'
	[ "$(misses) $(hits)" = "1 19" ] || fail "misses $(misses), hits $(hits)"
}

# bats test_tags=check
@test "names_proof: links, archives, assembler" {
	put s.s '.globl s' 's: ret'
	gcc -O2 -c a.c
	in_all sh -c 'as "$PWD/s.s" -o "$PWD/s.o" && ar rcs "$PWD/l.a" "$PWD/a.o" "$PWD/s.o" &&
		ld -shared "$PWD/l.a" "$PWD/a.o" -o "$PWD/l.so"'
	[ "$(misses) $(hits)" = "3 57" ] || fail "misses $(misses), hits $(hits)"
}

# bats test_tags=check
@test "names_proof: assert: the name goes where it is known, and is exchanged at equal length" {
	put a.c '#include <assert.h>' 'int a(int x) { assert(x > 0); return x; }'
	in_all sh -c 'gcc -O2 -c "$PWD/a.c" -o "$PWD/a.o"'
	# Names of one length share one compile. Each other length has its own compile.
	[ "$(hits)" -ge 10 ] || fail "misses $(misses), hits $(hits)"
}

# bats test_tags=check
@test "names_proof: torch's TORCH_CHECK: the name goes to torchCheckFail, and is exchanged" {
	load job_python
	job_python_find
	need_torch
	local include o d
	include=$("$JOB_PYTHON" -c 'import importlib.util as u
print(u.find_spec("torch").submodule_search_locations[0] + "/include")')
	put a.cc '#include <c10/util/Exception.h>' \
		'int a(int x) { TORCH_CHECK(x > 0, "x is ", x); TORCH_CHECK(x < 9); return x; }'
	for o in -O2 -O0; do
		for d in tmpaaaaaaaa tmpzzzzzzzz tmpqwertyui tmp.AbCdEfGhIj; do
			in_temp $d sh -c "g++ -std=c++17 $o -isystem $include -c \"\$PWD/a.cc\" \
				-o \"\$PWD/a.o\"" || fail "$o $d"
			grep -q "$d/a.cc" "$ROOT/last/a.o" || fail "$o: its name is not there"
		done
	done
	# The longer name has its own compile.
	[ "$(misses) $(hits)" = "4 4" ] || fail "misses $(misses), hits $(hits)"
	for d in ${E2E_FURTHER:+$FURTHER_NAMES}; do
		in_temp $d sh -c "g++ -std=c++17 -O2 -isystem $include -c \"\$PWD/a.cc\" \
			-o \"\$PWD/a.o\"" || fail "$d"
	done
}

# bats test_tags=check
@test "names_proof: a name that assembly holds in pieces, and assembly on standard output" {
	put a.c '#include <assert.h>' 'int a(int x) { assert(x > 0); return x; }'
	local long d o
	long=$(printf 'd%.0s' {1..130})
	for o in '' -g1; do
		for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd; do
			in_temp $d sh -c "mkdir -p $long/$long && cp a.c $long/$long/ &&
				gcc $o -O1 -S \"\$PWD/$long/$long/a.c\" -o \"\$PWD/a.s\"" ||
				fail "$o $d"
			in_temp $d sh -c "mkdir -p $long/$long && cp a.c $long/$long/ &&
				gcc $o -O1 -S \"\$PWD/$long/$long/a.c\" -o -" || fail "- $o $d"
			in_temp $d sh -c "gcc $o -O1 -S \"\$PWD/a.c\" -o -" || fail "- $o $d"
		done
	done
	grep -q '\.ascii.*tmpdddd' "$ROOT/want.out" || grep -q tmpdddddddd "$ROOT/want.out"
	[ "$(hits)" = 0 ] || fail "$(hits) hits"
}

# bats test_tags=long
@test "names_proof: gcc -g: the order of two strings is computed" {
	local o
	for o in -g -g1 -g3; do in_all sh -c "gcc $o -O1 -c \"\$PWD/a.c\" -o \"\$PWD/a.o\""; done
	[ "$(hits)" -ge 10 ] || fail "misses $(misses), hits $(hits)"
	local before
	before=$(hits)
	for o in -gdwarf-4 '-g -gsplit-dwarf' '-g -gz'; do
		in_all sh -c "gcc $o -O1 -c \"\$PWD/a.c\" -o a.o"
	done
	[ "$(hits)" = "$before" ] || fail "hits with options that bind"
}

need_gcc() {
	[ "$(gcc -dumpversion | cut -d. -f1)" -ge "$1" ] ||
		skip "gcc $(gcc -dumpversion) writes no DWARF 5"
}

# bats test_tags=long
@test "names_proof: gcc -g and a link in one command: what compiles is an action of its own" {
	need_gcc 11
	put a.cc '#include <vector>' '#include <cassert>' \
		'int a(std::vector<int> v) { assert(v[0]); return v.size(); }'
	put w.cc 'static int unused(int x) { int y; return 1; }' 'int w() { return 2; }'
	in_all sh -c 'g++ -g1 -O1 -fPIC -shared "$PWD/a.cc" -o "$PWD/a.so"'
	# Thirteen names have one length. Their strings come in two orders, and both results are
	# kept.
	[ "$(hits)" -ge 12 ] || fail "misses $(misses), hits $(hits)"
	[ "$(stat_of unstored)" = 0 ]
	local before
	before=$(hits)
	# Warnings on the standard output that is standard error, as Inductor asks for them.
	in_all sh -c \
		'g++ -Wall -Wextra -Wunused -g -O1 -shared -fPIC "$PWD/w.cc" -o "$PWD/w.so" 2>&1'
	[ "$(hits)" -ge $((before + 12)) ] || fail "warnings: misses $(misses), hits $(hits)"
	before=$(hits)
	in_all sh -c 'g++ -g -O1 -S "$PWD/a.cc" -o "$PWD/a.s"'
	[ "$(hits)" -ge $((before + 12)) ] || fail "misses $(misses), hits $(hits)"
}

# in_two: the unit in two directories.
in_two() {
	local d
	for d in tmpaaaaaaaa tmpzzzzzzzz; do
		in_temp $d sh -c "gcc -O1 -I$ROOT/headers -c \"\$PWD/a.c\""
	done
}

# bats test_tags=check
@test "names_proof: facts of headers are stored, and not those of a unit" {
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

# bats test_tags=long
@test "names_proof: a precompiled header asks what its texts ask" {
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

# bats test_tags=check
@test "names_proof: gcc -g by base directories" {
	local o d
	for o in -g -g1 -gdwarf-4; do
		for d in one two six ten; do
			mkdir -p "$ROOT/$d"
			cp a.c "$ROOT/$d/"
			age
			(
				cd "$ROOT/$d" && under env REPRISE_BASE_DIRS="$ROOT/$d" gcc $o \
					-c "$ROOT/$d/a.c" -o a.o &&
					gcc $o -c "$ROOT/$d/a.c" -o want.o && cmp a.o want.o
			) || fail "$o $d"
		done
	done
	[ "$(stat_of errors)" = 0 ]
}

# bats test_tags=check
@test "names_proof: units that hide their name" {
	put p.cc 'constexpr int parity(const char *s) { int n = 0; while (*s) n ^= *s++;' \
		'return n & 1; }' 'int v = parity(__FILE__);'
	put l.cc 'static_assert(sizeof(__FILE__) > 1); int n = sizeof(__FILE__) % 7;'
	put d.cc \
		'const char *f(const char *s = __builtin_FILE()) { return s; } const char *g = f();'
	put m.h '#define WHO __FILE__' '#define ASK(x) WHO[x]'
	put m.cc '#include "m.h"' 'char c = ASK(12);'
	put t.cc '#define CAT(a, b) a##b' 'char c = CAT(__FI, LE__)[12];'
	put r.cc '#include <source_location>' \
		'constexpr auto w = std::source_location::current(); char c = w.file_name()[12];'
	put i.h 'struct at { const char *s; at(int, const char *s = __builtin_FILE()) : s(s) {}' \
		'};' 'inline char log(at a) { return a.s[12]; }'
	put i.cc '#include "i.h"' 'char c = log(1);'
	local s d
	for s in p l d m t r i; do
		for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd; do
			in_temp $d sh -c "g++ -std=c++20 -O2 -c \"\$PWD/$s.cc\" -o a.o" ||
				fail "$s $d"
		done
	done
	[ "$(hits)" = 0 ] || fail "$(hits) hits"
}

# own_in_each ARGUMENTS...: compiles with each of these in three directories of generated names.
own_in_each() {
	local d arguments
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		for arguments; do
			in_temp $d sh -c "g++ -O2 $arguments -o a.o" || fail "$d $arguments"
		done
	done
}

# bats test_tags=check
@test "names_proof: a unit whose macro with its name is left out by -DNDEBUG" {
	put check.h '#ifdef CHECK' '#elif defined(NDEBUG)' '#define CHECK(x) ((void)(x))' \
		'#else' \
		'#define CHECK(x) ((x) ? (void)0 : failed(parity(__FILE__)))' '#endif' \
		'constexpr int parity(const char *s) { int n = 0; while (*s) n ^= *s++;' \
		'return n & 1; }' 'void failed(int);'
	put a.cc '#include "check.h"' 'int a(int x) { CHECK(x > 0); return x; }'
	put u.cc '#undef NDEBUG' '#include "check.h"' \
		'int a(int x) { CHECK(x > 0); return x; }'
	in_all sh -c 'g++ -O2 -DNDEBUG -c "$PWD/a.cc" -o "$PWD/a.o"'
	[ "$(misses) $(hits)" = "1 19" ] || fail "misses $(misses), hits $(hits)"
	own_in_each '-DNDEBUG -c "$PWD/u.cc"' '-c "$PWD/a.cc"' '-DNDEBUG -UNDEBUG -c "$PWD/a.cc"' \
		'-DNDEBUG -Wp,-UNDEBUG -c "$PWD/a.cc"'
	[ "$(hits)" = 19 ] || fail "$(hits) hits"
	# A header that the command finds under no generated name, with a macro that nothing else
	# defines.
	mkdir -p "$ROOT/inc"
	printf '%s\n' '#if !defined(NOBODY)' '#define WHO __FILE__' '#endif' >"$ROOT/inc/who.h"
	local d
	put w.cc '#include "who.h"' 'constexpr int parity(const char *s) { int n = 0;' \
		'while (*s) n ^= *s++; return n & 1; }' 'int v = parity(WHO);'
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd; do
		in_temp $d sh -c "g++ -O2 -I$ROOT/inc -c \"\$PWD/w.cc\" -o a.o" || fail "$d"
	done
	[ "$(hits)" = 19 ] || fail "$(hits) hits"
}

# bats test_tags=check
@test "names_proof: a unit whose macro with its name is behind a false #if" {
	put check.h '#if (LEVEL >= 2 && !defined(QUIET)) || LOUD' \
		'#define CHECK(x) ((x) ? (void)0 : failed(parity(__FILE__)))' \
		'#else' '#define CHECK(x) ((void)(x))' '#endif' \
		'constexpr int parity(const char *s) { int n = 0; while (*s) n ^= *s++;' \
		'return n & 1; }' 'void failed(int);'
	put a.cc '#include "check.h"' 'int a(int x) { CHECK(x > 0); return x; }'
	put u.cc '#undef LEVEL' '#define LEVEL 2' '#include "check.h"' \
		'int a(int x) { CHECK(x > 0); return x; }'
	put l.cc '#define LOUD 1' '#include "check.h"' 'int a(int x) { CHECK(x > 0); return x; }'
	# The macro's text makes an expression with another order of operations.
	put o.cc '#define LOUD 0 || 1' '#include "check.h"' \
		'int a(int x) { CHECK(x > 0); return x; }'
	in_all sh -c 'g++ -O2 -DLEVEL=1 -c "$PWD/a.cc" -o "$PWD/a.o"'
	[ "$(misses) $(hits)" = "1 19" ] || fail "misses $(misses), hits $(hits)"
	own_in_each '-DLEVEL=1 -c "$PWD/u.cc"' '-DLEVEL=1 -c "$PWD/l.cc"' \
		'-DLEVEL=1 -c "$PWD/o.cc"' '-DLEVEL=2 -c "$PWD/a.cc"' \
		'-DLEVEL=1 -DLEVEL=3 -c "$PWD/a.cc"' '-DLEVEL=1 -DLOUD -c "$PWD/a.cc"' \
		'-DLEVEL=1 -Wp,-DLOUD -c "$PWD/a.cc"' '-DLEVEL=1 -Wp,-DLEVEL=2 -c "$PWD/a.cc"'
	[ "$(hits)" = 19 ] || fail "$(hits) hits"
}

# bats test_tags=check
@test "names_proof: #elifdef is not known to all standards, and -DX is 1" {
	put e.cc '#ifdef NOBODY' '#elifdef LEVEL' '#define WHO ""' '#else' '#define WHO __FILE__' \
		'#endif' 'constexpr int parity(const char *s) { int n = 0; while (*s) n ^= *s++;' \
		'return n & 1; }' 'int v = parity(WHO);'
	put p.cc '#define CAT(a, b) a##b' '#define JOIN(a, b) CAT(a, b)' '#define WHO1 __FILE__' \
		'constexpr int parity(const char *s) { int n = 0; while (*s) n ^= *s++;' \
		'return n & 1; }' 'int v = parity(JOIN(WHO, LEVEL));'
	local d file
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		for file in e p; do
			in_temp $d sh -c "g++ -std=c++17 -DLEVEL -c \"\$PWD/$file.cc\" -o a.o" ||
				fail "$d $file"
		done
	done
	[ "$(hits)" = 0 ] || fail "$(hits) hits"
}

@test "names_proof: a linker script that sorts by name" {
	put x.ld 'SECTIONS { .text : { *(SORT_BY_NAME(.text*)) } .data : { SORT(*)(.data) } }'
	put b.c 'int b = 2;'
	put a.c 'int a = 1;'
	gcc -c a.c -o "$ROOT/a.o"
	gcc -c b.c -o "$ROOT/b.o"
	local i x y
	age
	for i in 'tmpaaaaaaaa tmpbbbbbbbb' 'tmpcccccccc tmpbbbbbbbb' 'tmpaaaaaaaa tmpzzzzzzzz' \
		'tmpzzzzzzzz tmpaaaaaaaa'; do
		x=${i% *} y=${i#* }
		mkdir -p "$TMPDIR/$x" "$TMPDIR/$y"
		cp "$ROOT/a.o" "$TMPDIR/$x/"
		cp "$ROOT/b.o" "$TMPDIR/$y/"
		age
		under ld -T x.ld "$TMPDIR/$x/a.o" "$TMPDIR/$y/b.o" -o out
		ld -T x.ld "$TMPDIR/$x/a.o" "$TMPDIR/$y/b.o" -o want
		cmp out want || fail "$i"
		rm -r "$TMPDIR/$x" "$TMPDIR/$y"
	done
}

@test "names_proof: an option that is not known binds" {
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		in_temp $d sh -c 'gcc -O2 --param=max-inline-insns-auto=20 -c "$PWD/a.c" -o a.o'
	done
	[ "$(hits)" = 0 ] || fail "$(hits) hits"
}

# bound CMD...: makes a.o in three directories of generated names, one of which holds `zz`. Each
# result equals the plain run's, and serves no other name. SAME: set where zz changes no byte.
bound() {
	local d before
	before=$(hits)
	for d in tmpaaaaaaaa tmpzzzzzzzz tmpbbbbbbbb; do
		in_temp $d "$@" || { fail "$d: $*"; return 1; }
		cp "$ROOT/last/a.o" "$ROOT/$d.o"
	done
	[ "$(hits)" = "$before" ] || { fail "a hit across names: $*"; return 1; }
	[ -n "${SAME-}" ] || ! cmp -s "$ROOT/tmpaaaaaaaa.o" "$ROOT/tmpzzzzzzzz.o" ||
		fail "zz changes nothing: $*"
}

# bats test_tags=check
@test "names_proof: gcc leaves files and functions out of the instrumentation by their names" {
	local gcc='gcc -O1 -finstrument-functions -finstrument-functions-exclude'
	bound sh -c "$gcc-file-list=zz -c \"\$PWD/a.c\" -o a.o"
	put inc/m.h 'static int m(int x) { return x + 1; }'
	put b.c '#include "m.h"' 'int b(int x) { return m(x); }'
	bound sh -c "$gcc-file-list=no,zz -I\"\$PWD/inc\" -c b.c -o a.o"
	SAME=1 bound sh -c "$gcc-function-list=zz -c \"\$PWD/a.c\" -o a.o"
}

# bats test_tags=check
@test "names_proof: clang's lists of files, which hold patterns of paths" {
	need clang
	put a.c 'int a(int *x) { return *x + 1; }'
	echo 'src:*zz*' >"$ROOT/list"
	local o
	for o in '-fsanitize=address -fsanitize-ignorelist' \
		'-fsanitize=undefined -fsanitize-ignorelist' \
		'-fprofile-instr-generate -fprofile-list' \
		'-fxray-instrument -fxray-attr-list'; do
		bound sh -c "clang -O1 $o=$ROOT/list -c \"\$PWD/a.c\" -o a.o"
	done
}

# bats test_tags=check
@test "names_proof: clang's module map, and a module that asks for its header's name" {
	need clang
	put m.h 'static inline int m(void) { return __FILE__[sizeof(__FILE__) - 8]; }'
	put m.map 'module m { header "m.h" }'
	put a.c '#include "m.h"' 'int a(void) { return m(); }'
	bound sh -c 'clang -fmodules -fmodules-cache-path="$PWD/cache" \
		-fmodule-map-file="$PWD/m.map" -c "$PWD/a.c" -o a.o && rm -r cache'
	bound sh -c 'clang -fmodule-map-file="$PWD/m.map" -c "$PWD/a.c" -o a.o'
}

# Times are of each run, so the object alone is compared.
# bats test_tags=check
@test "names_proof: clang's trace of its times, which names the source" {
	need clang
	local d
	clang -c a.c -o "$ROOT/want.o"
	for d in tmpaaaaaaaa tmpzzzzzzzz tmpbbbbbbbb; do
		cp -a "$W" "$TMPDIR/$d"
		age
		(cd "$TMPDIR/$d" && under clang -ftime-trace -c "$PWD/a.c" -o a.o)
		cmp "$ROOT/want.o" "$TMPDIR/$d/a.o"
		[ "$(grep -o 'tmp[a-z]*/a\.c' "$TMPDIR/$d/a.json" | sort -u)" = "$d/a.c" ] ||
			fail "$d: $(cat "$TMPDIR/$d/a.json")"
		rm -r "${TMPDIR:?}/$d"
	done
	[ "$(hits)" = 0 ] || fail "$(hits) hits"
}

@test "names_proof: an added tool, and one that is declared to write no names" {
	put t.c '#include <stdio.h>' \
		'int main(int c, char **v) { FILE *i = fopen(v[1], "r"), *o = fopen(v[2], "w");' \
		'for (int x; (x = getc(i)) != EOF;) putc(x ^ 1, o); return 0; }'
	gcc -w t.c -o "$ROOT/mytool"
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd; do
		in_temp $d env REPRISE_TOOLS=+mytool \
			sh -c "\"$ROOT/mytool\" \"\$PWD/a.c\" \"\$PWD/out\" </dev/null"
	done
	[ "$(hits)" = 0 ] || fail "$(hits) hits of a tool that nobody knows"
	for d in tmpaaaaaaaa tmpbbbbbbbb tmp.cccccccccc tmpdddddddd \
		${E2E_FURTHER:+$FURTHER_NAMES}; do
		in_temp $d env REPRISE_TOOLS=+mytool:names \
			sh -c "\"$ROOT/mytool\" \"\$PWD/a.c\" \"\$PWD/out\" </dev/null"
	done
	[ "$(hits)" -ge 3 ] || fail "$(hits) hits"
}
