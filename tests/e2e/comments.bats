#!/usr/bin/env bats
# Comments: command lines appended to a source, as Inductor, AOTInductor and CUTLASS's backend do,
# and text that only looks like a comment.

setup() {
	load lib
	case_setup
	put a.h '#define A 1'
}
teardown() { case_teardown; }

source_text() {
	printf '%s\n' '#include "a.h"' 'int a(int x) { return x + A; }'
}

@test "comments: appended to a C++ source after its compile, they change nothing" {
	source_text >a.cpp
	differential -- g++ -O1 -g1 -c a.cpp -o a.o
	printf '// Compile cmd\n// g++ %s\n' "$(printf '%03000d' 7)" >>a.cpp
	again hit
	printf '// Link cmd\n// g++ -shared a.o\n' >>a.cpp
	again hit
}

@test "comments: appended to a source that used a precompiled header, or whose compile warned" {
	put w.h 'static int unused(void) { return 1; }'
	put a.cpp '#include "w.h"' 'int a(int x) { return x; }'
	differential -- g++ -Wall -c a.cpp
	echo '// g++ -Wall -c a.cpp' >>a.cpp
	again hit
	echo 'int b;' >>a.cpp
	again miss
	g++ -x c++-header a.h -o a.h.gch
	source_text >a.cpp
	differential -- g++ -include a.h -c a.cpp
	echo '// g++ -include a.h -c a.cpp' >>a.cpp
	again hit
	sed -i '1i// at the beginning' a.cpp
	again miss
	# A warning that quotes the source: a changed comment is a miss.
	printf '%s\n' 'static int unused(void) { return 1; }' '// not the end' 'int b;' >b.cpp
	differential -- g++ -Wall -c b.cpp
	echo '// g++ -Wall -c b.cpp' >>b.cpp
	again miss
}

@test "comments: a comment that could change the result is a miss" {
	source_text >a.cpp
	differential -- g++ -O1 -c a.cpp -o a.o
	# The comment is joined to the next line, which is a warning.
	printf '// joined \\\n' >>a.cpp
	again miss
	source_text >a.cpp
	printf '// a comment\nint b;\n' >>a.cpp
	again miss
}

@test "comments: kept where the text itself is the output" {
	source_text >a.cpp
	differential -- g++ -E -C a.cpp -o a.i
	echo '// a comment' >>a.cpp
	again miss
}

@test "comments: in C90 two slashes are a division" {
	put a.c 'int a = 8'
	printf '//* x */ 2;\nint b;\n' >>a.c
	differential -- gcc -std=c90 -c a.c -o a.o
	printf 'int a = 8\n//* x */ 4;\nint b;\n' >a.c
	again miss
}

@test "comments: comment markers in strings, #line with odd names" {
	put a.c 'const char *s = "/* not a comment */ // nor this";' \
		'#line 5 "a \"quoted\" name.c"' 'const char *f = __FILE__;' \
		'#line 7 "/no/such/dir/x.c"' '#warning here'
	differential -- gcc -c a.c
}

# Inductor appends its command line. A hit or a miss: the result is that of the new text.
appended() { # COMMAND...
	local base=('#include "a.h"' 'int f(int x) { return x + A; }') cmd
	for cmd; do
		read -ra cmd <<<"$cmd"
		command -v "${cmd[0]}" >/dev/null || continue
		put b.cc "${base[@]}"
		differential --cold any --warm none --status any -- "${cmd[@]}"
		put b.cc "${base[@]}" '// g++ b.cc -o b.o -O3'
		again any --warm none
		put b.cc "${base[@]}" '// g++ b.cc -o b.o -O3' '// cmd 2 \'
		again any --warm none
		printf '%s\n' "${base[@]}" '// no newline' >b.cc
		printf '// at the end' >>b.cc
		again any --warm none
	done
}

# bats test_tags=check
@test "comments: comment lines appended to a source" {
	appended "g++ -g -c b.cc" "g++ -E -C b.cc" "clang++ -gdwarf-5 -c b.cc"
}

# bats test_tags=long
@test "comments: comment lines appended, and options that show them" {
	appended "g++ -E b.cc" "g++ -S -fverbose-asm b.cc" "g++ -Wall -Wcomment -c b.cc" \
		"g++ -save-temps -g3 -c b.cc" "clang++ -Weverything -g -gembed-source -c b.cc"
}

# bats test_tags=check
@test "comments: what only looks like a comment line at a source's end" {
	local base=('#include "a.h"' 'int f(int x) { return x + A; }') cmd t
	for cmd in "g++ -g -c b.cc" "g++ -E b.cc"; do
		read -ra cmd <<<"$cmd"
		put b.cc "${base[@]}"
		differential --cold any --warm none --status any -- "${cmd[@]}"
		put b.cc "${base[@]}" '#define X \' '// in the macro'
		again any --warm none
		put b.cc "${base[@]}" '/* open' '// not closed'
		again any --warm none
		for t in one another; do
			put b.cc "${base[@]}" 'const char *r = R"(' "// in $t string" ')";'
			again any --warm none
		done
	done
}

# bats test_tags=check
@test "comments: a source that includes or embeds itself, with comments at its end" {
	put b.cc '#ifndef AGAIN' '#define AGAIN' 'int one;' '#include __FILE__' '#else' \
		'__asm__(".incbin \"b.cc\"");' '#endif'
	differential --cold any -- g++ -c b.cc
	echo '// more' >>b.cc
	again any
	put c.cc 'int lines = __LINE__;' '// one' '// two'
	differential --cold any -- g++ -c c.cc
	put c.cc '// one' '// two' 'int lines = __LINE__;'
	again any
}

# ends HIT|MISS COMMAND...: comment lines come to the end of the command's source, its last word,
# and of a header.
ends() {
	local expect=$1 source=${*: -1}
	shift
	put a.h '#define A 2'
	put "$source" '#include "a.h"' 'int f(int x) { return x + A; }'
	differential --cold any -- "$@"
	put "$source" '#include "a.h"' 'int f(int x) { return x + A; }' '// one' '' '// two'
	again "$expect" || fail "$*"
	put a.h '#define A 2' '/* three' '   four */' ''
	again "$expect" || fail "$* (header)"
}

@test "comments: at the end of a C source, and for clang" {
	ends hit gcc -Wall -O2 -c a.c
	ends hit clang -Wall -O2 -c a.c
	ends hit clang++ -O2 -c b.cc
}

# bats test_tags=check
@test "comments: at the end of a source that a command reads otherwise" {
	local source
	ends hit gcc -g -MD -c a.c
	ends miss gcc -std=gnu90 -c a.c
	ends miss clang -g -c a.c
	ends miss gcc -E a.c
	ends miss gcc -save-temps -c a.c
	ends hit clang -c a.c
	# The environment contains an option that the command does not show.
	put a.c 'int a;'
	differential --env 'CCC_OVERRIDE_OPTIONS=+-g' --cold any -- clang -c a.c
	echo '// more' >>a.c
	again miss
	for source in '__asm__(".incbin \"s.c\"");' '#include "head.h"' '#warning told'; do
		for cmd in gcc clang; do
			put head.h '__asm__(".incbin \"s.c\"");'
			put s.c "$source" 'int a;'
			differential --cold any -- $cmd -c s.c
			echo '// more' >>s.c
			again any || fail "$cmd: $source"
		done
	done
}
