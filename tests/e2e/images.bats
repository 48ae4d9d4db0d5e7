#!/usr/bin/env bats
# `reprise export --oci`: an image whose one layer is a seed store; unpacked, signed, and through a
# registry.

bats_require_minimum_version 1.5.0

load units_suite

setup() {
	load units_lib
	load export_job_lib
	load images_lib
	images_setup
}
teardown() { images_teardown; }

@test "images: one job's entries; as a seed store they all hit" {
	# c.c has a result that no packer makes smaller.
	"$PY" -c 'import random
random.seed(1)
print("unsigned v[] = {%s};" % ",".join(str(random.getrandbits(32)) for _ in range(60000)))' >>c.c
	age
	job one sh -c 'gcc -c a.c; gcc -c b.c'
	job two gcc -c c.c
	says 0 "4 entries" image one --job one
	says 0 "6 entries" image all
	unpacked one
	unpacked all
	[ "$(entries "$ROOT/one.seed" | wc -l)" = 4 ]
	# The files of the store, byte for byte.
	local f
	for f in $(entries "$ROOT/all.seed"); do
		cmp "$f" "$STORE/${f#"$ROOT/all.seed/"}"
	done
	warm "$ROOT/one.seed" sh -c 'gcc -c a.c; gcc -c b.c'
	[ "$(stat_of hits_local)" = 2 ]
	miss env REPRISE_SEED_DIRS="$ROOT/one.seed" gcc -c c.c
	[ "$(stat -c %s "$(layer "$ROOT/all")")" -gt 240000 ]
	cp c.o "$ROOT/c.o"
	warm "$ROOT/all.seed" gcc -c c.c
	cmp c.o "$ROOT/c.o"
	# A read-only mount of another user, as an image volume is.
	chmod -R a-w "$ROOT/all.seed"
	warm "$ROOT/all.seed" gcc -c a.c
}

@test "images: what the standard asks for, and the annotations" {
	job one gcc -c a.c
	image one --job one --json >said
	local at=$ROOT/one f name
	[ "$(member "$at/oci-layout" .imageLayoutVersion)" = 1.0.0 ]
	[ "$(member "$at/index.json" '.manifests | length')" = 1 ]
	[ "$(member "$at/index.json" '.manifests[0].digest')" = "$(member said .digest)" ]
	[ "$(member said .image)" = "$at" ]
	[ "$(member said .entries)" = 2 ]
	# Each blob has the name of its digest, and the size that is told of it.
	[ "$(ls "$at/blobs/sha256" | wc -l)" = 3 ]
	for f in "$at"/blobs/sha256/*; do
		[ "$(sha256sum <"$f")" = "${f##*/}  -" ] || fail "$f"
	done
	for f in "$(manifest "$at") .manifests[0].size $at/index.json" \
		"$(layer "$at") .layers[0].size $(manifest "$at")" \
		"$(configuration "$at") .config.size $(manifest "$at")"; do
		set -- $f
		[ "$(stat -c %s "$1")" = "$(member "$3" "$2")" ] || fail "$f"
	done
	f=$(configuration "$at")
	[ "$(member "$f" '.rootfs.diff_ids[0]')" = \
		"sha256:$(gzip -dc "$(layer "$at")" | sha256sum | cut -d' ' -f1)" ]
	[ "$(member "$f" .architecture)" = "$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')" ]
	for name in version entries job cpu.key gpu; do
		[ "$(member "$(manifest "$at")" ".annotations[\"dev.reprise.$name\"]")" != null ] ||
			fail "no $name"
	done
	[ "$(member "$(manifest "$at")" '.annotations["dev.reprise.job"]')" = one ]
	[ "$(member "$f" .config.Labels)" = "$(member "$(manifest "$at")" .annotations)" ]
	# Of a whole store no job is told.
	image all
	[ "$(member "$(manifest "$ROOT/all")" '.annotations["dev.reprise.job"]')" = null ]
}

@test "images: equal entries make equal bytes, in stores of another order, too" {
	put v.h '#define V 1'
	put v.c '#include "v.h"' 'int v = V;'
	age
	job one gcc -c v.c
	put v.h '#define V 2'
	age
	job one sh -c 'gcc -c v.c; gcc -c a.c; gcc -c b.c'
	image first --job one
	sleep 1
	says 0 "8 entries" image second --job one
	diff -r "$ROOT/first" "$ROOT/second"
	# Both candidates of the one key, in slots without a gap.
	unpacked first
	[ "$(entries "$ROOT/first.seed" | grep /manifest/ | sed 's/\.[0-9]*$//' | sort -u |
		wc -l)" = 3 ]
	[ "$(entries "$ROOT/first.seed" | grep -c '/manifest/.*\.1$')" = 1 ]
	image whole
	# The same entries in a store whose files were made in another order.
	reprise export "$PACK"
	on other
	reprise import "$PACK"
	image again
	diff -r "$ROOT/whole" "$ROOT/again"
	warm "$ROOT/first.seed" gcc -c v.c
	put v.h '#define V 1'
	age
	warm "$ROOT/first.seed" gcc -c v.c
	# Times and owners are nobody's.
	[ -z "$(tar --numeric-owner --full-time -tvzf "$(layer "$ROOT/first")" |
		grep -v ' 0/0 .* 1970-01-01 00:00:00 ')" ] || fail "a time or an owner"
}

# bats test_tags=check
@test "images: kernels and choices that a job made" {
	kernels_like
	[ "$(job one "${LIKE[@]}" "$ROOT/fw" red green)" = 2 ]
	drain
	says 0 "2 entries" image one --job one
	says 0 "0 entries" image none --job one --class compile
	unpacked one
	rm -r "$ROOT/fw"
	[ "$(REPRISE_SEED_DIRS=$ROOT/one.seed warm "$ROOT/one.seed" \
		"${LIKE[@]}" "$ROOT/fw" red green)" = 0 ]
}

@test "images: a directory that is not empty, two exports at once, no directory" {
	job one gcc -c a.c
	mkdir "$ROOT/empty" "$ROOT/full"
	echo mine >"$ROOT/full/file"
	says 0 "2 entries" image empty
	says 3 "Directory not empty" image empty
	says 3 "Directory not empty" image full
	[ "$(ls "$ROOT/full")" = file ]
	says 3 "No such file" reprise export --oci "$ROOT/absent/one"
	says 3 "Not a directory" reprise export --oci "$ROOT/full/file"
	says 3 "job none has no list" image none --job none
	[ ! -e "$ROOT/none" ]
	says 2 "two exports" image both pack
	says 2 "the name of the pack is missing" reprise export --job one
}

# bats test_tags=check
@test "images: a full disk or a signal leaves nothing" {
	job one gcc -c a.c
	small() { (ulimit -f 1 && image "$1"); }
	says 3 "File too large" small big
	[ ! -e "$ROOT/big" ]
	mkdir "$ROOT/kept"
	says 3 "File too large" small kept
	[ -d "$ROOT/kept" ]
	[ -z "$(ls "$ROOT/kept")" ]
	# At each of the five files.
	need strace
	local at
	for at in 1 2 3 4 5; do
		run env REPRISE_CACHE_DIR="$STORE" strace -o "$ROOT/trace" -e trace=fsync \
			-e inject=fsync:signal=TERM:when=$at \
			"$REPRISE_BIN" export --oci "$ROOT/ended"
		[ "$status" = 143 ] || fail "file $at: status $status: $output"
		[ ! -e "$ROOT/ended" ]
	done
}

@test "images: signed where the key is there; one changed, added or lost file is found" {
	local public f
	public=$("$REPRISE_BIN" keygen "$ROOT/key")
	job one gcc -c a.c
	# The keys of entries without trust are of another digest.
	REPRISE_SIGN_KEY=$ROOT/key says 1 "2 refused" image late
	on signs
	export REPRISE_SIGN_KEY=$ROOT/key
	job one sh -c 'gcc -c a.c; gcc -c b.c'
	says 0 "4 entries" image one --job one
	image two --job one
	diff -r "$ROOT/one" "$ROOT/two"
	unset REPRISE_SIGN_KEY
	unpacked one
	says 0 "4 good entries" reprise verify --seed "$ROOT/one.seed"
	[[ $output == *"no key is trusted"* ]]
	export REPRISE_TRUST=$public
	says 0 "signed by a trusted key" reprise verify --seed "$ROOT/one.seed/"
	warm "$ROOT/one.seed" gcc -c a.c
	[ "$(reprise verify --json --seed "$ROOT/one.seed" | jq -r .signature)" = trusted ]
	f=$(entries "$ROOT/one.seed" | grep /result/ | head -n 1)
	mv "$f" "$ROOT/lost"
	says 1 "its signature is wrong" reprise verify --seed "$ROOT/one.seed"
	cp "$ROOT/lost" "$f"
	says 0 "signed by" reprise verify --seed "$ROOT/one.seed"
	# A whole entry of this format, which nobody signed.
	on evil
	job one gcc -c c.c
	cp -r "$STORE/result" "$ROOT/one.seed"
	says 1 "its signature is wrong" reprise verify --seed "$ROOT/one.seed"
	rm -r "$ROOT/one.seed"
	unpacked one
	printf x | dd of="$f" bs=1 seek=100 conv=notrunc status=none
	says 1 "1 bad; its signature is wrong" reprise verify --seed "$ROOT/one.seed"
	cp "$ROOT/lost" "$f"
	sed -i '3y/0123456789abcdef/123456789abcdef0/' "$ROOT/one.seed/signature"
	says 1 "its signature is wrong" reprise verify --seed "$ROOT/one.seed"
	echo junk >"$ROOT/one.seed/signature"
	says 1 "is damaged" reprise verify --seed "$ROOT/one.seed"
	rm "$ROOT/one.seed/signature"
	says 1 "no signature" reprise verify --seed "$ROOT/one.seed"
	# Entries that nobody signed, where a look-up finds them and a walk does not.
	local shard
	rm -r "$ROOT/one.seed"
	unpacked one
	for f in "$ROOT"/evil/result/*/*; do
		shard=${f%/*}
		ln -s "$shard" "$ROOT/one.seed/result/${shard##*/}"
	done
	says 1 "a directory of it cannot be listed" reprise verify --seed "$ROOT/one.seed"
	REPRISE_TRUST=$("$REPRISE_BIN" keygen "$ROOT/other")
	rm -r "$ROOT/one.seed"
	unpacked one
	says 1 "not trusted" reprise verify --seed "$ROOT/one.seed"
	says 3 "No such file" reprise verify --seed "$ROOT/absent"
	says 2 "not repaired" reprise verify --repair --seed "$ROOT/one.seed"
}

# bats test_tags=check
@test "images: through a registry and back, by skopeo and umoci" {
	need umoci
	registry_start
	job one sh -c 'gcc -c a.c; gcc -c b.c'
	image one --job one
	copied "oci:$ROOT/one" "docker://$REGISTRY/seed:1"
	copied "docker://$REGISTRY/seed:1" "oci:$ROOT/back:latest"
	diff -r "$ROOT/one/blobs" "$ROOT/back/blobs"
	[ "$(skopeo inspect --tls-verify=false "docker://$REGISTRY/seed:1" |
		jq -r '.Labels["dev.reprise.job"]')" = one ]
	umoci unpack --rootless --image "$ROOT/back:latest" "$ROOT/bundle" >/dev/null
	unpacked one
	diff -r "$ROOT/bundle/rootfs" "$ROOT/one.seed"
	warm "$ROOT/bundle/rootfs" sh -c 'gcc -c a.c; gcc -c b.c'
	# By its digest, as a job that must not get another image names it.
	rm -r "$ROOT/back"
	copied "docker://$REGISTRY/seed@$(member "$ROOT/one/index.json" '.manifests[0].digest')" \
		"oci:$ROOT/back:latest"
	diff -r "$ROOT/one/blobs" "$ROOT/back/blobs"
}

# bats test_tags=check
@test "images: doctor says which seed stores are of no use, and why" {
	need_root "another user"
	job one gcc -c a.c
	image one --job one
	unpacked one
	mkdir "$ROOT/open" "$ROOT/other"
	chmod 777 "$ROOT/open"
	# As `reprise import` leaves a store.
	cp -r "$ROOT/one.seed" "$ROOT/own"
	chmod -R go= "$ROOT/own"
	chmod 755 "$ROOT" "$ROOT/own"
	REPRISE_SEED_DIRS=$ROOT/one.seed:$ROOT/open:$ROOT/other:$ROOT/own:$ROOT/absent
	export REPRISE_SEED_DIRS
	run reprise doctor
	[[ $output == *"ok    seed store $ROOT/one.seed"* ]] || fail "$output"
	[[ $output == *"$ROOT/open: not used: it is no directory, or all users may"* ]]
	[[ $output == *"$ROOT/other: of no use: it is no store"* ]] || fail "$output"
	# The store of another version is read: what is of this format hits.
	echo 'reprise 99' >"$ROOT/own/VERSION"
	warm "$ROOT/own" gcc -c a.c
	run reprise doctor
	[[ $output == *"$ROOT/own: another version of Reprise made it"* ]] || fail "$output"
	rm "$ROOT/own/VERSION"
	run reprise doctor
	[[ $output == *"ok    seed store $ROOT/own"* ]]
	[[ $output == *"$ROOT/absent: not used: No such file"* ]]
	mkdir -m 777 "$ROOT/theirs"
	run as_user env REPRISE_CACHE_DIR="$ROOT/theirs/store" \
		REPRISE_RUNTIME_DIR="$ROOT/theirs/run" "$REPRISE_BIN" doctor
	[[ $output == *"$ROOT/own: not used: this user may not read it"* ]] || fail "$output"
}

# bats test_tags=check
@test "images: each place's candidates of one key are found" {
	local v
	put v.c '#include "v.h"' 'int v = V;'
	for v in 1 2; do
		on "place$v"
		put v.h "#define V $v"
		age
		job one gcc -c v.c
		cp v.o "$ROOT/v$v.o"
	done
	on own
	export REPRISE_SEED_DIRS=$ROOT/place1:$ROOT/place2
	put v.h '#define V 3'
	age
	miss gcc -c v.c
	hit gcc -c v.c
	for v in 2 1; do
		put v.h "#define V $v"
		age
		hit gcc -c v.c
		cmp v.o "$ROOT/v$v.o"
	done
	# An image of a job has the entries that came from seeds.
	job both gcc -c v.c
	says 0 "2 entries" image both --job both
	unset REPRISE_SEED_DIRS
	unpacked both
	warm "$ROOT/both.seed" gcc -c v.c
	cmp v.o "$ROOT/v1.o"
}

# bats test_tags=check
@test "images: an entry that its owner writes over while another user's job replays it" {
	need_root "another user"
	need strace
	printf '%s\n' '.globl b' '.data' 'b: .incbin "data"' >big.s
	head -c 300000 /dev/urandom >data
	age
	job one as big.s -o want.o
	cp -r "$STORE" "$ROOT/own"
	chmod -R a+rX "$ROOT/own"
	local entry rc=0
	entry=$(find "$ROOT/own/result" -type f)
	mkdir theirs "$ROOT/user"
	cp big.s data theirs
	mkdir "$ROOT/user/store" "$ROOT/user/run"
	chown -R 65534:65534 theirs "$ROOT/user"
	age
	# The result is being written when the entry gets other bytes.
	(cd theirs && as_user env REPRISE_CACHE_DIR="$ROOT/user/store" REPRISE_READONLY=1 \
		REPRISE_RUNTIME_DIR="$ROOT/user/run" REPRISE_SEED_DIRS="$ROOT/own" \
		strace -o "$ROOT/user/trace" -E LD_PRELOAD="$REPRISE_LIB" \
		-e trace=openat,write -e inject=write:delay_enter=1500000:when=1 \
		as big.s -o want.o) &
	local i
	for ((i = 0; i < 200; i++)); do
		[ ! -e theirs/want.o ] || break
		sleep 0.02
	done
	dd if=/dev/zero of="$entry" bs=1000 seek=100 count=100 conv=notrunc status=none
	wait $! || rc=$?
	[ "$rc" = 0 ] || fail "status $rc"
	cmp want.o theirs/want.o
	grep -q "$entry" "$ROOT/user/trace" || fail 'the seed was not read'
}

# bats test_tags=long
@test "images: a training job of torch starts warm" {
	need_torch
	graphs_alone
	train_py
	JOB_ENV=(REPRISE_JOB=one REPRISE_JOB_LIST=1)
	unit_job cold under train.py
	drain
	image one --job one
	unpacked one
	units_wipe
	on warm
	JOB_ENV=(REPRISE_SEED_DIRS="$ROOT/one.seed")
	unit_job warm under train.py
	[ "$(stat_of misses)" = 0 ] || fail "a compiler ran: $(reprise explain 9)"
	[ "$(stat_of brought_fxgraph)" -gt 0 ]
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	units_clean
}
