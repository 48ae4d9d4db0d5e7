# One command in several checkouts: whether one recorded run serves them all. After lib.bash.
#
#     CHECKOUTS=(one two one-that-is-longer)     # directories of equal content; the first records
#     hit_in_all gcc -g -c a.c
#     hit_in_own 'gcc -g -c "$PWD/a.c"'          # one word: a text for sh

# The run that is recorded in the first checkout. LAST: the command.
checkouts_record() {
	LAST=("$@")
	[ $# -gt 1 ] || LAST=(sh -c "$1")
	differential --cd "${CHECKOUTS[0]}" -- "${LAST[@]}" || fail "recorded: $*"
}

# hit_in_all CMD...: recorded in one checkout, it serves all.
hit_in_all() {
	local d
	checkouts_record "$@" || return 1
	for d in "${CHECKOUTS[@]:1}" "${CHECKOUTS[0]}"; do
		again hit --cd "$d" || fail "$d: $*"
	done
}

# hit_in_own CMD...: recorded in one checkout, it serves this one alone.
hit_in_own() {
	local d
	checkouts_record "$@" || return 1
	for d in "${CHECKOUTS[@]:1}"; do
		again miss --cd "$d" || fail "$d: $*"
	done
	again hit --cd "${CHECKOUTS[0]}" || fail "${CHECKOUTS[0]}: $*"
}
