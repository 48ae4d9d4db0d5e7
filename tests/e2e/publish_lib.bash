# Records that wait to be published, and publishers. After lib.bash, redis.bash and remote_lib.bash.
#
#     setup() { load lib; load redis; load remote_lib; load publish_lib; publish_setup; }
#     teardown() { publish_teardown; }
#     redis_start main
#     node a "$DRIVER" fill 0 50 2000   # 100 records: entries 0 to 49 and their candidates
#     PUBLISHERS="$PUBLISHERS $!"       # is killed with the case

publish_setup() {
	case_setup
	redis_need
	DRIVER=$(helper remote_driver)
	# An agent is found beside the program that asks it.
	TREE=$ROOT/tree
	mkdir -p "$TREE"
	cp "$DRIVER" "$TREE/driver"
	ln -s "$TOP/build/libexec" "$TREE/libexec"
	SOCKET=$REDIS_DIR/main/socket
	REDIS_URL=redis+unix://$SOCKET
	PUBLISHERS=
}

publish_teardown() {
	local pid
	for pid in $PUBLISHERS; do kill -9 "$pid" 2>/dev/null; done
	remote_teardown
}

rcli() { redis_cli main "$@"; }
