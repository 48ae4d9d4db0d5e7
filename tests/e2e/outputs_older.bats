#!/usr/bin/env bats
# What tools do with an odd file in the place of an output: refuse it, keep it, or change it. A
# start over such a file is as plain, although a result is known.

setup() {
	load lib
	case_setup
	# A proxy of another installation of rustc may come first.
	PATH=/usr/bin:$PATH
	put a.c 'int a(int x) { return x + 1; }'
	put main.c 'int main(void) { return 0; }'
	put r.rs 'pub fn f(x: i32) -> i32 { x + 1 }'
}
teardown() {
	case ${FIXED-} in ?*) chattr -i -a "$W" "$FIXED" 2>/dev/null || true ;; esac
	case_teardown
}

# The user of the case: SELF, and another one for files of others.
as_nobody() {
	[ "$(id -u)" = 0 ] || skip "needs root: files of another user"
	need setpriv
	for_user
	USER=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	SELF=65534 OTHER=0
}
as_root() {
	need_root "files of another user"
	USER=(env)
	SELF=0 OTHER=65534
}

# put_old FILE STATE: what is in the place of FILE before a tool makes it.
put_old() {
	rm -rf "$1" other
	case $2 in
	read_only) put "$1" old && chmod 444 "$1" ;;
	no_rights) put "$1" old && chmod 0 "$1" ;;
	others) put "$1" old && chown $OTHER "$1" && return ;;
	others_writable) put "$1" old && chmod 666 "$1" && chown $OTHER "$1" && return ;;
	private) put "$1" old && chmod 600 "$1" ;;
	named) put "$1" old && ln "$1" other ;;
	empty) : >"$1" ;;
	empty_private) : >"$1" && chmod 600 "$1" ;;
	empty_read_only) : >"$1" && chmod 444 "$1" ;;
	empty_named) : >"$1" && chmod 640 "$1" && ln "$1" other ;;
	link) put other old && ln -s other "$1" && chown $SELF other ;;
	link_read_only) put other old && chmod 444 other && ln -s other "$1" ;;
	link_others) put other old && chown $OTHER other && ln -s other "$1" ;;
	link_empty) : >other && chown $SELF other && ln -s other "$1" ;;
	link_nowhere) ln -s other "$1" ;;
	link_directory) mkdir other && ln -s other "$1" ;;
	link_far) ln -s nowhere/other "$1" ;;
	runs)
		cp "$(command -v sleep)" "$1"
		"./$1" 60 3>&- &
		RUNS=$!
		until [ "$(readlink "/proc/$RUNS/exe")" = "$W/$1" ]; do sleep 0.01; done
		;;
	directory) mkdir "$1" ;;
	null) mknod -m 666 "$1" c 1 3 ;;
	full) mknod -m 666 "$1" c 1 7 ;;
	socket)
		"$PY" -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$1"
		;;
	fixed) put "$1" old && chattr +i "$1" && FIXED=$1 && return ;;
	appended) put "$1" old && chattr +a "$1" && FIXED=$1 && return ;;
	esac
	chown -h $SELF "$1"
}

# what_is FILE: all that a user sees of it.
what_is() {
	stat -c '%n %F %a %u %h' "$1" other 2>&1 || true
	[ ! -L "$1" ] || readlink "$1"
	[ ! -f "$1" ] || cksum <"$1"
}

# Names of temporary files, and addresses of a backtrace.
plain_words() {
	sed -E 's#/cc[A-Za-z0-9]{6}#/ccX#g; s#(rustc|rmeta)[A-Za-z0-9]{6}#\1X#g;
		s#-[0-9a-f]{8}\.#-X.#g; /0x/d' "$1"
}

# over FILE STATES COMMAND...: records COMMAND over nothing, and runs it over FILE in each state.
over() {
	local file=$1 states=$2 state k hits
	shift 2
	rm -rf "$file" other ./*.o
	[ ! -e "$ROOT/in.o" ] || cp -p "$ROOT/in.o" .
	age
	"${USER[@]}" env "${RPENV[@]}" "$@"
	rm -rf "$file"
	hits=$(hit_lines)
	"${USER[@]}" env "${RPENV[@]}" "$@"
	[ "$(hit_lines)" -gt "$hits" ] || fail "$*: no hit over nothing"
	for state in $states; do
		for k in plain reprise; do
			put_old "$file" $state
			local pre=()
			[ $k = plain ] || pre=(env "${RPENV[@]}")
			local s=0
			timeout 20 "${USER[@]}" "${pre[@]}" "$@" >"$ROOT/r/out" 2>"$ROOT/r/err" \
				</dev/null || s=$?
			echo "status $s" >"$ROOT/r/$k"
			plain_words "$ROOT/r/err" >>"$ROOT/r/$k"
			[ -z "${RUNS-}" ] || kill "$RUNS"
			RUNS=
			[ -z "${FIXED-}" ] || chattr -i -a "$FIXED"
			FIXED=
			what_is "$file" >>"$ROOT/r/$k"
		done
		diff "$ROOT/r/plain" "$ROOT/r/reprise" >&2 || fail "$*, over $state"
	done
}
hit_lines() { grep -c ' hit: ' "$LOG" || true; }

FILES="read_only no_rights others others_writable private named empty empty_private \
	empty_read_only empty_named"
LINKS="link link_read_only link_others link_empty link_nowhere link_directory"
OTHERS="directory null full socket"

# bats test_tags=check
@test "outputs_older: clang, as another user than root" {
	as_nobody
	over a.o "$FILES $LINKS $OTHERS" clang -c a.c -o a.o
	over a.d "read_only others empty link_read_only null" clang -MD -MF a.d -c a.c -o a.o
}

# bats test_tags=check
@test "outputs_older: gcc and its linkers, as another user than root" {
	as_nobody
	over a.o "$FILES $LINKS $OTHERS" gcc -c a.c -o a.o
	over a.s "$FILES $LINKS" gcc -S a.c -o a.s
	over prog "$FILES $LINKS" gcc main.c -o prog
}

@test "outputs_older: clang refuses a read-only output" {
	as_nobody
	over a.o read_only clang -c a.c -o a.o
	grep -q 'status 1' "$ROOT/r/reprise" || fail "$(cat "$ROOT/r/reprise")"
	# The refusal is of the file and not of the source.
	put_old a.o read_only
	"${USER[@]}" env "${RPENV[@]}" clang -c a.c -o a.o 2>got && fail "no refusal"
	rm -f a.o
	"${USER[@]}" env "${RPENV[@]}" clang -c a.c -o a.o
}

# bats test_tags=check
@test "outputs_older: gold keeps an empty output and makes it executable" {
	need ld.gold
	as_root
	over prog "empty empty_private empty_named link_empty private" \
		gcc -fuse-ld=gold main.c -o prog
	# The same, recorded over the empty file.
	local mode
	rm -rf "$STORE" prog
	: >prog
	under gcc -fuse-ld=gold main.c -o prog
	for mode in 600 644; do
		rm -f prog
		(umask 077; : >prog; chmod $mode prog)
		under gcc -fuse-ld=gold main.c -o prog
		[ -x prog ] || fail "not executable"
	done
}

# bats test_tags=check
@test "outputs_older: rustc looks at the mode, for root as well" {
	need rustc
	as_root
	over r.o "read_only no_rights others_writable private named empty empty_read_only null" \
		rustc --crate-type=lib --emit=obj -o r.o r.rs
	over libr.rlib "read_only others private named link_read_only link_nowhere" \
		rustc --crate-type=lib r.rs
}

# bats test_tags=check
@test "outputs_older: lld and bfd over each file" {
	need ld.lld
	as_root
	gcc -fPIC -c a.c -o "$ROOT/in.o"
	over out "$FILES $LINKS null" ld.lld -shared in.o -o out
	over out "$FILES $LINKS null" ld.bfd -shared in.o -o out
}

@test "outputs_older: files that the kernel keeps as they are" {
	as_root
	put probe text
	chattr +i probe 2>/dev/null || skip "no attributes of files here"
	chattr -i probe
	over a.o "fixed appended" clang -c a.c -o a.o
	over a.s "fixed appended" gcc -S a.c -o a.s
	# Its text is written first, and once.
	put w.c 'int a(int x) { int unused; return x + 1; }'
	local keep
	differential -- clang -Wall -c w.c -o w.o
	for keep in i a; do
		again bypass:replay --status 1 --filter 's,w-[0-9a-f]+,w-X,' -- sh -c "echo old >w.o
			chattr +$keep w.o
			clang -Wall -c w.c -o w.o; s=\$?; chattr -$keep w.o; exit \$s"
	done
}

@test "outputs_older: a tool that prints a text, and cannot write its output" {
	USER=(env) SELF=$(id -u) OTHER=$(id -u)
	put w.c 'int a(int x) { int unused; return x + 1; }'
	over w.s "link_far link_nowhere runs read_only" gcc -Wall -S w.c -o w.s
	over w.o "link_far link_nowhere runs" gcc -Wall -c w.c -o w.o
}

# bats test_tags=check
@test "outputs_older: a directory that may not be written" {
	as_nobody
	mkdir dir
	local k
	chown 65534 dir
	age
	"${USER[@]}" env "${RPENV[@]}" clang -c a.c -o dir/a.o
	"${USER[@]}" env "${RPENV[@]}" gcc -S a.c -o dir/a.s
	chmod 555 dir
	for k in plain reprise; do
		local pre=() cmd
		[ $k = plain ] || pre=(env "${RPENV[@]}")
		for cmd in "clang -c a.c -o dir/a.o" "gcc -S a.c -o dir/a.s" \
			"gcc -c a.c -o dir/b.o"; do
			"${USER[@]}" "${pre[@]}" $cmd 2>&1 && echo ended well || echo "status $?"
			ls -l dir | awk '{ print $1, $9 }'
		done >"$ROOT/r/out"
		plain_words "$ROOT/r/out" >"$ROOT/r/$k"
	done
	diff "$ROOT/r/plain" "$ROOT/r/reprise" >&2 || fail "the above differs"
}
