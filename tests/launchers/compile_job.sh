#!/bin/sh
# compile_job.sh - compiles and links in a new directory, and says what it was started with: the
# object in the process, the job's name, the process, and what the program answers.
set -e
place=$(mktemp -d)
cd "$place"
echo '#include <stdio.h>
int main(void) { return puts("42") < 0; }' >a.c
touch -d '2020-01-01' a.c
gcc -O1 -c a.c -o a.o
gcc a.o -o a
there=no
! grep -q libreprise /proc/self/maps || there=yes
echo "preload $there, job ${REPRISE_JOB-none}, answer $(./a)"
rm -r "$place"
