#!/usr/bin/env bats
# A remote store may only give back what was published. Real compiles on nodes with a store and a
# runtime directory of their own, and a real Redis between them. Another writer puts entries there,
# with a trusted key and without. All in strict mode: no byte on stderr, no descriptor left.

setup() { load lib; load redis; load remote_lib; load trust_lib; trust_setup; }
teardown() { remote_teardown; }

# bats test_tags=check
@test "remote_forged: every byte of a head, and payloads, signed" {
	publish a "${SIGNS[@]}"
	replays b "${TRUSTS[@]}"
	# Magic, class, flags, lengths, part name, key, digest, public key, signature; the stored
	# bytes.
	# A candidate and a result have the same head.
	local at of=(M R)
	for at in 0 8 12 16 24 32 40 72; do
		tampered 'damaged|signature is wrong|too large|not signed' \
			"edit(${of[at / 8 % 2]}, function(v) return flip(v, $at) end)" \
			"${TRUSTS[@]}"
	done
	tampered 'not signed by a trusted key' \
		"edit(R, function(v) return flip(v, 104) end)" "${TRUSTS[@]}"
	tampered 'signature is wrong' "edit(M, function(v) return flip(v, 136) end)" "${TRUSTS[@]}"
	tampered 'signature is wrong' "edit(R, function(v) return flip(v, 199) end)" "${TRUSTS[@]}"
	for at in 200 '#v - 1'; do
		tampered damaged "edit(M, function(v) return flip(v, $at) end)" "${TRUSTS[@]}"
		tampered damaged "edit(R, function(v) return flip(v, $at) end)" "${TRUSTS[@]}"
	done
}

# bats test_tags=check
@test "remote_forged: unsigned, downgraded, cut short" {
	# Made without a key, under the keys that trust asks for.
	publish a "${SIGNS[@]}"
	unsign="local function unsign(v)
		local plain = put(v, 12, string.char(bit.band(v:byte(13), 1)))
		return put(plain, 104, ('\\0'):rep(96)) end"
	tampered 'not signed by a trusted key' "$unsign edit(M, unsign)" "${TRUSTS[@]}"
	tampered 'not signed by a trusted key' "$unsign edit(R, unsign)" "${TRUSTS[@]}"
	tampered damaged \
		"edit(R, function(v) return put(v, 12, string.char(bit.band(v:byte(13), 1))) end)" \
		"${TRUSTS[@]}"
	FORGES=(REPRISE_SIGN_KEY=)
	forged 'candidate is not signed' "${TRUSTS[@]}" -- status 0
	# Format 0; the signature of another format.
	tampered damaged "edit(R, function(v) return put(v, 7, '\\0') end)" "${TRUSTS[@]}"
	tampered damaged "edit(R, function(v) return put(v, 0, 'RPRBLOC') end)" "${TRUSTS[@]}"
	for n in 0 7 199 200 '#v - 1'; do
		tampered 'damaged' "edit(R, function(v) return v:sub(1, $n) end)" "${TRUSTS[@]}"
	done
	tampered 'damaged' "edit(M, function(v) return v:sub(1, 199) end)" "${TRUSTS[@]}"
	tampered damaged "edit(R, function(v) return v .. 'x' end)" "${TRUSTS[@]}"
	# A later format: absent, and not counted as damaged.
	pristine
	lua "edit(R, function(v) return put(v, 7, '\\2') end)
		edit(M, function(v) return put(v, 7, '\\2') end)"
	ON=reader compile later "${TRUSTS[@]}"
	counted later hits_remote=0 misses=1 refused_entries=0
	[ "$(warnings "$ROOT/later.log")" = 0 ]
}

# bats test_tags=long
@test "remote_forged: the same without trust" {
	publish a
	replays b
	for at in 0 8 12 24 40 72; do
		tampered 'damaged|too large' "edit(M, function(v) return flip(v, $at) end)"
		tampered 'damaged|too large' "edit(R, function(v) return flip(v, $at) end)"
	done
	tampered damaged "edit(R, function(v) return flip(v, 104) end)"
	tampered damaged "edit(M, function(v) return flip(v, #v - 1) end)"
	tampered damaged "edit(R, function(v) return flip(v, #v - 1) end)"
	tampered damaged "edit(R, function(v) return v:sub(1, #v / 2) end)"
	tampered 'too large' \
		"edit(R, function(v) return put(put(v, 16, ('\\255'):rep(7)), 12, '\\1') end)"
}

# bats test_tags=check
@test "remote_forged: values under other keys" {
	put b.c 'int b(void) { return 2; }'
	age
	publish a "${SIGNS[@]}"
	first_manifest=$MANIFEST first_result=$RESULT
	node a "${SIGNS[@]}" LD_PRELOAD="$REPRISE_LIB" gcc -c b.c -o a.o
	node a "${SIGNS[@]}" "$REPRISE_BIN" publish --wait 10
	second_manifest=$(redis_cli main --scan --pattern 'reprise:1:m:*' |
		grep -vF "$first_manifest")
	second_result=$(redis_cli main --scan --pattern 'reprise:1:r:*' | grep -vF "$first_result")
	[ -n "$second_manifest" ]
	[ -n "$second_result" ]
	keep
	tampered 'result is damaged' "redis.call('copy', '$second_result', R, 'replace')" \
		"${TRUSTS[@]}"
	tampered 'candidate is damaged' "redis.call('copy', '$second_manifest', M, 'replace')" \
		"${TRUSTS[@]}"
	# An entry of another class.
	tampered 'result is damaged' \
		"local v = redis.call('lindex', M, 0) redis.call('set', R, v)" "${TRUSTS[@]}"
	tampered 'candidate is damaged' "redis.call('lset', M, 0, redis.call('get', R))" \
		"${TRUSTS[@]}"
	# A candidate that leads to another action's result, made by somebody with the key.
	other=$(sed 's/.*{\(.*\)}.*/\1/' <<<"$second_result")
	FORGES=("${SIGNS[@]}")
	forged 'names a result of another action' "${TRUSTS[@]}" -- elsewhere "$other"
}

# bats test_tags=check
@test "remote_forged: values of other Redis types" {
	publish a "${SIGNS[@]}"
	tampered 'list of candidates is not used: the server answers WRONGTYPE' \
		"redis.call('set', M, redis.call('lindex', M, 0))" "${TRUSTS[@]}"
	tampered 'result is not used: the server answers WRONGTYPE' \
		"local v = redis.call('get', R) redis.call('del', R) redis.call('lpush', R, v)" \
		"${TRUSTS[@]}"
	tampered 'list of candidates is not used: the server answers WRONGTYPE' \
		"redis.call('del', M) redis.call('hset', M, 'a', 'b')" "${TRUSTS[@]}"
	tampered 'result is not used: the server answers WRONGTYPE' \
		"redis.call('del', R) redis.call('zadd', R, 1, 'b')" "${TRUSTS[@]}"
	tampered 'candidate is damaged' "redis.call('lset', M, 0, '')" "${TRUSTS[@]}"
	# A list of 10,000: no more are looked at than a manifest has.
	pristine
	lua "for i = 1, 10000 do redis.call('lpush', M, 'junk ' .. i) end"
	refuses 'candidate is damaged' "${TRUSTS[@]}"
	[ "$(counter_of "r$NODES" refused_entries)" -le 32 ]
	[ "$(counter_of "r$NODES" remote_asked)" -le 9 ]
	# A good candidate is found if it is among the newest that a look-up reads.
	pristine
	lua "for i = 1, 20 do redis.call('lpush', M, 'junk ' .. i) end"
	ON=reader compile found "${TRUSTS[@]}"
	counted found hits_remote=1 refused_entries=20
}

bombs() { # SIGNED
	local signed=$1
	publish_anew a$signed $signed
	forged 'result is too large' "${READS[@]}" -- outer claim
	forged 'result is damaged' "${READS[@]}" -- outer lie
	forged 'it is no result' "${READS[@]}" -- inner claim
	forged 'does not unpack' "${READS[@]}" -- inner lie
	forged 'does not unpack' "${READS[@]}" -- inner part
	forged 'it is no result' "${READS[@]}" -- junk r
	forged 'it is no candidate' "${READS[@]}" -- junk m
	# Each is small enough: no more is unpacked than a look-up may take. To unpack it
	# takes longer than a look-up has by default.
	forged 'candidate is too large' "${READS[@]}" REPRISE_REMOTE_LOOKUP_TIMEOUT=10s \
		-- heap 6
	# A value that unpacks to more than this reader takes.
	pristine
	refuses 'candidate is too large|result is too large' \
		"${READS[@]}" REPRISE_REMOTE_MAX_ENTRY=1000
	# Larger than any answer that is asked for.
	pristine
	lua "redis.call('set', R, ('x'):rep(3000000))"
	ON=reader compile big
	counted big hits_remote=0 misses=1
}

# bats test_tags=check
@test "remote_forged: bombs" { bombs no; }

# bats test_tags=long
@test "remote_forged: bombs, signed" { bombs yes; }

writes_elsewhere() { # SIGNED
	local signed=$1
	mkdir "$ROOT/else" sub
	put "$ROOT/else/precious" kept
	put victim.o kept
	publish_anew a$signed $signed
	replays b$signed "${READS[@]}"
	for spec in C../../x C../else/precious "A$ROOT/else/precious" \
		"A$W/a.o" C.bashrc Csub/../../x C A C/; do
		forged 'does not account for|malformed output path' "${READS[@]}" -- \
			output "$spec"
	done
	for spec in Ca.c Ca.h Cvictim.o Csub/a.o A/etc/reprise.conf A/dev/shm/x; do
		forged 'does not account for' "${READS[@]}" -- add "$spec" evil
	done
	for mode in 4755 1777; do
		forged 'mode bits beyond rwx' "${READS[@]}" -- output Ca.o $mode
	done
	forged 'not known to come from the input' "${READS[@]}" -- status 1
	forged 'more than a day' "${READS[@]}" -- wall 18000000000000000000
	[ "$(cat "$ROOT/else/precious")" = kept ]
	[ "$(cat victim.o)" = kept ]
	[ "$(ls "$ROOT/else")" = precious ]
	[ -z "$(ls sub)" ]
	[ ! -e "$ROOT/x" ]
	[ ! -e "${ROOT%/*}/x" ]
	[ ! -e /dev/shm/x ]
}

# bats test_tags=check
@test "remote_forged: results that write elsewhere" { writes_elsewhere no; }

# bats test_tags=long
@test "remote_forged: results that write elsewhere, signed" { writes_elsewhere yes; }

@test "remote_forged: a link where an output is laid beside" {
	put "$ROOT/precious" kept
	for signed in yes no; do
		publish_anew a$signed $signed
		# The output's name is permitted, but a link is in its place.
		ln -sfn "$ROOT/precious" a.d
		forge add Ca.d evil
		ON=reader compile b$signed "${READS[@]}"
		[ "$(cat "$ROOT/precious")" = kept ]
		rm a.d a.o
		# A replay puts the object in the place of a link, as the assembler does it.
		pristine
		put real.o old
		ln -s real.o a.o
		reader c$signed "${READS[@]}" LD_PRELOAD="$REPRISE_LIB" gcc -c a.c \
			-o a.o >out 2>err </dev/null
		counted c$signed hits_remote=1
		[ ! -L a.o ]
		cmp a.o "$ROOT/plain.o"
		[ "$(cat real.o)" = old ]
		rm a.o real.o
	done
}

must_not_be_read() { # SIGNED
	local signed=$1
	mkfifo fifo
	put sparse ''
	truncate -s 17G sparse
	publish_anew a$signed $signed
	for kind in 1 13 15; do # file, program, file of real path
		forged 'special file system' "${READS[@]}" -- file $kind A/usr/../proc/kmsg
		forged 'special file system' "${READS[@]}" -- \
			file $kind C../../../../../../../../dev/zero
		forged 'too large to be read' "${READS[@]}" -- file $kind Csparse
	done
	forged 'special file system' "${READS[@]}" -- file 7 A/proc/self/fd
	forged 'absent names has another digest' "${READS[@]}" -- set nowhere
	# A FIFO is not waited for.
	pristine
	forge file 1 Cfifo
	start=$(date +%s%N)
	ON=reader compile b$signed "${READS[@]}"
	[ $((($(date +%s%N) - start) / 1000000)) -lt 5000 ]
	counted b$signed hits_remote=0 misses=1
}

# bats test_tags=check
@test "remote_forged: candidates that ask for what must not be read" { must_not_be_read no; }

# bats test_tags=long
@test "remote_forged: candidates that ask for what must not be read, signed" {
	must_not_be_read yes
}
