#!/usr/bin/env bats
# Macros of the command line: one that no text can name changes nothing, and is no part of the key.

setup() {
	load lib
	case_setup
}
teardown() { case_teardown; }

texts() {
	put a.h '#ifndef A_H' '#define A_H' '#ifdef USED_ONE' 'int used = USED_ONE;' '#endif' \
		'#endif'
	put a.c '#include <assert.h>' '#include <stdio.h>' '#include <stdint.h>' '#include "a.h"' \
		'int64_t a(int b) { assert(b > 1); return INT64_C(7) + printf("a"); }'
	cp a.c a.cc
	age
}

# bats test_tags=check
@test "defines: a macro that no text names" {
	local cmd
	texts
	for cmd in "gcc -O2 -Wall -c a.c" "gcc -g -MD -c a.c" "clang -c a.c"; do
		read -ra cmd <<<"$cmd"
		differential -- "${cmd[@]}" -DFREE_1
		again hit -- "${cmd[@]}"
		again hit -- "${cmd[@]}" -DFREE_1=2 -D FREE_2
		again hit -- "${cmd[@]}" -UFREE_1 '-DFREE_3="a text, 1.2"' -DFREE_4= \
			-DFREE_5=-1.5e+3
	done
}

# bats test_tags=long
@test "defines: a macro that no text names, in C++" {
	put a.cc '#include <map>' '#include <regex>' '#include <string>' \
		'std::map<std::string, std::regex> all;'
	age
	local cmd
	for cmd in "g++ -std=c++17 -c a.cc" "g++ -O2 -g -fPIC -c a.cc" "clang++ -c a.cc"; do
		read -ra cmd <<<"$cmd"
		differential -- "${cmd[@]}" -Dproject_EXPORTS
		again hit -- "${cmd[@]}"
		again hit -- "${cmd[@]}" -DPROJECT_VERSION='"1.2.3"' -DPROJECT_BUILD=17
	done
}

@test "defines: a macro that a text names" {
	texts
	differential -- gcc -c a.c -DFREE_1
	again miss -- gcc -c a.c -DFREE_1 -DUSED_ONE=1
	reprise explain 1 >said
	grep -q "macro USED_ONE" said || fail "explain names the macro: $(cat said)"
	rm said
	again miss -- gcc -c a.c -DUSED_ONE=2
	# Each value has its own result. An unused macro beside it does not matter.
	again hit -- gcc -c a.c -DUSED_ONE=1 -DFREE_2
	again hit -- gcc -c a.c -DUSED_ONE=2 -UFREE_1
	again hit -- gcc -c a.c
}

# named LINE...: the source names USED_ONE in this way.
named() {
	put a.c "$@"
	age
	differential -- gcc -c a.c -DUSED_ONE=1 -DVIA=USED_ONE '-DCALL(x)=x'
	again miss -- gcc -c a.c -DUSED_ONE=2 -DVIA=USED_ONE '-DCALL(x)=x'
}

# bats test_tags=check
@test "defines: ways to name a macro" {
	named 'int a = USED_ONE;'
	named 'int a = USED\' '_ONE;'
	named 'int a = VIA;'
	named 'int a = CALL(USED_ONE);'
	named '#define CAT(a, b) a##b' 'int a = CAT(USED, _ONE);'
	named '#define CAT(a, b) a##b' '#define GO(f) f(USED, _ONE)' 'int a = GO(CAT);'
	named '#define CAT(a, b) a##b' '#define XX(a, b) a##b' 'int a = CAT(X, X)(USED, _ONE);'
	named '#if defined USED_ONE && USED_ONE > 1' 'int b;' '#endif'
	named '_Pragma("push_macro(\"USED_ONE\")")' 'int a;'
	named '#pragma GCC poison USED_ONE'
}

# bats test_tags=check
@test "defines: outputs and options that show a macro that no text names" {
	texts
	local cmd
	for cmd in "gcc -g3 -c a.c" "gcc -ggdb3 -c a.c" "gcc -S -fverbose-asm a.c" \
		"gcc -E -dD a.c" "gcc -c -Wp,-DFREE_2 a.c"; do
		read -ra cmd <<<"$cmd"
		differential -- "${cmd[@]}" -DFREE_1=1
		again miss -- "${cmd[@]}" -DFREE_1=2
	done
	# A diagnostic may say where on the command line a macro stands.
	put a.c 'int a(void) { int unused; return 0; }'
	age
	differential -- gcc -Wall -c a.c -DFREE_1=1
	again miss -- gcc -Wall -c a.c -DFREE_1=2
}

# bats test_tags=check
@test "defines: a definition that is an error or a warning" {
	texts
	differential -- g++ -c a.cc
	again unstored --status 1 --warm unstored -- g++ -c a.cc -Dand_eq=1
	again miss -- g++ -c a.cc -DFREE_1=1 -DFREE_1=2
	again miss -- g++ -c a.cc -Dunix=7
	again unstored --status 1 --warm unstored -- g++ -c a.cc '-DFREE_1(='
	again miss -- g++ -c a.cc "-DFREE_1='"
	again hit -- g++ -c a.cc -DFREE_1=1
}

# bats test_tags=check
@test "defines: a macro that another target's compiler defines" {
	put a.c 'int x;'
	age
	local cmd
	for cmd in "clang --target=x86_64-w64-mingw32 -c a.c" \
		"clang -target mips-linux-gnu -c a.c" "gcc -m32 -c a.c" "gcc -S a.c"; do
		read -ra cmd <<<"$cmd"
		differential --cold any --warm any -- "${cmd[@]}"
		again any --warm any -- "${cmd[@]}" -DWIN32=2
		again any --warm any -- "${cmd[@]}" -DMIPSEB=2 -DR3000=7 -DLANGUAGE_C=3
	done
	# Their warnings are errors: a hit would have status 0.
	differential -- clang --target=x86_64-w64-mingw32 -Werror -c a.c
	again unstored:failed --status 1 --warm unstored:failed -- \
		clang --target=x86_64-w64-mingw32 -Werror -c a.c -DWIN32=2
	# The default target may stand in another name or file of the compiler.
	mkdir bin
	ln -s "$(command -v clang)" bin/x86_64-w64-mingw32-clang
	differential -- bin/x86_64-w64-mingw32-clang -Werror -c a.c
	again any --status any --warm any -- bin/x86_64-w64-mingw32-clang -Werror -c a.c -DWIN32=2
}

# bats test_tags=check
@test "defines: a name that is pasted to what a compiler's own macro becomes" {
	local own value
	for own in __UINTMAX_C_SUFFIX__ __INTMAX_C_SUFFIX__; do
		put a.c '#define P(a, b) a##b' '#define Q(a, b) P(a, b)' "int x = Q(FOO_, $own);"
		age
		differential -- clang -c a.c -DFOO_UL=1 -DFOO_L=1 -DFOO_=1
		for value in 2 3; do again miss -- clang -c a.c -DFOO_UL=$value -DFOO_L=$value; done
		# gcc has no such macros.
		differential -- gcc -c a.c "-D$own=UL" -DFOO_UL=1
		again miss -- gcc -c a.c "-D$own=UL" -DFOO_UL=2
	done
	put a.c '#define P(a, b) a##b' '#define Q(a, b) P(a, b)' \
		'int x = P(FO, O_1) + Q(FOO_, __CHAR_BIT__);'
	age
	differential -- gcc -c a.c -DFOO_1=1 -DFOO_8=1
	again miss -- gcc -c a.c -DFOO_1=1 -DFOO_8=2
}
