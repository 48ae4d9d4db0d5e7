# HTTP and S3 servers of a case, on free ports, ended by web_teardown. After lib.bash and
# redis.bash, for its redis_free_port.
#
#     setup() { load lib; load redis; load web; web_setup; }
#     teardown() { web_teardown; }
#     nginx_start                   # WebDAV, WEB_PORT; its files are in web/data
#     apache_start [DIRECTIVES]     # the same with Apache
#     faulty_start [CERTIFICATE]    # http_faulty.py; web/log has its requests
#     moto_start                    # S3, MOTO_PORT; for setup_file. moto_end: for teardown_file
#     web [FIELD=VALUE...] -- put r:x FILE , get r:x FILE      # build/helpers/net_backend

web_setup() {
	case_setup
	# Servers are not in every user's path.
	PATH=$PATH:/usr/sbin
	WEB=$ROOT/web
	WEB_PIDS=()
	mkdir -p "$WEB/data" "$WEB/tmp"
	[ -x "$TOP/build/helpers/net_backend" ] || fail "built without libcurl's headers"
	unset http_proxy https_proxy all_proxy no_proxy HTTPS_PROXY ALL_PROXY NO_PROXY \
		CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR ${!AWS_@}
	echo hello >small
	# S3's signature needs no real ones.
	export AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=secret
}

web_teardown() {
	local p children
	for p in ${WEB_PIDS[@]+"${WEB_PIDS[@]}"}; do
		# Apache's outlive it.
		mapfile -t children < <(pgrep -P "$p")
		kill -9 "$p" ${children[@]+"${children[@]}"} 2>/dev/null || :
		wait "$p" 2>/dev/null || :
	done
	case_teardown
}

web_wait() { # PORT WHAT: until something listens
	local i
	for ((i = 0; i < 300; i++)); do
		(: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0
		sleep 0.02
	done
	fail "$2 does not start: $(tail -n 3 "$WEB/error" 2>/dev/null)"
}

# Asks one backend; its lines are in $output.
web() {
	run "$TOP/build/helpers/net_backend" port="$WEB_PORT" "$@"
}

# prints LINE...: the last run printed exactly these lines; a pattern each.
prints() {
	local -a got
	local i
	mapfile -t got <<<"$output"
	[ ${#got[@]} = $# ] || { fail "${#got[@]} lines, not $#: $output"; return 1; }
	for ((i = 0; i < $#; i++)); do
		# shellcheck disable=SC2053 # a pattern
		[[ ${got[i]} == ${*:i+1:1} ]] ||
			{ fail "line $((i + 1)) is '${got[i]}', not '${*:i+1:1}'"; return 1; }
	done
}

nginx_start() { # [lines of the server's block]
	command -v nginx >/dev/null || lacks nginx
	WEB_PORT=$(redis_free_port)
	cat >"$WEB/nginx.conf" <<-END
		daemon off; master_process off;
		pid $WEB/nginx.pid;
		error_log $WEB/error;
		events { worker_connections 64; }
		http {
			access_log $WEB/log;
			client_body_temp_path $WEB/tmp/1; proxy_temp_path $WEB/tmp/2;
			fastcgi_temp_path $WEB/tmp/3; uwsgi_temp_path $WEB/tmp/4;
			scgi_temp_path $WEB/tmp/5; client_max_body_size 0;
			server {
				listen 127.0.0.1:$WEB_PORT;
				root $WEB/data;
				dav_methods PUT DELETE MKCOL;
				${1-}
			}
		}
	END
	nginx -p "$WEB" -c "$WEB/nginx.conf" -e "$WEB/error" >/dev/null 2>&1 3>&- &
	WEB_PIDS+=($!)
	web_wait "$WEB_PORT" nginx
}

apache_start() { # [lines of the configuration]
	local modules=/usr/lib/apache2/modules user=
	command -v apache2 >/dev/null || lacks apache2
	WEB_PORT=$(redis_free_port)
	# Apache serves nobody as root.
	[ "$(id -u)" != 0 ] || {
		user='User www-data'
		chmod a+x "$ROOT" "$ROOT/.." "$WEB"
		chown -R www-data "$WEB/data" "$WEB/tmp"
	}
	cat >"$WEB/apache.conf" <<-END
		ServerRoot $WEB
		ServerName localhost
		Listen 127.0.0.1:$WEB_PORT
		PidFile $WEB/apache.pid
		ErrorLog $WEB/error
		DefaultRuntimeDir $WEB/tmp
		LoadModule mpm_event_module $modules/mod_mpm_event.so
		LoadModule authz_core_module $modules/mod_authz_core.so
		LoadModule dav_module $modules/mod_dav.so
		LoadModule dav_fs_module $modules/mod_dav_fs.so
		$user
		ServerLimit 1
		StartServers 1
		ThreadsPerChild 8
		MaxRequestWorkers 8
		DavLockDB $WEB/tmp/lock
		DocumentRoot $WEB/data
		<Directory $WEB/data>
		Dav On
		Require all granted
		</Directory>
		${1-}
	END
	apache2 -f "$WEB/apache.conf" -D FOREGROUND >/dev/null 2>>"$WEB/error" 3>&- &
	WEB_PIDS+=($!)
	web_wait "$WEB_PORT" apache2
}

faulty_start() { # [NAME of a certificate]
	local i
	rm -f "$WEB/port"
	: >"$WEB/log"
	"$PY" "$TOP/tests/e2e/http_faulty.py" "$WEB/port" "$WEB/log" \
		${1:+"pki/$1.crt" "pki/$1.key"} 2>"$WEB/error" 3>&- &
	WEB_PIDS+=($!)
	for ((i = 0; i < 300; i++)); do
		[ ! -e "$WEB/port" ] || { WEB_PORT=$(cat "$WEB/port"); return 0; }
		sleep 0.02
	done
	fail "http_faulty.py does not start: $(cat "$WEB/error")"
}

connections() { cut -d ' ' -f 1 "$WEB/log" | sort -u | wc -l; }

# One server serves a file's cases. Without moto, MOTO_PORT is empty.
moto_start() {
	local moto
	export MOTO_PORT= MOTO_PID=
	moto=$(sh "$TOP/scripts/moto-python.sh") || return 0
	MOTO_PORT=$(redis_free_port)
	"$moto" -m moto.server -H 127.0.0.1 -p "$MOTO_PORT" >/dev/null 2>&1 3>&- &
	MOTO_PID=$!
	web_wait "$MOTO_PORT" moto
}

moto_end() { [ -z "${MOTO_PID-}" ] || kill "$MOTO_PID" || :; }

need_moto() {
	[ -n "$MOTO_PORT" ] || skip "no moto: scripts/moto-python.sh --make downloads it"
}

# A request of an administrator to moto.
moto() { # METHOD PATH [BODY]
	"$PY" - "http://127.0.0.1:$MOTO_PORT$2" "$1" "${3-}" <<-'END'
		import sys, urllib.request
		sign = "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request, " \
			"SignedHeaders=host, Signature=x"
		q = urllib.request.Request(sys.argv[1], method=sys.argv[2],
			data=sys.argv[3].encode(), headers={"Authorization": sign,
				"Content-Type": "text/plain"})
		print(urllib.request.urlopen(q).read().decode())
	END
}
