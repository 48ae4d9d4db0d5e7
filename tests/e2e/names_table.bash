# Tables of names: a line a case. After lib.bash.
#
#     names_table <<-'END'
#     in            | one two tmpaaaaaaaa            directories for what follows; an empty store
#     a.c           | #include "a.h"\nint a = A;     a file of each directory, '\n' between lines
#     two/a.h       | #define A 2                    a file of one directory alone
#     own           | gcc -O2 -c "$PWD/a.c"          what the command, a text for sh, is there
#     END
#
# The files of $W are in each directory, too. In each directory the command runs under Reprise and
# plain: status, output and all files must be equal. The words before a command:
#
#     all            recorded in the first directory, a hit in each other one and in the first
#     own            recorded in each of the first two, a hit in the first again
#     any            nothing is asked of hits
#     bound          recorded in each of the first two
#     half           a hit in half of the directories: each order of two strings has a result
#     miss hit ...   a word for each directory: miss, miss:REASON, hit, unstored, any, nothing (no
#                    tool is seen), part (some of its compiles are hits), or some (part or hit)
#
# A name in the form of a generated one (tmp..., pip-...) is a directory in $TMPDIR, which is there
# while its command runs. Others are checkouts in $C, which are there during the whole case. In a
# file, @DIR@ is the path of its directory, @C@ that of all checkouts, @TMPDIR@ and @W@ those of
# the variables. A line that ends with '\' goes on in the next one. '#' begins a comment line.
#
# E2E_FURTHER=1: each case of several directories also runs in twenty further ones. No hit is asked
# of these. Own and bound cases then run in all directories of their table.

. "$E2E_DIR/names_further.bash"

# cell_place NAME: sets PLACE.
cell_place() {
	case $1 in
	tmp* | pip-*) PLACE=$TMPDIR/$1 ;;
	*) PLACE=$C/$1 ;;
	esac
}

# cell_make NAME: makes the directory anew.
cell_make() {
	local texts
	cell_place "$1"
	rm -rf "$PLACE"
	mkdir -p "${PLACE%/*}"
	cp -a "$W" "$PLACE"
	[ ! -d "$ROOT/over/$1" ] || cp -a "$ROOT/over/$1/." "$PLACE"
	[ -z "$CELL_DIR" ] || {
		texts=$(grep -rl @DIR@ "$PLACE")
		[ -z "$texts" ] || sed -i "s#@DIR@#$PLACE#g" $texts
	}
}

# cell_file NAME TEXT
cell_file() {
	local file=$1 text=$2
	[[ " $CELL_IN " == *" ${file%%/*} "* ]] && file=$ROOT/over/$file || file=$W/$file
	[[ $text != *@DIR@* ]] || CELL_DIR=1
	text=${text//@C@/$C} text=${text//@TMPDIR@/$TMPDIR} text=${text//@W@/$W}
	put "$file" "${text//\\n/$'\n'}"
}

# cell_run NAME WORD TEXT: one command in one directory.
cell_run() {
	local name=$1 want=$2 text=$3 how at got=
	local -A after
	# A directory that comes again has its plain results already.
	for how in ours "plain.${name//\//.}"; do
		at=$ROOT/cells/$how
		[ $how = ours ] && rm -rf "$at" "$at".* || [ ! -e "$at" ] || continue
		cell_place "$name"
		[ -d "$PLACE" ] || cell_make "$name"
		age
		(
			cd "$PLACE" && {
				[ $how != ours ] || export "${RPENV[@]}"
				exec sh -c "$text" </dev/null >"$at.out" 2>&1
			}
		)
		echo $? >"$at.status"
		mv "$PLACE" "$at"
		[ "${PLACE%/*}" = "$TMPDIR" ] || cell_make "$name"
	done
	at=$ROOT/cells
	[ "$(<"$at/ours.status")" = "$(<"$at/$how.status")" ] || {
		fail "$name: status $(<"$at/ours.status"), plain $(<"$at/$how.status"): $text"
		return 1
	}
	cmp "$at/ours.out" "$at/$how.out" && diff -r "$at/ours" "$at/$how" >&2 ||
		{ fail "$name: not as plain: $text"; return 1; }
	stats_read after || return 1
	[ "${after[errors]}" = "${CELL_STATS[errors]}" ] ||
		{ fail "$name: an error: $text"; return 1; }
	for how in unstored misses hits_local; do
		[ "${after[$how]}" = "${CELL_STATS[$how]}" ] || got+=$how
	done
	how=reason_${want#*:}
	[[ $want != *:* || ${after[$how]:-0} -gt ${CELL_STATS[$how]:-0} ]] || got+=" (no $how)"
	got=${got:-nothing}
	local -A seen=([hits_local]=hit [misses]=miss [misseshits_local]=part
		[unstored]=unstored [unstoredmisses]=unstored)
	got=${seen[$got]-$got}
	[[ $want != some || $got != @(hit|part) ]] || want=$got
	[[ -n ${REPRISE_TEST_UNCOUNTED-} || $want = any || $got = "${want%%:*}" ]] || {
		tail -n 3 "$LOG" >&2
		fail "$name: $got, not $want, in $CELL_IN: $text"
		return 1
	}
	for how in "${!after[@]}"; do CELL_STATS[$how]=${after[$how]}; done
}

# cell_case WORDS TEXT: one command in all directories.
cell_case() {
	local text=$2 names=($CELL_IN) words=($1) name i before=${CELL_STATS[hits_local]}
	case $1${E2E_FURTHER-} in own | bound) names=("${names[@]:0:2}") ;; esac
	case $1 in
	all) names+=("$names") words=(miss ${CELL_IN//+([! ])/hit}) ;;
	own) words=(${names[@]/*/miss} hit) names+=("$names") ;;
	bound) words=(${names[@]/*/miss}) ;;
	any | half) words=(${names[@]/*/any}) ;;
	esac
	rm -rf "$ROOT/cells"
	mkdir "$ROOT/cells"
	for name in $CELL_IN; do
		case $name in tmp* | pip-*) ;; *) cell_make "$name" ;; esac
	done
	[ ${#words[@]} = ${#names[@]} ] ||
		{ fail "$1: not a word for each of: $CELL_IN"; return 1; }
	for i in "${!names[@]}"; do
		cell_run "${names[i]}" "${words[i]}" "$text" || return 1
	done
	[ "$1${REPRISE_TEST_UNCOUNTED-}" != half ] ||
		[ $((2 * (CELL_STATS[hits_local] - before))) -ge ${#names[@]} ] ||
		{ fail "no hit in half of $CELL_IN: $text"; return 1; }
	[ "${E2E_FURTHER-}" ] && [ ${#names[@]} -gt 1 ] || return 0
	for name in $FURTHER_NAMES; do
		[[ " $CELL_IN " == *" $name "* ]] || cell_run "$name" any "$text" || return 1
	done
}

names_table() { # bats runs its trap before each command
	(
		trap - DEBUG
		shopt -s extglob
		export C=$ROOT/checkouts W ROOT
		local -A CELL_STATS
		local line more cell CELL_IN= CELL_DIR=
		while IFS= read -r line; do
			while [[ $line == *\\ ]] && IFS= read -r more; do
				line=${line%\\}${more##+([[:blank:]])}
			done
			[[ -n $line && $line != '#'* ]] || continue
			cell=${line%%|*}
			cell=${cell%%+([[:blank:]])}
			line=${line#*|}
			line=${line##+([[:blank:]])}
			case $cell in
			in)
				CELL_IN=$line CELL_DIR=
				rm -rf "$STORE" "$ROOT/over"
				stats_read CELL_STATS
				;;
			all | own | bound | half | any* | part* | some* | miss* | hit* | \
				unstored* | nothing*)
				cell_case "$cell" "$line" || return 1
				;;
			*) cell_file "$cell" "$line" ;;
			esac
		done
		round_log
	)
}
