#!/usr/bin/env bats
# Remote stores at s3://: the backend by itself, on moto's server and on a faulty one.

setup_file() { load lib && load redis && load web && moto_start; }
teardown_file() { load web && moto_end; }

setup() {
	load lib
	load redis
	load web
	web_setup
}
teardown() { web_teardown; }

# s3 [FIELD=VALUE...] -- VERBS: on moto's server.
s3() {
	WEB_PORT=0 web scheme=s3 "endpoint=http://127.0.0.1:$MOTO_PORT" "$@"
}

# faulty FAULT -- VERBS: S3 on the faulty server.
faulty() {
	local fault=$1
	shift
	web scheme=s3 host=bucket "endpoint=http://127.0.0.1:$WEB_PORT/$fault" "$@"
}

# bats test_tags=check
@test "s3: all verbs on moto" {
	need_moto
	moto PUT /all
	head -c 3000000 /dev/urandom >big
	s3 host=all "path=/pre x+ü~" -- ping , get r:x , has r:x , put r:x small , has r:x , \
		get r:x small , put r:big big , get r:big big , get r:big - , get r:x small
	prints ok 'absent: S3: GET answers 404 NoSuchKey' 'not there' ok there 'ok: 206 bytes' ok \
		'ok: 3000200 bytes' 'ok: *' 'ok: 206 bytes'
	s3 host=all "path=/pre x+ü~" -- list m:a , add m:a one , add m:a two , list m:a , \
		addat m:a three 0 , list m:a , read r:none m:a r:x m:none , remove m:a , \
		list m:a , has r:x
	prints 'absent: *' ok ok 'ok: two one' ok 'ok: three one' absent 'ok: three one' ok \
		absent ok 'absent: *' there
	# Another prefix is another store.
	s3 host=all -- get r:x
	prints 'absent: *'
}

# bats test_tags=check
@test "s3: moto checks signatures, and wrong keys are refused" {
	need_moto
	local python keys
	python=$(sh "$TOP/scripts/moto-python.sh")
	moto PUT /checked
	moto POST /moto-api/reset-auth 3
	keys=$("$python" - "http://127.0.0.1:$MOTO_PORT" <<-'END'
		import boto3, sys
		iam = boto3.client("iam", endpoint_url=sys.argv[1], region_name="us-east-1",
			aws_access_key_id="x", aws_secret_access_key="y")
		iam.create_user(UserName="u")
		key = iam.create_access_key(UserName="u")["AccessKey"]
		iam.put_user_policy(UserName="u", PolicyName="p", PolicyDocument="""{"Version":
			"2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*",
			"Resource": "*"}]}""")
		print(key["AccessKeyId"], key["SecretAccessKey"])
	END
	)
	export AWS_ACCESS_KEY_ID=${keys% *} AWS_SECRET_ACCESS_KEY=${keys#* }
	s3 host=checked "path=/pre x" -- ping , put r:x small , get r:x small , add m:x one , \
		list m:x , remove r:x
	prints ok ok 'ok: 206 bytes' ok 'ok: one' ok
	AWS_SECRET_ACCESS_KEY=wrong s3 host=checked -- put r:x small , get r:x
	prints 'denied: S3: PUT answers 403 SignatureDoesNotMatch: *' \
		'denied: S3: GET answers 403 SignatureDoesNotMatch: *'
	AWS_ACCESS_KEY_ID=AKIANOBODY s3 host=checked -- get r:x
	prints 'denied: S3: GET answers 403 InvalidAccessKeyId: *'
	moto POST /moto-api/reset-auth inf
}

# bats test_tags=check
@test "s3: a bucket that does not exist" {
	need_moto
	s3 host=missing -- ping , get r:x , put r:x small , add m:x one
	prints 'denied: S3: the bucket does not exist (NoSuchBucket)' 'denied: *' 'denied: *' \
		'denied: *'
}

@test "s3: errors are told by their code" {
	faulty_start
	faulty slowdown -- get r:x , put r:x small
	prints 'server: S3: GET answers 503 SlowDown' 'server: S3: PUT answers 503 SlowDown'
	faulty busy -- get r:x
	prints 'server: S3: GET answers 503: retry after 7 s'
	faulty denied -- get r:x , has r:x
	prints 'denied: S3: GET answers 403 AccessDenied: wrong credentials, or not allowed' \
		'S3: HEAD answers 403: wrong credentials, or not allowed'
	faulty nobucket -- get r:x
	prints 'denied: S3: the bucket does not exist (NoSuchBucket)'
	faulty expired -- get r:x
	prints 'denied: S3: GET answers 400 ExpiredToken: wrong credentials, or not allowed'
	faulty region -- get r:x , has r:x
	prints 'denied: S3: GET answers 301 PermanentRedirect: wrong region; * eu-north-1' \
		'S3: HEAD answers 301: wrong region; the bucket is in eu-north-1'
	# Only letters of a code are shown.
	faulty badcode -- get r:x
	prints 'denied: S3: GET answers 403 Access: wrong credentials, or not allowed'
	faulty cut -- get r:x
	prints 'closed: *'
	# S3 has no directories to make.
	faulty 409 -- put r:x small
	prints 'server: S3: PUT answers 409'
	! grep MKCOL "$WEB/log" || fail "MKCOL"
}

# bats test_tags=check
@test "s3: where the bucket is" {
	faulty_start
	export http_proxy=http://127.0.0.1:$WEB_PORT https_proxy=http://127.0.0.1:$WEB_PORT
	local -a s3=(web scheme=s3 host=b path=/p ms=2000)
	"${s3[@]}" -- get r:x
	"${s3[@]}" region=eu-west-1 -- get r:x
	AWS_DEFAULT_REGION=eu-west-2 "${s3[@]}" -- get r:x
	AWS_REGION=cn-north-1 AWS_DEFAULT_REGION=eu-west-2 "${s3[@]}" -- get r:x
	AWS_REGION=eu-west-3 web scheme=s3 host=b.c ms=2000 -- get r:x
	diff - <(sed -n 's/.*CONNECT \([^ ]*\):443 .*/\1/p' "$WEB/log") <<-'END'
		b.s3.us-east-1.amazonaws.com
		b.s3.eu-west-1.amazonaws.com
		b.s3.eu-west-2.amazonaws.com
		b.s3.cn-north-1.amazonaws.com.cn
		s3.eu-west-3.amazonaws.com
	END
	unset http_proxy https_proxy
	: >"$WEB/log"
	AWS_ENDPOINT_URL=http://127.0.0.1:1 AWS_ENDPOINT_URL_S3=http://127.0.0.1:$WEB_PORT/ok/ \
		"${s3[@]}" region=auto -- get r:x
	prints 'absent: *'
	grep -q ' GET /ok/b/p/../r-.*/auto/s3/aws4_request' "$WEB/log" || fail "$(cat "$WEB/log")"
	web scheme=s3 host=b endpoint=minio:9000 -- get r:x
	prints 'off: S3: the endpoint is not http(s)://HOST\[:PORT\]'
	web scheme=s3 host=b region=$'x\nY: z' -- get r:x
	prints 'off: S3: the bucket or the region is no name'
}

@test "s3: credentials of a file, and after a refusal the file's new ones" {
	faulty_start
	unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
	faulty ok -- get r:x
	prints 'off: S3: no credentials: *'
	mkdir "$HOME/.aws"
	printf '%s\n' '[default]' 'aws_access_key_id = ONE' 'aws_secret_access_key = s' \
		'[p]' 'aws_access_key_id = TWO' 'aws_secret_access_key = s' \
		'aws_session_token = tok' >"$HOME/.aws/credentials"
	faulty ok -- get r:x
	AWS_PROFILE=p faulty ok -- get r:x
	faulty denied -- get r:x , shell "sed -i s/ONE/THREE/ $HOME/.aws/credentials" , get r:x
	[ "$(sed 's/.*Credential=\([A-Z]*\).* /\1 /' "$WEB/log" | tr '\n' ,)" = \
		'ONE None,TWO tok,ONE None,THREE None,' ] || fail "$(cat "$WEB/log")"
	AWS_PROFILE=q faulty ok -- get r:x
	prints 'off: S3: * has no keys of the profile q'
}

@test "s3: credentials of a container, renewed before they end" {
	faulty_start
	unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
	export AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1:$WEB_PORT/credentials
	container() { # ID SECONDS
		printf '{"AccessKeyId":"%s","SecretAccessKey":"s","Token":"t%s",%s' "$1" "$1" \
			"\"Expiration\":\"$(date -u -d "$2 seconds" +%Y-%m-%dT%H:%M:%SZ)\"}" \
			>"$WEB/credentials"
	}
	ids() {
		sed -n 's/.*Credential=\([A-Z]*\).* /\1 /p; s/.* GET .credentials .*/asked/p' \
			"$WEB/log" | tr '\n' ,
	}
	container ONE 3600
	faulty ok -- get r:x
	prints "denied: S3: the container's endpoint gives no credentials (status 403)"
	echo 'let me in' >token
	export AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=$W/token
	: >"$WEB/log"
	# A proxy is for S3, not for the container's endpoint.
	http_proxy=http://127.0.0.1:1 no_proxy=127.0.0.1 faulty ok -- get r:x , get r:x
	[ "$(ids)" = 'asked,ONE tONE,ONE tONE,' ] || fail "$(ids)"
	: >"$WEB/log"
	container TWO -10
	AWS_CONTAINER_AUTHORIZATION_TOKEN='let me in' faulty ok -- get r:x , \
		shell "sed -i s/TWO/THREE/g $WEB/credentials" , get r:x
	[ "$(ids)" = 'asked,TWO tTWO,asked,THREE tTHREE,' ] || fail "$(ids)"
	# Old ones that are still good serve while the endpoint is silent.
	: >"$WEB/log"
	container FOUR 100
	faulty ok -- get r:x , shell "rm $WEB/credentials" , get r:x
	prints 'absent: *' 'absent: *'
	AWS_CONTAINER_CREDENTIALS_FULL_URI=http://example.com/x faulty ok -- get r:x
	prints 'off: S3: AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https:// nor on this machine'
}
