# venv.sh - Pythons with packages, for scripts/*-python.sh, which read it by `.` in the top folder.
# $venv is the one that they make in build/.

# found MODULE...: prints the first of $PYTHON, python3 and the venv's Python that has all modules.
# Status 1: none has.
found() {
	for candidate in ${PYTHON:-} python3 "$venv/bin/python"; do
		if "$candidate" - "$@" 2>/dev/null <<'PY'
import importlib.util, sys
sys.exit(not all(importlib.util.find_spec(m) for m in sys.argv[1:]))
PY
		then
			command -v "$candidate"
			return
		fi
	done
	return 1
}

install() { # pip's arguments
	"$venv/bin/python" -m pip install --progress-bar off --no-input --no-compile "$@" >&2
}

# made WHAT SIZE PACKAGE...: makes the venv, and says so.
made() {
	{
		echo "No Python here has $1: making one in ${venv#"$PWD/"}."
		echo "This downloads $2."
		shift 2
		echo "  pip install $*"
		python3 -m venv --clear "$venv"
	} >&2
	install "$@"
}

# loads: Python on stdin, which leaves the bytecode of what the tests' jobs load. pip would compile
# all.
loads() { env -u PYTHONDONTWRITEBYTECODE "$venv/bin/python" - >&2; }
