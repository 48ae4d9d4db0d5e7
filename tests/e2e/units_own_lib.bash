# Classes of the user's own: a program with three caches, and its UNIT lines.
#
#     setup() { load units_own_lib; own_setup; }
#     teardown() { remote_teardown; }
#     declare_all; fill cold; drain; units_wipe; fill warm; found warm       # 3

own_setup() {
	load "${BASH_SOURCE[0]%/*}/units_lib"
	units_setup
	JOB_PYTHON=$PY
	CONF=$HOME/.config/reprise/reprise.conf
	mkdir -p "${CONF%/*}"
	cat >fill.py <<-'END'
	# fill.py ROOT: three caches, as programs keep them. What is there is taken.
	import os, sys, time
	root = sys.argv[1]
	def use(path, make):
	    found = os.path.exists(path)
	    if not found:
	        make(path)
	    data = path if os.path.isfile(path) else path + "/data"
	    with open(data, errors="replace") as f:
	        print(os.path.relpath(path, root), f.read())
	    print("found" if found else "made", os.path.relpath(path, root), file=sys.stderr)
	def renamed(path):
	    with open(path + ".tmp", "w") as f:
	        f.write("one")
	    os.rename(path + ".tmp", path)
	def closed(path):
	    with open(path, "w") as f:
	        f.write("two")
	def directory(path):
	    os.makedirs(path + ".tmp")
	    for name in ("data", "more"):
	        with open(os.path.join(path + ".tmp", name), "w") as f:
	            f.write("three")
	    os.rename(path + ".tmp", path)
	os.makedirs(root + "/own", exist_ok=True)
	use(root + "/own/aa11.bin", renamed)
	use(root + "/own/bb22.txt", closed)
	use(root + "/own/mod_cc33", directory)
	END
}

declare_all() { # [SCOPE]
	printf '%s\n' \
		"UNIT=first path=own/<[a-z0-9]{4}.bin complete=rename kind=file${1:+ scope=$1}" \
		"UNIT=second path=own/<[a-z0-9]{4}.txt complete=close kind=file${1:+ scope=$1}" \
		"UNIT=third path=own/<mod_[a-z0-9]{4} complete=rename kind=dir${1:+ scope=$1}" \
		>"$CONF"
}
fill() { unit_job "$1" "${2:-under}" fill.py "$ROOT/fw"; } # NAME [plain]
found() { grep -c '^found' "$ROOT/$1.err" || :; }
