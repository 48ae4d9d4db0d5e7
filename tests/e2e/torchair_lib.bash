# TorchAir's compiled modules. The Python code of the torch_npu wheel makes and reads them, without
# the Ascend libraries: torchair_native.py replaces its one native module. The wheel is loaded for
# the run into build/torchair, and kept nowhere else. After units_lib.bash.
#
#     setup_file() { load units_lib; load torchair_lib; air_setup_file; }
#     setup() { load units_lib; load torchair_lib; air_setup; }
#     cold_and_drained                  # a module is in the store, and its directory is gone
#     air warm under; same plain warm; [ "$(frames warm)" = 0 ]

WHEEL=torch_npu==2.13.0

# The wheel's package torchair is importable without torch_npu/__init__, which wants the libraries.
air_setup_file() {
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

air_setup() {
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
	if "imported" in words:
	    open(words["imported"], "w").close()
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
	age_sources
}

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
# in_project DIRECTORY NAME plain|under [CACHE]: air.py of that directory.
in_project() {
	(cd "$1" && unit_job "$2" "$3" air.py dir="${4-$ROOT/fw/air}")
}
frames() { sed -n 's/^frames //p' "$ROOT/$1.err"; }
same() { cmp "$ROOT/$1.out" "$ROOT/$2.out" || { fail "$1 and $2: other results"; return 1; }; }
modules() { find "$ROOT/fw/air" -name compiled_module; }
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

# Packed, and the directories gone.
next_container() {
	drain
	[ "$(stat_of packed_torchair)" -gt 0 ] ||
		{ fail "no module was packed: $(cat "$LOG")"; return 1; }
	units_wipe
}

# The results of these sources without Reprise, computed once for all cases.
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
