#!/usr/bin/env bats
# Compilers under other names: relocated toolchains whose real program has another name, behind a
# script, as conda, Nix, buildroot and people make them.

setup() {
	load lib
	load names_lib
	names_setup
	CC1=$(dirname "$(gcc -print-prog-name=cc1)")/
}
teardown() { case_teardown; }

# renamed NAME [PROGRAM]: a copy of the program (gcc) as bin/NAME.
renamed() {
	mkdir -p bin
	cp -L "$(type -P "${2-gcc}")" "bin/$1"
}

# bats test_tags=check
@test "renamed: gcc and g++ with words, versions and targets around the name" {
	local n
	for n in gcc-real gcc.orig .gcc-wrapped g++-12.bin x86_64-conda-linux-gnu-gcc \
		gcc.br_real; do
		case $n in g++*) renamed "$n" g++ ;; *) renamed "$n" ;; esac
		differential --makes a.o -- "bin/$n" "-B$CC1" -O1 -c a.c
	done
}

# bats test_tags=check
@test "renamed: other programs whose names hold one of a compiler are no tools" {
	local n
	for n in gcc-nm.real clang-format-14 c++filt.real ld-linux-x86-64.so.2 g++-mapper-server \
		nvcc-helper spirv-as cc65 protoc-gen-cpp; do
		renamed "$n" true
		differential --cold host -- "bin/$n" -c a.c
	done
}

@test "renamed: clang, and clang++ whose mode its name no longer shows" {
	need clang
	local resources
	resources=$(clang -print-resource-dir)
	put a.cc 'template <class T> T f(T x) { return x + 1; } int g(int x) { return f(x); }'
	renamed clang-19.real clang
	differential --makes a.o -- bin/clang-19.real -resource-dir "$resources" -O1 -c a.c
	renamed clang++.real clang
	differential --makes a.o -- bin/clang++.real -resource-dir "$resources" -O1 -c a.cc
	differential --makes a.o -- bin/clang++.real -resource-dir "$resources" -O1 -c a.c
}

@test "renamed: passes and binutils" {
	renamed cc1.real "$(gcc -print-prog-name=cc1)"
	differential --makes a.s -- bin/cc1.real -quiet -O1 a.c -o a.s
	put b.s '.globl b' 'b: ret'
	renamed x86_64-conda-linux-gnu-as as
	differential --makes b.o -- bin/x86_64-conda-linux-gnu-as b.s -o b.o
	as b.s -o b.o
	renamed .ld-wrapped ld
	differential --makes r.o -- bin/.ld-wrapped -r b.o -o r.o
}

# bats test_tags=check
@test "renamed: a script starts the real program: conda's, Nix's and a plain one" {
	renamed .gcc-wrapped
	renamed gcc-real
	put_script bin/plain '#!/bin/sh' "exec '$W/bin/gcc-real' '-B$CC1' \"\$@\""
	put_script bin/nix '#!/bin/bash -e' 'params=("$@") extraAfter=()' \
		'extraBefore=(-frandom-seed=a1b2c3 --param ssp-buffer-size=4)' \
		'for p in "${params[@]}"; do [[ $p != -c ]] || extraAfter+=(-fPIC); done' \
		"exec -a \"\$0\" '$W/bin/.gcc-wrapped' '-B$CC1' \"\${extraBefore[@]}\" \\" \
		'	"${params[@]}" "${extraAfter[@]}"'
	for n in plain nix; do
		differential --makes a.o -- "bin/$n" -O1 -c a.c
		in_temp tmpaaaaaaaa sh -c "'$W/bin/$n' -O2 -c \"\$PWD/a.c\" -I\"\$PWD\" -o a.o"
		in_temp tmpbbbbbbbb sh -c "'$W/bin/$n' -O2 -c \"\$PWD/a.c\" -I\"\$PWD\" -o a.o"
	done
	[ "$(hits)" = 4 ] || fail "$(hits) hits of two warm runs and two other directories"
}

@test "renamed: workers link one source at once, each in a directory of its own; later ones hit" {
	local i d n
	renamed gcc-real
	put_script bin/gcc '#!/bin/sh' "exec '$W/bin/gcc-real' '-B$CC1' \"\$@\""
	for n in 1 2; do
		for i in 1 2 3 4; do
			d=$(temp_name)
			mkdir "$d"
			cp -p a.c "$d/"
			[ "$n$i" != 11 ] || age
			(under bin/gcc "$d/a.c" -O3 -shared -fPIC -o "$d/m.so" "-I$d" &&
				mv "$d/m.so" "m.$n.$i" && rm -r "$d") &
		done
		wait
		[ "$n" = 2 ] || reprise stats --zero >/dev/null
	done
	gcc a.c -O3 -shared -fPIC -o want.so
	for i in 1.1 1.2 1.3 1.4 2.1 2.2 2.3 2.4; do cmp m.$i want.so; done
	[ "$(hits) $(stat_of misses)" = "4 0" ] || fail "$(hits) hits, $(stat_of misses) misses"
}

@test "renamed: -B: another program there is seen, and a relative one follows the directory" {
	renamed gcc-real
	mkdir one
	put_script one/as '#!/bin/sh' 'exec as "$@"'
	ln -s "$(gcc -print-prog-name=cc1)" one/cc1
	differential --cold any --warm any --makes a.o -- bin/gcc-real "-B$W/one/" -c a.c
	rm one/as
	again any
	put d/sub/x.c 'int x;'
	mkdir d/sub/p e e/sub
	cp d/sub/x.c e/sub/
	ln -s "$(gcc -print-prog-name=cc1)" d/sub/p/cc1
	differential --cd d/sub --makes d/sub/x.o -- gcc -Bp/ -c x.c
	differential --cd e/sub --cold any --warm any --makes e/sub/x.o -- gcc -Bp/ -c x.c
}

@test "renamed: conda's flags: two prefix maps, a pipe and a processor" {
	renamed x86_64-conda-linux-gnu-cc
	local flags=(-march=nocona -mtune=haswell -ftree-vectorize -fPIC -fstack-protector-strong
		-fno-plt -O2 -ffunction-sections -pipe -isystem "$HOME"
		"-fdebug-prefix-map=$W=/usr/local/src/conda/x-1.0"
		"-fdebug-prefix-map=$HOME=/usr/local/src/conda-prefix")
	differential --makes a.o -- bin/x86_64-conda-linux-gnu-cc "-B$CC1" "${flags[@]}" -c a.c
	differential --makes a.o -- bin/x86_64-conda-linux-gnu-cc "-B$CC1" "${flags[@]}" -g -c a.c
}
