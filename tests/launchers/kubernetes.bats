#!/usr/bin/env bats
# bats file_tags=long
# The manifests for Kubernetes. A schema tool checks them, and pod.py runs their containers.

bats_require_minimum_version 1.5.0

setup_file() {
	export TOOLS=$BATS_FILE_TMPDIR/tools
	python3 -m venv "$TOOLS" && "$TOOLS/bin/pip" install -q --no-input \
		kubernetes-validate >"$BATS_FILE_TMPDIR/pip" 2>&1 || rm -rf "$TOOLS"
}

setup() {
	load ../e2e/lib
	case_setup
	[ -x "$TOOLS/bin/kubernetes-validate" ] || skip "pip installs no kubernetes-validate here"
	RECIPES=$TOP/scripts/recipes/kubernetes
}
teardown() { case_teardown; }

@test "kubernetes: the schema of each manifest" {
	local file
	for file in "$RECIPES"/*.yaml; do
		run "$TOOLS/bin/kubernetes-validate" --strict "$file"
		[ "$status" = 0 ] || fail "$output"
	done
	# The tool finds a wrong field.
	sed 's/mountPath:/mountpath:/' "$RECIPES/pod.yaml" >wrong.yaml
	run ! "$TOOLS/bin/kubernetes-validate" --strict wrong.yaml
}

# on_node: an image with Reprise, and a job that compiles.
on_node() {
	need_mounts
	mkdir -p "$ROOT/node/opt"
	make -s -C "$TOP" install DESTDIR="$ROOT/inst" PREFIX=/usr/local >/dev/null
	mkdir "$ROOT/app"
	cp "$BATS_TEST_DIRNAME/compile_job.sh" "$ROOT/app"
	put "$ROOT/app/train.py" 'import os, subprocess' \
		'print("index", os.environ["JOB_COMPLETION_INDEX"], flush=True)' \
		'subprocess.run(["sh", "compile_job.sh"], check=True)'
}

# pod MANIFEST [INDEX]: $output and $stderr are what its containers said.
pod() {
	run --separate-stderr "$TOOLS/bin/python" "$BATS_TEST_DIRNAME/pod.py" "$1" "$ROOT" \
		"${@:2}"
	[ "$status" = 0 ] || fail "$status: $output $stderr"
}

# asks STATUS MANIFEST REPRISE [COMMAND...]: doctor through `kubectl exec`, for which pod.py stands.
# $output is what it says. REPRISE: where the container has it.
asks() {
	local want=$1 there=$3
	mkdir -p "$ROOT/bin"
	# shellcheck disable=SC2016 # of that script
	put_script "$ROOT/bin/kubectl" '#!/bin/sh' 'until [ "$1" = -- ]; do shift; done' shift \
		"exec '$TOOLS/bin/python' '$BATS_TEST_DIRNAME/pod.py' '$2' '$ROOT' 0 \"\$@\""
	run env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		"$REPRISE_BIN" doctor --there "$there" -- "$ROOT/bin/kubectl" exec train -- \
		"${@:4}"
	[ "$status" = "$want" ] || fail "status $status, not $want: $output"
}

# says TEXT...: each stands in the output.
says() {
	local text
	for text; do
		[[ $output == *"$text"* ]] || { fail "no '$text' in: $output"; return 1; }
	done
}

# replayed N: what reprise-run says of the pod's two compiles.
replayed() { [[ $stderr == *"reprise: $1 of 2 compiles replayed"* ]] || fail "$stderr"; }

@test "kubernetes: pods of a job share their node's store and the job's name" {
	on_node
	pod "$RECIPES/job.yaml" 0
	[ "$output" = $'index 0\npreload yes, job train, answer 42' ] || fail "$output"
	replayed 0
	pod "$RECIPES/job.yaml" 1
	[ "$output" = $'index 1\npreload yes, job train, answer 42' ] || fail "$output"
	replayed 2
	[[ $stderr != *'set by Kubernetes'* ]] || fail "$stderr"
	# What doctor says of the container alone, and of its command.
	asks 1 "$RECIPES/job.yaml" /reprise/bin/reprise
	says 'mend  rank       train-0-x7k2p: the preload did not arrive' \
		'-> a process of a pod gets the `env` of its container: set LD_PRELOAD there'
	asks 0 "$RECIPES/job.yaml" /reprise/bin/reprise /reprise/bin/reprise-run
	says 'ok    rank       train-0-x7k2p: the preload arrived; gcc twice: miss, hit' \
		', store /var/cache/reprise, remote none, job train'
	# With service links, a service that is called reprise is no setting.
	sed 's/enableServiceLinks: false/enableServiceLinks: true/' "$RECIPES/job.yaml" >links.yaml
	pod links.yaml 2
	replayed 2
	[[ $stderr == *'set by Kubernetes for a service called reprise, and not settings'* ]] ||
		fail "$stderr"
}

@test "kubernetes: a daemon set installs Reprise on the node, and a pod keeps its command" {
	local n before
	on_node
	pod "$RECIPES/daemonset.yaml"
	pod "$RECIPES/daemonset.yaml"
	[ -z "$(find "$ROOT/node/opt" -name '*.new')" ] || fail "left: $(find "$ROOT/node/opt")"
	for n in 1 2; do
		pod "$RECIPES/pod.yaml"
		[ "$output" = $'index 0\npreload yes, job train, answer 42' ] || fail "$output"
		[ -z "$stderr" ] || fail "$stderr"
		before=${before-$(find "$ROOT/node/var/cache/reprise" -type f -path '*/result/*')}
	done
	[ "$(wc -l <<<"$before")" = 2 ] || fail "not two results: $before"
	# The second pod adds none.
	[ "$(find "$ROOT/node/var/cache/reprise" -type f -path '*/result/*')" = "$before" ] ||
		fail "$(find "$ROOT/node/var/cache/reprise" -type f)"
	asks 0 "$RECIPES/pod.yaml" /opt/reprise/bin/reprise
	says 'ok    rank       train: the preload arrived; gcc twice: miss, hit' ', job train'
	# Doctor as the command of a container, with and without the recipe's variables.
	sed 's|command: .*|command: [/opt/reprise/bin/reprise, doctor]|' \
		"$RECIPES/pod.yaml" >ask.yaml
	pod ask.yaml
	[[ $output == *'ok    preload    programs started from this shell run under Reprise'* ]] ||
		fail "$output"
	[[ $output == *'ok    store      /var/cache/reprise'* ]] || fail "$output"
	sed -i '/LD_PRELOAD/d' ask.yaml
	pod ask.yaml
	[[ $output == *'note  preload    programs started from this shell do not run'* ]] ||
		fail "$output"
}
