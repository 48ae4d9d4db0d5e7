#!/bin/sh
# strip.sh STRIP PREFIX - strips the programs and the object in PREFIX, which `make install` filled.
set -eu
cd "$2"
"$1" bin/reprise libexec/reprise/*
"$1" --strip-unneeded lib/reprise/libreprise.so
