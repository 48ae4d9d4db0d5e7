# Cache directories of frameworks: they are emptied between runs, as in a fresh container.
#
#     setup_file() { load units_lib; units_setup_file; }
#     setup() { load units_lib; units_setup; need_triton; }
#     teardown() { remote_teardown; }
#     train_py; unit_job cold under train.py      # $ROOT/cold.out
#     drain; units_wipe           # what it completed is packed, and sent where there is a remote
#     unit_job warm under train.py

UNITS_AT=${BASH_SOURCE[0]%/*}

units_setup_file() {
	load "$UNITS_AT/job_python"
	job_python_find
}

units_setup() {
	load "$UNITS_AT/lib"
	load "$UNITS_AT/redis"
	load "$UNITS_AT/remote_lib"
	load "$UNITS_AT/job_python"
	case_setup
}

# unit_job NAME plain|under SCRIPT ARGS: in the present directories. JOB_ENV: further variables.
unit_job() {
	local name=$1 pre=() s
	[ "$2" = plain ] || pre=("${RPENV[@]}")
	shift 2
	mkdir -p "$ROOT/fw" "$TMPDIR"
	env "${pre[@]}" TORCHINDUCTOR_CACHE_DIR="$ROOT/fw/inductor" \
		TRITON_CACHE_DIR="$ROOT/fw/triton" \
		${JOB_ENV[@]+"${JOB_ENV[@]}"} "$JOB_PYTHON" "$@" >"$ROOT/$name.out" \
		2>"$ROOT/$name.err" && s=0 || s=$?
	[ $s = 0 ] || { tail -n 20 "$ROOT/$name.err" >&2; fail "$name: status $s"; return 1; }
}

# The module beside scripts that print what torch counted of its graph caches.
graph_counts_py() { cp "$UNITS_AT/graph_counts.py" .; }

# train.py [dynamic] [mode=MODE]: a training job. Losses and weights go to stdout, counts of its
# graph caches to stderr.
train_py() {
	graph_counts_py
	cat >train.py <<-'END'
	import json, os, sys, torch
	from graph_counts import graph_counts
	torch.manual_seed(0)
	m = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 8))
	mode = [w[5:] for w in sys.argv if w.startswith("mode=")]
	c = torch.compile(m, dynamic="dynamic" in sys.argv, mode=mode[0] if mode else None)
	o = torch.optim.SGD(m.parameters(), lr=0.1)
	for n in (16, 16) if "dynamic" not in sys.argv else (16, 24, 40):
	    loss = c(torch.randn(n, 32)).square().mean()
	    loss.backward()
	    o.step()
	    o.zero_grad()
	    print("%.9g" % loss.item())
	print([("%.9g" % v) for v in m[2].bias.tolist()])
	print(json.dumps(graph_counts()), file=sys.stderr)
	END
}

# graphs_counted NAME KEY: of a run's own counters.
graphs_counted() {
	"$PY" -c 'import json,sys
print([json.loads(l) for l in open(sys.argv[1]) if l.startswith("{\"fx")][-1][sys.argv[2]])' \
		"$ROOT/$1.err" "$2"
}

# graphs_served NAME: train.py found all its graphs; by AOTAutograd's cache if this torch has it on
# (2.6 has not).
graphs_served() {
	local hits=fx_hit
	[ "$(graphs_counted "$1" aot_on)" = False ] || hits=aot_hit
	[ "$(graphs_counted "$1" $hits)" -gt 0 ] && [ "$(graphs_counted "$1" aot_miss)" = 0 ] &&
		[ "$(graphs_counted "$1" fx_miss)" = 0 ] ||
		{ fail "$1: $(grep '^{"fx' "$ROOT/$1.err")"; return 1; }
}

# once KEY FILE... -- COMMAND...: files below $ROOT. The first case that asks for them runs COMMAND.
once() {
	local kept=$BATS_FILE_TMPDIR/once.$1 files=()
	shift
	while [ "$1" != -- ]; do
		files+=("$1")
		shift
	done
	shift
	if [ ! -d "$kept" ]; then
		"$@" || return 1
		remote_end
		rm -rf "$kept.new"
		mkdir "$kept.new"
		(cd "$ROOT" && cp -a "${files[@]}" "$kept.new") && mv "$kept.new" "$kept"
		return
	fi
	cp -a "$kept"/. "$ROOT"
}

# tree DIR: every file with mode and content; paths of the place in an index are made equal.
tree() {
	(cd "$1" && find . -type f | LC_ALL=C sort | while read -r f; do
		printf '%s %s %s\n' "$(stat -c %a "$f")" "$f" "$(sed "s|$1|DIR|g" "$f" | sha256sum)"
	done)
}

# Removes the framework's own directories, as in another container, but not the files that cases
# share.
units_wipe() {
	rm -rf "$ROOT/fw"
	case $TMPDIR in "$ROOT"/*) rm -rf "$TMPDIR" ;; esac
}

# No internal error was met.
units_clean() {
	[ "$(stat_of errors)" = 0 ] || { fail "errors counted"; return 1; }
	! grep -aE '^[^ ]+ [0-9]+ error ' "$LOG" >&2 || fail "the log holds the above"
}

# The runs that follow are on node a. Both nodes ask one Redis.
units_two_nodes() {
	redis_need
	# Many suites share this machine.
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=3s
	on a
	start
}
