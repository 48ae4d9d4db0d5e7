#!/usr/bin/env bats
# TorchAir's compiled modules. The Python code of the torch_npu wheel makes and reads them, without
# the Ascend libraries: torchair_native.py replaces its one native module. The wheel is loaded for
# the run into build/torchair, and kept nowhere else.

WHEEL=torch_npu==2.13.0

# The wheel's package torchair is importable without torch_npu/__init__, which wants the libraries.
setup_file() {
	load units_lib
	units_setup_file
	export AIR=$BATS_TEST_DIRNAME/../../build/torchair AIR_WHY=
	[ -n "${JOB_PYTHON-}" ] || return 0
	mkdir -p "$AIR"
	AIR=$(cd "$AIR" && pwd)
	[ -e "$AIR/complete" ] || air_fetch >"$AIR/log" 2>&1 ||
		AIR_WHY="no $WHEEL here: $(grep -aE '^(ERROR|unzip)' "$AIR/log" | tail -n 1)"
	"$JOB_PYTHON" -c 'import numpy' 2>/dev/null ||
		{ fail "no numpy beside this torch"; return 1; }
	[[ "$("$JOB_PYTHON" -c 'import torch; print(torch.__version__)')" == 2.13.* ]] ||
		AIR_WHY="TorchAir 2.13 is for torch 2.13"
}

air_fetch() {
	rm -rf "$AIR/wheel" "$AIR/lib"
	"$JOB_PYTHON" -m pip download -q --no-deps --dest "$AIR/wheel" "$WHEEL" &&
		"$JOB_PYTHON" -m pip install -q --no-deps --target "$AIR/lib" protobuf packaging &&
		"$JOB_PYTHON" -m zipfile -e "$AIR"/wheel/*.whl "$AIR/wheel/all" &&
		mv "$AIR/wheel/all/torch_npu/dynamo/torchair" "$AIR/lib/" &&
			"$JOB_PYTHON" -m compileall -q "$AIR/lib" && rm -r "$AIR/wheel" &&
			touch "$AIR/complete"
}

setup() {
	load units_lib
	units_setup
	need_torch
	[ -z "$AIR_WHY" ] || skip "$AIR_WHY"
	export PYTHONPATH=$AIR/lib:$E2E_DIR PYTHONDONTWRITEBYTECODE=1
	net 'self.b(torch.relu(self.a(x)))'
	put helper.py 'def twist(x):' '    return x - 1'
	cat >air.py <<-'EOF'
	import logging, os, sys, time, torchair_native, torch, torchair
	torchair.logger.setLevel(logging.WARNING)
	torchair.logger.handlers[0].setStream(sys.stderr)
	from torch._dynamo.utils import counters
	words = dict(w.split("=") for w in sys.argv[1:])
	world, rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
	if "init" in words:
	    torch.distributed.init_process_group("gloo", init_method="file://" + words["init"],
	                                         world_size=world, rank=rank)
	from net import Net
	ranks = {k: int(words[k]) for k in ("tp_rank", "pp_rank") if k in words}
	torch.manual_seed(0)
	n = Net(int(words.get("factor", 1))).eval()
	run = torchair.inference.cache_compile(n.body, cache_dir=words["dir"],
	                                       ge_cache="ge" in words, **ranks)
	with torch.no_grad():
	    for rows in (2, 5):
	        print(["%.9g" % v for v in run(torch.ones(rows, 8)).flatten().tolist()])
	assert torchair_native.TorchNpuGraphBase.loads == 1
	for _ in range(1200 if "go" in words else 0): # not for ever where its case failed
	    if os.path.exists(words["go"]):
	        break
	    time.sleep(0.05)
	# what Dynamo took for a constant: it compiles anew, and TorchAir removes the module
	if "again" in words:
	    n.factor = int(words["again"])
	    with torch.no_grad():
	        print(["%.9g" % v for v in run(torch.ones(3, 8)).flatten().tolist()])
	print("ge", *torchair_native.TorchNpuGraphBase.ge, file=sys.stderr)
	print("frames", counters["stats"]["unique_graphs"], file=sys.stderr)
	EOF
	sleep 4.2 # sources that are older than who imports them
}
teardown() { remote_teardown; }

# net EXPRESSION: the model, whose method's body is no part of TorchAir's key.
net() {
	put net.py 'import torch, helper' 'class Net(torch.nn.Module):' \
		'    def __init__(self, factor):' \
		'        super().__init__()' '        self.a = torch.nn.Linear(8, 16)' \
		'        self.b = torch.nn.Linear(16, 4)' \
		'        self.factor = factor' '    def body(self, x):' "        return $1"
}

air() { # NAME plain|under ARGS
	local name=$1 how=$2
	shift 2
	unit_job "$name" "$how" air.py dir="$ROOT/fw/air" "$@"
}
frames() { sed -n 's/^frames //p' "$ROOT/$1.err"; }
same() { cmp "$ROOT/$1.out" "$ROOT/$2.out" || { fail "$1 and $2: other results"; return 1; }; }
modules() { find "$ROOT/fw/air" -name compiled_module; }

# Packed, and the directories gone.
next_container() {
	drain
	[ "$(stat_of packed_torchair)" -gt 0 ] ||
		{ fail "no module was packed: $(cat "$LOG")"; return 1; }
	units_wipe
}

# What these sources give without Reprise, worked out once for all cases.
plain_air() {
	local kept
	kept=$BATS_FILE_TMPDIR/plain.$(cat net.py helper.py | cksum | tr ' ' .)
	if [ ! -e "$kept" ]; then
		units_wipe # TorchAir's key does not cover the sources
		air plain plain || return 1
		cp "$ROOT/plain.out" "$kept.new" && mv "$kept.new" "$kept"
		units_wipe
	fi
	cp "$kept" "$ROOT/plain.out"
}

cold_and_drained() {
	plain_air
	air cold under
	same plain cold
	[ "$(frames cold)" -gt 0 ]
	next_container
}

# bats test_tags=check
@test "torchair: a module in an empty directory: Dynamo compiles nothing; mode, owner are right" {
	cold_and_drained
	(umask 077; air warm under)
	same plain warm
	[ "$(frames warm)" = 0 ] || fail "Dynamo compiled $(frames warm)"
	[ "$(stat_of brought_torchair)" = 1 ]
	[ "$(stat -c '%a %u' "$(modules)")" = "600 $(id -u)" ]
	! grep -q 'Clear broken' "$ROOT/warm.err"
	[ -z "$(find "$ROOT/fw" -name '.reprise*')" ]
	units_wipe
	(umask 000; air again under)
	[ "$(frames again) $(stat -c %a "$(modules)")" = "0 600" ]
	units_clean
}

# bats test_tags=long
@test "torchair: another node finds it in Redis" {
	units_two_nodes
	cold_and_drained
	on b
	air warm under
	same plain warm
	[ "$(frames warm)" = 0 ] || fail "Dynamo compiled $(frames warm): $(cat "$LOG")"
	[ "$(stat_of brought_torchair)" = 1 ]
	units_clean
}

# bats test_tags=long
@test "torchair: an edit of the method is a miss, and so is an edit that is undone too late" {
	cold_and_drained
	net 'self.b(torch.relu(self.a(x)) - 1)'
	plain_air
	units_wipe
	air edited under
	same plain edited
	[ "$(frames edited)" -gt 0 ]
	[ "$(stat_of brought_torchair)" = 0 ]
	reprise explain >"$ROOT/explained"
	grep -qF "$PWD/net.py, a source of the stored unit" "$ROOT/explained" ||
		fail "$(cat "$ROOT/explained")"
	units_wipe
	# The old text again: the first module fits a process that began later.
	net 'self.b(torch.relu(self.a(x)))'
	sleep 4.2
	air back under
	[ "$(frames back)" = 0 ]
	units_clean
}

# bats test_tags=long
@test "torchair: an edit of another file that the method calls into is a miss" {
	net 'helper.twist(self.b(torch.relu(self.a(x))))'
	sleep 4.2
	cold_and_drained
	air warm under
	[ "$(frames warm)" = 0 ]
	put helper.py 'def twist(x):' '    return x + 1'
	plain_air
	units_wipe
	air edited under
	[ "$(frames edited)" -gt 0 ] || fail "a module of the old helper was used"
	same plain edited
	units_clean
}

# A program runs its own sources, though those of the directory it was copied from still exist.
# bats test_tags=long
@test "torchair: a copied and edited project with the same cache directory has its own module" {
	mkdir p
	mv air.py net.py helper.py p/
	sleep 4.2
	in_project() { (cd "$1" && unit_job "$2" "$3" air.py dir="$ROOT/fw/air"); }
	in_project p cold under
	next_container
	cp -r p q
	(cd q && net 'self.b(torch.relu(self.a(x)) - 1)')
	sleep 4.2
	in_project q plain plain
	! cmp -s "$ROOT/plain.out" "$ROOT/cold.out"
	units_wipe
	in_project q other under
	same plain other
	[ "$(frames other)" -gt 0 ] || fail "the first project's module was used"
	reprise explain >"$ROOT/explained"
	grep -qF "$PWD/p/net.py, a source of the stored unit, is here, and this process never" \
		"$ROOT/explained" || fail "$(cat "$ROOT/explained")"
	drain
	# Each has its own by now.
	local d
	for d in p q; do
		units_wipe
		in_project $d warm$d under
		[ "$(frames warm$d)" = 0 ] || fail "$d: Dynamo compiled $(frames warm$d)"
	done
	same cold warmp
	same plain warmq
	units_clean
}

# bats test_tags=long
@test "torchair: two projects with one class and a directory each" {
	mkdir p q
	cp air.py net.py helper.py p/
	net 'self.b(torch.relu(self.a(x)) - 1)'
	cp air.py net.py helper.py q/
	sleep 4.2
	in_project() { (cd "$1" && unit_job "$2" "$3" air.py dir="$ROOT/fw/air$1"); }
	in_project p cold under
	drain
	in_project q plain plain
	units_wipe
	in_project q other under
	same plain other
	[ "$(frames other)" -gt 0 ] || fail "the other project's module was used"
	in_project p warm under
	same cold warm
	[ "$(frames warm)" = 0 ]
	units_clean
}

# bats test_tags=long
@test "torchair: a module that a program copied is not carried: its sources may be others" {
	air cold under
	drain
	[ "$(stat_of packed_torchair)" = 1 ]
	cp -r "$ROOT/fw/air" seed
	units_wipe
	rm -rf "$STORE"
	net 'self.b(torch.relu(self.a(x)) - 1)'
	sleep 4.2
	put start.py 'import runpy, shutil, sys, torch' "shutil.copytree('seed', '$ROOT/fw/air')" \
		'sys.argv[0] = "air.py"' \
		'runpy.run_path("air.py", run_name="__main__")'
	unit_job seeded under start.py dir="$ROOT/fw/air"
	same cold seeded # TorchAir takes it
	[ "$(frames seeded)" = 0 ]
	drain
	[ -z "$(find "$STORE/unit" -type f 2>/dev/null)" ] || fail "it was packed"
	units_wipe
	plain_air
	air fresh under
	same plain fresh
	[ "$(frames fresh)" -gt 0 ] || fail "the old module reached a fresh directory"
	units_clean
}

# bats test_tags=long
@test "torchair: a module whose source changed after it was imported is not kept" {
	air cold under &
	sleep 1
	echo '# edited' >>net.py
	wait $!
	REPRISE_LOG_LEVEL=info drain
	[ "$(stat_of packed_torchair)" = 0 ]
	grep -q 'not kept: torchair .*may have changed since' "$LOG"
	units_clean
}

# bats test_tags=long
@test "torchair: a method in a script without suffix is bound to it; in no file it is not carried" {
	serve() { sed -e '/^from net import/{' -e 'r net.py' -e 'd' -e '}' air.py >serve; }
	net 'helper.twist(self.b(torch.relu(self.a(x))))'
	serve
	sleep 4.2
	plain_air
	unit_job cold under serve dir="$ROOT/fw/air"
	same plain cold
	next_container
	unit_job warm under serve dir="$ROOT/fw/air"
	same plain warm
	[ "$(frames warm)" = 0 ]
	net 'helper.twist(self.b(torch.relu(self.a(x))) * 3)'
	serve
	plain_air
	units_wipe
	unit_job edited under serve dir="$ROOT/fw/air"
	[ "$(frames edited)" -gt 0 ] || fail "a module of the old body was used"
	same plain edited
	drain
	units_wipe
	rm -rf "$STORE"
	unit_job typed under - dir="$ROOT/fw/air" <serve
	same plain typed
	REPRISE_LOG_LEVEL=info drain
	grep -q 'not kept: torchair .*made from <stdin>, which is not an absolute path' "$LOG"
	[ -z "$(find "$STORE/unit" -type f 2>/dev/null)" ]
	units_clean
}

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
	sleep 4.2
	ranks plain plain
	! cmp -s "$ROOT/plain0.out" "$ROOT/plain1.out"
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
	sleep 4.2
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
	! grep -q 'Clear broken' "$ROOT/warm.err"
	units_clean
}

# bats test_tags=long
@test "torchair: a broken module in the directory is TorchAir's to clear, and is not packed" {
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

# until_true SECONDS COMMAND...
until_true() {
	local n=$(($1 * 10))
	shift
	while [ $((n--)) -gt 0 ]; do
		! "$@" || return 0
		sleep 0.1
	done
	fail "never: $*"
}
module_stands() { [ -n "$(modules 2>/dev/null)" ]; }
is_packed() { [ "$(stat_of packed_torchair)" = 1 ]; }

# bats test_tags=long
@test "torchair: a module that TorchAir takes back, since Dynamo compiled anew, is not carried" {
	net 'self.b(torch.relu(self.a(x)) * self.factor)'
	sleep 4.2
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
	! grep -q 'Clear broken' "$ROOT/warm.err"
	# In its own directory, with names of its own.
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
	# A job that was killed: GE writes before TorchAir does.
	rm "$(modules)"
	was=$(ge_files | xargs stat -c '%i %Y %s %n' && ge_files | xargs sha256sum)
	air warm under ge=1
	same cold warm
	[ "$(frames warm) $(ge warm)" = "0 found" ]
	[ "$(stat_of brought_torchair)" = 1 ]
	[ "$(ge_files | xargs stat -c '%i %Y %s %n' && ge_files | xargs sha256sum)" = "$was" ]
	units_clean
}
