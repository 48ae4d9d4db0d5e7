# Images that `reprise export --oci` makes, and a registry. After units_lib.bash and
# export_job_lib.bash.
#
#     setup() { ...; images_setup; }
#     teardown() { images_teardown; }
#     image one --job one           # the image $ROOT/one
#     unpacked one                  # $ROOT/one.seed: the files of its layer
#     registry_start                # REGISTRY, 127.0.0.1:PORT
#     copied FROM TO                # skopeo copy, without certificates and policy

images_setup() {
	export_job_setup
	REGISTRY_PID=
}

images_teardown() {
	[ -z "${REGISTRY_PID-}" ] || { kill -9 "$REGISTRY_PID" && wait "$REGISTRY_PID"; } \
		2>/dev/null || :
	remote_teardown
}

image() { # NAME OPTION...
	local name=$1
	shift
	reprise export --oci "$ROOT/$name" "$@"
}

# Member of a JSON file of an image, by a path of jq.
member() { jq -r "$2" "$1"; }
blob() { echo "$1/blobs/sha256/${2#sha256:}"; } # IMAGE DIGEST
manifest() { blob "$1" "$(member "$1/index.json" '.manifests[0].digest')"; }
layer() { blob "$1" "$(member "$(manifest "$1")" '.layers[0].digest')"; }
configuration() { blob "$1" "$(member "$(manifest "$1")" .config.digest)"; }

unpacked() { # NAME
	mkdir "$ROOT/$1.seed"
	tar -xzf "$(layer "$ROOT/$1")" -C "$ROOT/$1.seed" --no-same-owner -p
}

registry_start() {
	local port i
	need docker-registry skopeo
	port=$(redis_free_port)
	REGISTRY=127.0.0.1:$port
	put "$ROOT/registry.yml" 'version: 0.1' \
		"storage: {filesystem: {rootdirectory: $ROOT/registry}}" "http: {addr: $REGISTRY}"
	docker-registry serve "$ROOT/registry.yml" >"$ROOT/registry.log" 2>&1 3>&- &
	REGISTRY_PID=$!
	for ((i = 0; i < 300; i++)); do
		(: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return 0
		sleep 0.02
	done
	fail "the registry does not start: $(tail -n 3 "$ROOT/registry.log")"
}

copied() { # FROM TO
	skopeo --insecure-policy copy --quiet --src-tls-verify=false --dest-tls-verify=false \
		"$1" "$2" || fail "skopeo copy $1 $2"
}

# warm SEED CMD...: a new node without a network, whose only help is that seed store: no miss.
warm() {
	local seed=$1
	shift
	rm -rf "$ROOT/warm" "$ROOT/warm.run"
	on warm
	REPRISE_SEED_DIRS=$seed under "$@"
	[ "$(stat_of misses)" = 0 ] || { fail "$*: missed: $(reprise explain 3)"; return 1; }
}
