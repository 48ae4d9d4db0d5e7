#!/usr/bin/env bats
# TorchAir's compiled modules: a process gets a module only if it runs the sources of the module.

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

# bats test_tags=long
@test "torchair: a module in an empty directory: Dynamo compiles nothing; mode, owner are right" {
	cold_and_drained
	(umask 077; air warm under)
	same plain warm
	[ "$(frames warm)" = 0 ] || fail "Dynamo compiled $(frames warm)"
	[ "$(stat_of brought_torchair)" = 1 ]
	[ "$(stat -c '%a %u' "$(modules)")" = "600 $(id -u)" ]
	! grep -q 'Clear broken' "$ROOT/warm.err" || fail "TorchAir found a broken module"
	[ -z "$(find "$ROOT/fw" -name '.reprise*')" ]
	units_clean
}

# bats test_tags=long
@test "torchair: another node finds it in Redis" {
	units_two_nodes
	cold_and_drained
	on b
	(umask 000; air warm under)
	same plain warm
	[ "$(frames warm)" = 0 ] || fail "Dynamo compiled $(frames warm): $(cat "$LOG")"
	[ "$(stat -c %a "$(modules)")" = 600 ]
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
	# The old text again: the first module is valid for a process that began later.
	net 'self.b(torch.relu(self.a(x)))'
	age_sources
	air back under
	[ "$(frames back)" = 0 ]
	units_clean
}

# bats test_tags=long
@test "torchair: an edit of another file that the method calls into is a miss" {
	net 'helper.twist(self.b(torch.relu(self.a(x))))'
	age_sources
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

# A program runs its own sources, even if the sources from which it was copied still exist.
# bats test_tags=long
@test "torchair: a copied and edited project with the same cache directory has its own module" {
	mkdir p
	mv air.py net.py helper.py p/
	age_sources
	in_project p cold under
	next_container
	cp -r p q
	(cd q && net 'self.b(torch.relu(self.a(x)) - 1)')
	age_sources
	in_project q plain plain
	! cmp -s "$ROOT/plain.out" "$ROOT/cold.out" || fail "both models print the same"
	units_wipe
	in_project q other under
	same plain other
	[ "$(frames other)" -gt 0 ] || fail "the first project's module was used"
	reprise explain >"$ROOT/explained"
	grep -qF "$PWD/p/net.py, a source of the stored unit, is here, and this process never" \
		"$ROOT/explained" || fail "$(cat "$ROOT/explained")"
	drain
	# Each project has its own module now.
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
	age_sources
	in_project p cold under "$ROOT/fw/p"
	drain
	in_project q plain plain "$ROOT/fw/q"
	units_wipe
	in_project q other under "$ROOT/fw/q"
	same plain other
	[ "$(frames other)" -gt 0 ] || fail "the other project's module was used"
	in_project p warm under "$ROOT/fw/p"
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
	age_sources
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
	air cold under imported="$ROOT/imported" &
	until_true 60 test -e "$ROOT/imported"
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
	age_sources
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
