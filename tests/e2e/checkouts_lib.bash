# One command in several checkouts: whether one recorded run serves them all. After lib.bash.
#
#     CHECKOUTS=(one two one-that-is-longer)     # directories of equal content; the first records
#     hit_in_all gcc -g -c a.c
#     hit_in_own 'gcc -g -c "$PWD/a.c"'          # one word: a text for sh
#
# E2E_FURTHER=1: each command also runs in checkouts of twenty further names (FURTHER_NAMES).

# The run that is recorded in the first checkout. LAST: the command.
checkouts_record() {
	LAST=("$@")
	[ $# -gt 1 ] || LAST=(sh -c "$1")
	differential --cd "${CHECKOUTS[0]}" -- "${LAST[@]}" || fail "recorded: $*"
}

# checkouts_further VERDICT: in copies of the first checkout, unless that lies in another one.
checkouts_further() {
	local d
	[[ ${E2E_FURTHER:-} && ${CHECKOUTS[0]} != */* ]] || return 0
	load names_further
	for d in $FURTHER_NAMES; do
		[ ! -e "$d" ] || continue
		cp -a "${CHECKOUTS[0]}" "$d"
		age
		again "$1" --cd "$d" || { fail "$d: ${LAST[*]}"; return 1; }
		rm -rf "$d"
	done
}

# hit_in_all CMD...: recorded in one checkout, it serves all.
hit_in_all() {
	local d
	checkouts_record "$@" || return 1
	for d in "${CHECKOUTS[@]:1}" "${CHECKOUTS[0]}"; do
		again hit --cd "$d" || fail "$d: $*"
	done
	checkouts_further any
}

# hit_in_own CMD...: recorded in one checkout, it serves this one alone.
hit_in_own() {
	local d
	checkouts_record "$@" || return 1
	for d in "${CHECKOUTS[@]:1}"; do
		again miss --cd "$d" || fail "$d: $*"
	done
	again hit --cd "${CHECKOUTS[0]}" || fail "${CHECKOUTS[0]}: $*"
	checkouts_further any
}
