#!/usr/bin/env bats
# Results that are free of a name, because the name cannot reach them: one compile, then hits under
# names of any length. A tool that hides its name gets no shared result.

setup() {
	load lib
	load names_lib
	load names_table
	names_setup
}
teardown() { case_teardown; }

# bats test_tags=check
@test "names_proof: no name: C, a link, an archive, assembly" {
	put s.s '.globl s' 's: ret'
	gcc -O2 -c a.c -o x.o
	names_table <<-'END'
	in   | tmpaaaaaaaa tmpzzzzzzzz tmp_a_b_c_d tmp.AbCdEfGhIj tmp.AbCdEf pip-req-build-aaaaaaaa
	a.c  | #include <stdio.h>\nint a(int x) { puts("a"); return x + 1; }
	all  | gcc -O2 -Wall -c "$PWD/a.c" -o "$PWD/a.o"
	all  | as "$PWD/s.s" -o "$PWD/s.o"
	all  | ar rcs "$PWD/l.a" "$PWD/x.o"
	all  | ld -shared "$PWD/x.o" -o "$PWD/l.so"
	END
}

# bats test_tags=long
@test "names_proof: C++ with the standard library, a shared library in one command" {
	names_table <<-'END'
	in   | tmpaaaaaaaa tmpzzzzzzzz tmp_a_b_c_d tmp.AbCdEfGhIj tmp.AbCdEf pip-req-build-aaaaaaaa
	a.cc | #include <vector>\n#include <string>\n#include <map>\n#include <source_location>\n \
		int a(std::vector<std::string> v) { std::map<std::string, int> m;\n \
		for (auto &s : v) m[s]++; return m.size(); }
	all  | g++ -std=c++20 -O1 -fPIC -shared "$PWD/a.cc" -o "$PWD/a.so" "-L$PWD" "-I$PWD"
	END
}

# bats test_tags=check
@test "names_proof: assert: the name goes where it is known, and is exchanged at equal length" {
	names_table <<-'END'
	in   | tmpaaaaaaaa tmpzzzzzzzz tmp_a_b_c_d tmp.AbCdEfGhIj tmp.jIhGfEdCbA tmp.AbCdEf
	a.c  | #include <assert.h>\nint a(int x) { assert(x > 0); return x; }
	miss hit hit miss hit miss | gcc -O2 -c "$PWD/a.c" -o "$PWD/a.o"
	END
}

# bats test_tags=check
@test "names_proof: torch's TORCH_CHECK: the name goes to torchCheckFail, and is exchanged" {
	load job_python
	job_python_find
	need_torch
	export INCLUDE
	INCLUDE=$("$JOB_PYTHON" -c 'import importlib.util as u
print(u.find_spec("torch").submodule_search_locations[0] + "/include")')
	names_table <<-'END'
	in   | tmpaaaaaaaa tmpzzzzzzzz tmpqwertyui tmp.AbCdEfGhIj
	a.cc | #include <c10/util/Exception.h>\n \
		int a(int x) { TORCH_CHECK(x > 0, "x is ", x); TORCH_CHECK(x < 9); return x; }
	miss hit hit miss | g++ -std=c++17 -O2 -isystem $INCLUDE -c "$PWD/a.cc" -o "$PWD/a.o"
	in   | tmpaaaaaaaa tmpzzzzzzzz
	miss hit | g++ -std=c++17 -O0 -isystem $INCLUDE -c "$PWD/a.cc" -o "$PWD/a.o"
	END
}

# bats test_tags=check
@test "names_proof: a name that assembly holds in pieces, and assembly on standard output" {
	export L=$(printf 'd%.0s' {1..130})
	L=$L/$L
	mkdir -p "$L"
	names_table <<-'END'
	in    | tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc
	a.c   | #include <assert.h>\nint a(int x) { assert(x > 0); return x; }
	bound | cp a.c $L/ && gcc -O1 -S "$PWD/$L/a.c" -o "$PWD/a.s"
	bound | cp a.c $L/ && gcc -O1 -S "$PWD/$L/a.c" -o -
	bound | gcc -O1 -S "$PWD/a.c" -o -
	bound | cp a.c $L/ && gcc -g1 -O1 -S "$PWD/$L/a.c" -o "$PWD/a.s"
	bound | cp a.c $L/ && gcc -g1 -O1 -S "$PWD/$L/a.c" -o -
	bound | gcc -g1 -O1 -S "$PWD/a.c" -o -
	END
}

# bats test_tags=long
@test "names_proof: gcc -g: the order of two strings is computed" {
	names_table <<-'END'
	in    | tmpaaaaaaaa tmpzzzzzzzz tmp_a_b_c_d tmpqwertyui tmp01234567 tmpmmmmmmmm
	half  | gcc -g -O1 -c "$PWD/a.c" -o "$PWD/a.o"
	half  | gcc -g1 -O1 -c "$PWD/a.c" -o "$PWD/a.o"
	half  | gcc -g3 -O1 -c "$PWD/a.c" -o "$PWD/a.o"
	bound | gcc -gdwarf-4 -O1 -c "$PWD/a.c" -o a.o
	bound | gcc -g -gsplit-dwarf -O1 -c "$PWD/a.c" -o a.o
	bound | gcc -g -gz -O1 -c "$PWD/a.c" -o a.o
	END
}

# bats test_tags=long
@test "names_proof: gcc -g and a link in one command: what compiles is an action of its own" {
	need_gcc 11
	# Warnings on the standard output that is standard error, as Inductor asks for them.
	names_table <<-'END'
	in   | tmpaaaaaaaa tmpzzzzzzzz tmp_a_b_c_d tmpqwertyui tmp01234567 tmpmmmmmmmm
	a.cc | #include <vector>\n#include <cassert>\n \
		int a(std::vector<int> v) { assert(v[0]); return v.size(); }
	half | g++ -g1 -O1 -fPIC -shared "$PWD/a.cc" -o "$PWD/a.so"
	w.cc | static int unused(int x) { int y; return 1; }\nint w() { return 2; }
	half | g++ -Wall -Wextra -Wunused -g -O1 -shared -fPIC "$PWD/w.cc" -o "$PWD/w.so" 2>&1
	half | g++ -g -O1 -S "$PWD/a.cc" -o "$PWD/a.s"
	END
}

# bats test_tags=long
@test "names_proof: gcc -g by base directories" {
	names_table <<-'END'
	in   | one two six ten
	any  | REPRISE_BASE_DIRS=$PWD gcc -g -c "$PWD/a.c" -o a.o
	any  | REPRISE_BASE_DIRS=$PWD gcc -g1 -c "$PWD/a.c" -o a.o
	own  | REPRISE_BASE_DIRS=$PWD gcc -gdwarf-4 -c "$PWD/a.c" -o a.o
	END
}

PARITY='constexpr int parity(const char *s) { int n = 0; while (*s) n ^= *s++;
return n & 1; }'
CHECK='#define CHECK(x) ((x) ? (void)0 : failed(parity(__FILE__)))'

# bats test_tags=check
@test "names_proof: units that hide their name" {
	put parity.h "$PARITY"
	names_table <<-'END'
	in    | tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc
	p.cc  | #include "parity.h"\nint v = parity(__FILE__);
	bound | g++ -std=c++20 -O2 -c "$PWD/p.cc" -o a.o
	l.cc  | static_assert(sizeof __FILE__ > 1); int n = sizeof(__FILE__) % 7;
	bound | g++ -std=c++20 -O2 -c "$PWD/l.cc" -o a.o
	d.cc  | const char *f(const char *s = __builtin_FILE()) { return s; }\nconst char *g = f();
	bound | g++ -std=c++20 -O2 -c "$PWD/d.cc" -o a.o
	m.h   | #define WHO __FILE__\n#define ASK(x) WHO[x]
	m.cc  | #include "m.h"\nchar c = ASK(12);
	bound | g++ -std=c++20 -O2 -c "$PWD/m.cc" -o a.o
	t.cc  | #define CAT(a, b) a##b\nchar c = CAT(__FI, LE__)[12];
	bound | g++ -std=c++20 -O2 -c "$PWD/t.cc" -o a.o
	r.cc  | #include <source_location>\n \
		constexpr auto w = std::source_location::current(); char c = w.file_name()[12];
	bound | g++ -std=c++20 -O2 -c "$PWD/r.cc" -o a.o
	i.h   | struct at { const char *s; at(int, const char *t = __builtin_FILE()) :\n \
		s(t) {} };\n \
		inline char log(at a) { return a.s[12]; }
	i.cc  | #include "i.h"\nchar c = log(1);
	bound | g++ -std=c++20 -O2 -c "$PWD/i.cc" -o a.o
	END
}

# bats test_tags=long
@test "names_proof: a unit whose macro with its name is left out by -DNDEBUG" {
	put check.h '#ifdef CHECK' '#elif defined(NDEBUG)' '#define CHECK(x) ((void)(x))' \
		'#else' "$CHECK" '#endif' "$PARITY" 'void failed(int);'
	# Also a header that the command finds under no generated name, with a macro that nothing
	# else defines.
	put "$ROOT/inc/who.h" '#if !defined(NOBODY)' '#define WHO __FILE__' '#endif' "$PARITY"
	names_table <<-'END'
	in    | tmpaaaaaaaa tmpzzzzzzzz tmp.AbCdEfGhIj tmp.AbCdEf
	a.cc  | #include "check.h"\nint a(int x) { CHECK(x > 0); return x; }
	u.cc  | #undef NDEBUG\n#include "check.h"\nint a(int x) { CHECK(x > 0); return x; }
	all   | g++ -O2 -DNDEBUG -c "$PWD/a.cc" -o "$PWD/a.o"
	bound | g++ -O2 -DNDEBUG -c "$PWD/u.cc" -o a.o
	bound | g++ -O2 -c "$PWD/a.cc" -o a.o
	bound | g++ -O2 -DNDEBUG -UNDEBUG -c "$PWD/a.cc" -o a.o
	bound | g++ -O2 -DNDEBUG -Wp,-UNDEBUG -c "$PWD/a.cc" -o a.o
	w.cc  | #include "who.h"\nint v = parity(WHO);
	bound | g++ -O2 -I$ROOT/inc -c "$PWD/w.cc" -o a.o
	END
}

# bats test_tags=long
@test "names_proof: a unit whose macro with its name is behind a false #if" {
	put check.h '#if (LEVEL >= 2 && !defined(QUIET)) || LOUD' "$CHECK" '#else' \
		'#define CHECK(x) ((void)(x))' '#endif' "$PARITY" 'void failed(int);'
	# The text of o.cc's macro makes an expression with another order of operations.
	names_table <<-'END'
	in    | tmpaaaaaaaa tmpzzzzzzzz tmp.AbCdEfGhIj
	a.cc  | #include "check.h"\nint a(int x) { CHECK(x > 0); return x; }
	u.cc  | #undef LEVEL\n#define LEVEL 2\n#include "check.h"\n \
		int a(int x) { CHECK(x > 0); return x; }
	l.cc  | #define LOUD 1\n#include "check.h"\nint a(int x) { CHECK(x > 0); return x; }
	o.cc  | #define LOUD 0 || 1\n#include "check.h"\nint a(int x) { CHECK(x > 0); return x; }
	all   | g++ -O2 -DLEVEL=1 -c "$PWD/a.cc" -o "$PWD/a.o"
	bound | g++ -O2 -DLEVEL=1 -c "$PWD/u.cc" -o a.o
	bound | g++ -O2 -DLEVEL=1 -c "$PWD/l.cc" -o a.o
	bound | g++ -O2 -DLEVEL=1 -c "$PWD/o.cc" -o a.o
	bound | g++ -O2 -DLEVEL=2 -c "$PWD/a.cc" -o a.o
	bound | g++ -O2 -DLEVEL=1 -DLEVEL=3 -c "$PWD/a.cc" -o a.o
	bound | g++ -O2 -DLEVEL=1 -DLOUD -c "$PWD/a.cc" -o a.o
	bound | g++ -O2 -DLEVEL=1 -Wp,-DLOUD -c "$PWD/a.cc" -o a.o
	bound | g++ -O2 -DLEVEL=1 -Wp,-DLEVEL=2 -c "$PWD/a.cc" -o a.o
	END
}

# bats test_tags=long
@test "names_proof: #elifdef, which not all standards know, -DX, which is 1, an unknown option" {
	put parity.h "$PARITY"
	names_table <<-'END'
	in    | tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc
	e.cc  | #ifdef NOBODY\n#elifdef LEVEL\n#define WHO ""\n#else\n#define WHO __FILE__\n \
		#endif\n#include "parity.h"\nint v = parity(WHO);
	bound | g++ -std=c++17 -DLEVEL -c "$PWD/e.cc" -o a.o
	p.cc  | #define CAT(a, b) a##b\n#define JOIN(a, b) CAT(a, b)\n#define WHO1 __FILE__\n \
		#include "parity.h"\nint v = parity(JOIN(WHO, LEVEL));
	bound | g++ -std=c++17 -DLEVEL -c "$PWD/p.cc" -o a.o
	bound | gcc -O2 --param=max-inline-insns-auto=20 -c "$PWD/a.c" -o a.o
	END
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

# In the directory tmpzzzzzzzz the options look for zz.
# bats test_tags=check
@test "names_proof: options that look into a path" {
	need clang
	export K='clang -O1' F='gcc -O1 -finstrument-functions -finstrument-functions-exclude'
	echo 'src:*zz*' >"$ROOT/list"
	names_table <<-'END'
	in      | tmpaaaaaaaa tmpzzzzzzzz tmpbbbbbbbb
	bound   | $F-file-list=zz -c "$PWD/a.c" -o a.o
	inc/m.h | static int m(int x) { return x + 1; }
	b.c     | #include "m.h"\nint b(int x) { return m(x); }
	bound   | $F-file-list=no,zz -I"$PWD/inc" -c b.c -o a.o
	bound   | $F-function-list=zz -c "$PWD/a.c" -o a.o
	# Lists of files, which hold patterns of paths.
	a.c     | int a(int *x) { return *x + 1; }
	bound   | $K -fsanitize=address -fsanitize-ignorelist=$ROOT/list -c "$PWD/a.c" -o a.o
	bound   | $K -fsanitize=undefined -fsanitize-ignorelist=$ROOT/list -c "$PWD/a.c" -o a.o
	bound   | $K -fprofile-instr-generate -fprofile-list=$ROOT/list -c "$PWD/a.c" -o a.o
	bound   | $K -fxray-instrument -fxray-attr-list=$ROOT/list -c "$PWD/a.c" -o a.o
	# A module that asks for its header's name.
	m.h     | static inline int m(void) { return __FILE__[sizeof(__FILE__) - 8]; }
	m.map   | module m { header "m.h" }
	a.c     | #include "m.h"\nint a(void) { return m(); }
	unstored unstored unstored | clang -fmodules -fmodules-cache-path="$PWD/cache" \
		-fmodule-map-file="$PWD/m.map" -c "$PWD/a.c" -o a.o; rm -r cache
	bound   | clang -fmodule-map-file="$PWD/m.map" -c "$PWD/a.c" -o a.o
	END
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
	names_table <<-'END'
	in    | tmpaaaaaaaa tmpbbbbbbbb tmp.cccccccccc tmpdddddddd
	bound | REPRISE_TOOLS=+mytool "$ROOT/mytool" "$PWD/a.c" "$PWD/out"
	in    | tmpaaaaaaaa tmpbbbbbbbb tmp.cccccccccc tmpdddddddd
	all   | REPRISE_TOOLS=+mytool:names "$ROOT/mytool" "$PWD/a.c" "$PWD/out"
	END
}

# under_names SOURCE ENDING HITS CMD: CMD, with a copy of the file under each generated name as $X.
under_names() {
	local source=$1 ending=$2 hits=$3 cmd=$4 before
	before=$(stat_of hits_local)
	for X in "$HOME"/tempfile_Ab12Cd "$HOME"/tempfile_zzzzzz "$TMPDIR"/mojo_archive-0a1b2c3 \
		"$TMPDIR"/mojo_archive-9abcdef "$TMPDIR"/ccab12cd; do
		X+=$ending
		cp "$source" "$X"
		export X
		age
		under sh -c "$cmd" || fail "$X: $cmd"
		mv out got
		sh -c "$cmd"
		cmp out got || fail "$X: $cmd"
		rm out "$X"
	done
	[ $(($(stat_of hits_local) - before)) = "$hits" ] || fail "$cmd: not $hits hits"
}

# bats test_tags=check
@test "names_proof: objects and archives that have generated names" {
	local l
	put g.c 'int g(int x) { return x + 3; }'
	put m.c 'int g(int); int m(void) { return g(1); }'
	gcc -O1 -fPIC -c g.c m.c
	gcc -shared g.o -o unnamed.so
	ar rcs g.a g.o
	for l in bfd gold lld; do
		under_names g.o .so.o 3 "ld.$l -shared --eh-frame-hdr -o out m.o \$X"
		under_names g.a .a 3 "ld.$l -shared --whole-archive -o out \$X"
		# A library without a soname is entered with its path.
		under_names unnamed.so .so.o 0 "ld.$l -shared -o out m.o \$X"
	done
	under_names g.a .a 3 'gcc -shared m.o $X -o out'
	# An option and its value may be handed on separately.
	under_names g.a .a 3 'gcc -shared m.o $X -Xlinker -rpath -Xlinker /opt/lib -o out'
	under_names g.a .a 3 'gcc -shared m.o $X -Wl,-z,now,-rpath -Wl,/opt/lib -o out'
	under_names g.a .a 0 'gcc -shared m.o -Wl,-rpath -Wl,$X -o out'
	under_names g.o .o 3 'clang -g -shared m.o $X -o out'
	# A source, and its symbol.
	under_names g.c .c 0 'gcc -shared -fPIC $X -o out'
}

# bats test_tags=check
@test "names_proof: a name that a linker's script looks for" {
	printf '.section .ctors,"aw"\n.quad %s\n' m | as -o one.o
	printf '.section .ctors,"aw"\n.quad %s\n' n | as -o two.o
	for X in ccab12cd cccrtend ccxy34zw; do
		cp two.o "$TMPDIR/$X.o"
		age
		under ld.bfd -shared -o out "$TMPDIR/$X.o" one.o
		ld.bfd -shared -o want "$TMPDIR/$X.o" one.o
		cmp out want || fail "$X"
		rm "$TMPDIR/$X.o"
	done
	[ "$(stat_of hits_local)" = 1 ]
}
