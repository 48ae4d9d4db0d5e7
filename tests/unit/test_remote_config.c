/* remote/remote_place.c, remote/remote_config.c, remote/redis/redis_config.c: URLs, precedence of
 * settings, the password file, and no secret in any text. */
#include "tests/unit/scratch.h"

#include "remote/remote.h"
#include "remote/redis/redis_config.h"
#include "store/entry/entry.h"
#include "units/shape/shape.h"

static struct arena arena = ARENA_INIT;

TestSuite(remote_config, .init = scratch_make, .fini = scratch_remove);

static const char *parse(struct remote_place *c, const char *url)
{
	*c = (struct remote_place){0};
	return place_parse(c, url, strlen(url), &arena);
}

static struct remote_place parsed(const char *url)
{
	struct remote_place c;
	const char *wrong = parse(&c, url);

	cr_assert_null(wrong, "%s: %s", url, wrong);
	return c;
}

Test(remote_config, urls)
{
	static const struct {
		const char *url;
		const char *scheme;
		const char *user, *password, *host;
		unsigned port, db;
	} cases[] = {
		{"redis://cache", "redis", NULL, NULL, "cache", 6379, 0},
		{"REDIS://Cache.internal/", "redis", NULL, NULL, "Cache.internal", 6379, 0},
		{"redis://cache:1/7", "redis", NULL, NULL, "cache", 1, 7},
		{"rediss://cache:65535", "rediss", NULL, NULL, "cache", 65535, 0},
		{"redis://:pw@h", "redis", NULL, "pw", "h", 6379, 0},
		{"redis://u:pw@h:2/3", "redis", "u", "pw", "h", 2, 3},
		{"redis://u@h", "redis", "u", NULL, "h", 6379, 0},
		{"redis://u:@h", "redis", "u", NULL, "h", 6379, 0},
		{"redis://u%3A%40:p%2f%25%C3%A4@h", "redis", "u:@", "p/%\xc3\xa4", "h", 6379, 0},
		{"redis://:a@b:c@h", "redis", NULL, "a@b:c", "h", 6379, 0},
		{"redis://[::1]", "redis", NULL, NULL, "::1", 6379, 0},
		{"redis://[2001:DB8::1.2.3.4]:70/1", "redis", NULL, NULL, "2001:DB8::1.2.3.4",
		 70, 1},
		{"redis://u:p@[fe80::1%25eth0]:70", "redis", "u", "p", "fe80::1%eth0", 70, 0},
		{"redis://10.0.0.1", "redis", NULL, NULL, "10.0.0.1", 6379, 0},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct remote_place c = parsed(cases[i].url);
		cr_expect_str_eq(c.scheme, cases[i].scheme, "%s", cases[i].url);
		cr_expect_str_eq(c.host, cases[i].host, "%s: %s", cases[i].url, c.host);
		cr_expect_eq(c.port, cases[i].port, "%s: %u", cases[i].url, c.port);
		cr_expect_eq(c.db, cases[i].db, "%s: %u", cases[i].url, c.db);
		cr_expect(!c.user == !cases[i].user && (!c.user || !strcmp(c.user, cases[i].user)),
		          "%s: user %s", cases[i].url, c.user);
		cr_expect(!c.password == !cases[i].password &&
		          (!c.password || !strcmp(c.password, cases[i].password)),
		          "%s: password %s", cases[i].url, c.password);
	}
}

Test(remote_config, unix_urls)
{
	struct remote_place c = parsed("redis+unix:///run/redis/s%20x.sock?db=12");

	cr_expect_str_eq(c.scheme, "redis+unix");
	cr_expect_str_eq(c.path, "/run/redis/s x.sock");
	cr_expect_eq(c.db, 12);
	c = parsed("redis+unix://u:p@/s");
	cr_expect_str_eq(c.path, "/s");
	cr_expect_str_eq(c.user, "u");
	cr_expect_str_eq(c.password, "p");
}

Test(remote_config, other_urls)
{
	struct remote_place c = parsed("s3://my-bucket/a%20b/c?endpoint=http%3A%2F%2Fh:9000"
	                               "&region=eu-1&readonly=1&timeout=1500ms");

	cr_expect_str_eq(c.scheme, "s3");
	cr_expect_str_eq(c.host, "my-bucket");
	cr_expect_str_eq(c.path, "/a b/c");
	cr_expect_str_eq(c.endpoint, "http://h:9000");
	cr_expect_str_eq(c.region, "eu-1");
	cr_expect_eq(c.readonly, 1);
	cr_expect_eq(c.timeout_ns, 1500000000ll);
	cr_expect_str_eq(c.shown, "s3://my-bucket/a b/c");
	c = parsed("file:///lustre/re@prise");
	cr_expect_str_eq(c.host, "");
	cr_expect_str_eq(c.path, "/lustre/re@prise");
	cr_expect_str_eq(c.shown, "file:///lustre/re@prise");
	c = parsed("https://u:hunter2@[::1]:8443/cache/?timeout=2s");
	cr_expect_str_eq(c.host, "::1");
	cr_expect_eq(c.port, 8443);
	cr_expect_str_eq(c.path, "/cache/");
	cr_expect_eq(c.timeout_ns, 2000000000ll);
	cr_expect_str_eq(c.shown, "https://[::1]:8443/cache/");
	c = parsed("http://h");
	cr_expect_eq(c.port, 0);
	cr_expect_str_eq(c.path, "");
	c = parsed("redis://h:1/2?readonly=0&timeout=1ms");
	cr_expect_eq(c.db, 2);
	cr_expect_eq(c.timeout_ns, 1000000);
}

Test(remote_config, malformed_elements)
{
	static const struct { const char *url, *says; } cases[] = {
		{"gopher://h", "unknown scheme gopher"}, {"u:hunter2://h", "unknown scheme (not"},
		{"redis://h?hunter=2", "unknown option hunter"},
		{"redis://h?HUNTER2=x", "unknown option (not shown)"},
		{"redis://h?region=x", "unknown option region"},
		{"http://h?db=1", "unknown option db"}, {"s3://b?timeout=1", "timeout"},
		{"s3://b?timeout=0s", "timeout"}, {"s3://b?timeout=1h", "timeout"},
		{"s3://b?readonly=yes", "readonly"}, {"s3://b?endpoint=h", "endpoint"},
		{"s3://b?endpoint=http://u:p%40h", "endpoint"}, {"s3://b?region=a/b", "region"},
		{"s3://b?", "nothing"}, {"s3://b?x", "NAME=VALUE"}, {"s3://b?=x", "NAME=VALUE"},
		{"s3://", "no host"}, {"s3:///x", "no host"}, {"file://h/x", "host"},
		{"file://", "path"}, {"file:///", "path"}, {"file:///a%0ab", "control"},
		{"http://u:a/b@h/", "percent"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct remote_place c;
		const char *wrong = parse(&c, cases[i].url);

		cr_assert_not_null(wrong, "%s", cases[i].url);
		cr_expect(strstr(wrong, cases[i].says), "%s: %s", cases[i].url, wrong);
		cr_expect_null(strstr(wrong, "unter2"), "%s: %s", cases[i].url, wrong);
	}
}

Test(remote_config, malformed_urls)
{
	static const char *const urls[] = {
		"", "cache", "cache:6379", "gopher://cache", "redis:/cache", "redis:cache",
		"unix:///x",
		"redis://", "redis:///0", "redis://:6379", "redis://u:p@", "redis://u:p@:1",
		"redis://h:",
		"redis://h:0", "redis://h:65536", "redis://h:99999999999", "redis://h:1x",
		"redis://h:+1",
		"redis://h: 1", "redis://h/x", "redis://h/1/", "redis://h//", "redis://h/-1",
		"redis://h/1000000", "redis://h/1?x=1", "redis://h?db=1", "redis://h#1",
		"redis://:a#b@h",
		"redis://:a/b@h", "redis://:a%2@h", "redis://:a%@h", "redis://:%00@h",
		"redis://:a%zz@h",
		"redis://%zz@h", "redis://[::1", "redis://[::1]x", "redis://[::1]:", "redis://[]",
		"redis://[h]", "redis://::1", "redis://h\n", "redis://h_\xc3\xa4", "redis://h%41",
		"redis://[::1%25]x", "redis://[::1%25/../x]",
		"redis+unix://h/s", "redis+unix://", "redis+unix:///", "redis+unix:///s?x=1",
		"redis+unix:///s?db=", "redis+unix:///s?db=x", "redis+unix:///s%00",
		"redis+unix:///s%2",
	};
	char longer[1200];

	for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
		struct remote_place c;
		cr_expect_not_null(parse(&c, urls[i]), "%s", urls[i]);
	}
	struct remote_place c;
	snprintf(longer, sizeof longer, "redis://%0300d", 1);
	cr_expect_not_null(parse(&c, longer), "a host of 300");
	snprintf(longer, sizeof longer, "redis+unix:///%0107d", 1);
	cr_expect_not_null(parse(&c, longer), "a path of 108");
	snprintf(longer, sizeof longer, "redis+unix:///%0106d", 1);
	cr_expect_null(parse(&c, longer), "a path of 107");
	snprintf(longer, sizeof longer, "redis://:%0513d@h", 1);
	cr_expect_not_null(parse(&c, longer), "a password of 513");
}

/* The settings, and the connection to the first place, which is a Redis. */
struct loaded {
	struct remote_config all;
	struct redis_config redis;
};

/* env: up to ten entries, then NULL. */
static int load(struct loaded *c, struct fault *f, char *const env[])
{
	static struct settings s;

	memset(f, 0, sizeof *f);
	memset(c, 0, sizeof *c);
	settings_defaults(&s);
	settings_merge_env(&s, env, &arena);
	int rc = remote_config_load(&c->all, &s, env, &arena, f);
	if (rc == 0 && c->all.places)
		rc = redis_config_load(&c->redis, &c->all.place[0], &arena, f);
	return rc;
}

/* As remote_use_address. */
static const char *shown(const struct loaded *c)
{
	return c->all.places ? c->all.place[0].shown : "none";
}
#define ENV(...) ((char *[]){__VA_ARGS__, NULL})

Test(remote_config, nothing_is_asked_for)
{
	struct loaded c;
	struct fault f;

	cr_expect_eq(load(&c, &f, ENV("A=b", "REPRISE_REDIS_PASSWORD=x", "REPRISE_REDIS_PORT=9")),
	             0);
	cr_expect_eq(c.all.places, 0);
	cr_expect_str_eq(shown(&c), "none");
	cr_expect_eq(load(&c, &f, ENV("REPRISE_REDIS_URL=redis://h", "REPRISE_REMOTE=0")), 0);
	cr_expect_eq(c.all.places, 0);
	cr_expect_eq(load(&c, &f, ENV("REPRISE_REDIS_URL=rubbish", "REPRISE_REMOTE=0")), 0);
	cr_expect_eq(load(&c, &f,
	                  ENV("REPRISE_REDIS_URL=redis://h", "REPRISE_REMOTE_CLASSES=none")), 0);
	cr_expect_eq(c.all.places, 0);
}

Test(remote_config, defaults)
{
	struct loaded c;
	struct fault f;

	cr_assert_eq(load(&c, &f, ENV("REPRISE_REDIS_URL=redis://h")), 0, "%s", f.text);
	cr_expect_eq(c.redis.scheme, REMOTE_TCP);
	cr_expect_str_eq(c.all.prefix, "reprise");
	cr_expect_eq(c.all.ttl_s, 30 * 24 * 3600);
	cr_expect_eq(c.all.classes, 1u << STORE_MANIFEST | 1u << STORE_RESULT | 1u << STORE_UNIT |
	             1u << STORE_SET);
	cr_expect_eq(c.all.units, ~0u);
	cr_expect_eq(c.all.place[0].readonly, 0);
	cr_expect_eq(c.all.place[0].timeout_ns, 250 * 1000000ll);
	cr_expect_eq(c.all.transfer_ns, 2000 * 1000000ll);
	cr_expect_eq(c.all.min_rate, 20u << 20);
	cr_expect_eq(c.all.max_entry, 256u << 20);
	cr_expect_str_eq(c.redis.tls_ca, "");
	cr_expect_null(c.redis.runtime_dir);
	cr_expect_str_eq(shown(&c), "redis://h:6379/0");
}

Test(remote_config, settings_count_where_the_url_is_silent)
{
	struct loaded c;
	struct fault f;
	char **rest = ENV("REPRISE_REDIS_URL=redis://:a@h/2", "REPRISE_REDIS_USER=u",
	                  "REPRISE_REDIS_PASSWORD=b", "REPRISE_REDIS_DB=4", "REPRISE_REDIS_PORT=7",
	                  "REPRISE_REDIS_HOST=other", "REPRISE_REDIS_SOCKET=/s");

	cr_assert_eq(load(&c, &f, rest), 0, "%s", f.text);
	cr_expect_str_eq(c.redis.host, "h");
	cr_expect_eq(c.redis.port, 7);
	cr_expect_eq(c.redis.db, 2);
	cr_expect_str_eq(c.redis.user, "u");
	cr_expect_str_eq(c.redis.password, "a");
	rest[0] = "REPRISE_REDIS_URL=redis://h:1";
	cr_assert_eq(load(&c, &f, rest), 0, "%s", f.text);
	cr_expect_eq(c.redis.port, 1);
	cr_expect_eq(c.redis.db, 4);
	cr_expect_str_eq(c.redis.password, "b");
	rest[0] = "X=1";
	cr_assert_eq(load(&c, &f, rest), 0, "%s", f.text);
	cr_expect_eq(c.redis.scheme, REMOTE_UNIX);
	cr_expect_str_eq(c.redis.socket, "/s");
	cr_expect_str_eq(shown(&c), "redis+unix:///s?db=4");
	rest[6] = "X=1";
	cr_assert_eq(load(&c, &f, rest), 0, "%s", f.text);
	cr_expect_eq(c.redis.scheme, REMOTE_TCP);
	cr_expect_str_eq(shown(&c), "redis://other:7/4");
	rest[5] = "REPRISE_REDIS_HOST=fe80::1";
	cr_assert_eq(load(&c, &f, rest), 0, "%s", f.text);
	cr_expect_str_eq(shown(&c), "redis://[fe80::1]:7/4");
}

Test(remote_config, a_list_of_places)
{
	struct loaded c;
	struct fault f;

	cr_assert_eq(load(&c, &f, ENV("REPRISE_REMOTE_URL= redis://a  s3://b?timeout=3s http://c ",
	                              "REPRISE_REDIS_URL=redis://other")), 0, "%s", f.text);
	cr_expect_eq(c.all.places, 3);
	cr_expect_str_eq(c.all.place[0].host, "a");
	cr_expect_eq(c.all.place[0].timeout_ns, 250000000);
	cr_expect_eq(c.all.place[1].timeout_ns, 3000000000ll);
	cr_expect_eq(c.all.place[2].timeout_ns, 1000000000);
	cr_assert_eq(load(&c, &f, ENV("REPRISE_REMOTE_URL=http://c redis://d/3",
	                              "REPRISE_REDIS_PORT=7", "REPRISE_REDIS_DB=4",
	                              "REPRISE_REMOTE_READONLY=1",
	                              "REPRISE_REMOTE_LOOKUP_TIMEOUT=2s")), 0, "%s", f.text);
	cr_expect_eq(c.all.place[0].timeout_ns, 2000000000, "as the setting says");
	cr_expect(c.all.place[0].readonly && c.all.place[1].readonly);
	cr_expect_eq(c.all.place[0].port, 0);
	cr_expect_eq(c.all.place[1].port, 7);
	cr_expect_eq(c.all.place[1].db, 3);
	cr_expect_eq(load(&c, &f, ENV("REPRISE_REMOTE_URL=redis://a redis://u:hunter2@b?x=1")), -1);
	cr_expect_str_eq(f.text, "REMOTE_URL: element 2: unknown option x");
	cr_expect_eq(load(&c, &f, ENV("REPRISE_REMOTE_URL=redis://1 redis://2 redis://3 redis://4 "
	                              "redis://5 redis://6 redis://7 redis://8 redis://9")), -1);
	cr_expect(strstr(f.text, "more than 8"), "%s", f.text);
	cr_expect_eq(load(&c, &f, ENV("REPRISE_REDIS_URL=http://a")), -1);
	cr_expect_str_eq(remote_url_print("redis://u:hunter2@a s3://b/c hunter2", &arena),
	                 "redis://..@a:6379/0 s3://b/c (malformed, not shown: it has no scheme, "
	                 "such as redis://)");
}

Test(remote_config, malformed_settings_switch_it_off)
{
	static char *bad[] = {
		"REPRISE_REDIS_URL=redis://h:x", "REPRISE_REDIS_PREFIX=a{b}",
		"REPRISE_REDIS_PREFIX=a b",
		"REPRISE_REMOTE_CLASSES=all,cubins", "REPRISE_REMOTE_LOOKUP_TIMEOUT=0",
		"REPRISE_REMOTE_MIN_RATE=0", "REPRISE_REDIS_DB=99999999",
		"REPRISE_REDIS_TLS_CERT=/c", "REPRISE_REDIS_PASSWORD_FILE=/nonexistent/p",
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct loaded c;
		struct fault f;
		char **env = ENV("REPRISE_REDIS_HOST=h", bad[i]);

		cr_expect_eq(load(&c, &f, env), -1, "%s", bad[i]);
		
		cr_expect(*f.text, "%s", bad[i]);
	}
	struct loaded c;
	struct fault f;
	cr_expect_eq(load(&c, &f, ENV("REPRISE_REDIS_HOST=h", "REPRISE_REDIS_PORT=70000")), -1);
	cr_expect_eq(load(&c, &f, ENV("REPRISE_REDIS_HOST=h/x")), -1);
}

Test(remote_config, classes_and_limits)
{
	struct loaded c;
	struct fault f;

	cr_assert_eq(load(&c, &f, ENV("REPRISE_REDIS_HOST=h", "REPRISE_REMOTE_CLASSES=none,compile",
	                              "REPRISE_REMOTE_READONLY=1", "REPRISE_REDIS_TTL=0")), 0);
	cr_expect_eq(c.all.classes, 1u << STORE_MANIFEST | 1u << STORE_RESULT);
	cr_expect(c.all.place[0].readonly);
	cr_expect_eq(c.all.ttl_s, 0);
	cr_expect_eq(c.all.units, 0);
	cr_assert_eq(load(&c, &f, ENV("REPRISE_REDIS_HOST=h",
	                              "REPRISE_REMOTE_CLASSES=all,-compile,,-gemm")), 0);
	cr_expect_eq(c.all.classes, 1u << STORE_UNIT | 1u << STORE_SET);
	cr_expect_eq(c.all.units, ~(1u << UNIT_GEMM));
	cr_assert_eq(load(&c, &f, ENV("REPRISE_REDIS_HOST=h",
	                              "REPRISE_REMOTE_CLASSES=triton,autotune,-triton")), 0);
	cr_expect_eq(c.all.units, 1u << UNIT_BEST_CONFIG);
	cr_assert_eq(load(&c, &f, ENV("REPRISE_REDIS_HOST=h", "REPRISE_REMOTE_CLASSES=all,none")),
	             0);
	cr_assert_eq(load(&c, &f, ENV("REPRISE_REDIS_HOST=h",
	                              "REPRISE_REMOTE_CLASSES=compile,-compile")), 0);
	cr_expect_eq(c.all.places, 0);
	for (const char *const *bad = (const char *const[]){"graphs", "-", "all-", "tri", "tritons",
	                                                    "-x", NULL}; *bad; bad++)
		cr_expect_eq(remote_classes_parse(*bad, &c.all.classes, &c.all.units), -1, "%s",
		             *bad);
	cr_assert_eq(load(&c, &f, ENV("REPRISE_REDIS_HOST=h", "REPRISE_READONLY=1",
	                              "REPRISE_REDIS_TTL=1ms", "SSL_CERT_FILE=/ca")), 0);
	cr_expect(c.all.place[0].readonly, "what is not stored is not published");
	cr_expect_eq(c.all.ttl_s, 1, "not: for ever");
	cr_expect_str_eq(c.redis.tls_ca, "/ca");
}

static int load_file(const char *content, size_t n, struct loaded *c, struct fault *f)
{
	char setting[4200];
	FILE *file = fopen(scratch("pw"), "w");

	fwrite(content, 1, n, file);
	fclose(file);
	snprintf(setting, sizeof setting, "REPRISE_REDIS_PASSWORD_FILE=%s", scratch("pw"));
	return load(c, f, ENV("REPRISE_REDIS_HOST=h", setting));
}

Test(remote_config, password_file)
{
	struct loaded c;
	struct fault f;
	char text[PLACE_PASSWORD_MAX + 2];

	cr_assert_eq(load_file("secret\r\nsecond\n", 15, &c, &f), 0, "%s", f.text);
	cr_expect_str_eq(c.redis.password, "secret");
	cr_assert_eq(load_file("secret", 6, &c, &f), 0);
	cr_expect_str_eq(c.redis.password, "secret");
	memset(text, 'p', sizeof text);
	text[PLACE_PASSWORD_MAX] = '\n';
	cr_assert_eq(load_file(text, sizeof text, &c, &f), 0, "%s", f.text);
	cr_expect_eq(strlen(c.redis.password), PLACE_PASSWORD_MAX);
	text[PLACE_PASSWORD_MAX] = 'p';
	cr_expect_eq(load_file(text, sizeof text, &c, &f), -1, "too long");
	cr_expect_eq(load_file("", 0, &c, &f), -1);
	cr_expect_eq(load_file("\nsecret", 7, &c, &f), -1);
	cr_expect_eq(load_file("a\0b\n", 4, &c, &f), -1);
	cr_expect_null(strstr(f.text, "ppp"));
	unlink(scratch("pw"));
	mkfifo(scratch("pw"), 0600);
	snprintf(text, sizeof text, "REPRISE_REDIS_PASSWORD_FILE=%s", scratch("pw"));
	cr_expect_eq(load(&c, &f, ENV("REPRISE_REDIS_HOST=h", text)), -1, "a FIFO must not hang");
	/* The URL's password, or REDIS_PASSWORD, wins. Then the file need not exist. */
	cr_expect_eq(load(&c, &f, ENV("REPRISE_REDIS_URL=redis://:x@h", text)), 0);
}

Test(remote_config, texts_hold_no_secret)
{
	static const char *const urls[] = {
		"redis://joe:hunter2@h:7/1", "redis://:hunter2@h", "redis://hunter2@h",
		"redis://:hunter2",
		"redis://:hun/ter2@h", "redis://joe:hunter2@", "http://joe:hunter2@h", "hunter2",
		"redis+unix://joe:hunter2@/s", "redis://joe:hunter2@h:x",
		"redis://joe:hunter2@h/hunter2", "redis://joe:hunter2@h#",
	};
	struct loaded c;
	struct fault f;

	for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
		char setting[128];
		const char *text = remote_url_print(urls[i], &arena);

		snprintf(setting, sizeof setting, "REPRISE_REDIS_URL=%s", urls[i]);
		load(&c, &f, ENV(setting));
		cr_expect(!strstr(text, "ter2") && !strstr(text, "joe"), "%s: %s", urls[i],
		          text);
		cr_expect(!strstr(f.text, "ter2") && !strstr(f.text, "joe"), "%s: %s", urls[i],
		          f.text);
		text = shown(&c);
		cr_expect(!strstr(text, "ter2") && !strstr(text, "joe"), "%s: %s", urls[i],
		          text);
	}
	cr_expect_str_eq(remote_url_print(urls[0], &arena), "redis://..@h:7/1");
	cr_expect_str_eq(remote_url_print("redis://h", &arena), "redis://h:6379/0");
}
