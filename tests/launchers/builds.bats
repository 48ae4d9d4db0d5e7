#!/usr/bin/env bats
# bats file_tags=check
# make, ninja and CMake behind reprise-run: without a compiler launcher.

bats_require_minimum_version 1.5.0

setup() {
	load ../e2e/lib
	case_setup
	need cmake ninja make
	put p/a.c 'int a(void) { return 1; }'
	put p/b.c 'int a(void);' 'int main(void) { return a(); }'
	put p/Makefile 'prog: a.o b.o' $'\tcc -o $@ $^' '%.o: $(S)/%.c' \
		$'\tcc -O2 -c $< -o $@'
	put p/CMakeLists.txt 'cmake_minimum_required(VERSION 3.10)' 'project(p C)' \
		'add_executable(prog a.c b.c)'
}
teardown() { case_teardown; }

# in_turn none|all COMMAND...: how many of its compiles are replayed. The program is what the first
# start built.
in_turn() {
	local want='reprise: ([1-9][0-9]*) of \1 compiles replayed'
	[ "$1" = all ] || want='reprise: 0 of [1-9][0-9]* compiles replayed'
	shift
	age
	run --separate-stderr env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		"$TOP/scripts/reprise-run" --job built "$@"
	[ "$status" = 0 ] || fail "$*: $output $stderr"
	grep -qE "$want" <<<"$stderr" || fail "$*: $stderr, not $want"
	[ -e b/prog ] || return 0
	[ -e first ] || cp b/prog first
	cmp b/prog first
}

# twice COMMAND...: in an empty build directory, always of one name. All is one job.
twice() {
	mkdir b
	in_turn none "$@"
	rm -r b && mkdir b
	in_turn all "$@"
	[ "$(reprise jobs | grep -c '^built ')" = 1 ] || fail "$(reprise jobs)"
}

@test "builds: make" { twice make -j2 -C b -f ../p/Makefile S=../p; }

# cmake_builds GENERATOR: what CMake tries is compiled, too.
cmake_builds() {
	local configure=(cmake -G "$1" -S p -B b)
	in_turn none "${configure[@]}"
	in_turn none cmake --build b -j2
	rm -r b
	in_turn all "${configure[@]}"
	in_turn all cmake --build b -j2
}

@test "builds: CMake and make" { cmake_builds 'Unix Makefiles'; }

@test "builds: CMake and ninja" {
	cmake_builds Ninja
	rm -r b
	cmake -G Ninja -S p -B b >/dev/null
	in_turn all ninja -C b
}

@test "builds: the recipe for CMake, in fresh directories" {
	local want
	mkdir "$ROOT/bin"
	ln -s "$TOP/scripts/reprise-run" "$ROOT/bin"
	age
	for want in 'reprise: 0 of [1-9][0-9]*' 'reprise: ([1-9][0-9]*) of \1'; do
		run --separate-stderr env REPRISE_CACHE_DIR="$STORE" \
			REPRISE_RUNTIME_DIR="$RUNTIME" PATH="$ROOT/bin:$PATH" \
			sh "$TOP/scripts/recipes/cmake.sh" built p b -G Ninja
		[ "$status" = 0 ] || fail "$output $stderr"
		[ "$(grep -cE "$want compiles replayed" <<<"$stderr")" = 2 ] || fail "$stderr"
		b/prog || [ $? = 1 ]
		rm -r b
	done
	[ "$(reprise jobs | grep -c '^built ')" = 1 ] || fail "$(reprise jobs)"
}

@test "builds: doctor through CMake" {
	run reprise doctor -- cmake -E env
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *'the preload arrived; gcc twice: miss, hit'* ]] || fail "$output"
}
