#!/usr/bin/env bats
# Compilers under other names: relocated toolchains whose real program has another name, behind a
# script, as conda, Nix, buildroot and people make them.

setup() {
	load lib
	load names_lib
	load names_table
	names_setup
	# Programs are copied to $B. A relocated gcc needs -B$CC1.
	export B=$ROOT/bin CC1
	CC1=$(dirname "$(gcc -print-prog-name=cc1)")/
}
teardown() { case_teardown; }

# renamed NAME [PROGRAM]: a copy of the program (gcc) as $B/NAME.
renamed() {
	mkdir -p "$B"
	cp -L "$(type -P "${2-gcc}")" "$B/$1"
}

# bats test_tags=check
@test "renamed: gcc and g++ with words, versions and targets around the name; conda's flags" {
	local n
	for n in gcc-real gcc.orig .gcc-wrapped x86_64-conda-linux-gnu-gcc gcc.br_real \
		x86_64-conda-linux-gnu-cc; do
		renamed "$n"
	done
	renamed g++-12.bin g++
	export CONDA="-march=nocona -mtune=haswell -ftree-vectorize -fPIC -fstack-protector-strong
		-fno-plt -O2 -ffunction-sections -pipe -isystem $HOME"
	export MAPS="-fdebug-prefix-map=$HOME=/usr/local/src/conda-prefix"
	MAPS+=" -fdebug-prefix-map=$ROOT/checkouts/one=/usr/local/src/conda/x-1.0"
	names_table <<-'END'
	in  | one
	all | $B/gcc-real -B$CC1 -O1 -c a.c
	all | $B/gcc.orig -B$CC1 -O1 -c a.c
	all | $B/.gcc-wrapped -B$CC1 -O1 -c a.c
	all | $B/g++-12.bin -B$CC1 -O1 -c a.c
	all | $B/x86_64-conda-linux-gnu-gcc -B$CC1 -O1 -c a.c
	all | $B/gcc.br_real -B$CC1 -O1 -c a.c
	all | $B/x86_64-conda-linux-gnu-cc -B$CC1 $CONDA $MAPS -c a.c
	all | $B/x86_64-conda-linux-gnu-cc -B$CC1 $CONDA $MAPS -g -c a.c
	END
}

@test "renamed: other programs whose names hold one of a compiler are no tools" {
	local n
	for n in gcc-nm.real clang-format-14 c++filt.real ld-linux-x86-64.so.2 g++-mapper-server \
		nvcc-helper spirv-as cc65 protoc-gen-cpp; do
		renamed "$n" true
	done
	names_table <<-'END'
	in      | one
	nothing | for program in $B/*; do $program -c a.c; done
	END
}

@test "renamed: clang, and clang++ whose mode its name no longer shows; passes and binutils" {
	need clang
	export RESOURCES
	RESOURCES=$(clang -print-resource-dir)
	put a.cc 'template <class T> T f(T x) { return x + 1; } int g(int x) { return f(x); }'
	put b.s '.globl b' 'b: ret'
	renamed clang-19.real clang
	renamed clang++.real clang
	renamed cc1.real "$(gcc -print-prog-name=cc1)"
	renamed x86_64-conda-linux-gnu-as as
	renamed .ld-wrapped ld
	as b.s -o b.o
	names_table <<-'END'
	in  | one
	all | $B/clang-19.real -resource-dir $RESOURCES -O1 -c a.c
	all | $B/clang++.real -resource-dir $RESOURCES -O1 -c a.cc
	all | $B/clang++.real -resource-dir $RESOURCES -O1 -c a.c
	all | $B/cc1.real -quiet -O1 a.c -o a.s
	all | $B/x86_64-conda-linux-gnu-as b.s -o c.o
	all | $B/.ld-wrapped -r b.o -o r.o
	END
}

@test "renamed: a script starts the real program: conda's, Nix's and a plain one" {
	renamed .gcc-wrapped
	renamed gcc-real
	put_script "$B/plain" '#!/bin/sh' "exec '$B/gcc-real' '-B$CC1' \"\$@\""
	put_script "$B/nix" '#!/bin/bash -e' 'params=("$@") extraAfter=()' \
		'extraBefore=(-frandom-seed=a1b2c3 --param ssp-buffer-size=4)' \
		'for p in "${params[@]}"; do [[ $p != -c ]] || extraAfter+=(-fPIC); done' \
		"exec -a \"\$0\" '$B/.gcc-wrapped' '-B$CC1' \"\${extraBefore[@]}\" \\" \
		'	"${params[@]}" "${extraAfter[@]}"'
	names_table <<-'END'
	in  | tmpaaaaaaaa tmpbbbbbbbb
	all | $B/plain -O1 -c a.c
	all | $B/plain -O2 -c "$PWD/a.c" -I"$PWD" -o a.o
	all | $B/nix -O1 -c a.c
	all | $B/nix -O2 -c "$PWD/a.c" -I"$PWD" -o a.o
	END
}

@test "renamed: workers link one source at once, each in a directory of its own; later ones hit" {
	local i d n
	renamed gcc-real
	put_script "$B/gcc" '#!/bin/sh' "exec '$B/gcc-real' '-B$CC1' \"\$@\""
	for n in 1 2; do
		for i in 1 2 3 4; do
			d=$(temp_name)
			mkdir "$d"
			cp -p a.c "$d/"
			[ "$n$i" != 11 ] || age
			(under "$B/gcc" "$d/a.c" -O3 -shared -fPIC -o "$d/m.so" "-I$d" &&
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
	put_script as '#!/bin/sh' 'exec as "$@"'
	ln -s "$(gcc -print-prog-name=cc1)" cc1
	names_table <<-'END'
	in   | one
	any  | mkdir p; cp -P as cc1 p; $B/gcc-real -Bp/ -c a.c
	any  | mkdir p; cp -P cc1 p; $B/gcc-real -Bp/ -c a.c
	# The first directory alone has a p/cc1.
	in   | d e
	d/p/here | yes
	miss any | [ ! -e p ] || cp -P cc1 p; gcc -Bp/ -c a.c
	END
}
