# Certificates of a case, which openssl makes in pki/ of the working tree, and servers that show
# them. After redis.bash.
#
#     need_tls
#     authority ca                  # pki/ca.crt and pki/ca.key
#     certificate good ca 2 "$LOCAL_NAMES"
#     tls_start main good           # a server on TLS_PORT, which trusts ca

LOCAL_NAMES=subjectAltName=DNS:localhost,IP:127.0.0.1

need_tls() {
	need openssl
	grep -q libssl "$TOP/build/libexec/reprise-agent-net" || fail "built without OpenSSL"
}

authority() { # NAME
	mkdir -p pki
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
		-subj "/CN=$1" \
		-keyout "pki/$1.key" -out "pki/$1.crt" 2>/dev/null
}

# DAYS below 0: it has expired
certificate() { # NAME AUTHORITY DAYS EXTENSION
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" \
		-keyout "pki/$1.key" -out "pki/$1.csr" 2>/dev/null
	printf '%s\n' "$4" >pki/ext
	if [ "$3" -gt 0 ]; then
		openssl x509 -req -in "pki/$1.csr" -CA "pki/$2.crt" -CAkey "pki/$2.key" \
			-CAcreateserial -days "$3" -extfile pki/ext \
			-out "pki/$1.crt" 2>/dev/null
	else
		mkdir -p pki/ca.d
		: >pki/ca.d/index.txt
		printf '%s\n' '[ca]' 'default_ca=c' '[c]' 'new_certs_dir=pki/ca.d' \
			'database=pki/ca.d/index.txt' 'rand_serial=yes' 'default_md=sha256' \
			'policy=p' '[p]' 'commonName=supplied' >pki/ca.conf
		openssl ca -batch -config pki/ca.conf -cert "pki/$2.crt" -keyfile "pki/$2.key" \
			-in "pki/$1.csr" -extfile pki/ext \
			-startdate 20200101000000Z -enddate 20200201000000Z -out "pki/$1.crt" \
			-notext 2>/dev/null
	fi
	[ -s "pki/$1.crt" ] || fail "no certificate $1"
}

tls_start() { # NAME CERTIFICATE [settings...]: TLS_PORT
	local name=$1 cert=$2
	shift 2
	TLS_PORT=$(redis_free_port)
	redis_start "$name" --tls-port "$TLS_PORT" --tls-cert-file "$PWD/pki/$cert.crt" \
		--tls-key-file "$PWD/pki/$cert.key" \
		--tls-ca-cert-file "$PWD/pki/ca.crt" --tls-auth-clients no "$@"
}
