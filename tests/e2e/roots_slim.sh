#!/bin/sh
# roots_slim.sh PREFIX - run by roots.bats in a root that holds gcc, and Reprise below PREFIX.
set -eu
prefix=$1
PATH=$prefix/bin:$PATH
export PATH
rm -rf /tmp/slim ~/.cache/reprise
mkdir /tmp/slim
cd /tmp/slim

fail() {
	echo "slim: $*"
	exit 1
}

# Nothing beside libc is there, OpenSSL least of all.
for library in libjson-c libssl libhiredis libzstd libxxhash libsodium libz; do
	! ls /usr/lib/*/$library.so* >/dev/null 2>&1 || case $library in
	libzstd | libxxhash | libz) ;; # dpkg's and apt's own
	*) fail "$library is here" ;;
	esac
done

said=$(reprise-run true 2>&1) || fail "reprise-run true: $said"
[ -z "$said" ] || fail "reprise-run says: $said"
echo 'int a;' >a.c
for n in 1 2 3; do
	reprise-run gcc -c a.c
done
reprise stats | grep -q '^hits *2' || fail "$(reprise stats)"
reprise doctor >doctor || fail "$(cat doctor)"
reprise doctor -- env | grep -q 'gcc twice: miss, hit' || fail "$(reprise doctor -- env)"

# TLS is refused by name, everywhere; the compile runs.
url=rediss://127.0.0.1:1
said=$(REPRISE_REDIS_URL=$url reprise-run gcc -c a.c 2>&1) || fail "with TLS: $said"
case $said in
*'OpenSSL is not installed: neither libssl.so.3 nor libssl.so.1.1'*) ;;
*) fail "TLS is not refused by name: $said" ;;
esac
REPRISE_REDIS_URL=$url reprise doctor | grep -q 'OpenSSL is not installed' ||
	fail "doctor says nothing"
echo 'all is as it should be'
