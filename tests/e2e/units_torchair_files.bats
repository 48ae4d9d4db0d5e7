#!/usr/bin/env bats
# TorchAir's compiled modules: their files and processes. Ranks, broken and withdrawn modules, GE's
# files beside them.

setup_file() {
	load units_lib
	load torchair_lib
	air_setup_file
}
setup() {
	load units_lib
	load torchair_lib
	air_setup
}
teardown() { remote_teardown; }

# ranks NAME plain|under: two processes of one job. Their modules differ in one number in the
# method.
ranks() {
	local r pids=() s=0
	rm -f "$ROOT/init"
	for r in 0 1; do
		JOB_ENV=(RANK=$r WORLD_SIZE=2 LOCAL_RANK=$r LOCAL_WORLD_SIZE=2
			GLOO_SOCKET_IFNAME=lo)
		air "$1$r" "$2" init="$ROOT/init" tp_rank=$r pp_rank=0 factor=$((r + 2)) &
		pids+=($!)
	done
	for r in "${pids[@]}"; do wait "$r" || s=1; done
	return $s
}

# bats test_tags=long
@test "torchair: ranks of two gloo processes stay apart" {
	net 'self.b(torch.relu(self.a(x)) * self.factor)'
	age_sources
	ranks plain plain
	! cmp -s "$ROOT/plain0.out" "$ROOT/plain1.out" || fail "both ranks print the same"
	units_wipe
	ranks cold under
	local r
	for r in 0 1; do same plain$r cold$r; done
	[ "$(modules | sed 's|.*/\(world[^/]*\)/.*|\1|' | sort | tr '\n' ' ')" = \
		"world2global_rank0_tp_rank0_pp_rank0 world2global_rank1_tp_rank1_pp_rank0 " ]
	next_container
	ranks warm under
	for r in 0 1; do
		same plain$r warm$r
		[ "$(frames warm$r)" = 0 ] || fail "rank $r: Dynamo compiled $(frames warm$r)"
	done
	[ "$(stat_of brought_torchair)" = 2 ]
	units_clean
}

# bats test_tags=long
@test "torchair: a rank that TorchAir does not see keeps its module" {
	net 'self.b(torch.relu(self.a(x)) * self.factor)'
	age_sources
	JOB_ENV=(RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1)
	air cold under factor=2
	next_container
	JOB_ENV=(RANK=1 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1)
	air plain plain factor=3
	units_wipe
	air other under factor=3
	same plain other
	[ "$(frames other)" -gt 0 ] || fail "another rank's module was used"
	JOB_ENV=(RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1)
	units_wipe
	air warm under factor=2
	same cold warm
	[ "$(frames warm)" = 0 ]
	units_clean
}

# bats test_tags=long
@test "torchair: a module that is broken in the store is not laid" {
	cold_and_drained
	local f
	f=$(find "$STORE/unit" -type f)
	printf 'XXXX' | dd of="$f" bs=1 seek=900 conv=notrunc status=none
	air warm under
	same plain warm
	[ "$(frames warm)" -gt 0 ]
	[ "$(stat_of brought_torchair)" = 0 ]
	[ "$(stat_of corrupt)" = 1 ]
	! grep -q 'Clear broken' "$ROOT/warm.err" || fail "TorchAir found a broken module"
	units_clean
}

# bats test_tags=long
@test "torchair: a broken module in the directory is left to TorchAir, and is not packed" {
	cold_and_drained
	air warm under
	local f
	f=$(modules)
	truncate -s 1000 "$f"
	rm -rf "$STORE"
	air broken under
	same plain broken
	grep -q 'Clear broken' "$ROOT/broken.err"
	next_container
	air warm under
	same plain warm
	[ "$(frames warm)" = 0 ]
	units_clean
}

module_stands() { [ -n "$(modules 2>/dev/null)" ]; }
is_packed() { [ "$(stat_of packed_torchair)" = 1 ]; }

# bats test_tags=long
@test "torchair: a module that TorchAir takes back, since Dynamo compiled anew, is not carried" {
	net 'self.b(torch.relu(self.a(x)) * self.factor)'
	age_sources
	air plain plain again=3
	grep -q 'recompiled' "$ROOT/plain.err"
	units_wipe
	air cold under go="$ROOT/go" again=3 3>&- &
	until_true 60 module_stands
	sleep 1.2 # it rests
	drain
	grep -q '1 framework files wait until' "$ROOT/drain"
	[ "$(stat_of packed_torchair)" = 0 ]
	touch "$ROOT/go"
	wait $!
	same plain cold
	[ -z "$(modules)" ]
	drain
	[ "$(stat_of packed_torchair)" = 0 ]
	units_wipe
	air warm under again=3
	same plain warm
	units_clean
}

# bats test_tags=long
@test "torchair: the publisher stays until the process that made a module ends, and packs it" {
	air cold under go="$ROOT/go" 3>&- &
	until_true 60 module_stands
	sleep 7 # longer than it waits for more to do
	[ "$(publishers | wc -l) $(stat_of packed_torchair)" = "1 0" ]
	touch "$ROOT/go"
	wait $!
	until_true 10 is_packed
	units_wipe
	air warm under
	same cold warm
	[ "$(frames warm)" = 0 ]
	units_clean
}

# The files of GE beside a module, and which they are.
ge_files() { find "$ROOT/fw/air" -path '*_gecache_*' -type f ! -name compiled_module | sort; }
ge() { sed -n 's/^ge *//p' "$ROOT/$1.err"; }

# bats test_tags=long
@test "torchair: with ge_cache the module is carried alone, and GE compiles its graph there" {
	air plain plain ge=1
	[ "$(ge plain)" = compiled ]
	[ "$(ge_files | wc -l)" = 2 ]
	air known plain ge=1
	[ "$(frames known) $(ge known)" = "0 found" ]
	units_wipe
	air cold under ge=1
	same plain cold
	local files
	files=$(ge_files | xargs -n 1 basename)
	[ "$(wc -l <<<"$files")" = 2 ] || fail "$files"
	next_container
	[ "$(stat_of packed_torchair) $(find "$STORE/unit" -type f | wc -l)" = "1 1" ]
	air warm under ge=1
	same plain warm
	[ "$(frames warm) $(ge warm)" = "0 compiled" ]
	[ "$(stat_of brought_torchair)" = 1 ]
	! grep -q 'Clear broken' "$ROOT/warm.err" || fail "TorchAir found a broken module"
	# In a separate directory, with other names.
	[ "$(ge_files | wc -l)" = 2 ]
	[ "$(ge_files | xargs -n 1 basename)" != "$files" ]
	drain
	[ "$(find "$STORE/unit" -type f | wc -l)" = 1 ]
	units_clean
}

# bats test_tags=long
@test "torchair: files of GE without their module stay as they are, beside the laid module" {
	air cold under ge=1
	drain
	[ "$(stat_of packed_torchair)" = 1 ]
	local was
	# A killed job leaves GE's files without a module: GE writes before TorchAir does.
	rm "$(modules)"
	was=$(ge_files | xargs stat -c '%i %Y %s %n' && ge_files | xargs sha256sum)
	air warm under ge=1
	same cold warm
	[ "$(frames warm) $(ge warm)" = "0 found" ]
	[ "$(stat_of brought_torchair)" = 1 ]
	[ "$(ge_files | xargs stat -c '%i %Y %s %n' && ge_files | xargs sha256sum)" = "$was" ]
	units_clean
}
