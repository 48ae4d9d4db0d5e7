#!/usr/bin/env bats
# Tools of REPRISE_TOOLS: programs of any kind. Reprise sees their descriptors, listings, variables
# and children.

setup() {
	load lib
	case_setup
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() { case_teardown; }

@test "added_tools: a tool that closes its table of descriptors" {
	put m.c '#define _GNU_SOURCE' '#include <fcntl.h>' '#include <stdio.h>' \
		'#include <unistd.h>' \
		'int main(int c, char **v) { close_range(3, ~0u, 0);' \
		'for (int i = 3; i < 1024; i++) close(i); int f = open(v[1], O_RDONLY);' \
		'printf("%d ", f); char b[99]; int n = read(f, b, 99);' \
		'int o = open("out", O_CREAT | O_WRONLY | O_TRUNC, 0666); printf("%d\n", o);' \
		'write(o, b, n); return 0; }'
	gcc -w m.c -o mytool
	put in one
	differential --env REPRISE_TOOLS=+mytool --makes out -- ./mytool in
	[ "$(cat "$ROOT/r/warm.out")" = "3 4" ]
	put in two
	again miss
}

@test "added_tools: a tool that lists its descriptors sees only its own" {
	put m.c '#include <dirent.h>' '#include <stdio.h>' '#include <string.h>' \
		'#include <unistd.h>' \
		'int main(void) { char p[64], t[256];' \
		'for (int i = 0; i < 1024; i++) { snprintf(p, 64, "/proc/self/fd/%d", i);' \
		'int n = readlink(p, t, 255); if (n > 0) printf("%d\n", i); } return 0; }'
	gcc -w m.c -o mytool
	differential --cold any --warm any --env REPRISE_TOOLS=+mytool -- ./mytool
	differential --cold any --warm any --env REPRISE_TOOLS=+mytool -- \
		bash -c './mytool 7<a.c 9>/dev/null'
}

@test "added_tools: a tool that lists a directory, and one that lists /tmp" {
	put m.c '#include <dirent.h>' '#include <stdio.h>' \
		'int main(int c, char **v) { DIR *d = opendir(v[1]); struct dirent *e; int n = 0;' \
		'while ((e = readdir(d))) n++; closedir(d); printf("%d\n", n); return 0; }'
	gcc -w m.c -o mytool
	mkdir dir
	put dir/one ''
	differential --env REPRISE_TOOLS=+mytool -- ./mytool dir
	put dir/two ''
	again miss
	rm dir/two
	again hit
	# The names in a temporary root are no input (nvcc lists /tmp).
	put l.c '#include <dirent.h>' 'int main(void) { DIR *d = opendir("'"$TMPDIR"'");' \
		'while (readdir(d)) ; closedir(d); return 0; }'
	gcc -w l.c -o mylister
	differential --env REPRISE_TOOLS=+mylister -- ./mylister
	put "$TMPDIR/other" x
	age
	local before
	before=$(stat_of hits_local)
	under env REPRISE_TOOLS=+mylister ./mylister </dev/null >"$ROOT/o" 2>"$ROOT/e"
	[ "$(stat_of hits_local)" = $((before + 1)) ] ||
		fail "a new file in the temporary root was a miss"
	rm "$TMPDIR/other"
}

# bats test_tags=check
@test "added_tools: a tool that reads variables, the clock, a socket, a terminal" {
	put m.c '#include <stdio.h>' '#include <stdlib.h>' \
		'int main(void) { puts(getenv("MINE") ? getenv("MINE") : "unset"); return 0; }'
	gcc -w m.c -o mytool
	differential --env $'REPRISE_TOOLS=+mytool\nMINE=one' -- ./mytool
	again miss --env $'REPRISE_TOOLS=+mytool\nMINE=two'
	again miss --env 'REPRISE_TOOLS=+mytool'
	again miss --env $'REPRISE_TOOLS=+mytool\nMINE='
	again hit --env $'REPRISE_TOOLS=+mytool\nMINE=one'
	# Without an argument the tool does not print TMPDIR, so its value is no input.
	put t.c '#include <stdio.h>' '#include <stdlib.h>' 'int main(int c, char **v) {' \
		'const char *d = getenv("TMPDIR"); if (c > 1) puts(d ? d : "/tmp/x"); return 0; }'
	gcc -w t.c -o mytool
	mkdir "$ROOT/one"
	differential --env "REPRISE_TOOLS=+mytool" -- ./mytool name
	again miss --env $'REPRISE_TOOLS=+mytool\nTMPDIR='"$ROOT/one"
	again hit --env $'REPRISE_TOOLS=+mytool\nTMPDIR='"$ROOT/one"
	differential --env "REPRISE_TOOLS=+mytool" -- ./mytool
	again hit --env $'REPRISE_TOOLS=+mytool\nTMPDIR='"$ROOT/one"
	put s.c '#include <sys/socket.h>' \
		'#include <sys/un.h>' 'int main(void) { int s = socket(AF_UNIX, SOCK_STREAM, 0);' \
		'struct sockaddr_un a = {AF_UNIX, "/no/such"}; connect(s, (void *)&a, sizeof a);' \
		'return 0; }'
	gcc -w s.c -o mysock
	differential --env REPRISE_TOOLS=+mysock --cold unstored:network -- ./mysock
}

# bats test_tags=check
@test "added_tools: a tool whose shell reads variables" {
	put m.c '#include <stdlib.h>' \
		'int main(int c, char **v) { (void)c; return system(v[1]) != 0; }'
	gcc -w m.c -o mytool
	put e.s '.byte v'
	local cmd='exec as --defsym "v=$MY_FLAVOUR" -o out.o e.s'
	differential --env $'REPRISE_TOOLS=+mytool\nMY_FLAVOUR=1' -- ./mytool "$cmd"
	again miss --env $'REPRISE_TOOLS=+mytool\nMY_FLAVOUR=2'
	again hit --env $'REPRISE_TOOLS=+mytool\nMY_FLAVOUR=1\nOTHER=1'
	# A text that is not read, and whose tool is declared, depends on all variables.
	cmd='eval "echo \"\$FLAVOUR\"" >out.txt'
	differential --cold unstored:script --warm unstored:script \
		--env $'REPRISE_TOOLS=+mytool\nFLAVOUR=one' -- ./mytool "$cmd"
	local set="REPRISE_TOOLS=+mytool"$'\n'"REPRISE_WRAPPERS=$W/mytool"
	differential --env "$set"$'\nFLAVOUR=one' -- ./mytool "$cmd"
	again miss --env "$set"$'\nFLAVOUR=one\nOTHER=1'
	again miss --env "$set"$'\nFLAVOUR=two'
}

@test "added_tools: a tool that leaves a child behind" {
	put m.c '#include <stdio.h>' '#include <unistd.h>' 'int main(void) {' \
		'if (!fork()) { setsid(); close(0); close(1); close(2); usleep(400000);' \
		'FILE *f = fopen("late", "w"); fclose(f); _exit(0); } puts("parent"); return 0; }'
	gcc -w m.c -o mytool
	age
	local t=$EPOCHREALTIME
	under env REPRISE_TOOLS=+mytool ./mytool >got
	[ "$(cat got)" = parent ]
	[ "$(awk -v a="$t" -v b="$EPOCHREALTIME" 'BEGIN { print b - a < 0.35 }')" = 1 ] ||
		fail "waited for the child"
	sleep 0.6
	[ -e late ]
	rm late
	under env REPRISE_TOOLS=+mytool ./mytool >got
	sleep 0.6
	[ -e late ] || fail "a run with a child that outlives it was replayed"
}

@test "added_tools: a tool that starts a static program" {
	put s.c '#include <stdio.h>' 'int main(void) { FILE *f = fopen("in", "r"); int c;' \
		'while ((c = getc(f)) >= 0) putchar(c); return 0; }'
	gcc -static s.c -o sub
	put m.c '#include <stdlib.h>' 'int main(void) { return system("./sub"); }'
	gcc -w m.c -o mytool
	put in one
	differential --env REPRISE_TOOLS=+mytool --cold unstored:untraced-child -- ./mytool
	put in two
	again unstored
}

@test "added_tools: bin2c, which lies beside nvcc" {
	load cuda
	need_nvcc
	command -v bin2c >/dev/null || skip "no bin2c beside nvcc"
	put data 'some bytes'
	differential --env REPRISE_TOOLS=+bin2c -- bin2c --name=text --type=char data
	put data 'others'
	again miss
}

@test "added_tools: cuobjdump and nvdisasm, which come by wheels of their own" {
	load cuda
	need_nvcc
	local wheel
	wheel=$(REPRISE_TEST_CUDA_WHEEL=${REPRISE_TEST_CUDA_WHEEL-} \
		sh "$TOP/scripts/cuda-wheel.sh") && PATH=$PATH:$wheel
	command -v cuobjdump nvdisasm >/dev/null ||
		skip "no cuobjdump and nvdisasm: scripts/cuda-wheel.sh --make downloads them"
	cuda_source a.cu
	nvcc -arch=sm_80 -cubin a.cu
	nvcc -gencode arch=compute_80,code=sm_80 -c a.cu
	differential --env REPRISE_TOOLS=+nvdisasm -- nvdisasm -c a.cubin
	differential --env REPRISE_TOOLS=+nvdisasm --status any --cold unstored:failed -- \
		nvdisasm -no-such-option a.cubin
	differential --env REPRISE_TOOLS=+cuobjdump -- cuobjdump -elf a.o
	differential --env REPRISE_TOOLS=+cuobjdump --makes a.1.sm_80.cubin -- \
		cuobjdump -xelf all a.o
	differential --env REPRISE_TOOLS=+cuobjdump -- cuobjdump -sass a.o
	sed -i 's/2[.]0f/3.0f/' a.cu
	nvcc -gencode arch=compute_80,code=sm_80 -c a.cu
	age
	again miss
}

@test "added_tools: a tool that sets a variable for the program that it starts" {
	put m.c '#include <stdlib.h>' \
		'int main(void) { return system("C_INCLUDE_PATH='"$W/inc"' "' \
		'"/usr/bin/gcc -c b.c -o b.o"); }'
	gcc -w m.c -o mytool
	put inc/v.h '#define V 1'
	put b.c '#include <v.h>' 'int v = V;'
	differential --env REPRISE_TOOLS=+mytool --makes b.o -- ./mytool
	# The start's own value counts for nothing, and the header does.
	again hit --env $'REPRISE_TOOLS=+mytool\nC_INCLUDE_PATH=/none'
	put inc/v.h '#define V 2'
	again miss --env REPRISE_TOOLS=+mytool
}

@test "added_tools: a shell command that a second variable hides" {
	put m.c '#include <stdlib.h>' \
		'int main(void) { return system("A=1 B=x/y eval '"'echo \$\$ >out'"'"); }'
	gcc -w m.c -o mytool
	differential --cold unstored:script --env REPRISE_TOOLS=+mytool --ignore out -- ./mytool
}
