#!/usr/bin/env bats
# A directory that all nodes mount as a remote store, on file systems in trouble: by the calls of
# the backend (tests/e2e/helpers/remote_directory.c). Whole jobs: remote_dir.

setup() {
	load lib
	load directory_lib
	case_setup
	export DIRECTORY SHARED=$ROOT/shared
	DIRECTORY=$(helper remote_directory)
}
teardown() { case_teardown; }

# dir COMMAND...: says in one line what the backend answers.
dir() {
	"$DIRECTORY" "$SHARED" "$@" | paste -sd' '
}

# says EXPECTED COMMAND...: the answer is this, or begins so with a "*".
says() {
	local expected=$1 said
	shift
	said=$(dir "$@")
	[[ $said == $expected ]] || fail "$*: ${said:0:200}, not $expected"
}

# --- file systems in trouble ---------------------------------------------------------------------

full_disk() {
	mkdir "$SHARED"
	mount -t tmpfs -o size=256k none "$SHARED"
	says ok put first small
	says ok fill second 100000
	says 'server: *No space left*' fill third 200000
	# Nothing is left of it, and what was there is served.
	[ -z "$(find "$SHARED" -name '.tmp-*')" ]
	says 'small ok' get first
	says 'absent: *' get third
	head -c 500000 /dev/zero >"$SHARED/filler" 2>/dev/null || true
	says 'server: *' add list one
	rm "$SHARED/filler"
	says ok add list one
	says 'one ok' list list
}
# bats test_tags=check
@test "remote_dir_server: a full disk" {
	mounted full_disk dir says
}

read_only() {
	says ok put first small
	mount --bind "$SHARED" "$SHARED"
	mount -o remount,bind,ro "$SHARED"
	says 'small ok' get first
	says 'there ok' has first
	says 'denied: *' put first other
	says 'denied: *' remove first
	says ok ping
}
# bats test_tags=check
@test "remote_dir_server: a file system that is mounted read-only" {
	mounted read_only dir says
}

# bats test_tags=check
@test "remote_dir_server: a directory that is removed, or is not there" {
	says ok put first small
	rm -r "$SHARED"
	says 'absent: *' get first
	says 'absent: *' list first
	says ok remove first
	says ok ping
	says ok put first small
	says 'small ok' get first
	SHARED=$ROOT/not/mounted
	says 'refused: *mounted*' put first small
	says 'refused: *' get first
	says 'refused: *' ping
	SHARED=$ROOT/file
	: >"$SHARED"
	says 'refused: *Not a directory*' get first
	SHARED=relative
	says 'off: *three slashes*' get first
}

# --- a file server -------------------------------------------------------------------------------

errors() {
	server mount
	SHARED=$ROOT/mount/cache
	says ok put first small
	says ok add list one
	local call code expected
	# What a reader meets.
	while read -r call code expected; do
		echo "$call=$code" >"$ROOT/mount.control"
		sleep 0.3 # attributes are cached
		says "$expected" get first
		says "$expected" list list
		rm "$ROOT/mount.control"
	done <<-'END'
		read ESTALE absent:*
		open ESTALE absent:*
		open ENOENT absent:*
		read EIO closed:*
		open EIO closed:*
		read ETIMEDOUT timeout:*
		open ETIMEDOUT timeout:*
		all EIO *:*
		all ESTALE *:*
	END
	sleep 0.3
	says 'small ok' get first
	# What a writer meets: the old entry stays, and no temporary file.
	while read -r call code expected; do
		echo "$call=$code" >"$ROOT/mount.control"
		says "$expected" put first other
		rm "$ROOT/mount.control"
		[ -z "$(find "$ROOT/files" -name '.tmp-*')" ] || fail "$call $code left a file"
	done <<-'END'
		write ENOSPC server:*
		write EDQUOT server:*
		write EIO closed:*
		flush EDQUOT server:*
		flush EIO closed:*
		create EROFS denied:*
		create EACCES denied:*
		rename EIO closed:*
		rename ESTALE closed:*
		rename EPERM foreign:*
	END
	says 'small ok' get first
	says ok put first other
	says 'other ok' get first
}
# bats test_tags=check
@test "remote_dir_server: errors of a file server" {
	served errors dir says
}

# The second mount is another node, whose clock is two days ahead.
two_clients() {
	server here
	server there 172800
	SHARED=$ROOT/here/cache
	says ok put first small
	says ok add list one
	SHARED=$ROOT/there/cache
	says 'small ok' get first
	says ok add list two
	says 'two one ok' list list
	# An absence is remembered by the mount for a moment.
	says 'absent: *' get late
	SHARED=$ROOT/here/cache
	says ok put late new
	SHARED=$ROOT/there/cache
	sleep 0.3
	says 'new ok' get late
	# A file that is replaced while the other client has it in its cache.
	SHARED=$ROOT/here/cache
	says ok put first 'a longer text'
	SHARED=$ROOT/there/cache
	[[ $(dir get first) =~ ^(small ok|a longer text ok|absent.*|foreign.*|damaged ok)$ ]] ||
		fail "$(dir get first)"
	sleep 0.3
	says 'a longer text ok' get first
	# A removed folder.
	rm -r "$ROOT"/files/cache/*
	sleep 0.3
	says 'absent: *' get first
	says ok put first again
	sleep 0.3
	SHARED=$ROOT/here/cache
	says 'again ok' get first
}
# bats test_tags=check
@test "remote_dir_server: two clients of one file server, with other clocks" {
	served two_clients dir says
}

goes_away() {
	server mount
	SHARED=$ROOT/mount/cache
	says ok put first small
	# It hangs: each call ends.
	kill -STOP "$(cat "$ROOT/mount.pid")"
	sleep 0.3
	local start=$EPOCHREALTIME
	says 'timeout: *does not answer*' get first
	says 'timeout: *does not answer*' ping
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { exit b - a > 9 }' ||
		fail "from $start to $EPOCHREALTIME"
	kill -CONT "$(cat "$ROOT/mount.pid")"
	says 'small ok' get first
	# It is gone.
	kill -KILL "$(cat "$ROOT/mount.pid")"
	sleep 0.2
	says '*: *' get first
	[[ $(dir get first) != absent* ]] || fail "a server that is gone has no absences"
	says '*: *' put first other
	says '*: *' ping
	[[ $(dir ping) != ok* ]]
}
# bats test_tags=check
@test "remote_dir_server: a file server that hangs, and one that is gone" {
	served goes_away dir says
}
