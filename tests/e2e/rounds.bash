# Rounds of the differential harness: one command, plain and under Reprise, compared. lib.bash loads
# it, and says what must be equal.
#
# differential [options] -- command
# again EXPECT [options] [-- command]     the last command and options unless given anew
#   --cold EXPECT, --warm EXPECT   what the first and the second run under Reprise must count:
#         stored            a real run that was kept
#         hit               replayed
#         remote            replayed from what a remote store had; then a hit
#         miss              as stored (reads better after an edit)
#         miss:REASON       a real run that was kept, and why it was no hit
#         unstored[:REASON] a real run that was not kept
#         bypass[:REASON]   a real run that was not recorded
#         host              no tool was seen at all
#         any               correct outputs are enough
#         none              (--warm) no second run
#     Default: stored, then hit. Where a hit is expected first, it is the only run: the warm one,
#     unless --ignore is given. After another --cold the second run is expected to be the same.
#   --tools N          starts of tools in the command (default 1): each of them counts
#   --steps N          compiles in a command that is missed, each an action of its own (default 0)
#   --status N|any     exit status the plain run must have (default 0)
#   --makes "A B"      files the plain run must leave: the case is what it says
#   --ignore GLOB      contents that differ between real runs (compared between cold and warm
#                      instead)
#   --filter SED       applied to stdout and stderr before they are compared
#   --mask SED         applied to the files of the tree before they are compared
#   --streams KIND     split (two files, default), merged (one file), pipe (one pipe), pipes (two
#                      pipes)
#   --stdin FILE       default /dev/null
#   --umask MASK
#   --env "A=b"        for all runs; several on lines of their own
#   --fresh            the tree holds files that the command overwrites: each run gets a copy of the
#                      tree
#   --cd DIR           working directory below the tree
#   --warnings         warnings in the log are part of the case

command_text() { printf '%s' "${E2E_CMD[*]}" | cut -c 1-400; }

# round_exec NAME [preload]: E2E_CMD in place of this process. `env` costs a start.
round_exec() {
	local vars=()
	[ "${2-}" != preload ] || vars=("${RPENV[@]}")
	if [ -n "${O[env]-}" ]; then
		local own
		mapfile -t own <<<"${O[env]}"
		exec env "${own[@]}" "${vars[@]}" "${E2E_CMD[@]}"
	fi
	[ ${#vars[@]} = 0 ] || export "${vars[@]}"
	exec "${E2E_CMD[@]}"
}

round_run() { # NAME [preload]: one run of E2E_CMD in the tree; results in $ROOT/r/NAME.*
	local name=$1 start left
	local out=$ROOT/r/$name.out err=$ROOT/r/$name.err
	: >"$out" >"$err" # before an odd umask
	start=$EPOCHREALTIME
	(
		cd "$W${O[cd]:+/${O[cd]}}" || exit 126
		[ -z "${O[umask]-}" ] || umask "${O[umask]}"
		case ${O[streams]-split} in
		split) round_exec "$@" <"${O[stdin]-/dev/null}" >"$out" 2>"$err" ;;
		merged) round_exec "$@" <"${O[stdin]-/dev/null}" >"$out" 2>&1 ;;
		pipe)
			round_exec "$@" <"${O[stdin]-/dev/null}" 2>&1 | cat >"$out"
			exit "${PIPESTATUS[0]}"
			;;
		pipes)
			{
				round_exec "$@" <"${O[stdin]-/dev/null}" 2>&3 | cat >"$out"
				exit "${PIPESTATUS[0]}"
			} 3> >(cat >"$err")
			;;
		esac
	)
	echo "$?" >"$ROOT/r/$name.status"
	[ "${O[streams]-}" != pipes ] || sleep 0.02 # the second cat has no one to wait for it
	if [ -n "${O[filter]-}" ]; then
		sed -E -i "${O[filter]}" "$out" "$err"
	fi
	# 20 ms of slack: a file's clock is coarser than ours. Inputs are older than that.
	start=$((${start/./} - 20000))
	ROUND_START=${start:0:-6}.${start: -6}
	left=("$TMPDIR"/* "$TMPDIR"/.[!.]*)
	if [ -e "${left[0]}" ] || [ -e "${left[-1]}" ]; then
		fail "$name: left in TMPDIR: ${left[*]}"
		rm -rf "$TMPDIR" && mkdir "$TMPDIR"
		return 1
	fi
}

round_keep() { # NAME: takes the results away and puts the tree back
	local name=$1
	cd "$W" || return 1
	if [ -n "${O[fresh]-}" ]; then
		"$TREE" meta "$ROOT/r" "$name" "$ROUND_START"
		cd "$ROOT" || return 1
		mv w "r/$name.tree"
		[ ! -e "r/next.$name" ] || mv "r/next.$name" w
	else
		"$TREE" keep "$ROOT/r" "$name" "$ROUND_START" || {
			diff -a "$ROOT/r/inputs" "$ROOT/r/inputs.now" | head -n 10 |
				cut -c 1-400 >&2
			fail "$name: changed files that were there (the case wants --fresh)"
			return 1
		}
	fi
	[ -z "${O[mask]-}" ] ||
		find "$ROOT/r/$name.tree" -type f -exec env LC_ALL=C sed -E -i "${O[mask]}" {} +
	cd "$W"
}

round_compare() { # NAME OTHER: results of NAME against those of the run OTHER
	local name=$1 base=$2 what globs=() x=()
	[ "$base" != plain ] || read -ra globs <<<"${O[ignore]-}"
	! "$TREE" same "$ROOT/r" "$base" "$name" "${globs[@]}" || return 0
	for what in status out err meta; do
		cmp -s "$ROOT/r/$base.$what" "$ROOT/r/$name.$what" && continue
		echo "$name and $base differ in $what:" >&2
		diff -a "$ROOT/r/$base.$what" "$ROOT/r/$name.$what" | head -n 20 | cut -c 1-400 >&2
	done
	for what in "${globs[@]}"; do x+=(-x "$what"); done
	diff -r --no-dereference "${x[@]}" "$ROOT/r/$base.tree" "$ROOT/r/$name.tree" 2>&1 |
		head -n 20 | cut -c 1-400 >&2
	fail "$name is not as $base: $(command_text)"
}

round_expect() { # NAME EXPECT BEFORE AFTER: the counters' movement
	local name=$1 want=$2 tools=${O[tools]-1} steps=${O[steps]-0} reason=
	local -n _b=$3 _a=$4
	[ -z "${REPRISE_TEST_UNCOUNTED-}" ] || return 0
	case $want in *:*) reason=${want#*:} want=${want%%:*} ;; esac
	local far=$((${_a[hits_remote]:-0} - ${_b[hits_remote]:-0}))
	local hits=$((_a[hits_local] - _b[hits_local] + far)) misses=$((_a[misses] - _b[misses]))
	local unstored=$((_a[unstored] - _b[unstored])) bypasses=$((_a[bypasses] - _b[bypasses]))
	local k got="hits $hits ($far remote), misses $misses"
	got+=", unstored $unstored, bypasses $bypasses"
	for k in "${!_a[@]}"; do
		case $k in
		reason_*) [ "${_a[$k]}" = "${_b[$k]:-0}" ] || got+=", ${k#reason_}" ;;
		esac
	done
	[ "${_a[errors]}" = "${_b[errors]:-0}" ] ||
		{ fail "$name: errors counted; $got"; return 1; }
	local ok=1
	case $want in
	any) ;;
	stored | miss)
		[ "$((hits + misses)) $unstored $bypasses" = "$((tools + steps)) 0 0" ] || ok=0
		[ $misses -ge "$tools" ] || ok=0
		;;
	hit) [ "$hits $far $misses $unstored $bypasses" = "$tools 0 0 0 0" ] || ok=0 ;;
	remote) [ "$hits $far $misses $unstored $bypasses" = "$tools $tools 0 0 0" ] || ok=0 ;;
	unstored)
		[ "$((hits + misses)) $unstored $bypasses" = "$((tools + steps)) $tools 0" ] || ok=0
		[ $misses -ge "$tools" ] || ok=0
		;;
	# the passes below a driver decide for themselves
	bypass) [ $bypasses -ge "$tools" ] || ok=0 ;;
	host) [ "$hits $misses $unstored $bypasses" = "0 0 0 0" ] || ok=0 ;;
	*) fail "expectation '$want'?"; return 1 ;;
	esac
	if [ $ok = 1 ] && [ -n "$reason" ]; then
		[ $((${_a[reason_$reason]:-0} - ${_b[reason_$reason]:-0})) -ge 1 ] || ok=0
	fi
	[ $ok = 1 ] || fail "$name: expected $want${reason:+ ($reason)} of $tools, counted: $got;" \
		"command: $(command_text)"
}

round_log() { # the log holds no error, and no warning but where the case is about one
	[ -e "$LOG" ] || return 0
	local bad='^[^ ]+ [0-9]+ (error|warning) '
	[ -z "${O[warnings]-}" ] || bad='^[^ ]+ [0-9]+ error '
	! grep -aE "$bad" "$LOG" >&2 || fail "the log holds the above"
}

round_parse() { # options to O, the command to E2E_CMD
	while [ $# -gt 0 ]; do
		case $1 in
		--) shift; E2E_CMD=("$@"); return ;;
		--fresh | --warnings) O[${1#--}]=1; shift ;;
		--cold | --warm | --tools | --steps | --status | --makes | --ignore | --filter | \
			--mask | --streams | --stdin | --umask | --env | --cd)
			O[${1#--}]=$2
			shift 2
			;;
		*) fail "option $1?"; return 1 ;;
		esac
	done
}

# bats runs its own trap before every command of a function. That costs more than the commands here.
round() {
	(
		trap - DEBUG
		round_here
	) || return 1
	cd "$W"
}

# round_under NAME EXPECT BEFORE AFTER: one run under Reprise, compared with the plain one
round_under() {
	round_run "$1" preload && stats_read "$4" && round_keep "$1" &&
		round_compare "$1" plain && round_expect "$@"
}

round_here() {
	local cold=${O[cold]-stored} warm=${O[warm]-} f
	if [ -z "$warm" ]; then
		case $cold in
		stored | miss* | remote) warm=hit ;;
		*) warm=$cold ;;
		esac
		[ "$cold$warm${O[ignore]-}" != hithit ] || cold=none
	fi
	cd "$W" && "$TREE" begin "$ROOT/r" || return 1
	if [ -n "${O[fresh]-}" ]; then
		for f in plain cold warm; do cp -a . "$ROOT/r/next.$f"; done
	fi
	age

	round_run plain && round_keep plain || return 1
	[ "${O[status]-0}" = any ] || [ "$(<"$ROOT/r/plain.status")" = "${O[status]-0}" ] || {
		cat "$ROOT/r/plain.out" "$ROOT/r/plain.err" >&2
		fail "the plain run ended with status $(<"$ROOT/r/plain.status"): $(command_text)"
		return 1
	}
	for f in ${O[makes]-}; do
		[ -e "$ROOT/r/plain.tree/$f" ] || [ -e "$W/$f" ] ||
			{ fail "the plain run made no $f"; return 1; }
	done

	local -A s0 s1 s2
	if [ "$cold" = none ]; then
		stats_read s1 || return 1
	else
		stats_read s0 && round_under cold "$cold" s0 s1 || return 1
	fi
	if [ "$warm" != none ]; then
		round_under warm "$warm" s1 s2 || return 1
		# A replay gives what was recorded, even where no two real runs are equal.
		if [ -n "${O[ignore]-}" ] && [ "$warm" = hit ] &&
			[ -z "${REPRISE_TEST_UNCOUNTED-}" ]; then
			round_compare warm cold || return 1
		fi
	fi
	round_log
}

differential() {
	local -A O=()
	round_parse "$@" || return 1
	E2E_OPTS=("${@:1:$(($# - ${#E2E_CMD[@]}))}")
	round
}

again() {
	local expect=$1
	shift
	local -A O=()
	[ ${#E2E_OPTS[@]} = 0 ] || round_parse "${E2E_OPTS[@]}" "${E2E_CMD[@]}" || return 1
	unset 'O[warm]' 'O[makes]'
	O[cold]=$expect
	round_parse "$@" || return 1
	round
}
