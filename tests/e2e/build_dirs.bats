#!/usr/bin/env bats
# Directories with names of their own for each build: isolated builds of Python packages.

setup() {
	load lib
	load names_table
	case_setup
	# A function of the header is emitted, so debug information names the header's directory.
	put src/mod.c '#include <numpy/npy.h>' '#include <string.h>' \
		'int mod(const char *s) { return npy((int) strlen(s)) + __LINE__; }'
	put include/numpy/npy.h '#pragma once' \
		'static int __attribute__((noinline)) npy(int x) { return x * x + 1; }'
}
teardown() { case_teardown; }

# ./build SOURCE ENV [FLAG]: as setuptools compiles and links, in a directory SOURCE, with headers
# in ENV. Both are there during the build alone.
build_script() {
	put_script build '#!/bin/sh' 'here=$PWD s=$1 e=$2; shift 2; mkdir -p "$s/build" "$e"' \
		'cp -r src "$s" && cp -r include "$e" && sleep 0.03 && (cd "$s" &&' \
		'gcc -DNDEBUG "$@" -fwrapv -O2 -Wall -fPIC \' \
		'	-I"$e/include" -c src/mod.c -o build/mod.o &&' \
		'gcc -shared "$@" -Wl,-O1 build/mod.o -o build/mod.so && mv build/* "$here")' \
		'status=$?; rm -r "$s" "$e"; exit $status'
}

# bats test_tags=check
@test "build_dirs: isolated builds of Python packages hit: of pip, of build, editable ones" {
	build_script
	names_table <<-'END'
	in   | one
	miss | ./build $TMPDIR/pip-req-build-k3x9q_ab $TMPDIR/pip-build-env-ab_q9x3k
	hit  | ./build $TMPDIR/pip-req-build-0a1b2c3d $TMPDIR/pip-build-env-zz99yy88
	hit  | ./build $TMPDIR/pip-req-build-qwertyui $TMPDIR/pip-build-env-a_b_c_d_
	miss | ./build $TMPDIR/pip-req-build-k3x9q_ab $TMPDIR/pip-build-env-ab_q9x3k -g
	hit  | ./build $TMPDIR/pip-req-build-0a1b2c3d $TMPDIR/pip-build-env-zz99yy88 -g
	hit  | ./build $TMPDIR/pip-req-build-qwertyui $TMPDIR/pip-build-env-a_b_c_d_ -g
	in   | one
	miss | ./build $PWD/project $TMPDIR/build-env-k3x9q_ab
	hit  | ./build $PWD/project $TMPDIR/build-env-zz99yy88
	miss | ./build $PWD/project $TMPDIR/build-env-k3x9q_ab -g
	hit  | ./build $PWD/project $TMPDIR/build-env-zz99yy88 -g
	in   | one
	miss | ./build $PWD/project $TMPDIR/tmpk3x9q_ab.build-temp
	hit  | ./build $PWD/project $TMPDIR/tmpzz99yy88.build-temp
	miss | ./build $PWD/project $TMPDIR/tmpk3x9q_ab.build-temp -g
	hit  | ./build $PWD/project $TMPDIR/tmpzz99yy88.build-temp -g
	END
}

@test "build_dirs: uv's directories are random wherever its cache lies" {
	need_root "to write to /srv"
	build_script
	export UV=/srv/$$.uv
	names_table <<-'END'
	in   | one
	miss | ./build $UV/sdists-v9/proj/aB3dE5gH7jK9mN1pQ3s1q/src $UV/builds-v0/.tmpAbC123
	hit  | ./build $UV/sdists-v9/proj/Zx8cV6bN4mA2sD0fG1h1q/src $UV/builds-v0/.tmpzYx987
	miss | ./build $UV/sdists-v9/proj/aB3dE5gH7jK9mN1pQ3s1q/src $UV/builds-v0/.tmpAbC123 -g
	hit  | ./build $UV/sdists-v9/proj/Zx8cV6bN4mA2sD0fG1h1q/src $UV/builds-v0/.tmpzYx987 -g
	in   | one
	miss | ./build $PWD/project $UV/archive-v0/Za1bC3dE5gH7jK9mN1pQ3
	hit  | ./build $PWD/project $UV/archive-v0/Za1Zx8cV6bN4mA2sD0fG1
	miss | ./build $PWD/project $UV/archive-v0/Za1bC3dE5gH7jK9mN1pQ3 -g
	hit  | ./build $PWD/project $UV/archive-v0/Za1Zx8cV6bN4mA2sD0fG1 -g
	END
	rm -rf "$UV"
}

# The source is elsewhere: $S.
# bats test_tags=check
@test "build_dirs: a random directory of headers in assembly, -g3, -isystem" {
	export S=$ROOT/s
	mkdir "$S"
	mv src "$S"
	names_table <<-'END'
	in   | tmpab12cd34 tmpzz98yx76 tmp0a1b2c3d tmpqwertyui
	half | e=$PWD; cd $S && gcc -g3 -c -I$e/include src/mod.c -o m && mv m $e
	half | e=$PWD; cd $S && gcc -g -S -I$e/include src/mod.c -o m && mv m $e
	half | e=$PWD; cd $S && gcc -g1 -c -MD -isystem $e/include src/mod.c && mv mod.* $e
	half | e=$PWD; cd $S && gcc -g -O0 -c -isystem $e/include src/mod.c -o m && mv m $e
	# The working directory is the directory of headers, or one like it.
	any  | o=$TMPDIR/tmpother_12; cp -r . $o; cd include; gcc -g -I$o/include -c $S/src/mod.c \
		; rm -r $o
	any  | cd include && gcc -g -I$PWD -c $S/src/mod.c
	# A header that asks for its name.
	include/numpy/npy.h | static const char *npy_file(void) { return __FILE__; }\n \
		static int npy(int x) { return x + npy_file()[x] + sizeof __FILE__; }
	own  | e=$PWD; cd $S && gcc -g -c -I$e/include src/mod.c -o m && mv m $e
	END
}

# The table of directories holds such a directory once in one of the two starts, and twice in the
# other.
@test "build_dirs: -g, and a text that names the directory of another start" {
	local d
	for d in tmpab12cd34 tmpzz98yx76; do
		put $d/k.h 'static int k(int x) { return x; }'
		put $d/h.h 'static int h(int x) { return x + 1; }'
	done
	names_table <<-'END'
	in         | one
	c.c        | #include "@DIR@/tmpzz98yx76/k.h"\n#include <h.h>\n \
		int f(int x) { return h(x) + k(x); }
	tmpab12cd34/own.c | #include "@DIR@/tmpzz98yx76/k.h"\n#include "h.h"\n \
		int f(int x) { return h(x) + k(x); }
	tmpzz98yx76/own.c | #include "@DIR@/tmpzz98yx76/k.h"\n#include "h.h"\n \
		int f(int x) { return h(x) + k(x); }
	miss       | gcc -g -c c.c -I"$PWD/tmpab12cd34"
	miss:names | gcc -g -c c.c -I"$PWD/tmpzz98yx76"
	miss       | gcc -g -c "$PWD/tmpab12cd34/own.c"
	miss:names | gcc -g -c "$PWD/tmpzz98yx76/own.c"
	miss       | g++ -g -c c.c -I"$PWD/tmpab12cd34"
	miss:names | g++ -g -c c.c -I"$PWD/tmpzz98yx76"
	miss       | g++ -g -c "$PWD/tmpab12cd34/own.c"
	miss:names | g++ -g -c "$PWD/tmpzz98yx76/own.c"
	END
}

@test "build_dirs: -g, and a text that names the other one of REPRISE_BASE_DIRS" {
	local d
	for d in uno due; do
		put $d/src/k.h 'static int k(int x) { return x; }'
		put $d/src/h.h 'static int h(int x) { return x + 1; }'
		put $d/src/own.c '#include "h.h"' 'int f(int x) { return h(x); }'
	done
	names_table <<-'END'
	in         | one
	uno/src/c.c | #include "@DIR@/due/src/k.h"\n#include "h.h"\n \
		int f(int x) { return h(x) + k(x); }
	due/src/c.c | #include "@DIR@/due/src/k.h"\n#include "h.h"\n \
		int f(int x) { return h(x) + k(x); }
	miss       | REPRISE_BASE_DIRS=$PWD/uno:$PWD/due exec gcc -g -c "$PWD/uno/src/c.c"
	miss:names | REPRISE_BASE_DIRS=$PWD/uno:$PWD/due exec gcc -g -c "$PWD/due/src/c.c"
	miss       | REPRISE_BASE_DIRS=$PWD/uno:$PWD/due exec gcc -g -c "$PWD/uno/src/own.c"
	# A hit, where gcc happens to write the two strings in one order for both names.
	any        | REPRISE_BASE_DIRS=$PWD/uno:$PWD/due exec gcc -g -c "$PWD/due/src/own.c"
	hit        | REPRISE_BASE_DIRS=$PWD/uno:$PWD/due exec gcc -g -c "$PWD/due/src/own.c"
	END
}
