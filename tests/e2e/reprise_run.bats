#!/usr/bin/env bats
# The launch: scripts/reprise-run and `reprise run` behind it.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	case_setup
	RUN=$TOP/scripts/reprise-run
	LIB=$(realpath "$TOP/build/libreprise.so")
}
teardown() { case_teardown; }

# An installed prefix, as `make install` lays it out.
prefix() {
	mkdir -p "$1/bin" "$1/lib/reprise"
	cp "$TOP/build/reprise" "$TOP/scripts/reprise-run" "$1/bin"
	cp "$TOP/build/libreprise.so" "$1/lib/reprise"
}

# preload_of COMMAND...: LD_PRELOAD as a command started by it sees it.
preload_of() { "$@" /bin/sh -c 'printf %s "$LD_PRELOAD"'; }

@test "reprise-run: the object is in the command's process" {
	run "$RUN" grep -c "$LIB" /proc/self/maps
	[ "$status" = 0 ]
	[ "$output" -ge 1 ]
}

@test "reprise-run: arguments arrive as they are" {
	args=('' 'a b' '*' $'new\nline' '--help' '--' '-x' "'" '"' '$HOME' $'\xff\xfe')
	printf '<%s>\n' "${args[@]}" >want
	"$RUN" printf '<%s>\n' "${args[@]}" >have
	cmp want have
	"$RUN" -- printf '<%s>\n' "${args[@]}" >have
	cmp want have
}

@test "reprise-run: the exit status is the command's" {
	for n in 0 1 2 77 255; do
		run "$RUN" sh -c "exit $n"
		[ "$status" = "$n" ]
	done
}

# warns LINES [VARIABLE=VALUE...]: what it says on standard error, each line behind its name.
warns() {
	local want
	want=$(sed -n 's/./reprise-run: &/p' <<<"$1")
	shift
	run --separate-stderr env "$@" "$RUN" echo out
	[ "$status" = 0 ] && [ "$output" = out ] || fail "status $status: $output $stderr"
	# shellcheck disable=SC2154 # bats sets it
	[ "$stderr" = "$want" ] || fail "said: $stderr, wanted: $want"
}

@test "reprise-run: says at its start what will not work, and nothing where all does" {
	warns ''
	warns 'REPRISE_MAX_SIZE: "5X" is not a whole number of bytes or of K, M, G, T; the default is used
REPRISE_MAXSIZE is no setting (REPRISE_MAX_SIZE?)' REPRISE_MAX_SIZE=5X REPRISE_MAXSIZE=5G
	warns 'REPRISE_ZZZZZZZZZ is no setting' REPRISE_ZZZZZZZZZ=1
	mkdir -p config/reprise
	echo 'max_size=7G' >config/reprise/reprise.conf
	local line="$PWD/config/reprise/reprise.conf:1"
	warns "$line: no such setting: \"max_size\"; the line is ignored (MAX_SIZE?)" \
		XDG_CONFIG_HOME="$PWD/config"
	warns 'REPRISE_CACHE_DIR: "store" is not an absolute path; the default is used' \
		REPRISE_CACHE_DIR=store
	local none='/proc/none: No such file or directory'
	warns "cache directory $none: the store is $HOME/.cache/reprise" REPRISE_CACHE_DIR=/proc/none
	warns "runtime directory $none: it is $TMPDIR/reprise" REPRISE_RUNTIME_DIR=/proc/none \
		XDG_RUNTIME_DIR="$TMPDIR"
	put "/tmp/reprise_nowhere-$$" x
	warns "nothing is cached: no usable store: cache directory $none" \
		REPRISE_CACHE_DIR=/proc/none HOME=/proc TMPDIR=/proc USER=nowhere-$$
	rm "/tmp/reprise_nowhere-$$"
	run --separate-stderr env REPRISE_REDIS_URL=http://x "$RUN" true
	[ "$status" = 0 ] || fail "status $status"
	[[ $stderr == 'reprise-run: REDIS_URL: '*'the remote store is off' ]] || fail "$stderr"
}

@test "reprise-run: TLS without its program is said" {
	prefix "$ROOT/p"
	RUN=$ROOT/p/bin/reprise-run
	local helper=libexec/reprise/reprise-remote
	warns "rediss:// needs $helper, which is not there: the remote store is off" \
		REPRISE_REDIS_URL=rediss://127.0.0.1:1 REPRISE_DRAIN=0
}

@test "reprise-run: --quiet, REPRISE_QUIET, and no Reprise at all: nothing is said" {
	warns '' REPRISE_MAXSIZE=5G REPRISE_QUIET=1
	warns '' REPRISE_MAXSIZE=5G REPRISE_FORCE_DISABLE=1
	warns '' REPRISE_MAXSIZE=5G TORCHINDUCTOR_FORCE_DISABLE_CACHES=1
	run --separate-stderr env REPRISE_MAXSIZE=5G "$RUN" --job a --quiet -- \
		sh -c 'echo $REPRISE_JOB'
	[ "$status" = 0 ] && [ "$output" = a ] && [ -z "$stderr" ] || fail "$output $stderr"
	# The object says nothing, whatever is set.
	run --separate-stderr env REPRISE_MAXSIZE=5G REPRISE_MAX_SIZE=5X LD_PRELOAD="$LIB" \
		gcc --version
	[ "$status" = 0 ] && [ -z "$stderr" ] || fail "$stderr"
}

@test "reprise-run: becomes the command, so signals reach it" {
	"$RUN" sh -c 'trap "echo got; exit 5" TERM; echo $$ >pid; while :; do sleep 0.05; done' >out &
	pid=$!
	for _ in $(seq 200); do [ -s pid ] && break; sleep 0.05; done
	[ "$(cat pid)" = $pid ]
	kill -TERM $pid
	wait $pid && s=0 || s=$?
	[ $s = 5 ]
	[ "$(cat out)" = got ]
}

@test "reprise-run: death by a signal is seen as such" {
	run "$RUN" sh -c 'kill -KILL $$'
	[ "$status" = 137 ]
}

@test "reprise-run: standard streams pass" {
	printf 'in\n' | "$RUN" sh -c 'cat; echo err >&2' >out 2>err
	[ "$(cat out)" = in ]
	[ "$(cat err)" = err ]
}

@test "reprise-run: LD_PRELOAD is set, behind what is there, once" {
	[ "$(preload_of "$RUN")" = "$LIB" ]
	other=$ROOT/other.so
	cp "$LIB" "$other"
	[ "$(LD_PRELOAD=$other preload_of "$RUN")" = "$other:$LIB" ]
	[ "$(LD_PRELOAD=$LIB preload_of "$RUN")" = "$LIB" ]
	[ "$(LD_PRELOAD="$other $LIB" preload_of "$RUN")" = "$other $LIB" ]
	ln -s "$LIB" link.so
	[ "$(LD_PRELOAD=$PWD/link.so preload_of "$RUN")" = "$PWD/link.so" ]
	[ "$(LD_PRELOAD=: preload_of "$RUN")" = "$LIB" ]
	[ "$(preload_of "$RUN" "$RUN")" = "$LIB" ]
}

@test "reprise-run: names the job unless it has a name" {
	job() { "$@" sh -c 'printf %s "$REPRISE_JOB"'; }
	[[ $(job "$RUN") == run-*-* ]]
	[ "$(REPRISE_JOB=mine job "$RUN")" = mine ]
	[ "$(SLURM_JOB_ID=77 job "$RUN")" = 77 ]
	first=$(job "$RUN")
	[ "$(job "$RUN")" != "$first" ]
	# processes of one job agree, however deep
	[ "$(job "$RUN" "$RUN" sh -c 'exec sh -c "$1" x "$2"' x 'eval "$1"' 'printf %s "$REPRISE_JOB"' | head -c 4)" = run- ]
}

@test "reprise-run: through links" {
	ln -s "$RUN" abs
	[ "$(preload_of ./abs)" = "$LIB" ]
	mkdir d
	ln -s ../abs d/rel
	ln -s d/rel chain
	[ "$(preload_of ./chain)" = "$LIB" ]
	ln -s "$TOP" tree
	[ "$(preload_of tree/scripts/reprise-run)" = "$LIB" ]
}

@test "reprise-run: found through PATH" {
	mkdir bin
	ln -s "$RUN" bin/reprise-run
	[ "$(PATH=$W/bin:$PATH preload_of reprise-run)" = "$LIB" ]
	cd bin
	[ "$(PATH=.:$PATH preload_of reprise-run)" = "$LIB" ]
}

@test "reprise-run: from an installed prefix, moved or linked" {
	prefix "$ROOT/opt"
	[ "$(preload_of "$ROOT/opt/bin/reprise-run")" = "$ROOT/opt/lib/reprise/libreprise.so" ]
	mv "$ROOT/opt" "$ROOT/moved"
	ln -s "$ROOT/moved/bin/reprise-run" r
	[ "$(preload_of ./r)" = "$ROOT/moved/lib/reprise/libreprise.so" ]
	[ "$(preload_of "$ROOT/moved/bin/reprise" run)" = "$ROOT/moved/lib/reprise/libreprise.so" ]
	(cd "$ROOT/moved/bin" && [ "$(preload_of ./reprise run --)" = "$ROOT/moved/lib/reprise/libreprise.so" ])
}

@test "reprise-run: a path that LD_PRELOAD cannot hold is refused, and a link helps" {
	for name in 'a b' 'a:b' 'a$b'; do
		prefix "$ROOT/$name"
		run "$ROOT/$name/bin/reprise-run" true
		[ "$status" = 125 ]
		[[ $output == *"LD_PRELOAD cannot hold"*"ln -s"* ]]
		ln -sfn "$ROOT/$name" "$ROOT/plain"
		run "$ROOT/plain/bin/reprise-run" grep -c 'libreprise.so' /proc/self/maps
		[ "$status" = 0 ]
	done
}

@test "reprise-run: without the command or the object it says so" {
	mkdir -p "$ROOT/half/bin"
	cp "$RUN" "$ROOT/half/bin"
	run "$ROOT/half/bin/reprise-run" true
	[ "$status" = 125 ]
	[[ $output == *"no 'reprise'"* ]]
	cp "$TOP/build/reprise" "$ROOT/half/bin"
	run "$ROOT/half/bin/reprise-run" true
	[ "$status" = 125 ]
	[[ $output == *libreprise.so* ]]
}

@test "reprise-run: help, version, wrong usage" {
	run "$RUN" --help
	[ "$status" = 0 ]
	[[ $output == "Usage: reprise-run"* ]]
	run "$RUN" --version
	[ "$status" = 0 ]
	[[ $output == reprise\ * ]]
	run "$RUN"
	[ "$status" = 2 ]
	run "$RUN" --
	[ "$status" = 2 ]
	run "$RUN" --bogus true
	[ "$status" = 2 ]
	run "$TOP/build/reprise" run
	[ "$status" = 2 ]
}

@test "reprise-run: commands that cannot be started" {
	run -127 "$RUN" no-such-command
	[[ $output == *no-such-command* ]]
	run -127 "$RUN" ''
	put plain 'echo no'
	run "$RUN" ./plain
	[ "$status" = 126 ]
	run "$RUN" /
	[ "$status" = 126 ]
}

@test "reprise-run: under dash and busybox sh" {
	for sh in dash 'busybox sh'; do
		need "${sh%% *}"
		[ "$(preload_of $sh "$RUN")" = "$LIB" ]
		ln -sfn "$RUN" link
		[ "$(preload_of $sh ./link)" = "$LIB" ]
		run $sh "$RUN" sh -c 'exit 9'
		[ "$status" = 9 ]
		run $sh "$RUN" --help
		[ "$status" = 0 ]
		run $sh "$RUN"
		[ "$status" = 2 ]
	done
}

@test "reprise-run: an environment of its own makes no difference" {
	[ "$(env -i "$RUN" /bin/sh -c 'printf %s "$LD_PRELOAD"')" = "$LIB" ]
	[ "$(env -i IFS=/ CDPATH=/ POSIXLY_CORRECT=1 version=yes "$RUN" /bin/sh -c 'printf %s "$LD_PRELOAD"')" = "$LIB" ]
	# an option-like argument of the command is not reprise run's
	run env POSIXLY_CORRECT=1 "$RUN" echo --help -x
	[ "$output" = "--help -x" ]
}
