# Command lines appended to a source as comments, as AOTInductor and CUTLASS's backend do.

setup() { load lib; case_setup; }
teardown() { case_teardown; }

source_text() {
	printf '%s\n' '#include "a.h"' 'int a(int x) { return x + A; }'
}

@test "comments: appended to a C++ source after its compile, they change nothing" {
	put a.h '#define A 1'
	source_text >a.cpp
	differential -- g++ -O1 -g1 -c a.cpp -o a.o
	printf '// Compile cmd\n// g++ %s\n' "$(printf '%03000d' 7)" >>a.cpp
	again hit
	printf '// Link cmd\n// g++ -shared a.o\n' >>a.cpp
	again hit
}

@test "comments: what they could change is a miss" {
	put a.h '#define A 1'
	source_text >a.cpp
	differential -- g++ -O1 -c a.cpp -o a.o
	# Joined to the next line, and so a warning of its own.
	printf '// joined \\\n' >>a.cpp
	again miss
	source_text >a.cpp
	printf '// a comment\nint b;\n' >>a.cpp
	again miss
}

@test "comments: kept where the text itself is the output" {
	put a.h '#define A 1'
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
