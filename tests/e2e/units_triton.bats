#!/usr/bin/env bats
# Triton's kernel directories, compiled by the real Triton and ptxas without a GPU. They are laid
# complete where Triton looks for them, with the paths of that place. They come from the local
# store, a sibling device's directory, or Redis.

load units_suite

setup() {
	load units_lib
	units_setup
	need_triton
	triton_kernels_py
}

# bats test_tags=check
@test "units: kernels in an empty directory are those of the job before, file by file" {
	unit_job cold under kernels.py 128,256,1024
	tree "$ROOT/fw/triton" >"$ROOT/cold.tree"
	drain
	[ "$(stat_of packed_triton)" = 3 ] || fail "packed: $(stat_of packed_triton) $(cat "$LOG")"
	units_wipe
	local before
	before=$(stat_of misses)
	unit_job warm under kernels.py 128,256,1024
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	tree "$ROOT/fw/triton" >"$ROOT/warm.tree"
	diff "$ROOT/cold.tree" "$ROOT/warm.tree"
	[ "$(stat_of brought_triton)" = 3 ]
	[ "$(stat_of misses)" = "$before" ] || fail "a tool ran"
	# A laid unit is not offered again.
	[ "$(stat_of units_offered)" = 3 ]
	units_clean
}

# bats test_tags=check
@test "units: a kernel laid below another root names that root" {
	unit_job cold under kernels.py 128
	drain
	JOB_ENV=(TRITON_CACHE_DIR="$ROOT/fw/élsewhere \"quoted\"/triton")
	unit_job warm under kernels.py 128
	[ "$(stat_of brought_triton)" = 1 ]
	"$PY" - "$ROOT/fw" <<-'END'
	import glob, json, os, sys
	v = glob.glob(sys.argv[1] + "/*quoted*/triton/*/__grp__*.json")
	assert len(v) == 1, v
	d = json.load(open(v[0]))["child_paths"]
	assert (d and all(os.path.dirname(p) == os.path.dirname(v[0]) and os.path.exists(p)
	                  for p in d.values())), d
	END
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	units_clean
}

# bats test_tags=check
@test "units: a kernel that a sibling device has is copied from there" {
	JOB_ENV=(TRITON_CACHE_DIR="$ROOT/fw/triton/0")
	unit_job one under kernels.py 128
	JOB_ENV=(TRITON_CACHE_DIR="$ROOT/fw/triton/1")
	unit_job two under kernels.py 128
	cmp "$ROOT/one.out" "$ROOT/two.out"
	[ "$(stat_of brought_triton)" = 1 ]
	tree "$ROOT/fw/triton/0" >"$ROOT/a"
	tree "$ROOT/fw/triton/1" >"$ROOT/b"
	diff "$ROOT/a" "$ROOT/b"
	units_clean
}

# bats test_tags=check
@test "units: kernels that ranks compile at once, each for its device, are compiled by one rank" {
	local i
	for i in 0 1 2; do
		JOB_ENV=(TRITON_CACHE_DIR="$ROOT/fw/triton/$i" RANK=$i WORLD_SIZE=3 LOCAL_RANK=$i
			LOCAL_WORLD_SIZE=3)
		unit_job "rank$i" under kernels.py 128,256,512,1024 &
	done
	wait
	for i in 1 2; do
		cmp "$ROOT/rank0.out" "$ROOT/rank$i.out"
		diff <(tree "$ROOT/fw/triton/0") <(tree "$ROOT/fw/triton/$i")
	done
	# Each compile starts ptxas. Misses would not show a second compile: its ptxas is a hit.
	[ "$(reprise explain 100 | grep -c -- '--gpu-name=')" = 4 ] || fail "$(reprise explain 100)"
	[ "$(stat_of brought_triton)" = 8 ]
	units_clean
}

# bats test_tags=long
@test "units: another node finds kernels in Redis" {
	units_two_nodes
	unit_job cold under kernels.py 128,256
	drain
	on b
	units_wipe
	unit_job warm under kernels.py 128,256
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	[ "$(stat_of brought_triton)" = 2 ]
	[ "$(stat_of misses)" = 0 ]
	units_clean
}

# bats test_tags=check
@test "units: a kernel directory that is not empty, or cannot be written, is left to Triton" {
	unit_job cold under kernels.py 128
	drain
	local dir
	dir=$(dirname "$(find "$ROOT/fw/triton" -name '__grp__*')")
	rm "$dir"/__grp__*
	unit_job warm under kernels.py 128
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	[ "$(stat_of brought_triton)" = 0 ]
	units_clean
}

# bats test_tags=long
@test "units: eight processes that look for the same kernels at once" {
	unit_job cold under kernels.py 128,256
	drain
	units_wipe
	local i
	for i in 1 2 3 4 5 6 7 8; do
		unit_job "p$i" under kernels.py 128,256 &
	done
	wait
	for i in 1 2 3 4 5 6 7 8; do cmp "$ROOT/cold.out" "$ROOT/p$i.out"; done
	! find "$ROOT/fw/triton" -name '.reprise*' | grep . || fail "temporary files are left"
	units_clean
}

# bats test_tags=check
@test "units: a damaged parcel is refused, and Triton compiles" {
	unit_job cold under kernels.py 128
	drain
	units_wipe
	local f
	f=$(find "$STORE/unit" -type f)
	printf 'XXXX' | dd of="$f" bs=1 seek=300 conv=notrunc status=none
	unit_job warm under kernels.py 128
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	[ "$(stat_of brought_triton)" = 0 ]
	[ "$(stat_of corrupt)" = 1 ]
	units_clean
}

@test "units: explain names the unit, its scope and why it was not there" {
	unit_job cold under kernels.py 128
	reprise explain 50 >"$ROOT/explain"
	grep -q 'triton' "$ROOT/explain"
	grep -q 'no store has a unit of this name and scope' "$ROOT/explain"
	grep -q '^  shared by everybody$' "$ROOT/explain"
	grep -q '^  class triton, pid ' "$ROOT/explain"
	grep -q '^    the local store does not have it$' "$ROOT/explain"
}

# docs/frameworks.md
# bats test_tags=check
@test "units: an edit that Triton's key does not see: the old kernel is laid, not without class" {
	put cfg.py 'N = 4'
	cat >reads.py <<-'END'
	import triton, triton.language as tl, cfg
	from triton.backends.compiler import GPUTarget
	@triton.jit
	def k(x, o):
	    tl.store(o, tl.load(x) + cfg.N)
	c = triton.compile(triton.compiler.ASTSource(fn=k, signature={"x": "*fp32", "o": "*fp32"}),
	                   target=GPUTarget("cuda", 90, 32))
	print([l.split()[3] for l in c.asm["ttir"].splitlines() if "arith.constant" in l])
	END
	unit_job cold under reads.py
	drain
	units_wipe
	put cfg.py 'N = 8'
	rm -rf __pycache__
	unit_job stale under reads.py
	cmp "$ROOT/cold.out" "$ROOT/stale.out" ||
		fail "Triton's key covers it now: docs/frameworks.md says otherwise"
	units_wipe
	unit_job plain plain reads.py
	units_wipe
	JOB_ENV=(REPRISE_CLASSES=all,-triton)
	unit_job anew under reads.py
	cmp "$ROOT/plain.out" "$ROOT/anew.out"
	units_clean
}
