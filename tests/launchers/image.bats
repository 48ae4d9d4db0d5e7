#!/usr/bin/env bats
# The Dockerfiles of scripts/recipes/, built and run by buildah on a base with this machine's /usr;
# an image that podman mounts.
# bats file_tags=long

bats_require_minimum_version 1.5.0

setup() {
	load ../e2e/lib
	load ../e2e/redis
	load ../e2e/remote_lib
	load ../e2e/export_job_lib
	load ../e2e/images_lib
	case_setup
	REGISTRY_PID=
	need_root "a build in a chroot"
	need buildah gcc jq
	# Where containers may not be made, nothing of a recipe runs.
	export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
	BUILDAH=(buildah --root "$ROOT/images" --runroot "$ROOT/images.run")
	base
	mkdir -p context/app
	make -s -C "$TOP" install DESTDIR="$ROOT/stage" PREFIX=/opt/reprise >/dev/null
	mv "$ROOT/stage/opt/reprise" context/reprise
	put context/app/a.c 'int a(void) { return 1; }'
	put context/app/b.c 'int b(void) { return 2; }'
	# shellcheck disable=SC2016 # for that shell
	put_script context/app/train '#!/bin/sh' \
		'for f in a b; do gcc -c $f.c -o /tmp/$f.o || exit; done' \
		'cat /tmp/a.o /tmp/b.o | wc -c'
}
teardown() {
	"${BUILDAH[@]}" rm --all >/dev/null 2>&1 || :
	images_teardown
}

# The image localhost/base: the links and directories that a root has beside /usr.
base() {
	local f container
	mkdir -p "$ROOT/base"/{etc,tmp,usr,root}
	chmod 1777 "$ROOT/base/tmp"
	for f in bin sbin lib lib32 lib64; do
		[ ! -L /$f ] || ln -s "usr/$f" "$ROOT/base/$f"
	done
	cp -a /etc/alternatives /etc/ld.so.cache /etc/passwd /etc/group "$ROOT/base/etc"
	container=$("${BUILDAH[@]}" from scratch) || skip "buildah makes no container here"
	"${BUILDAH[@]}" add --quiet "$container" "$ROOT/base" / >/dev/null
	"${BUILDAH[@]}" config --env PATH=/usr/bin:/bin "$container"
	"${BUILDAH[@]}" commit --quiet "$container" base >/dev/null
}

# build DOCKERFILE OPTION...: the image localhost/app.
build() {
	local file=$1
	shift
	"${BUILDAH[@]}" bud --quiet -v /usr:/usr:ro --build-arg BASE=localhost/base -t app \
		-f "$TOP/scripts/recipes/$file" "$@" context >"$ROOT/built" 2>&1 ||
		fail "$file: $(cat "$ROOT/built")"
}

# starts [OPTION...]: the image's command, in a container of its own; nothing is missed there.
starts() {
	local container command
	container=$("${BUILDAH[@]}" from --pull-never localhost/app)
	command=$("${BUILDAH[@]}" inspect --type image localhost/app |
		jq -r '.OCIv1.config.Cmd | join(" ")')
	[ "$command" = "reprise-run ./train" ]
	run --separate-stderr "${BUILDAH[@]}" run -v /usr:/usr:ro "$@" "$container" -- $command
	[ "$status" = 0 ] || fail "$status: $output $stderr"
	[[ $stderr == *"2 of 2 compiles replayed"* ]] || fail "$stderr"
	[ "$output" = "$(cd context/app && ./train)" ]
}

@test "image: Dockerfile: the run stage starts warm, as root and as another user" {
	build Dockerfile
	starts
	starts --user 12345:12345
}

# asks STATUS [COMMAND...]: doctor through `buildah run`, in a container of the image, before the
# command of the Dockerfile; $output is what it says.
asks() {
	local want=$1 container
	container=$("${BUILDAH[@]}" from --pull-never localhost/app)
	run env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		"$REPRISE_BIN" doctor --there /opt/reprise/bin/reprise -- \
		"${BUILDAH[@]}" run -v /usr:/usr:ro "$container" -- "${@:2}"
	[ "$status" = "$want" ] || fail "status $status, not $want: $output"
}

@test "image: Dockerfile: what doctor says of its commands" {
	build Dockerfile
	asks 1
	[[ $output == *'the preload did not arrive'* ]] || fail "$output"
	[[ $output == *'-> `buildah run ... CONTAINER -- reprise-run COMMAND`'* ]] || fail "$output"
	# The commands of CMD and of the build stage.
	asks 0 reprise-run
	[[ $output == *'the preload arrived; gcc twice: miss, hit'* ]] || fail "$output"
	asks 0 reprise-run --job train
	[[ $output == *'the preload arrived; gcc twice: miss, hit'* ]] || fail "$output"
	[[ $output == *', job train'* ]] || fail "$output"
}

@test "image: Dockerfile.seed: with the seed store of a registry" {
	registry_start
	# The job runs where the image has it, so that its paths are the same.
	build Dockerfile
	local container
	container=$("${BUILDAH[@]}" from --pull-never localhost/app)
	"${BUILDAH[@]}" run -v /usr:/usr:ro -v "$ROOT:/out" "$container" -- /bin/sh -c '
		unset REPRISE_SEED_DIRS
		reprise-run --job train ./train && reprise publish &&
		reprise export --job train --oci /out/seed' >"$ROOT/built" 2>&1 ||
		fail "$(cat "$ROOT/built")"
	grep -q '0 of 2 compiles replayed' "$ROOT/built"
	copied "oci:$ROOT/seed:latest" "docker://$REGISTRY/train-seed:1"
	build Dockerfile.seed --tls-verify=false --build-arg SEED="$REGISTRY/train-seed:1"
	starts
	starts --user 12345:12345
}

@test "image: podman pulls and mounts it" {
	need podman
	local podman=(podman --root "$ROOT/images" --runroot "$ROOT/images.run") at
	job one sh -c 'cd context/app && ./train'
	image one --job one
	"${podman[@]}" pull --quiet "oci:$ROOT/one:latest" >"$ROOT/id"
	[ "$("${podman[@]}" image inspect "$(<"$ROOT/id")" |
		jq -r '.[0].Annotations["dev.reprise.job"]')" = one ]
	at=$("${podman[@]}" image mount "$(<"$ROOT/id")")
	warm "$at" sh -c 'cd context/app && ./train'
	"${podman[@]}" image umount "$(<"$ROOT/id")" >/dev/null
}
