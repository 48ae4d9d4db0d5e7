#!/usr/bin/env bats
# Ranks that look for graphs in one directory: each rank finds its own graphs, and none that were
# laid for another rank.

load units_suite

setup() {
	load units_lib
	load ranks_lib
	ranks_setup
}

# marked: files in the ranks' common directory that bear a rank's mark.
marked() { find "$ROOT/fw/inductor" -path '*/fxgraph/*' -name '0reprise-*' -type f; }

# bats test_tags=long
@test "units_ranks: in one directory each rank finds the set that it made elsewhere" {
	plain_ranks same
	# Each rank makes its own graphs, since neither sees the other's.
	ranks cold under same,own
	same plain cold
	[ "$(said cold 0 fx_miss)" -gt 0 ]
	[ "$(said cold 1 fx_miss)" -gt 0 ]
	drain
	units_wipe
	[ "$(stat_of packed_fxgraph)" -ge 2 ]
	JOB_ENV=(REPRISE_READONLY=1)
	ranks warm under same
	same plain warm
	all_hit warm
	# The duration of its compile is part of a graph, so no two graphs are equal. Each of two
	# ranks has one graph for the forward pass and one for the backward pass. torch wrote none.
	[ "$(marked | wc -l)" = 4 ] || fail "$(find "$ROOT/fw/inductor/fxgraph")"
	[ "$(marked | sed 's,.*/0reprise-,,; s,-.*,,' | sort -u | wc -l)" = 2 ]
	[ "$(find "$ROOT/fw/inductor/fxgraph" -type f | wc -l)" = 4 ]
	units_clean
}

# bats test_tags=long
@test "units_ranks: four ranks in one directory, which is emptied: all is found, nothing packed" {
	default_directories 4 plain same
}

# bats test_tags=long
@test "units_ranks: marked names: another rank's graph is hidden, a file that torch wrote is not" {
	cat >list.py <<-'END'
	import os, shutil, sys, torch
	unit = sys.argv[1]
	print(sorted(os.listdir(unit)), sorted(e.name for e in os.scandir(unit)) ==
	      sorted(os.listdir(unit)))
	if "emptied" in sys.argv:
	    try:
	        os.rmdir(unit)
	    except OSError as e:
	        print(e.strerror)
	    for at, directories, names in os.walk(os.path.dirname(unit), topdown=False):
	        for name in names:
	            os.remove(os.path.join(at, name))
	        for name in directories:
	            os.rmdir(os.path.join(at, name))
	if "gone" in sys.argv:
	    shutil.rmtree(os.path.dirname(unit))  # a look at it would bring it back
	END
	ranks_list() { # RANK NAME
		JOB_ENV=(RANK=$1 WORLD_SIZE=2 LOCAL_RANK=$1 LOCAL_WORLD_SIZE=2)
		unit_job "$2" under list.py "$unit" ${3:-}
		cat "$ROOT/$2.out"
	}
	ranks cold under same,own
	drain
	units_wipe
	JOB_ENV=()
	ranks warm under same
	local unit mine
	unit=$(dirname "$(marked | head -n 1)")
	[ "$(ls "$unit" | wc -l)" = 2 ]
	mine=$(ranks_list 0 zero)
	[ "$(grep -o 0reprise <<<"$mine" | wc -l)" = 1 ] || fail "$mine"
	[ "$mine" != "$(ranks_list 1 one)" ]
	grep -q True <<<"$mine"
	# A process without a rank sees neither graph. Nor does a rank of another world.
	JOB_ENV=()
	unit_job none under list.py "$unit"
	[ "$(cat "$ROOT/none.out")" = "[] True" ] || fail "$(cat "$ROOT/none.out")"
	cat >worker.py <<-END
	import multiprocessing, runpy, sys
	if __name__ == "__main__":
	    spawn = multiprocessing.get_context("spawn")
	    p = spawn.Process(target=runpy.run_path, args=("list.py",))
	    p.start()
	    p.join()
	END
	JOB_ENV=(RANK=0 WORLD_SIZE=2)
	unit_job worker under worker.py "$unit"
	[ "$(cat "$ROOT/worker.out")" = "[] True" ] || fail "$(cat "$ROOT/worker.out")"
	reprise explain 5 | grep -q 'no variable tells its own rank: set RANK and WORLD_SIZE'
	JOB_ENV=(RANK=0 WORLD_SIZE=3)
	unit_job three under list.py "$unit"
	[ "$(cat "$ROOT/three.out")" = "[] True" ]
	# Names that torch wrote, and names of Reprise that are damaged.
	local theirs=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
	touch "$unit/$theirs" "$unit/0reprise-" "$unit/0reprise-1-$theirs" \
		"$unit/0reprise-0000000000000001-$theirs" "$unit/other"
	unit_job three under list.py "$unit"
	[ "$(cat "$ROOT/three.out")" = "['$theirs', 'other'] True" ] ||
		fail "$(cat "$ROOT/three.out")"
	# A process that removes the directory also removes the hidden files, if it holds no other.
	ranks_list 0 zero gone
	[ ! -e "$unit" ]
	JOB_ENV=()
	ranks warm under same
	[ "$(ls "$unit" | wc -l)" = 2 ]
	ranks_list 0 zero emptied | grep -q 'Directory not empty'
	[ ! -e "$unit" ]
	units_clean
}

# bats test_tags=long
@test "units_ranks: a peer's graph that a rank opens is its own, unless the rank opens all graphs" {
	one_rank one plain
	mv "$ROOT/fw/inductor" "$ROOT/made"
	# A rank makes some of these graphs, as the framework does it, or reads all.
	cat >graphs.py <<-'END'
	import os, shutil, sys, torch
	what, made, units = sys.argv[1], sys.argv[2], sys.argv[3:]
	to = os.environ["TORCHINDUCTOR_CACHE_DIR"]
	assert len(units) == 2
	def read(unit):
	    for name in os.listdir(unit):
	        open(os.path.join(unit, name), "rb").read()
	if what == "walk":
	    for at, _, names in os.walk(to):
	        if "fxgraph" in at and names:
	            read(at)
	for unit in units[:1] if what == "one" else units:
	    at = to + unit[len(made):]
	    if what == "read":
	        assert os.path.exists(at)
	        read(at)
	    elif what != "walk":
	        os.makedirs(at, exist_ok=True)
	        for name in os.listdir(unit):
	            shutil.copy(os.path.join(unit, name), at + "/.tmp")
	            os.rename(at + "/.tmp", os.path.join(at, name))
	END
	as_rank() { # RANK WORLD WHAT
		JOB_ENV=(RANK=$1 WORLD_SIZE=$2 LOCAL_RANK=$1 LOCAL_WORLD_SIZE=$2)
		# shellcheck disable=SC2046
		unit_job graphs under graphs.py "$3" "$ROOT/made" $(find "$ROOT/made/fxgraph" \
			-mindepth 2 -type d)
		drain
		stat_of packed_fxgraph
	}
	[ "$(as_rank 0 3 all)" = 2 ]
	[ "$(as_rank 1 3 walk)" = 2 ]
	[ "$(as_rank 1 4 read)" = 2 ] # another world
	[ "$(as_rank 1 3 read)" = 4 ]
	[ "$(as_rank 1 3 read)" = 4 ]
	# A rank that has its own graph under a key uses this graph.
	units_wipe
	[ "$(as_rank 0 2 one)" = 5 ]
	units_wipe
	[ "$(as_rank 1 2 all)" = 7 ]
	[ "$(as_rank 0 2 read)" = 8 ]
	units_clean
}

# bats test_tags=long
@test "units_ranks: ranks killed in the middle leave nothing that another rank sees" {
	plain_ranks same
	ranks cold under same,own
	drain
	units_wipe
	# Each is killed when the first graph lies there.
	cat >kill.sh <<-END
	#!/bin/sh
	"$JOB_PYTHON" "\$@" &
	while [ -d /proc/\$! ] &&
		[ -z "\$(find "$ROOT/fw/inductor" -path '*/fxgraph/*' -name '0reprise-*' \
			-type f 2>/dev/null)" ]; do :; done
	kill -9 \$!
	exit 0
	END
	chmod +x kill.sh
	JOB_ENV=(REPRISE_READONLY=1)
	BETWEEN=$PWD/kill.sh
	ranks killed under same
	[ ! -e "$ROOT/killed.rank.0" ]
	[ ! -e "$ROOT/killed.rank.1" ]
	[ "$(marked | wc -l)" -gt 0 ]
	unset BETWEEN
	ranks warm under same
	same plain warm
	all_hit warm
	[ "$(marked | wc -l)" = 4 ]
	units_clean
}

# bats test_tags=long
@test "units_ranks: two names of one directory are one directory" {
	plain_ranks same
	ranks cold under same,own
	drain
	units_wipe
	mkdir -p "$ROOT/fw/inductor/0"
	ln -s 0 "$ROOT/fw/inductor/1"
	JOB_ENV=(REPRISE_READONLY=1)
	ranks warm under same,own
	same plain warm
	all_hit warm
	[ "$(find "$ROOT/fw/inductor/0/fxgraph" -type f | wc -l)" = 4 ]
	units_clean
}

# bats test_tags=long
@test "units_ranks: a graph that one rank made and the other one found is there for both" {
	plain_ranks same
	ranks cold under same,turns
	same plain cold
	[ "$(said cold 0 fx_miss)" -gt 0 ]
	[ "$(said cold 1 fx_miss)" = 0 ]
	drain
	units_wipe
	ranks warm under same,turns
	same plain warm
	all_hit warm
	[ "$(stat_of brought_fxgraph)" -gt 0 ]
	units_clean
}

# bats test_tags=long
@test "units_ranks: sets that are equal are laid" {
	one_rank one plain
	mv "$ROOT/fw/inductor" "$ROOT/made"
	units_wipe
	# Completed by both ranks, as the framework does it.
	cat >complete.py <<-'END'
	import os, shutil, sys, torch
	for at, _, names in os.walk(sys.argv[1]):
	    if "fxgraph" in at or "aotautograd" in at:
	        to = os.environ["TORCHINDUCTOR_CACHE_DIR"] + at[len(sys.argv[1]):]
	        os.makedirs(to, exist_ok=True)
	        for n in names:
	            shutil.copy(os.path.join(at, n), os.path.join(to, ".tmp"))
	            os.rename(os.path.join(to, ".tmp"), os.path.join(to, n))
	END
	local r
	for r in 0 1; do
		JOB_ENV=(RANK=$r WORLD_SIZE=2 LOCAL_RANK=$r LOCAL_WORLD_SIZE=2)
		unit_job complete under complete.py "$ROOT/made"
		drain
		units_wipe
	done
	[ "$(stat_of packed_fxgraph)" -gt 1 ]
	JOB_ENV=()
	ranks warm under same
	all_hit warm
	cmp "$ROOT/one.rank.0" "$ROOT/warm.rank.0"
	units_clean
}
