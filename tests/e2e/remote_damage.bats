#!/usr/bin/env bats
# Entries of the remote store that are damaged, or that no trusted key signed. They are refused,
# counted and named; the node that compiles repairs them. Deliberate changes: remote_forged.

setup() { load lib; load redis; load remote_lib; remote_setup; }
teardown() { remote_teardown; }

# damaged WHAT: node b finds the entry, refuses it, reports it, and compiles rightly.
damaged() {
	fresh b
	again "${2:-miss:refused}" --warnings || { fail "$1"; return 1; }
	[ "$(stat_of refused_entries)" -ge 1 ] || { fail "$1: not counted"; return 1; }
	reprise explain >"$ROOT/explained"
	grep -q 'refused' "$ROOT/explained" ||
		{ cat "$ROOT/explained" >&2; fail "$1: reprise explain does not say it"; return 1; }
}

# spoilt BYTES LENGTHS: entries are refused with a flipped bit in one of these bytes, cut to one of
# these lengths, and damaged in other ways.
spoilt() {
	start
	put b.c 'int b(int x) { return x - 1; }'
	across -- gcc -c b.c -o a.o
	local other_r other_m r m
	other_r=$(remote_keys main r)
	other_m=$(remote_keys main m)
	raw main get "$other_r" >other.result
	raw main lrange "$other_m" 0 0 >other.candidate
	across -- gcc -c a.c
	r=$(remote_keys main r | grep -v "$other_r")
	m=$(remote_keys main m | grep -v "$other_m")
	raw main get "$r" >result
	raw main lrange "$m" 0 0 >candidate
	local n at
	# A publisher that is late would repair what the next lines damage.
	export REPRISE_REMOTE_READONLY=1
	# A bit of each part of the head, and of the body.
	for at in $1; do
		"$PY" -c 'import sys; b = bytearray(open("result", "rb").read())
b[int(sys.argv[1])] ^= 64; open("bad", "wb").write(b)' $at
		raw main set "$r" @bad >/dev/null
		if [ $at = 7 ]; then
			# A later version is absent, not damaged.
			fresh b
			again miss --warnings
			continue
		fi
		damaged "result, byte $at"
	done
	for n in $2; do
		head -c $n result >bad
		raw main set "$r" @bad >/dev/null
		damaged "result of $n bytes"
	done
	cat result result >bad
	raw main set "$r" @bad >/dev/null
	damaged "twice the result"
	raw main set "$r" @other.result >/dev/null
	damaged "another key's result"
	raw main set "$r" @candidate >/dev/null
	damaged "a candidate as result"
	redis_cli main del "$r" >/dev/null
	redis_cli main lpush "$r" x >/dev/null
	damaged "a list as result"
	redis_cli main del "$r" >/dev/null
	raw main set "$r" @result >/dev/null
	for n in other.candidate result; do
		redis_cli main del "$m" >/dev/null
		raw main lpush "$m" @$n >/dev/null
		damaged "$n as candidate"
	done
	redis_cli main del "$m" >/dev/null
	raw main lpush "$m" @candidate >/dev/null
	"$PY" -c 'b = bytearray(open("candidate", "rb").read()); b[-5] ^= 1
open("bad", "wb").write(b)'
	raw main lpush "$m" @bad >/dev/null
	# The good entry behind it is replayed.
	fresh b
	again remote --warnings
	[ "$(stat_of refused_entries)" -ge 1 ]
	# The node that compiles replaces the refused entry.
	unset REPRISE_REMOTE_READONLY
	raw main set "$r" @bad >/dev/null
	damaged "a candidate's bytes as result"
	drain
	fresh c
	again remote --warnings
}

# bats test_tags=check
@test "remote_damage: damaged, cut, swapped or lying entries are refused, counted and named" {
	spoilt '0 7 16 72 200 230' '0 100 200 201'
}

# bats test_tags=long
@test "remote_damage: a bit of each part of a head, and more lengths" {
	spoilt '0 7 8 12 16 24 40 72 104 200 230' '0 1 100 199 200 201'
}

# bats test_tags=check
@test "remote_damage: with trust, only what trusted keys signed" {
	start
	local public other
	public=$(reprise keygen "$ROOT/key")
	other=$(reprise keygen "$ROOT/other")
	export REPRISE_SIGN_KEY=$ROOT/key
	across -- gcc -c a.c
	unset REPRISE_SIGN_KEY
	export REPRISE_TRUST=$public
	fresh c
	again remote
	# A node without a key publishes nothing.
	put b.c 'int b;'
	again stored -- gcc -c b.c
	[ ! -e "$ROOT/c/spool" ] || [ -z "$(find "$ROOT/c/spool" -type f)" ]
	# Signed with another key.
	export REPRISE_TRUST=$other
	fresh b
	again miss:refused --warnings -- gcc -c a.c
	[ "$(stat_of refused_entries)" -ge 1 ]
	# An unsigned entry under a signed one's key.
	local r
	r=$(remote_keys main r)
	export REPRISE_TRUST=$public
	raw main get "$r" >result
	"$PY" -c 'b = bytearray(open("result", "rb").read()); b[12] &= ~2; b[104:200] = bytes(96)
open("bad", "wb").write(b)'
	raw main set "$r" @bad >/dev/null
	damaged unsigned
	# Processes without trust use other keys, and do not find these entries.
	unset REPRISE_TRUST
	fresh d
	again stored
}
