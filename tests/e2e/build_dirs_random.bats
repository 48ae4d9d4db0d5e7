#!/usr/bin/env bats
# Builds in random directories, drawn anew in each run.

setup() {
	load lib
	load names_lib
	case_setup
}
teardown() { case_teardown; }

random() { LC_ALL=C tr -dc "$1" </dev/urandom | head -c "$2"; }

# package SOURCE ENV: a module, and the environment in which its build finds headers. A function of
# the header is emitted, so debug information names the header's directory.
package() {
	put "$1/src/mod.c" '#include <numpy/npy.h>' '#include <string.h>' \
		'int mod(const char *s) { return npy((int) strlen(s)) + __LINE__; }'
	put "$2/include/numpy/npy.h" '#pragma once' \
		'static int __attribute__((noinline)) npy(int x) { return x * x + 1; }'
}

# build SOURCE ENV FLAGS: as setuptools compiles and links, in SOURCE. Both files equal plain ones.
# LINKS counts the links that hit.
build() {
	local before
	cd "$1"
	mkdir -p build
	under gcc -DNDEBUG $3 -fwrapv -O2 -Wall -fPIC "-I$2/include" -c src/mod.c -o build/mod.o
	gcc -DNDEBUG $3 -fwrapv -O2 -Wall -fPIC "-I$2/include" -c src/mod.c -o "$ROOT/want.o"
	cmp build/mod.o "$ROOT/want.o" || fail "$1 $2 $3"
	before=$(hits)
	under gcc -shared $3 -Wl,-O1 build/mod.o -o build/mod.so
	LINKS=$((LINKS + $(hits) - before))
	mv build/mod.so "$ROOT/got.so"
	gcc -shared $3 -Wl,-O1 build/mod.o -o build/mod.so
	cmp build/mod.so "$ROOT/got.so" || fail "$1 $2 $3: the link"
	cd "$W"
	rm -r "$1" "$2"
}

# isolated KIND FLAGS: three builds. The second and third hit.
isolated() {
	local n s e word='a-z0-9_' id='a-zA-Z0-9' LINKS=0
	for n in 1 2 3; do
		case $1 in
		pip-source)
			s=$TMPDIR/pip-install-$(random $word 8)/mod_$(random 0-9a-f 12)4$(random \
				0-9a-f 3)a$(random 0-9a-f 15)
			e=$TMPDIR/pip-build-env-$(random $word 8)/overlay
			;;
		meson)
			s=$W/project/.mesonpy-$(random $word 8)
			e=$TMPDIR/build-env-$(random $word 8)
			;;
		words)
			s=$TMPDIR/.tmp-propcache-pep517-$(random a-z 8)
			e=$TMPDIR/build-via-sdist-$(random a-z 8)
			;;
		pip)
			s=$TMPDIR/pip-req-build-$(random $word 8)
			e=$TMPDIR/pip-build-env-$(random $word 8)
			;;
		build) s=$W/project e=$TMPDIR/build-env-$(random $word 8) ;;
		uv-sdist)
			s=/srv/$$.uv/sdists-v9/proj/$(random A-Z 2)$(random a-zA-Z_- 18)q/src
			e=/srv/$$.uv/builds-v0/.tmp$(random $id 6)
			;;
		uv-archive) s=$W/project e=/srv/$$.uv/archive-v0/Za$(random ${id}_- 19) ;;
		editable) s=$W/project e=$TMPDIR/tmp$(random $word 8).build-temp ;;
		esac
		package "$s" "$e"
		age
		build "$s" "$e" "$2" || return 1
		[ $(($(hits) - LINKS)) = $((n - 1)) ] ||
			{ fail "$1 $2: build $n: $(hits) hits"; return 1; }
	done
	[ $LINKS = 2 ] || { fail "$1 $2: $LINKS links hit"; return 1; }
	reprise clear --yes >/dev/null
	reprise stats --zero >/dev/null
	rm -rf "/srv/$$.uv"
}

# bats test_tags=check
@test "build_dirs_random: isolated builds of Python packages hit" {
	local kind
	for kind in pip pip-source build editable meson words; do isolated $kind ""; done
}

# bats test_tags=check
@test "build_dirs_random: isolated builds hit with -g, from a random working directory as well" {
	local kind
	for kind in pip pip-source build editable meson words; do isolated $kind -g; done
}

@test "build_dirs_random: uv's directories are random wherever its cache lies" {
	need_root "to write to /srv"
	local kind
	for kind in uv-sdist uv-archive; do
		isolated $kind ""
		isolated $kind -g
	done
}

# first_string OBJECT: of the two that gcc -g writes in an order that depends on directories.
first_string() { readelf -p .debug_line_str "$1" 2>&1 | sed -n '3s/.* //p'; }

# cmake EXPECT CMD...: CMD compiles src/mod.c below one random directory, in another one, until gcc
# has written its strings in both orders. EXPECT says what the first start of the second order is.
# All others but the first one hit. MAPS: prefix maps for the shell, of $s, $b and $e.
cmake() {
	local want=$1 s b e first='' order orders='' before maps
	shift
	while [ "$orders" != "name directory" ]; do
		s=$TMPDIR/pip-req-build-$(random a-z0-9_ 8) b=$TMPDIR/tmp$(random a-z0-9_ 8)
		e=$TMPDIR/build-env-$(random a-z0-9_ 8)
		package "$s" "$e"
		[ -z "$TEXT" ] || echo "$TEXT" >>"$s/src/mod.c"
		mkdir -p "$b/build"
		age
		cd "$b/build"
		eval "maps=(${MAPS-})"
		"$@" "${maps[@]}" -I"$e/include" -c "$s/src/mod.c" -o mod.o
		mv mod.o "$ROOT/want.o"
		cp mod.d "$ROOT/want.d" 2>/dev/null || :
		order=directory
		[[ $(first_string "$ROOT/want.o") != *mod.c ]] || order=name
		before=$(hits)
		under "$@" "${maps[@]}" -I"$e/include" -c "$s/src/mod.c" -o mod.o
		cmp mod.o "$ROOT/want.o" || { fail "$*: $order first"; return 1; }
		[ ! -e mod.d ] || cmp mod.d "$ROOT/want.d" || { fail "$*: mod.d"; return 1; }
		case " $orders " in
		*" $order "*) [ $(($(hits) - before)) = 1 ] || { fail "$*: no hit"; return 1; } ;;
		*)
			[ -z "$orders" ] || [ $(($(hits) - before)) = $want ] ||
				{ fail "$*: no $want hits in the other order"; return 1; }
			orders=$(printf '%s\n' $orders $order | sort -r | tr '\n' ' ')
			orders=${orders% }
			;;
		esac
		cd "$W"
		rm -r "$s" "$b" "$e"
	done
	reprise clear --yes >/dev/null
}

# bats test_tags=check
@test "build_dirs_random: -g, random directories of source and build, in either order of strings" {
	local TEXT=
	cmake 1 gcc -g -O2 -fPIC
	cmake 1 g++ -g3 -MD -MF mod.d
	TEXT='void f(void) { __asm__ volatile ("nop" ::: "memory"); }'
	cmake 1 gcc -g
	# The text can refer to these strings.
	TEXT='__asm__(".text");'
	cmake 0 gcc -g
}

# bats test_tags=check
@test "build_dirs_random: -g, and one of the random directories has a prefix map" {
	local TEXT= MAPS
	MAPS='"-ffile-prefix-map=$s=."'
	cmake 1 gcc -g -O2
	MAPS='"-fdebug-prefix-map=$b=/b" "-fdebug-prefix-map=$b/=/build-"'
	cmake 1 g++ -g3 -MD -MF mod.d
}

# bats test_tags=check
@test "build_dirs_random: prefix maps of several random directories" {
	local n s b e maps was CC
	was='"-ffile-prefix-map=$s=." "-ffile-prefix-map=$b=/b" "-ffile-prefix-map=$e=."'
	for CC in 'gcc -O2' 'gcc -g' 'g++ -g3 -gdwarf-4' 'clang -g'; do
		for n in 1 2 3; do
			s=$TMPDIR/pip-req-build-$(random a-z0-9_ 8) b=$TMPDIR/tmp$(random a-z0-9_ 8)
			e=$TMPDIR/build-env-$(random a-z0-9_ 8)
			package "$s" "$e"
			# clang may spell a place unmapped.
			[[ $CC == clang* ]] ||
				echo 'const char *file(void) { return __FILE__; }' >>"$s/src/mod.c"
			mkdir -p "$b/build"
			age
			cd "$b/build"
			eval "maps=($was)"
			$CC "${maps[@]}" "-I$e/include" -c "$s/src/mod.c" -o mod.o
			mv mod.o "$ROOT/want.o"
			under $CC "${maps[@]}" "-I$e/include" -c "$s/src/mod.c" -o mod.o
			cmp mod.o "$ROOT/want.o" || fail "$CC"
			cd "$W"
			rm -r "$s" "$b" "$e"
		done
		[ "$(hits)" = 2 ] || fail "$CC: $(hits) hits of 2"
		reprise clear --yes >/dev/null
		reprise stats --zero >/dev/null
	done
}

@test "build_dirs_random: clang -g in a random working directory" {
	local n s
	for n in 1 2 3; do
		s=$TMPDIR/pip-req-build-$(random a-z0-9_ 8)
		put "$s/src/a.c" 'int a(int number) { return number + 1; }'
		age
		cd "$s"
		under clang -g -c src/a.c -o a.o
		clang -g -c src/a.c -o want.o
		cmp a.o want.o || fail "$s"
		cd "$W"
		rm -r "$s"
	done
	[ "$(hits)" = 2 ] || fail "$(hits) hits of 2"
}
