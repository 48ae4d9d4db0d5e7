#!/usr/bin/env bats
# Files that a crash has cut, emptied or ended in zeros: none of them is packed, nor copied to the
# directories of other devices. The scripts write as the frameworks do.

setup_file() {
	load units_lib
}

setup() {
	load units_own_lib
	own_setup
}
teardown() { remote_teardown; }

# A kernel's directory as Triton writes it, with files that are whole by their formats.
kernel_py() {
	echo 'int k(void) { return 1; }' >k.c
	gcc -c k.c -o k.elf
	cat >write.py <<-'END'
	# write.py ROOT KEY|KEY=FILE=DAMAGE...
	import json, os, sys, uuid
	ptx = b".version 8.0\n.target sm_90\n.visible .entry k() {\n\tret;\n}\n"
	files = {"k.ttir": b"module {\n}\n", "k.ptx": ptx, "k.cubin": open("k.elf", "rb").read(),
	         "k.json": json.dumps({"hash": "ab", "name": "k", "num_warps": 4}).encode()}
	def damaged(data, how):
	    text = data.rstrip() # a text without its last newline is whole
	    left = {"": data, "empty": b"", "half": text[:len(text) // 2], "less": text[:-1],
	            "zeros": text[:len(text) // 2], "block": b""}[how]
	    return left.ljust(len(data), b"\0") if how in ("zeros", "block") else left
	def put(d, name, data, damage):
	    t = os.path.join(d, "tmp.pid_%d_%s" % (os.getpid(), uuid.uuid4()))
	    os.makedirs(t)
	    with open(os.path.join(t, name), "wb") as f:
	        f.write(damaged(data, damage[1] if damage[0] == name else ""))
	    os.replace(os.path.join(t, name), os.path.join(d, name))
	    os.rmdir(t)
	    return os.path.join(d, name)
	for word in sys.argv[2:]:
	    key, *damage = word.split("=")
	    d = os.path.join(os.path.abspath(sys.argv[1]), key)
	    damage = damage or ["", ""]
	    children = {name: put(d, name, data, damage) for name, data in files.items()}
	    put(d, "__grp__k.json", json.dumps({"child_paths": children}).encode(), damage)
	END
	cat >look.py <<-'END'
	# look.py ROOT KEY...: the keys whose kernel is there.
	import os, sys
	for word in sys.argv[2:]:
	    key = word.split("=")[0]
	    if os.path.exists(os.path.join(os.path.abspath(sys.argv[1]), key, "__grp__k.json")):
	        print(word)
	END
	KEYS=()
	local file how
	for file in __grp__k.json k.json k.ptx k.cubin k.ttir; do
		for how in empty half less zeros block; do
			KEYS+=("$("$PY" -c 'import base64, hashlib, sys
print(base64.b32encode(hashlib.sha256(sys.argv[1].encode()).digest()).decode().rstrip("="))' \
				"$file $how")=$file=$how")
		done
	done
	WHOLE=J3RQNWCFZI5PCG767UKW7CRM6OIQAMKYXRBFLTQHEOE4XJEL7FMQ
}
# bats test_tags=check
@test "damaged: a kernel with a damaged file is not copied to another device's directory" {
	kernel_py
	"$PY" write.py triton/0 "$WHOLE" "${KEYS[@]}"
	under "$PY" look.py triton/1 "$WHOLE" "${KEYS[@]}" >seen
	[ "$(cat seen)" = "$WHOLE" ] || fail "$(cat seen)"
	diff -r "triton/0/$WHOLE/k.cubin" "triton/1/$WHOLE/k.cubin"
	[ "$(ls triton/1)" = "$WHOLE" ] || fail "left: $(ls triton/1)"
	units_clean
}

# bats test_tags=check
@test "damaged: a kernel with a damaged file is not packed, and whole ones beside it are" {
	kernel_py
	under "$PY" write.py "$ROOT/fw/triton" "$WHOLE" "${KEYS[@]}"
	drain
	[ "$(stat_of packed_triton)" = 1 ] || fail "$(reprise stats; cat "$LOG")"
	under "$PY" look.py elsewhere "$WHOLE" "${KEYS[@]}" >seen
	[ "$(cat seen)" = "$WHOLE" ] || fail "$(cat seen)"
	units_clean
}

# As Numba keeps functions: one directory that grows, an index and data for each.
grow_py() {
	cat >grow.py <<-'END'
	# grow.py ROOT NAME...: what is there is taken. Prints what is read.
	import os, pickle, sys
	d = sys.argv[1] + "/app_" + 40 * "a"
	def use(name, data):
	    path = os.path.join(d, name)
	    try:
	        with open(path, "rb") as f:
	            print(name, hash(f.read()) and "found")
	    except FileNotFoundError:
	        os.makedirs(d, exist_ok=True)
	        with open(path, "wb") as f:
	            f.write(data)
	        print(name, "made")
	for name in sys.argv[2:]:
	    use(name + ".nbi", pickle.dumps("0.68", protocol=4) + pickle.dumps([name], protocol=4))
	    use(name + ".nbc", pickle.dumps({"code": 500 * name}, protocol=4))
	    use(name + ".raw", 100 * name.encode())
	END
	printf '%s\n' 'UNIT=numba path=<*_[0-9a-f]{40} complete=close kind=dir' >"$CONF"
	AT=$ROOT/fw/app_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
}
grow() { unit_job "$1" under grow.py "$ROOT/fw" "${@:2}"; }

# bats test_tags=check
@test "damaged: a cut file of a growing directory leaves the store as it was" {
	local how
	grow_py
	grow first f
	drain
	[ "$(stat_of packed_user_caches)" = 1 ] || fail "$(cat "$LOG")"
	tree "$AT" >"$ROOT/whole"
	for how in ': >"$AT/f.nbc"' 'truncate -s -1 "$AT/f.nbi"' \
		'truncate -s 50 "$AT/f.raw"; truncate -s 100 "$AT/f.raw"'; do
		units_wipe
		grow laid f
		! grep -q made "$ROOT/laid.out" || fail "before $how: $(cat "$ROOT/laid.out")"
		eval "$how"
		grow more f g
		drain
		units_wipe
		grow next f
		tree "$AT" >"$ROOT/now"
		diff "$ROOT/whole" "$ROOT/now" || fail "after $how"
	done
	# A whole one replaces it.
	grow more f g
	drain
	units_wipe
	grow last f g
	! grep -q made "$ROOT/last.out" || fail "$(cat "$ROOT/last.out")"
	units_clean
}

# bats test_tags=check
@test "damaged: a single file of the user's own class, and one whose format is not known" {
	echo 'UNIT=one path=own/<[a-z]{4}.(json|ptx|txt) complete=rename kind=file' >"$CONF"
	cat >rename.py <<-'END'
	import os, sys
	os.makedirs(sys.argv[1] + "/own", exist_ok=True)
	for name, text in (("abcd.json", '{"a": [1'), ("efgh.json", '{"a": [1]}'),
	                   ("abcd.ptx", ".version 8.0\n.target sm_90\n.entry k() {"),
	                   ("abcd.txt", "")):
	    path = sys.argv[1] + "/own/" + name
	    print(name, os.path.exists(path))
	    with open(path + ".tmp", "w") as f:
	        f.write(text)
	    os.rename(path + ".tmp", path)
	END
	unit_job cold under rename.py "$ROOT/fw"
	drain
	[ "$(stat_of packed_user_files)" = 2 ] || fail "$(cat "$LOG")"
	units_wipe
	unit_job warm under rename.py "$ROOT/fw"
	[ "$(xargs <"$ROOT/warm.out")" = \
		"abcd.json False efgh.json True abcd.ptx False abcd.txt True" ] ||
		fail "$(cat "$ROOT/warm.out")"
	reprise explain | grep -q 'it is damaged'
	units_clean
}

# JAX looks for a program, compiles it, and looks again under a lock before it writes it.
jax_like_py() {
	cat >lru.py <<-'END'
	# lru.py DIRECTORY KEY [COMMAND]: as JAX's cache of a limited size. COMMAND: runs between.
	import os, subprocess, sys, time, zlib
	d, key = sys.argv[1:3]
	os.makedirs(d, exist_ok=True)
	cache, atime = os.path.join(d, key + "-cache"), os.path.join(d, key + "-atime")
	def use():
	    with open(atime, "wb") as f:
	        f.write(time.time_ns().to_bytes(8, "little"))
	def evict():
	    for name in os.listdir(d):
	        if name.endswith("-cache"):
	            open(os.path.join(d, name[:-5] + "atime"), "rb").close()
	if os.path.exists(cache):
	    open(cache, "rb").close()
	    use()
	    print("found")
	else:
	    if len(sys.argv) > 3:
	        subprocess.run(sys.argv[3], shell=True, check=True)
	    if not os.path.exists(cache):
	        evict()
	        with open(cache, "wb") as f:
	            f.write(zlib.compress(b"program"))
	        use()
	    print("made")
	evict()
	END
	KEY=jit_f-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
}

# bats test_tags=check
@test "damaged: a program that JAX compiles is not placed before JAX writes it" {
	jax_like_py
	# While one directory's process compiles, another process makes and packs the program.
	export REPRISE=$REPRISE_BIN
	unit_job one under lru.py "$ROOT/fw/one" "$KEY" \
		"$PY lru.py $ROOT/fw/two $KEY && $REPRISE publish --wait 30"
	[ "$(stat_of packed_jax)" -ge 1 ] || fail "$(cat "$LOG" "$ROOT/one.err")"
	[ "$(stat_of brought_jax)" = 0 ] || fail "it was placed in between"
	[ -e "$ROOT/fw/one/$KEY-atime" ]
	unit_job three under lru.py "$ROOT/fw/three" "$KEY"
	[ "$(cat "$ROOT/three.out")" = found ] || fail "$(reprise explain)"
	units_clean
}
