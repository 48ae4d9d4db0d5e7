#!/bin/sh
# roots_starts.sh PREFIX N - N starts of each of eight programs, under Reprise and, once, plain: a
# line for each, with the statuses that were seen. Run by roots.bats.
set -eu
object=$1/lib/reprise/libreprise.so
n=$2
mkdir -p /tmp/starts
cd /tmp/starts
export REPRISE_CACHE_DIR=/tmp/starts/store REPRISE_RUNTIME_DIR=/dev/shm
echo 'int a;' >a.c
echo 'int a;' >a.cc
gcc -c a.c -o b.o
printf 'rule r\n command = true\nbuild x: r\n' >build.ninja
seq 100000 >numbers
differ=0

# starts COMMAND...: the statuses of n starts, each once.
starts() {
	i=0
	while [ $i -lt "$n" ]; do
		if env LD_PRELOAD="$object" "$@" >/dev/null 2>&1; then echo 0; else echo $?; fi
		i=$((i + 1))
	done | sort | uniq -c | tr -s ' \n' ' '
}

for program in true 'gcc -c a.c' 'g++ -c a.cc' 'ld -r b.o -o c.o' 'python3 -c 1' 'bash -c :' ninja \
	'sort --parallel=300 -S 64M numbers'; do
	# shellcheck disable=SC2086 # words
	if $program >/dev/null 2>&1; then plain=0; else plain=$?; fi
	# shellcheck disable=SC2086
	seen=$(starts $program)
	echo "$program: plain $plain; starts and status:$seen"
	[ "$seen" = " $n $plain " ] || differ=$((differ + 1))
done
echo "$differ of 8 programs differ"
[ $differ = 0 ]
