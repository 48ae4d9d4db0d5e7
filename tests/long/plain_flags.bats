#!/usr/bin/env bats
# The options that let no name through, by tools/drivers/gcc.c and tools/options/f_options.c. With
# each of them, gcc and clang make one object from directories of three names. An option that a
# compiler does not have shows nothing, and is counted.

setup() {
	load ../e2e/lib
	case_setup
	put a.c '#include <stdio.h>' 'static int s = 3;' 'int a(int *p, int n) {' \
		'for (int i = 0; i < n; i++) s += p[i]; printf("%d", s); return s; }'
	put a.cc '#include <vector>' 'namespace { struct q { int v = 2; virtual ~q() {} }; }' \
		'int a(std::vector<int> v) { q x; auto f = [&](int i) { x.v += i; };' \
		'for (int i : v) f(i); return x.v; }' 'static std::vector<int> g(3);'
	DIRS=("$ROOT/one" "$ROOT/eno" "$ROOT/another-much-longer-name")
	for d in "${DIRS[@]}"; do mkdir "$d" && cp a.c a.cc "$d/"; done
}
teardown() { case_teardown; }

flags() {
	sed -n 's/\\0"*/ /g; s/^\t"//; /^\t*[a-z].* $/p' "$TOP/tools/options/f_options.c" |
		tr -d '";' | tr ' ' '\n' | grep . | sed 's/^/-f/'
	printf '%s\n' -O3 -Os -pg -pipe -pthread -ansi -undef -w -Wall -Wextra -pedantic \
		-march=x86-64-v3 -mavx2 -frandom-seed=1 -g0 -Wa,--noexecstack
}

# with COMPILER SOURCE: counts options that are there; says those that let a name through.
with() {
	local f d there=0 none=0
	while read -r f; do
		case $f in *= | *-) none=$((none + 1)) && continue ;; esac
		for d in "${DIRS[@]}"; do
			(cd "$d" && "$1" -O2 "$f" -c "$d/$2" -o "$d/a.o") 2>"$d/err" ||
				{ none=$((none + 1)) && continue 2; }
		done
		there=$((there + 1))
		cmp -s "${DIRS[0]}/a.o" "${DIRS[1]}/a.o" &&
			cmp -s "${DIRS[0]}/a.o" "${DIRS[2]}/a.o" || { fail "$1 $f $2"; return 1; }
	done < <(flags)
	echo "# $1 $2: $there options, $none that take a value or are not there" >&3
	[ $there -gt 100 ]
}

@test "plain_flags: gcc" { with gcc a.c; }
@test "plain_flags: g++" { with g++ a.cc; }
@test "plain_flags: clang" { need clang && with clang a.c; }
@test "plain_flags: clang++" { need clang++ && with clang++ a.cc; }
