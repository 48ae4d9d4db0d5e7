#!/usr/bin/env bats
# Classes of the user's own: parcels that somebody forged, directories that hold more than files,
# declarations that changed meanwhile, and programs that close files in odd places.

setup() {
	load units_own_lib
	own_setup
}
teardown() { remote_teardown; }

# bats test_tags=check
@test "own classes hostile: forged parcels are refused, and the job writes its own" {
	local units n=0 unit good old new f
	units=$(helper remote_units)
	in_store() {
		env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_LOG="$LOG" \
			"$units" "$@"
	}
	declare_all
	# JAX's file is recognised without JAX.
	cat >>fill.py <<-'END'
	import zlib
	use(root + "/jit_f-" + "0123456789abcdef" * 4 + "-cache",
	    lambda p: open(p, "wb").write(zlib.compress(b"four", 0)))
	END
	fill cold
	drain
	[ "$(stat_of units_packed)" = 4 ] || fail "$(cat "$LOG")"
	cp -a "$STORE/unit" good
	while read -r unit old new; do
		rm -rf "$STORE/unit"
		cp -a good "$STORE/unit"
		in_store forge "$ROOT/fw/$unit" "$old" "$new" || fail "forge $unit $old $new"
		! diff -rq good "$STORE/unit" >/dev/null || fail "$unit $old $new: no change"
		units_wipe
		fill refused
		cmp "$ROOT/cold.out" "$ROOT/refused.out" || fail "$unit $old $new"
		[ "$(found refused)" = 3 ] || fail "$unit $old $new: $(cat "$ROOT/refused.err")"
		grep -q "^made $unit" "$ROOT/refused.err" || fail "$unit $old $new was placed"
		[ -z "$(find "$ROOT" -name "z*" -o -name '.reprise*')" ] || fail "$old $new: a file"
		[ -z "$(find "$ROOT/fw" -type f -perm /0022)" ] || fail "$old $new: a mode"
		drain
		diff -r good "$STORE/unit" || fail "$unit $old $new: not mended"
		n=$((n + 1))
	done <<-'END'
	own/aa11.bin class 10
	own/aa11.bin class 8
	own/aa11.bin class 99
	own/aa11.bin mode:aa11.bin 777
	own/aa11.bin mode:aa11.bin 4755
	own/bb22.txt class 11
	own/bb22.txt mode:bb22.txt 666
	own/mod_cc33 class 11
	own/mod_cc33 class 2
	own/mod_cc33 more ../z
	own/mod_cc33 more /zz/
	own/mod_cc33 more ./..
	own/mod_cc33 more data
	own/mod_cc33 mode:more 666
	own/mod_cc33 mode:data 2755
	jit_f-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-cache class 9
	jit_f-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-cache class 3
	END
	[ $n -gt 10 ]
	units_clean
}

# bats test_tags=check
@test "own classes hostile: directories with links, devices, odd modes or too much are not packed" {
	declare_all
	cat >odd.py <<-'END'
	import os, sys
	root = sys.argv[1] + "/own"
	os.makedirs(root)
	for name in ("other", "third"):
	    open(root + "/" + name, "w").write("other")
	def make(name, fill):
	    tmp = root + "/mod_" + name + ".tmp"
	    os.mkdir(tmp)
	    open(tmp + "/data", "w").write(name)
	    fill(tmp)
	    os.rename(tmp, root + "/mod_" + name)
	def large(d):
	    with open(d + "/large", "w") as f:
	        f.truncate((1 << 30) + 1)
	make("good", lambda d: None)
	make("soft", lambda d: os.symlink("data", d + "/link"))
	make("gone", lambda d: os.symlink("/none", d + "/link"))
	make("hard", lambda d: os.link(root + "/other", d + "/link"))
	make("fifo", lambda d: os.mkfifo(d + "/fifo"))
	make("suid", lambda d: os.chmod(d + "/data", 0o4755))
	make("tree", lambda d: os.mkdir(d + "/sub"))
	make("many", lambda d: [open(d + "/%d" % i, "w").close() for i in range(256)])
	make("huge", large)
	make("ours", lambda d: open(d + "/.reprise1", "w").close())
	os.symlink("other", root + "/ss00.tmp")
	os.rename(root + "/ss00.tmp", root + "/ss00.bin")
	os.link(root + "/third", root + "/hh00.tmp")
	os.rename(root + "/hh00.tmp", root + "/hh00.bin")
	END
	unit_job odd under odd.py "$ROOT/fw"
	drain
	[ "$(stat_of packed_user_dirs) $(stat_of packed_user_files)" = "1 0" ] ||
		fail "$(cat "$LOG")"
	reprise explain 50 >explained
	[ "$(grep -c 'unstored: unit-unstored' explained)" = 11 ] || fail "$(cat explained)"
	local name why
	while read -r name why; do
		grep -A3 "own/$name$" explained | grep -qF -- "$why" ||
			fail "$name: $(cat explained)"
	done <<-'END'
	mod_soft link is gone: a symbolic link stands there
	mod_gone link is gone: a symbolic link stands there
	mod_hard link has 2 names
	mod_fifo fifo is no regular file
	mod_suid data has a setuid, setgid or sticky bit
	mod_tree sub is no regular file
	mod_many it holds more than 256 files
	mod_huge large is too large
	mod_ours it holds a file of a name that is not carried
	ss00.bin is gone: a symbolic link stands there
	hh00.bin has 2 names
	END
	units_clean
}

# bats test_tags=check
@test "own classes hostile: an offer is dropped if its class is gone or has changed" {
	declare_all
	# An object that has no command beside it starts no publisher.
	mkdir "$ROOT/alone"
	cp "$REPRISE_LIB" "$ROOT/alone/libreprise.so"
	JOB_ENV=(LD_PRELOAD="$ROOT/alone/libreprise.so")
	fill cold
	sed -i '/UNIT=first/d; s/UNIT=second/UNIT=another/; s/kind=dir/kind=file/' "$CONF"
	drain
	[ "$(stat_of units_packed) $(stat_of units_dropped)" = "0 3" ] || fail "$(cat "$LOG")"
	reprise explain >explained
	[ "$(grep -c "its path is not a unit's path" explained)" = 2 ] || fail "$(cat explained)"
	grep -q 'its class is declared otherwise here: another' explained
	units_clean
}

# bats test_tags=check
@test "own classes hostile: close in handlers, vfork children, small threads, and at exit" {
	declare_all
	cat >odd.c <<-'END'
	#define _GNU_SOURCE
	#include <errno.h>
	#include <fcntl.h>
	#include <limits.h>
	#include <pthread.h>
	#include <signal.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static const char *root;
	static int fd, rc, after;
	static int open_one(const char *name)
	{
	    char path[4096];
	    snprintf(path, sizeof path, "%s/own/%s.txt", root, name);
	    int n = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	    if (n < 0 || write(n, name, 4) != 4)
	        exit(9);
	    return n;
	}
	static void close_it(void) { errno = 77; rc = close(fd); after = errno; }
	static void say(const char *what)
	{
	    printf("%s %d %d %d\n", what, rc, after, fcntl(fd, F_GETFD));
	    fflush(stdout);
	}
	static void handler(int sig) { (void)sig; close_it(); }
	static void *thread(void *arg) { close_it(); return arg; }
	static void on_thread(size_t stack)
	{
	    pthread_attr_t a;
	    pthread_t t;
	    pthread_attr_init(&a);
	    if (stack)
	        pthread_attr_setstacksize(&a, stack);
	    if (pthread_create(&t, &a, thread, NULL) || pthread_join(t, NULL))
	        exit(9);
	}
	static void at_exit(void) { close_it(); say("exit"); }
	int main(int argc, char **argv)
	{
	    pid_t child;
	    (void)argc;
	    root = argv[1];
	    fd = open_one("aaaa"); close_it(); say("plain");
	    close_it(); say("twice");
	    fd = open_one("bbbb");
	    if (!(child = vfork())) { close(fd); _exit(0); }
	    waitpid(child, NULL, 0);
	    if (write(fd, "more", 4) != 4) return 9;
	    close_it(); say("vfork");
	    fd = open_one("cccc"); signal(SIGUSR1, handler); raise(SIGUSR1); say("signal");
	    fd = open_one("dddd"); on_thread(PTHREAD_STACK_MIN); say("small thread");
	    fd = open_one("eeee"); on_thread(0); say("thread");
	    fd = open_one("ffff");
	    if (!(child = fork())) { close(fd); _exit(0); }
	    waitpid(child, NULL, 0);
	    if (write(fd, "more", 4) != 4) return 9;
	    close_it(); say("fork");
	    fd = open_one("gggg"); close_range((unsigned)fd, (unsigned)fd, 0); close_it();
	    say("range");
	    fd = open_one("hhhh"); dup2(0, fd); close_it(); say("dup2");
	    fd = open_one("iiii"); fclose(fdopen(fd, "w")); close_it(); say("fclose");
	    fd = open_one("jjjj");
	    int copy = dup(fd);
	    close_it(); say("dup");
	    if (write(copy, "more", 4) != 4 || close(copy)) return 9;
	    fd = -1; close_it(); say("none");
	    fd = open_one("kkkk"); atexit(at_exit);
	    return 0;
	}
	END
	cc -o python3odd odd.c -pthread
	mkdir -p "$ROOT/fw/own"
	./python3odd "$ROOT/fw" >plain.out </dev/null
	rm -rf "$ROOT/fw"
	mkdir -p "$ROOT/fw/own"
	under ./python3odd "$ROOT/fw" >under.out </dev/null
	diff plain.out under.out
	[ "$(wc -l <under.out)" = 13 ] || fail "$(cat under.out)"
	drain
	# Not seen: a thread of 16 KiB, close_range, dup2 over it, fclose. A copy went on writing to
	# jjjj, so what was closed is not packed. On aarch64 the smallest thread has 128 KiB.
	local seen='aaaa bbbbmore cccc eeee ffffmore kkkk'
	[ "$(uname -m)" != aarch64 ] || seen=${seen/eeee/dddd eeee}
	[ "$(stat_of packed_user_files)" = "$(wc -w <<<"$seen")" ] || fail "$(cat "$LOG")"
	reprise explain | grep -A3 'own/jjjj.txt$' | grep -q 'changed since' ||
		fail "$(reprise explain)"
	units_wipe
	mkdir -p "$ROOT/fw/own"
	cat >look.py <<-'END'
	import sys
	for c in "abcdefghijk":
	    try: print(open("%s/own/%s.txt" % (sys.argv[1], c * 4)).read())
	    except FileNotFoundError: pass
	END
	unit_job look under look.py "$ROOT/fw"
	[ "$(xargs <"$ROOT/look.out")" = "$seen" ] ||
		fail "$(cat "$ROOT/look.out")"
	units_clean
}
