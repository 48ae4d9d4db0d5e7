# Mounts and file servers of a case's own. After lib.bash.
#
#     work() { server mount; echo text >"$ROOT/mount/file"; }
#     @test "..." { served work; }

end_servers() {
	local file
	for file in "$ROOT"/*.pid; do
		[ ! -e "$file" ] || kill -KILL "$(cat "$file")" 2>/dev/null || :
	done
}

# mounted FUNCTION [FUNCTION...]: runs the first in a mount namespace of its own, where it may use
# the others.
mounted() {
	need_mounts
	export -f fail end_servers "$@"
	export ROOT E2E_DIR
	unshare -m bash -ec "trap end_servers EXIT; mount --make-rprivate / 2>/dev/null; $1" ||
		fail "$1 failed"
}

# server NAME [SKEW]: mounts $ROOT/NAME, whose files are in $ROOT/files. Its pid is in
# $ROOT/NAME.pid.
server() {
	mkdir -p "$ROOT/$1" "$ROOT/files"
	/usr/bin/python3 "$E2E_DIR/sick_directory.py" "$ROOT/$1" "$ROOT/files" "$ROOT/$1.control" \
		"${2-0}" >"$ROOT/$1.log" 2>&1 </dev/null 3>&- &
	echo $! >"$ROOT/$1.pid"
	local i
	for ((i = 0; i < 250; i++)); do
		! mountpoint -q "$ROOT/$1" || return 0
		sleep 0.02
	done
	fail "no file server: $(cat "$ROOT/$1.log")"
}

# served FUNCTION [FUNCTION...]: as mounted, where a file server can be started.
served() {
	need_mounts
	[ -w /dev/fuse ] || skip "no /dev/fuse here"
	/usr/bin/python3 -c 'import fusepy' 2>/dev/null || /usr/bin/python3 -c 'import fuse' \
		2>/dev/null || skip "the package python3-fusepy is missing"
	export -f server
	mounted "$@"
}
