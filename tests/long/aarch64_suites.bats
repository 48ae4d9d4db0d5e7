#!/usr/bin/env bats
# Reprise for aarch64, below qemu-user, as it is shipped (-O2): the core suites, NVIDIA's programs,
# and one remote store for nodes of both architectures.

setup_file() {
	load ../e2e/lib
	load ../e2e/aarch64
	cd "$TOP" || return
	# A failure shows in the cases, which then find no build.
	make -j "$(getconf _NPROCESSORS_ONLN)" cross-aarch64 CROSS_BUILD=build/aarch64-O2 \
		CROSS_CFLAGS=-O2 CROSS_GOALS='all helpers' >"$BATS_FILE_TMPDIR/make" 2>&1 ||
		rm -f build/aarch64-O2/libreprise.so
	aarch64_find build/aarch64-O2
}
setup() {
	load ../e2e/lib
	load ../e2e/aarch64
	[ -z "$WHY" ] || skip "$WHY"
	cd "$TOP" || return
}

teardown() {
	[ -z "${REDIS_DIR-}" ] || redis_teardown
	[ -z "${ROOT-}" ] || case_teardown
}

# suite FILE...: their cases pass, except those that the emulator or the small root cannot run.
suite() {
	local file tags=${TAGS:-!long,!check}
	for file; do
		in_aarch64 "E2E_EMULATED=1 E2E_SLIM=1 bats -F tap --filter-tags '$tags' \
			tests/e2e/$file.bats"
		echo "# $file: $(grep -c '^ok' <<<"$output") pass, of these skipped:" \
			"$(grep -c '^ok.*# skip' <<<"$output")" >&3
		[ "$status" = 0 ] || fail "$(grep -A 20 '^not ok' <<<"$output" | head -n 80)"
	done
}

@test "aarch64: interception" { suite interception interception_hosts; }
@test "aarch64: compile" { suite compile; }
@test "aarch64: link" { suite link; }
@test "aarch64: outputs" { suite outputs; }
@test "aarch64: signals" { suite signals; }
@test "aarch64: concurrency" { suite concurrency; }
@test "aarch64: remote" { TAGS='!long' suite remote; }
@test "aarch64: units" { TAGS='!long' suite units_own units_own_hostile units_unasked; }

@test "aarch64: ptxas and NVRTC of NVIDIA's wheels" {
	local cuda=$TOP/build/root-aarch64/opt/cuda
	case_setup
	pip download -q --no-input --no-deps --only-binary=:all: --platform manylinux_2_17_aarch64 \
		-d "$ROOT/wheels" nvidia-cuda-nvcc==13.0.88 nvidia-cuda-nvrtc==13.0.88 \
		>"$ROOT/pip" 2>&1 ||
		skip "pip: $(grep -a '^ERROR' "$ROOT/pip" | tail -n 1 | cut -c 1-160)"
	rm -rf "$cuda"
	mkdir -p "$cuda"
	for wheel in "$ROOT"/wheels/*.whl; do
		"$PY" -m zipfile -e "$wheel" "$ROOT/unpacked"
	done
	mv "$ROOT/unpacked/nvidia/cu13"/* "$cuda"
	chmod -R a+rx "$cuda"
	cd "$TOP"
	in_aarch64 'sh tests/e2e/aarch64_nvidia.sh /opt/cuda'
	rm -rf "$cuda"
	[ "$status" = 0 ] && [[ $output == *'2 of 2 served, 0 not'* ]] || fail "$output"
	[ "${lines[-1]}" = 'NVRTC: misses 1 hits 1' ] || fail "$output"
}

@test "aarch64: nodes of two architectures share a remote store, and no result" {
	load ../e2e/redis
	case_setup
	redis_need
	redis_start main
	local place=/tmp/reprise-two root=$TOP/build/root-aarch64
	local url=redis://127.0.0.1:$REDIS_PORT
	rm -rf "$place" "$root$place"
	mkdir -p "$place" "$root$place"
	local node="sh /src/tests/e2e/aarch64_node.sh /src/build $place $place"
	sh "$TOP/tests/e2e/aarch64_node.sh" "${REPRISE_LIB%/*}" "$place" "$place/one" "$url" \
		>"$ROOT/here"
	cat "$ROOT/here"
	grep -qx 'misses 5 remote 0' "$ROOT/here"
	grep -qx made "$ROOT/here"
	# Nothing of this machine's serves there.
	in_aarch64 "$node/one $url"
	[ "$status" = 0 ] && [[ $output == *$'made\nmisses 5 remote 0'* ]] || fail "$output"
	printf '%s\n' "$output" >"$ROOT/there"
	# Each serves its own.
	sh "$TOP/tests/e2e/aarch64_node.sh" "${REPRISE_LIB%/*}" "$place" "$place/two" "$url" \
		>"$ROOT/again"
	grep -qx 'misses 0 remote 5' "$ROOT/again"
	grep -qx 'found x86_64' "$ROOT/again"
	diff <(grep '\.o$' "$ROOT/here") <(grep '\.o$' "$ROOT/again")
	in_aarch64 "$node/two $url"
	[[ $output == *$'found aarch64\nmisses 0 remote 5'* ]] || fail "$output"
	diff <(grep '\.o$' "$ROOT/there") <(grep '\.o$' <<<"$output")
	rm -rf "$place" "$root$place"
}
