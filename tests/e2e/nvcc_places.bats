#!/usr/bin/env bats
# nvcc from another directory: what the second one shares, and what follows its path.
# parameter E2E_NVCC: installed wheel

setup() {
	load lib
	load cuda
	cuda_setup
}
teardown() { case_teardown; }

# Like torch's builds of extensions: machine code alone. PTX, and machine code of -rdc, is
# compressed; hashes inside cannot be exchanged.
SM80='-gencode arch=compute_80,code=sm_80'

# hidden FILE [LETTERS]: kernels and a variable whose symbols hold a hash of the source's path.
hidden() {
	put "$1" "namespace { __device__ int v$2; __global__ void h$2(int *p) { *p = v$2; } }" \
		"void l$2(int *p) { h$2<<<1, 1>>>(p); }"
}

# placed DIRECTORY OBJECTS CMD...: CMD in DIRECTORY, under Reprise and without. The objects are
# equal but for the pid.
placed() {
	local o objects=$2
	cd "$1"
	shift 2
	rm -f $objects
	under "$@" || fail "$*"
	for o in $objects; do LC_ALL=C sed -E "$XFT" "$o" >"$o.ours"; done
	"$@"
	for o in $objects; do
		LC_ALL=C sed -E -i "$XFT" "$o"
		cmp "$o" "$o.ours" || fail "$PWD: $o"
	done
	cd "$W"
}
nvcc_hits() { grep -c ' nvcc: hit' "$LOG" || true; }

# bats test_tags=check
@test "nvcc: generated directories: one compile, then hits" {
	local d i before
	for i in 1 2; do
		d=$(temp_name)
		mkdir "$d"
		cp a.cu "$d/"
		age
		before=$(grep -c 'nvcc: hit' "$LOG" 2>/dev/null || true)
		(
			cd "$d" && under nvcc $SM80 -c "$d/a.cu" -o "$d/a.o" &&
				nvcc $SM80 -c "$d/a.cu" -o real.o &&
				LC_ALL=C sed -E -i "$XFT" a.o real.o && cmp a.o real.o
		)
		[ $i = 1 ] || [ "$(grep -c 'nvcc: hit' "$LOG")" -gt "${before:-0}" ] ||
			fail "no hit in directory $i"
		rm -r "$d"
	done
}
# bats test_tags=long
@test "nvcc: another checkout by REPRISE_BASE_DIRS" {
	local i
	mkdir "$ROOT/one" "$ROOT/two" "$ROOT/six"
	for i in one two six; do
		mkdir "$ROOT/$i/inc"
		echo '#define S 4.0f' >"$ROOT/$i/inc/s.h"
		sed '1i#include "s.h"' a.cu | sed 's/2.0f/S/' >"$ROOT/$i/a.cu"
	done
	put b.cu 'namespace { __global__ void h(int *p) { *p = 1; } }' \
		'void lb(int *p) { h<<<1, 1>>>(p); }'
	age
	for i in one two six; do
		cp b.cu "$ROOT/$i/"
		(cd "$ROOT/$i" && for s in a b; do
			under env REPRISE_BASE_DIRS="$ROOT/$i" nvcc $SM80 -I"$ROOT/$i/inc" \
				-c "$ROOT/$i/$s.cu" -o "$ROOT/$i/$s.o"
			nvcc $SM80 -I"$ROOT/$i/inc" -c "$ROOT/$i/$s.cu" -o real.o
			LC_ALL=C sed -E -i "$XFT" $s.o real.o
			cmp $s.o real.o || exit 1
		done) || fail "$i"
	done
	# One compile each. In one of them the hash of the path is exchanged.
	[ "$(grep -c 'nvcc: hit' "$LOG")" = 4 ] || fail "$(grep 'nvcc:' "$LOG")"
}
# bats test_tags=check
@test "nvcc: absolute names, and no base directories" {
	local d
	for d in one second; do
		put "$ROOT/$d/inc/s.h" '#define S 4.0f'
		sed '1i#include "s.h"' a.cu | sed 's/2.0f/S/' >"$ROOT/$d/a.cu"
	done
	age
	for d in one second; do
		placed "$ROOT/$d" a.o nvcc $SM80 -I"$ROOT/$d/inc" -c "$ROOT/$d/a.cu" -o a.o
	done
	[ "$(nvcc_hits)" = 1 ] || fail "no hit in the second: $(grep 'nvcc:' "$LOG")"
	# A project outside the source's directory: its -I stays a path.
	mv "$ROOT/second/inc" "$ROOT/third"
	placed "$ROOT/second" a.o nvcc $SM80 -I"$ROOT/third" -c "$ROOT/second/a.cu" -o a.o
	[ "$(nvcc_hits)" = 1 ] || fail "a hit: $(grep 'nvcc:' "$LOG")"
	# The device steps see no path.
	[ "$(grep -c ' ptxas: hit' "$LOG")" = 1 ] || fail "$(grep 'ptxas:' "$LOG")"
}
# bats test_tags=long
@test "nvcc: another checkout whose base only the working directory shows" {
	local d
	put b.cu 'namespace { __global__ void h(int *p) { *p = 1; } }' \
		'void lb(int *p) { h<<<1, 1>>>(p); }'
	for d in one second six; do
		mkdir "$ROOT/$d"
		cp a.cu b.cu "$ROOT/$d/"
	done
	age
	for d in one second six one; do
		(cd "$ROOT/$d" && for s in a b; do
			under env REPRISE_BASE_DIRS="$ROOT/$d" nvcc -c $s.cu
			nvcc -c $s.cu -o real.o
			LC_ALL=C sed -E -i "$XFT" $s.o real.o
			cmp $s.o real.o || exit 1
		done) || fail "$d"
	done
}
# bats test_tags=check
@test "nvcc: a source in a generated directory is not free because nvcc's own names are" {
	local d
	put k.cu 'namespace { __device__ int v; __global__ void k(int *p) { *p = v; } }' \
		'void l(int *p) { k<<<1, 1>>>(p); }'
	for d in tmpaaaaaaaa tmpbbbbbbbb; do
		mkdir "$TMPDIR/$d"
		cp k.cu "$TMPDIR/$d/"
	done
	age
	for d in tmpaaaaaaaa tmpaaaaaaaa tmpbbbbbbbb tmpaaaaaaaa; do
		(
			cd "$TMPDIR/$d" && under nvcc -cubin k.cu && mv k.cubin ours &&
				nvcc -cubin k.cu && cmp ours k.cubin
		) || fail "$d"
	done
}
# bats test_tags=check
@test "nvcc: another checkout whose symbols hold a hash of its path" {
	local d n=0
	hidden b.cu
	for d in one two; do
		mkdir "$ROOT/$d"
		cp b.cu "$ROOT/$d/"
	done
	age
	for d in one two; do
		REPRISE_BASE_DIRS=$ROOT/$d placed "$ROOT/$d" b.o nvcc $SM80 -c "$ROOT/$d/b.cu" \
			-o b.o
		n=$((n + 1))
		[ "$(nvcc_hits)" = $((n - 1)) ] || fail "$d: $(grep ' nvcc:' "$LOG")"
	done
	grep -q _GLOBAL__N__ "$ROOT/one/b.o"
	# The base is the working directory; no base directories are set.
	for d in one two; do placed "$ROOT/$d" b.o nvcc $SM80 -c b.cu; done
	[ "$(nvcc_hits)" = 2 ] || fail "$(grep ' nvcc:' "$LOG")"
	# Another length: the hash always has eight digits, and the object holds no name of the
	# path.
	mkdir "$ROOT/longer"
	cp b.cu "$ROOT/longer/"
	age
	placed "$ROOT/longer" b.o nvcc $SM80 -c b.cu
	[ "$(nvcc_hits)" = 3 ]
}
# bats test_tags=long
@test "nvcc: two sources in one command, whose hashes are exchanged each for its own" {
	local d
	hidden b.cu
	hidden c.cu c
	for d in one two six; do
		mkdir "$ROOT/$d"
		cp b.cu c.cu "$ROOT/$d/"
	done
	age
	for d in one two six; do
		REPRISE_BASE_DIRS=$ROOT/$d placed "$ROOT/$d" "b.o c.o" nvcc $SM80 \
			-c "$ROOT/$d/b.cu" "$ROOT/$d/c.cu"
	done
	[ "$(nvcc_hits)" = 2 ] || fail "$(grep ' nvcc:' "$LOG")"
	# One file under two names has one hash, even if two files had one hash each.
	for d in one two six; do
		mkdir "$ROOT/$d/e"
		ln "$ROOT/$d/b.cu" "$ROOT/$d/e/f.cu"
		[ $d = six ] || ln -sf e/f.cu "$ROOT/$d/f.cu"
	done
	cp "$ROOT/six/b.cu" "$ROOT/six/f.cu"
	age
	for d in one two six; do
		REPRISE_BASE_DIRS=$ROOT/$d placed "$ROOT/$d" f.o nvcc $SM80 -c "$ROOT/$d/f.cu" \
			"$ROOT/$d/e/f.cu"
	done
}
# bats test_tags=check
@test "nvcc: a package that pip builds in a generated directory" {
	local d dir
	hidden b.cu
	for d in k3x9q_ab 0vq1hz7e r_84mt2w; do
		dir=$TMPDIR/pip-install-$d/flash_attn_0123456789abcdef0123456789abcdef
		mkdir -p "$dir"
		cp b.cu "$dir/"
		age
		placed "$dir" b.o nvcc $SM80 -I"$dir" -c "$dir/b.cu" -o b.o
		rm -r "$TMPDIR/pip-install-$d"
	done
	[ "$(nvcc_hits)" = 2 ] || fail "$(grep ' nvcc:' "$LOG")"
}
# bats test_tags=long
@test "nvcc: a source that spells the hash of another checkout" {
	local d hash
	for d in one two six; do mkdir "$ROOT/$d"; done
	hash=$(python3 -c 'import sys, zlib; print("%08x" % zlib.crc32(sys.argv[1].encode()))' \
		"$(readlink -f "$ROOT/two")/b.cu")
	hidden b.cu
	echo "const char *s = \"$hash\";" >>b.cu
	for d in one two six; do cp b.cu "$ROOT/$d/"; done
	age
	for d in one two six; do
		REPRISE_BASE_DIRS=$ROOT/$d placed "$ROOT/$d" b.o nvcc $SM80 -c "$ROOT/$d/b.cu" \
			-o b.o
	done
	# The source spells the hash of another checkout. It is no name of the recorded run, and
	# stays.
	[ "$(nvcc_hits)" = 2 ]
}

# bats test_tags=long
@test "nvcc: a directory in PATH that the user may not look into" {
	need_root "a second user"
	for_user
	mkdir -m 700 "$ROOT/private"
	PATH=$ROOT/private:$PATH
	age
	as_user env "${RPENV[@]}" nvcc -c a.cu -o 1.o </dev/null
	cp 1.o 2.o
	as_user env "${RPENV[@]}" nvcc -c a.cu -o 1.o </dev/null
	[ "$(nvcc_hits)" = 1 ] || fail "not stored"
	cmp 1.o 2.o
}
