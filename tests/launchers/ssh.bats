#!/usr/bin/env bats
# ssh, to an sshd of the case on two loopback addresses.

setup() {
	load launchers_lib
	launchers_setup
}
teardown() { launchers_end; }

# bats test_tags=long
@test "ssh: the recipe on two hosts, and what doctor says" {
	ssh_start
	export SSH
	twice 2 sh "$RECIPES/ssh.sh" ssh-job '127.0.0.1 127.0.0.2' "${JOB[@]}"
	[ "$JOB_NAME" = ssh-job ]
	# The status is that of a host.
	run sh "$RECIPES/ssh.sh" ssh-job '127.0.0.1 127.0.0.2' "sh -c 'exit \$PET_NODE_RANK'"
	[ "$status" = 1 ] || fail "status $status: $output"
	asks 1 ssh -F "$SSH_CONFIG" 127.0.0.2
	says 'mend  rank' 'the preload did not arrive: LD_PRELOAD does not name it' \
		'-> ssh passes no environment on: `ssh ... HOST reprise-run COMMAND`'
	asks 0 ssh -F "$SSH_CONFIG" 127.0.0.2 reprise-run --job there
	says 'the preload arrived; gcc twice: miss, hit' ', job there'
	# Where the server accepts it, ssh can send the preload itself.
	LD_PRELOAD=$REPRISE_LIB REPRISE_JOB=sent asks 0 ssh -F "$SSH_CONFIG" \
		-o 'SendEnv=LD_PRELOAD REPRISE_JOB' 127.0.0.2
	says ', job sent'
}
