#!/usr/bin/env bats
# Debug information and the directories in it.

setup() {
	load lib
	load names_table
	case_setup
	put a.c '#include "a.h"' 'int a(int x) { return x + A; }'
	put a.h '#define A 1'
}
teardown() { case_teardown; }

# bats test_tags=check
@test "debug: -g and its relatives" {
	names_table <<-'END'
	in   | one two
	all  | gcc -g -O1 -c a.c
	all  | gcc -g -c "$W/a.c" -o b.o
	all  | gcc -g1 -O1 -c a.c
	all  | gcc -g3 -O1 -c a.c
	all  | gcc -ggdb -O1 -c a.c
	own  | gcc -gdwarf-4 -O1 -c a.c
	all  | gcc -gdwarf-5 -O1 -c a.c
	all  | gcc -gz -O1 -c a.c
	all  | gcc -gz=zlib -O1 -c a.c
	all  | gcc -g -g0 -O1 -c a.c
	all  | gcc -gno-column-info -O1 -c a.c
	own  | gcc -gstatement-frontiers -O1 -c a.c
	END
}

# bats test_tags=long
@test "debug: without -g directories share" {
	names_table <<-'END'
	in   | one two
	all  | gcc -O2 -c a.c
	all  | gcc -g -g0 -c a.c
	all  | gcc -gz -c a.c
	all  | gcc -gz=zlib -c a.c
	# Another header in the other directory.
	two/a.h | #define A 2
	hit miss | gcc -O2 -c a.c
	END
}

# bats test_tags=check
@test "debug: -gsplit-dwarf, .dwo beside the object" {
	names_table <<-'END'
	in    | one two
	own   | gcc -g -gsplit-dwarf -c a.c
	obj/x | a directory
	own   | gcc -g -gsplit-dwarf -c a.c -o obj/x.o
	own   | gcc -g -gsplit-dwarf -c a.c -o noext
	own   | gcc -g -gsplit-dwarf -c a.c -o two.dots.o
	own   | gcc -g1 -gsplit-dwarf -c a.c
	own   | gcc -gsplit-dwarf -g0 -c a.c
	END
}

# bats test_tags=long
@test "debug: prefix maps, recorded switches" {
	names_table <<-'END'
	in        | one two
	all       | gcc -g "-fdebug-prefix-map=$PWD=/src" -c a.c
	own       | gcc -g "-ffile-prefix-map=$C=." -c "$PWD/a.c"
	own       | gcc -g "-fmacro-prefix-map=$C=." -c "$PWD/a.c"
	# A map that fits one directory only.
	hit miss  | gcc -g "-fdebug-prefix-map=$C/one=/src" -c a.c
	in        | one
	miss      | gcc -frecord-gcc-switches -O1 -c a.c
	miss      | gcc -frecord-gcc-switches -O1 -DX -c a.c
	miss      | gcc -g -grecord-gcc-switches -c a.c
	hit       | gcc -g -grecord-gcc-switches -c a.c
	END
}

# bats test_tags=check
@test "debug: PWD through a link, unset, relative, wrong" {
	names_table <<-'END'
	in   | one
	miss | gcc -g -c a.c
	any  | ln -sfn "$PWD" ../alias; cd ../alias && gcc -g -c a.c
	hit  | ln -sfn "$PWD" ../alias; cd ../alias && gcc -g -c a.c
	any  | ln -sfn "$PWD" ../alias; p=$PWD; cd ../alias && PWD=$p gcc -g -c a.c
	hit  | ln -sfn "$PWD" ../alias; p=$PWD; cd ../alias && PWD=$p gcc -g -c a.c
	any  | ln -sfn "$PWD" ../alias; cd ../alias && unset PWD && exec gcc -g -c a.c
	hit  | cd ../one && gcc -g -c a.c
	any  | env -u PWD gcc -g -c a.c
	any  | env PWD=. gcc -g -c a.c
	any  | env PWD=/ gcc -g -c a.c
	any  | env PWD=/no/such/place gcc -g -c a.c
	any  | env "PWD=$PWD/../one" gcc -g -c a.c
	END
}

@test "debug: what enters the directory: a linked program, assembler sources with -g" {
	names_table <<-'END'
	in   | one two
	m.c  | int a(int); int main(void) { return a(0); }
	miss part | gcc -g m.c a.c -o prog
	s.s  | .globl s\n.text\ns: ret
	own  | gcc -g -c s.s
	END
}

# bats test_tags=check
@test "debug: .loc in assembler text enters the directory; clang: as a section's first string" {
	need clang
	# Without -g as well.
	put l.c '__asm__(".file 1 \"g.y\"\n .loc 1 3 1");' 'int f(int a) { return a + 1; }'
	names_table <<-'END'
	in   | one two
	s.s  | .text\n.file 1 "x.c"\n.globl s\ns: .loc 1 1 0\nret
	own  | gcc -c s.s
	own  | gcc -Wa,--compress-debug-sections=zlib -c s.s
	own  | clang -c s.s
	own  | clang -Wa,--compress-debug-sections=zlib -c s.s
	own  | gcc -c l.c
	m.S  | .file 1 "g.y"\n.loc 1 3 1\nnop
	own  | gcc -c m.S
	own  | clang -c m.S
	# An object without a directory serves both directories.
	all  | gcc -c a.c
	END
}

# bats test_tags=check
@test "debug: clang -g from another directory" {
	need clang
	names_table <<-'END'
	in   | one two
	own  | clang -g -c a.c
	all  | clang -O2 -c a.c
	own  | clang -g -gsplit-dwarf -c a.c
	END
}

# bats test_tags=long
@test "debug: the assembler's own -g" {
	names_table <<-'END'
	in   | one two
	s.s  | .globl s\n.text\ns: ret
	own  | gcc -Wa,-g -c s.s
	own  | gcc -Wa,--gdwarf-5 -c s.s
	own  | gcc -Xassembler -g -c s.s
	own  | gcc -Wa,--gen-debug -c s.s
	own  | as -g s.s -o s.o
	END
}

@test "debug: listings with the assembler's particulars" {
	# -ag writes the date and time.
	put one/s.s '.globl s' 's: ret'
	under as -ag=l1 one/s.s -o s.o
	grep -qi 'time stamp' l1
	rm s.o
	differential --cold any --warm any --filter '/time stamp/d' -- as -ag one/s.s -o s.o
	sleep 1
	under as -ag one/s.s -o s.o >l2
	! cmp -s <(grep -i 'time stamp' l2) <(grep -i 'time stamp' l1) ||
		fail "an old time was replayed"
}

@test "debug: -E -g and -fworking-directory name the directory" {
	names_table <<-'END'
	in   | one two
	own  | gcc -E -g a.c
	own  | gcc -E -fworking-directory a.c
	END
}

# bats test_tags=check
@test "debug: diagnostics that name the directory" {
	need clang
	# Each gcc version knows some of these options.
	names_table <<-'END'
	in   | one two
	w.c  | int f(void) { int unused; return 0; }
	any  | gcc -fdiagnostics-format=json -Wall -c w.c
	any  | gcc -fdiagnostics-format=json-stderr -Wall -c w.c
	any  | gcc -fdiagnostics-format=sarif-stderr -Wall -c w.c
	any  | gcc -fdiagnostics-absolute-paths -Wall -c w.c
	any  | clang -fdiagnostics-absolute-paths -Wall -c w.c
	END
}

# bats test_tags=long
@test "debug: clang's embedded command lines, -MJ, -ffile-compilation-dir" {
	need clang
	names_table <<-'END'
	in   | one two
	any  | clang -fembed-bitcode -c a.c
	any  | clang -frecord-command-line -c a.c
	any  | clang -MJ a.json -c a.c
	all  | clang -ffile-compilation-dir=/x -c a.c
	all  | clang -emit-llvm -c a.c
	any  | clang -fembed-bitcode=marker -c a.c
	END
}

# bats test_tags=long
@test "debug: sanitizers and asserts contain the source's name, not the directory" {
	names_table <<-'END'
	in   | one two
	s.c  | #include <assert.h>\nint g[4]; int f(int i) { assert(i < 4); return g[i]; }
	all  | gcc -fsanitize=address -O1 -c s.c
	all  | gcc -fsanitize=undefined -O1 -c s.c
	all  | gcc -fsanitize=thread -O1 -c s.c
	all  | gcc -DX -O1 -c s.c
	END
}
