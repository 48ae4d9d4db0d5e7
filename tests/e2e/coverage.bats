#!/usr/bin/env bats
# Coverage and profiles. .gcno files and objects carry a stamp that differs between real runs.

setup() {
	load lib
	case_setup
	put main.c 'int main(int c, char **v) { if (c > 1) return 1;' \
		'for (int i = 0; i < 9; i++) c += i; return c == 0; }'
}
teardown() { case_teardown; }

NOTES='*.gcno *.o *.gcda'

@test "coverage: --coverage leaves .gcno beside the object" {
	differential --ignore "$NOTES" --makes "main.o main.gcno" -- gcc --coverage -c main.c
	mkdir obj
	differential --ignore "$NOTES" --makes "obj/x.o obj/x.gcno" -- \
		gcc --coverage -c main.c -o obj/x.o
}

@test "coverage: the object's .gcda path is the current directory's" {
	mkdir one two
	cp main.c one
	cp main.c two
	differential --cd one --ignore "$NOTES" -- gcc --coverage -c main.c
	again miss --cd two
	strings "$ROOT/r/warm.tree/two/main.o" | grep -q "/two/main.gcda"
}

@test "coverage: objects and notes of one replay fit together" {
	under gcc --coverage -c main.c
	rm main.o main.gcno
	under gcc --coverage -c main.c
	gcc --coverage main.o -o prog
	./prog || true
	[ -e main.gcda ]
	gcov main.c 2>&1 | grep -q 'Lines executed'
	! gcov main.c 2>&1 | grep -q 'stamp mismatch' || fail "the stamps differ"
}

@test "coverage: -fprofile-arcs and -ftest-coverage apart" {
	differential --ignore "$NOTES" -- gcc -fprofile-arcs -c main.c
	differential --ignore "$NOTES" --makes main.gcno -- gcc -ftest-coverage -c main.c
	differential --ignore "$NOTES" -- \
		gcc --coverage -fprofile-update=atomic -fprofile-abs-path -c main.c
}

@test "coverage: -fprofile-generate, with a directory" {
	differential --ignore "$NOTES" --makes main.o -- gcc -fprofile-generate -c main.c
	differential --ignore "$NOTES" --makes main.o -- gcc -fprofile-generate=prof -c main.c
	differential --ignore "$NOTES" --makes main.o -- gcc --coverage -fprofile-dir=prof -c main.c
}

profile() { # leaves main.gcda
	gcc -O1 -fprofile-generate -fprofile-update=single -c main.c
	gcc -fprofile-generate main.o -o prog
	./prog "$@" || true
	rm -f main.o prog
	[ -e main.gcda ]
}

@test "coverage: -fprofile-use: absent, present, changed" {
	differential -- gcc -O2 -Wmissing-profile -fprofile-use -c main.c
	profile
	again miss
	rm main.gcda
	profile one
	again miss
	rm main.gcda
	again hit
}

@test "coverage: -fprofile-use=DIR and =FILE, -fbranch-probabilities" {
	profile
	mkdir prof
	mv main.gcda prof
	differential --cold any -- gcc -O2 -fprofile-use=prof -c main.c
	differential --cold any -- gcc -O2 -fprofile-use=prof/main.gcda -c main.c
	rm prof/main.gcda
	again any
	profile one
	differential -- gcc -O2 -fbranch-probabilities -c main.c
	rm main.gcda
	again miss
}

# bats test_tags=check
@test "coverage: a profile changes where =FILE or =DIR leads" {
	mkdir prof
	profile
	mv main.gcda prof
	differential -- gcc -O2 -fprofile-use=prof/main.gcda -c main.c
	profile one
	mv main.gcda prof
	again miss
	need clang llvm-profdata
	merged() {
		put raw.txt main 0 1 "$1" '' && llvm-profdata merge raw.txt -o prof/default.profdata
	}
	merged 9
	differential -- clang -O2 -fprofile-use=prof -c main.c
	merged 4
	again miss
	rm prof/default.profdata
	again any --status 1
	put list fun:main
	differential -- clang -fprofile-instr-generate -fprofile-list=list -c main.c
	put list fun:other
	again miss
}

# bats test_tags=check
@test "coverage: directories of profiles, from another directory" {
	mkdir one two
	cp main.c one
	cp main.c two
	local o
	for o in -fprofile-generate -fprofile-generate=prof \
		'-fprofile-generate -fprofile-dir=prof' '--coverage -fprofile-dir=prof'; do
		differential --cd one --ignore "$NOTES" --cold any -- gcc $o -c main.c
		again miss --cd two
		cmp <(strings "$ROOT/r/plain.tree/two/main.o" | grep gcda) \
			<(strings "$ROOT/r/warm.tree/two/main.o" | grep gcda)
	done
}

@test "coverage: clang source coverage and instrumented profiles" {
	need clang
	differential --makes main.o -- clang -fprofile-instr-generate -fcoverage-mapping -c main.c
	mkdir one two
	cp main.c one
	cp main.c two
	differential --cd one -- clang -fprofile-instr-generate -fcoverage-mapping -c main.c
	again any --warm hit --cd two
}

@test "coverage: clang -fprofile-instr-use and -fprofile-sample-use" {
	need clang llvm-profdata
	put p.proftext main 0x0 1 9
	put raw.txt 'main' '0' '1' '9' ''
	llvm-profdata merge raw.txt -o p.profdata
	differential --cold any -- clang -O2 -fprofile-instr-use=p.profdata -c main.c
	put raw.txt 'main' '0' '1' '4' ''
	llvm-profdata merge raw.txt -o p.profdata
	again miss
	put s.prof 'main:100:10' ' 1: 10'
	differential --cold any -- clang -O2 -fprofile-sample-use=s.prof -c main.c
	put s.prof 'main:200:20' ' 1: 20'
	again miss
}

@test "coverage: clang --coverage" {
	need clang
	differential --ignore "$NOTES" --makes "main.o main.gcno" -- clang --coverage -c main.c
}
