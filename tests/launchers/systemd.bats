#!/usr/bin/env bats
# bats file_tags=long
# Services of systemd, which runs as process 1 of namespaces of its own (systemd_root.sh).

setup() {
	load ../e2e/lib
	case_setup
	need_root "to start systemd"
	need unshare systemctl systemd-run dbus-daemon
	unshare --mount --pid --cgroup --fork sh -c 'mount -t cgroup2 none "$1"' sh "$ROOT/r" \
		2>/dev/null || skip "control groups of version 2 cannot be mounted here"
	make -s -C "$TOP" install DESTDIR="$ROOT/inst" PREFIX=/usr/local >/dev/null
	install -D "$BATS_TEST_DIRNAME/compile_job.sh" "$ROOT/inst/usr/local/bin/compile-job"
	mkdir -p "$ROOT/units"
}
teardown() { case_teardown; }

# unit NAME LINE...: a service with the drop-in that users copy.
unit() {
	local name=$1
	shift
	put "$ROOT/units/$name.service" '[Unit]' DefaultDependencies=no '[Service]' "$@"
	install -D -m 644 "$TOP/scripts/recipes/systemd.conf" \
		"$ROOT/units/$name.service.d/reprise.conf"
}

# steps LINE...: what root does on a machine with these units; $output is what was said.
steps() {
	# shellcheck disable=SC2016 # for the shell of the steps
	put "$ROOT/steps" 'set -e' \
		'logs() { journalctl --sync && journalctl -q -o cat _SYSTEMD_UNIT=$1.service; }' \
		'export REPRISE_CACHE_DIR=/var/cache/reprise' "$@"
	run timeout -s KILL 60 unshare --mount --pid --net --uts --ipc --cgroup --fork \
		--kill-child sh "$BATS_TEST_DIRNAME/systemd_root.sh" "$ROOT"
	output=$(cat "$ROOT/said" 2>&1)
	[ "$status" = 0 ] || fail "$status: $output"
}

# said LINE: as often as COUNT says.
said() { # COUNT LINE
	[ "$(grep -cxF -- "$2" <<<"$output")" = "$1" ] || fail "not $1 times: $2: $output"
}

# half_replayed COMPILES: the first start's were stored and the second one's were hits.
half_replayed() { said 1 "compiles $(printf %14s $(($1 / 2)))  of $1 replayed (50.0 %)"; }

@test "systemd: a service with the drop-in is served, and its second start is all hits" {
	unit train Type=oneshot ExecStart=/usr/local/bin/compile-job
	steps 'systemctl start train' 'systemctl start train' 'logs train' \
		'reprise stats --job train'
	said 2 'preload yes, job train, answer 42'
	half_replayed 4
}

@test "systemd: a hardened service of a dynamic user" {
	unit train Type=oneshot DynamicUser=yes ProtectSystem=strict ProtectHome=yes \
		PrivateTmp=yes NoNewPrivileges=yes MemoryDenyWriteExecute=yes \
		SystemCallFilter=@system-service RestrictAddressFamilies=AF_INET \
		RestrictNamespaces=yes ProtectProc=invisible PrivateDevices=yes \
		ExecStart=/usr/local/bin/compile-job \
		'ExecStart=/usr/local/bin/reprise stats --job train'
	steps 'systemctl start train' 'systemctl start train' 'logs train'
	said 2 'preload yes, job train, answer 42'
	# Its private devices include /dev/shm, so the events of the first start are gone.
	said 1 "compiles              2  of 2 replayed (100.0 %)"
}

# A service with a socket, a watchdog and a message that says that it is ready.
notifies() { # COMMAND
	cp "$BATS_TEST_DIRNAME/service.py" "$ROOT/inst/usr/local/bin"
	unit train Type=notify WatchdogSec=20 TimeoutStartSec=10 "ExecStart=$1"
	put "$ROOT/units/train.socket" '[Unit]' DefaultDependencies=no '[Socket]' \
		ListenStream=/run/train.sock
	steps 'systemctl start train.socket' "$PY -c 'import socket
for n in 1, 2:
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(\"/run/train.sock\")
        print(s.recv(99).decode())'" 'logs train' 'reprise stats --job train'
	said 2 'preload yes, job train, answer 42'
	said 2 served
	half_replayed 4
}

@test "systemd: sockets, watchdog and readiness with the drop-in" {
	notifies "$PY /usr/local/bin/service.py"
}

@test "systemd: sockets, watchdog and readiness behind reprise-run" {
	notifies "/usr/local/bin/reprise-run $PY /usr/local/bin/service.py"
}

@test "systemd: instances of a template are one job" {
	unit train@ Type=oneshot ExecStart=/usr/local/bin/compile-job
	steps 'systemctl start train@0' 'systemctl start train@1' \
		'reprise stats --job train'
	half_replayed 4
}

@test "systemd: what a service compiled is in the remote store when it has stopped" {
	unit train Type=oneshot Environment=REPRISE_REMOTE_URL=file:///var/cache/shared \
		ExecStart=/usr/local/bin/compile-job
	steps 'mkdir /var/cache/shared' 'systemctl start train' 'mv /var/cache/reprise /run/first' \
		'rm -rf /dev/shm/reprise-0' \
		'systemctl start train' 'reprise stats'
	said 1 'hits                  2  actions replayed (100.0 %)'
}

# user_steps LINE...: steps of a machine where nobody has a systemd and a bus of its own, with these
# units. `user COMMAND...` runs as nobody.
user_steps() {
	put "$ROOT/units/user.service" '[Unit]' DefaultDependencies=no '[Service]' Type=notify \
		User=nobody Delegate=yes RuntimeDirectory=user \
		'Environment=XDG_RUNTIME_DIR=/run/user HOME=/run/user' \
		ExecStart='/lib/systemd/systemd --user --unit=basic.target'
	put "$ROOT/units/dbus.service" '[Unit]' DefaultDependencies=no '[Service]' Type=notify \
		ExecStart='/usr/bin/dbus-daemon --session --address=unix:path=%t/bus --nofork'
	mkdir -p "$ROOT/inst/usr/local/share/systemd"
	mv "$ROOT/units"/{train,dbus}* "$ROOT/inst/usr/local/share/systemd"
	# shellcheck disable=SC2016
	steps 'systemctl start user' \
		'user() { HOME=/run/user XDG_RUNTIME_DIR=/run/user setpriv --reuid=nobody \
			--regid=nogroup --clear-groups env -u REPRISE_CACHE_DIR "$@"; }' \
		'user mkdir -p /run/user/.config/systemd/user' \
		'user cp -R /usr/local/share/systemd/. /run/user/.config/systemd/user' \
		'user systemctl --user daemon-reload' "$@"
}

@test "systemd: a user's service" {
	unit train Type=oneshot StandardOutput=append:%t/said ExecStart=/usr/local/bin/compile-job
	user_steps \
		'user systemctl --user start train' 'user systemctl --user start train' \
		'cat /run/user/said' 'user reprise stats --job train'
	said 2 'preload yes, job train, answer 42'
	half_replayed 4
}

@test "systemd: systemd-run.sh for a user" {
	unit train ExecStart=true
	cp "$TOP/scripts/recipes/systemd-run.sh" "$ROOT/inst/usr/local/bin"
	# shellcheck disable=SC2016
	user_steps 'user systemctl --user start dbus' \
		"export SYSTEMD_RUN='systemd-run --user'" \
		'run() { user sh /usr/local/bin/systemd-run.sh train compile-job; }' \
		'cd /run/user' run run 'user reprise stats --job train'
	said 2 'preload yes, job train, answer 42'
	half_replayed 4
}

@test "systemd: systemd-run.sh: the second start of a transient service is all hits" {
	cp "$TOP/scripts/recipes/systemd-run.sh" "$ROOT/inst/usr/local/bin"
	steps 'systemctl start dbus' "export SYSTEMD_RUN='systemd-run -p DefaultDependencies=no'" \
		'sh /usr/local/bin/systemd-run.sh train compile-job' \
		'sh /usr/local/bin/systemd-run.sh train compile-job' \
		'reprise stats --job train' \
		'sh /usr/local/bin/systemd-run.sh train sh -c "exit 7" || echo "status $?"' \
		'echo "left $(systemctl list-units --all --plain --no-legend "run-*" | wc -l)"'
	said 2 'preload yes, job train, answer 42'
	half_replayed 4
	said 1 'status 7'
	said 1 'left 0'
}

@test "systemd: doctor through systemd-run" {
	local run='systemd-run -p DefaultDependencies=no -E REPRISE_CACHE_DIR --quiet --pipe --wait'
	steps 'systemctl start dbus' "! reprise doctor -- $run || exit" \
		'reprise doctor -- systemd-run --quiet --scope' \
		"reprise doctor -- $run -E LD_PRELOAD -E REPRISE_JOB" \
		"reprise doctor -- $run reprise-run"
	local remedy='systemd-run -E LD_PRELOAD -E REPRISE_JOB, or `systemd-run ... reprise-run'
	grep -q 'mend  rank .* the preload did not arrive' <<<"$output" || fail "$output"
	grep -qF -- "-> $remedy COMMAND\`; \`--scope\` passes all on" <<<"$output" || fail "$output"
	[ "$(grep -c 'ok    rank .* arrived; gcc twice: .*hit' <<<"$output")" = 3 ] ||
		fail "$output"
}
