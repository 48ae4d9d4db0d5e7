#!/usr/bin/env bats
# Link-time optimisation.

setup() {
	load lib
	case_setup
	put main.c 'int f(int); int main(void) { return f(0); }'
	put f.c 'static int h(int x) { return x * 3; } int f(int x) { return h(x); }'
}
teardown() { case_teardown; }

@test "lto: -flto -c has random section names; a replay is a valid object" {
	differential --ignore f.o --makes f.o -- gcc -O2 -flto -c f.c
	under gcc -O2 -flto -c f.c
	gcc -O2 -flto -c main.c
	gcc -O2 -flto main.o f.o -o prog
	./prog
}

@test "lto: -frandom-seed makes it equal" {
	differential --makes f.o -- gcc -O2 -flto -frandom-seed=7 -c f.c
	again miss -- gcc -O2 -flto -frandom-seed=8 -c f.c
}

@test "lto: link" {
	gcc -O2 -flto -c main.c f.c
	differential --makes prog -- gcc -O2 -flto main.o f.o -o prog
	differential --cold any --makes prog -- gcc -O2 -flto=auto main.o f.o -o prog
	differential --cold any --makes prog -- \
		gcc -O2 -flto=2 -flto-partition=balanced main.o f.o -o prog
}

@test "lto: an object of the link changes" {
	gcc -O2 -flto -c main.c f.c
	differential -- gcc -O2 -flto main.o f.o -o prog
	put f.c 'int f(int x) { return x + 1; }'
	gcc -O2 -flto -c f.c
	again miss
}

@test "lto: compile and link in one, shared" {
	differential --makes libf.so -- gcc -O2 -flto -shared -fPIC f.c -o libf.so
}

@test "lto: fat objects and archives" {
	differential --ignore f.o -- gcc -O2 -flto -ffat-lto-objects -c f.c
	gcc -O2 -flto -ffat-lto-objects -c f.c main.c
	gcc-ar rcs libf.a f.o
	differential --makes prog -- gcc -O2 -flto main.o libf.a -o prog
}

@test "lto: parallel link leaves nothing of its own behind" {
	gcc -O2 -flto -c main.c f.c
	differential --cold any --makes prog -- \
		gcc -O2 -flto=jobserver -flto-partition=max main.o f.o -o prog
	[ -z "$(ls -A "$TMPDIR")" ]
}

# bats test_tags=check
@test "lto: with make's jobserver, and without" {
	local link='gcc -O2 -flto -flto-partition=max main.o f.o -o prog' order
	# The text has two partitions: one alone would not be distributed.
	put f.c '__attribute__((noipa)) int f(int x) { return 3 * x; }'
	gcc -O2 -flto -c main.c f.c
	put with.mk "all:; +$link 2>&1"
	put ask.mk "all:; +${link/-flto /-flto=jobserver } 2>&1"
	for order in 'with without' 'without with'; do
		rm -rf "$STORE" "$RUNTIME"
		for order in $order; do
			case $order in
			with) differential --cold any --warm hit -- make -s -j2 -f with.mk ;;
			*) differential --cold any --warm hit -- sh -c "$link 2>&1" ;;
			esac
			cp "$ROOT/r/warm.out" "$ROOT/$order"
		done
	done
	! cmp -s "$ROOT/with" "$ROOT/without" ||
		fail "gcc says the same with a jobserver and without"
	# A jobserver that is announced, and whose descriptors are closed, counts as none.
	again hit --env 'MAKEFLAGS= -j2 --jobserver-auth=98,99'
	differential --cold any --warm hit -- make -s -j2 -f ask.mk
	# Without a jobserver of make, lto-wrapper starts its own make. Its jobserver is a FIFO
	# since 4.4.
	again any --warm hit -- make -s -f ask.mk
	again any --warm hit -- sh -c "${link/-flto /-flto=jobserver } 2>&1"
	again any --warm hit --env 'MAKEFLAGS= -j2 --jobserver-auth=98,99'
}

@test "lto: -save-temps at link" {
	gcc -O2 -flto -c main.c f.c
	differential --cold any --ignore '*.ltrans*.o' --makes prog -- \
		gcc -O2 -flto -save-temps main.o f.o -o prog
}

# bats test_tags=check
@test "lto: partitions of a link to another name begin with that name" {
	put main.c 'int f(int); int g(int); int main(void) { return f(0) + g(1); }'
	put f.c '__attribute__((noipa)) int f(int x) { return 3 * x; }'
	put g.c '__attribute__((noipa)) int g(int x) { return 5 * x; }'
	gcc -O2 -g -flto -c main.c f.c g.c
	local o
	# The partitions hold random section names.
	for o in '' -save-temps; do
		differential --cold any --warm any --ignore '*.ltrans*.o' --makes prog -- \
			gcc -O2 -g -flto -flto-partition=max $o main.o f.o g.o -o prog
		again any --makes q -- gcc -O2 -g -flto -flto-partition=max $o main.o f.o g.o -o q
		[ -z "$(find "$ROOT/r/warm.tree" -name 'prog*')" ] ||
			fail "$o: $(ls "$ROOT/r/warm.tree")"
		[ -z "$o" ] || [ -e "$ROOT/r/warm.tree/q.ltrans2.ltrans.s" ] ||
			fail "$o: no partitions"
	done
}

@test "lto: stack usage and call graph files, either order of the flags" {
	gcc -O2 -c main.c
	differential --ignore '*.o' --cold any -- gcc -O2 -flto -fstack-usage -c f.c
	differential --ignore '*.o' --cold any -- gcc -O2 -fstack-usage -flto=auto -c f.c
	differential --makes f.su -- gcc -O2 -flto -fno-lto -fstack-usage -c f.c
	differential --ignore '*.o' --cold any -- \
		gcc -O2 -fno-lto -fcallgraph-info=su,da -flto -c f.c
	differential --makes f.ci -- gcc -O2 -fcallgraph-info=su,da -flto -fno-lto -c f.c
	gcc -O2 -flto -c main.c f.c
	differential --cold any -- gcc -O2 -flto -fstack-usage main.o f.o -o prog
}

@test "lto: -g and other directories" {
	gcc -g -O2 -flto -c main.c f.c
	differential --makes prog -- gcc -g -O2 -flto main.o f.o -o prog
}

@test "lto: clang, full and thin" {
	need clang ld.lld
	differential --makes f.o -- clang -O2 -flto -c f.c
	differential --makes f.o -- clang -O2 -flto=thin -c f.c
	clang -O2 -flto=thin -c main.c f.c
	differential --cold any --makes prog -- clang -O2 -flto=thin -fuse-ld=lld main.o f.o -o prog
	clang -O2 -flto -c main.c f.c
	differential --makes prog -- clang -O2 -flto -fuse-ld=lld main.o f.o -o prog
}
