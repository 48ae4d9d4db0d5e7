/* remote/remote_place.c - parses REPRISE_REMOTE_URL and REPRISE_REDIS_*. */
#include "remote/remote_place.h"

#include <errno.h>
#include <string.h>
#include <sys/un.h>

#include "remote/remote.h"
#include "shim/format.h"

#include "shim/banned.h"

/* Longest name in DNS. */
#define HOST_MAX 255
/* Redis counts databases in an int; a larger number is a mistake. */
#define DB_MAX 999999
#define REDIS_USUAL_PORT 6379
/* Longest name of a scheme or option in a fault. */
#define WORD_LENGTH 16
/* A longer deadline is as good as none; the limit keeps ms to ns from overflowing. */
#define TIMEOUT_MAX_MS (24ull * 3600 * 1000)
#define WEB_TIMEOUT_NS 1000000000ll

/* PATH: no host, and the path of a file. WEB: a server that needs more time. */
enum { IS_REDIS = 1, IS_PATH = 2, IS_WEB = 4, IS_S3 = 8 };
static const struct {
	char name[12];
	unsigned is;
} schemes[] = {
	{"redis", IS_REDIS}, {"rediss", IS_REDIS}, {"redis+unix", IS_REDIS | IS_PATH},
	{"file", IS_PATH}, {"http", IS_WEB}, {"https", IS_WEB}, {"s3", IS_WEB | IS_S3},
};

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes the %XX in n bytes, or NULL: no memory, malformed, or a NUL. */
static char *percent_decode(const char *p, size_t n, struct arena *a)
{
	char *out = arena_alloc(a, n + 1), *to = out;

	for (size_t i = 0; out && i < n; i++) {
		int c = (unsigned char)p[i];

		if (c == '%') {
			int high = i + 2 < n ? hex_value(p[i + 1]) : -1;
			int low = high >= 0 ? hex_value(p[i + 2]) : -1;

			c = low < 0 ? 0 : high * 16 + low;
			i += 2;
		}
		if (!c)
			return NULL;
		*to++ = (char)c;
	}
	return out;
}

/* Parses 1 to 9 digits and nothing else, at most max. */
static int read_number(const char *p, size_t n, unsigned max, unsigned *out)
{
	unsigned v = 0;

	if (n < 1 || n > 9)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9')
			return -1;
		v = v * 10 + (unsigned)(p[i] - '0');
	}
	*out = v;
	return v <= max ? 0 : -1;
}

/* Accepts letters, digits and the other characters of names; with brackets, an IPv6 address and its
 * zone. */
static int host_is_good(const char *host, int bracketed)
{
	size_t n = strlen(host), zone = strcspn(host, "%");

	if (n < 1 || n > HOST_MAX)
		return 0;
	if (bracketed && (strspn(host, "0123456789abcdefABCDEF:.") != zone || !strchr(host, ':')))
		return 0;
	for (size_t i = bracketed ? zone + 1 : 0; i < n; i++) {
		char c = (char)(host[i] | 0x20);
		if (!(c >= 'a' && c <= 'z') && !(host[i] >= '0' && host[i] <= '9') &&
		    !strchr("-._", host[i]))
			return 0;
	}
	return 1;
}

/* Parses user[:password] in p..end. */
static const char *parse_user(struct remote_place *place, const char *p, const char *end,
                              struct arena *a)
{
	const char *colon = memchr(p, ':', (size_t)(end - p)), *user_end = colon ? colon : end;

	if (user_end > p) {
		place->user = percent_decode(p, (size_t)(user_end - p), a);
		if (!place->user)
			return "malformed percent-encoding in the user";
	}
	if (colon) {
		place->password = percent_decode(colon + 1, (size_t)(end - colon - 1), a);
		if (!place->password)
			return "malformed percent-encoding in the password";
		if (strlen(place->password) > PLACE_PASSWORD_MAX)
			return "the password is too long";
		if (!*place->password)
			place->password = NULL;
	}
	return NULL;
}

/* Parses host[:port] in p..end. */
static const char *parse_host(struct remote_place *place, const char *p, const char *end,
                              struct arena *a)
{
	int bracketed = p < end && *p == '[';
	const char *host = p + bracketed, *host_end, *rest;

	if (bracketed) {
		host_end = memchr(p, ']', (size_t)(end - p));
		if (!host_end)
			return "no ']' after the address";
		rest = host_end + 1;
	} else {
		host_end = memchr(p, ':', (size_t)(end - p));
		rest = host_end = host_end ? host_end : end;
	}
	if (host == host_end)
		return "no host";
	/* Only a zone needs encoding: [fe80::1%25eth0]. */
	place->host = bracketed ? percent_decode(host, (size_t)(host_end - host), a)
	                        : arena_memdup(a, host, (size_t)(host_end - host));
	if (!place->host || !host_is_good(place->host, bracketed))
		return "the host is neither a name nor an address (IPv6 needs brackets)";
	if (rest < end && *rest != ':')
		return "only a port may follow the address";
	if (rest < end &&
	    (read_number(rest + 1, (size_t)(end - rest - 1), 65535, &place->port) < 0 ||
	     !place->port))
		return "the port is not 1 to 65535";
	return NULL;
}

/* A name in p..end that may be shown, or "(not shown)". */
static const char *word(const char *p, const char *end, struct arena *a)
{
	size_t n = (size_t)(end - p);
	const char *out = NULL;

	for (size_t i = 0; i < n; i++)
		if ((p[i] < 'a' || p[i] > 'z') && (p[i] < '0' || p[i] > '9') && p[i] != '+')
			n = 0;
	if (n >= 1 && n <= WORD_LENGTH)
		out = arena_memdup(a, p, n);
	return out ? out : "(not shown)";
}

static const char *faulty(struct arena *a, const char *before, const char *text)
{
	const char *out = arena_cat(a, before, text, NULL);

	return out ? out : before;
}

static int read_time(const char *text, int64_t *ns)
{
	size_t digits = strspn(text, "0123456789");
	unsigned v, unit = strcmp(text + digits, "ms") == 0 ? 1 : 1000;

	if ((unit == 1000 && strcmp(text + digits, "s") != 0) ||
	    read_number(text, digits, TIMEOUT_MAX_MS / unit, &v) < 0 || !v)
		return -1;
	*ns = (int64_t)v * unit * 1000000;
	return 0;
}

static const char *parse_option(struct remote_place *p, unsigned is, const char *name,
                                const char *value, struct arena *a)
{
	size_t n = strlen(value);
	unsigned on;

	if (strcmp(name, "readonly") == 0) {
		if (read_number(value, n, 1, &on) < 0)
			return "readonly is neither 0 nor 1";
		p->readonly = (int)on;
	} else if (strcmp(name, "timeout") == 0) {
		if (read_time(value, &p->timeout_ns) < 0)
			return "timeout is no time: 500ms, or 2s";
	} else if (strcmp(name, "db") == 0 && is == (IS_REDIS | IS_PATH)) {
		if (read_number(value, n, DB_MAX, &p->db) < 0)
			return "the database is not a number";
	} else if (strcmp(name, "endpoint") == 0 && is & IS_S3) {
		if ((strncmp(value, "http://", 7) != 0 && strncmp(value, "https://", 8) != 0) ||
		    strchr(value, '@'))
			return "endpoint is no http:// or https:// URL";
		p->endpoint = value;
	} else if (strcmp(name, "region") == 0 && is & IS_S3) {
		if (!host_is_good(value, 0))
			return "region is no name";
		p->region = value;
	} else {
		return faulty(a, "unknown option ", name);
	}
	return NULL;
}

/* Parses name=value&... in p..end. */
static const char *parse_options(struct remote_place *place, unsigned is, const char *p,
                                 const char *end, struct arena *a)
{
	while (p < end) {
		const char *stop = memchr(p, '&', (size_t)(end - p)), *equal, *value, *wrong;

		stop = stop ? stop : end;
		equal = memchr(p, '=', (size_t)(stop - p));
		if (!equal || equal == p)
			return "an option is not NAME=VALUE";
		value = percent_decode(equal + 1, (size_t)(stop - equal - 1), a);
		if (!value)
			return "malformed percent-encoding in an option";
		wrong = parse_option(place, is, word(p, equal, a), value, a);
		if (wrong)
			return wrong;
		p = stop + 1;
	}
	return NULL;
}

/* Parses the path in p..end. */
static const char *parse_path(struct remote_place *place, unsigned is, const char *p,
                              const char *end, struct arena *a)
{
	struct sockaddr_un un;

	if (is == IS_REDIS) {
		if (end - p > 1 &&
		    read_number(p + 1, (size_t)(end - p - 1), DB_MAX, &place->db) < 0)
			return "the part after the host is not a database number";
		return NULL;
	}
	place->path = percent_decode(p, (size_t)(end - p), a);
	if (!place->path)
		return "malformed percent-encoding in the path";
	for (const char *c = place->path; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return "a control character in the path";
	if (is & IS_PATH && place->path[0] && !place->path[1])
		return "the path is missing";
	if (is & IS_PATH && is & IS_REDIS && strlen(place->path) >= sizeof un.sun_path)
		return "the socket's path is too long";
	return NULL;
}

static const char *show(const struct remote_place *p, unsigned is, const char *credentials,
                        struct arena *a)
{
	char port[16] = "", db[16];
	int v6 = strchr(p->host, ':') != NULL;

	if (p->port)
		format_text(port, sizeof port, ":%u", p->port);
	format_text(db, sizeof db, "%u", p->db);
	if (is == (IS_REDIS | IS_PATH))
		return arena_cat(a, p->scheme, "://", credentials, p->path, "?db=", db, NULL);
	return arena_cat(a, p->scheme, "://", credentials, v6 ? "[" : "", p->host, v6 ? "]" : "",
	                 port, is == IS_REDIS ? "/" : p->path, is == IS_REDIS ? db : "", NULL);
}

/* The index of the scheme whose name is p..end in letters of either case, or -1. */
static int scheme_of(const char *p, const char *end)
{
	size_t n = (size_t)(end - p);

	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (strlen(schemes[i].name) == n && strncasecmp(schemes[i].name, p, n) == 0)
			return (int)i;
	return -1;
}

static unsigned kind_of(const struct remote_place *p)
{
	int i = scheme_of(p->scheme, p->scheme + strlen(p->scheme));

	return i < 0 ? 0 : schemes[i].is;
}

int place_is_redis(const struct remote_place *p)
{
	return (kind_of(p) & IS_REDIS) != 0;
}

/* Parses what follows "://". */
static const char *parse_rest(struct remote_place *place, unsigned is, const char *p,
                              const char *end, struct arena *a)
{
	const char *slash = memchr(p, '/', (size_t)(end - p)), *at, *query, *wrong;

	slash = slash ? slash : end;
	/* The last '@': an unencoded '@' in a password then belongs to the password. */
	at = memrchr(p, '@', (size_t)(slash - p));
	/* An '@' after the slash means an unencoded '/' in user or password, so the text before it
	 * is no host. */
	if (!(is & IS_PATH) && memrchr(slash, '@', (size_t)(end - slash)))
		return "a '/' in user or password must be percent-encoded, and an '@' in the path";
	if (at && (wrong = parse_user(place, p, at, a)))
		return wrong;
	p = at ? at + 1 : p;
	query = memchr(p, '?', (size_t)(end - p));
	query = query ? query : end;
	slash = slash < query ? slash : query;
	if (is & IS_PATH && (p != slash || slash == query))
		return p != slash ? "a path has no host" : "the path is missing";
	if (!(is & IS_PATH) && (wrong = parse_host(place, p, slash, a)))
		return wrong;
	if ((wrong = parse_path(place, is, slash, query, a)))
		return wrong;
	return query == end ? NULL : query + 1 == end ? "nothing follows the '?'"
	                           : parse_options(place, is, query + 1, end, a);
}

const char *place_parse(struct remote_place *p, const char *element, size_t n, struct arena *a)
{
	const char *end = element + n, *colon = memmem(element, n, "://", 3), *wrong;

	for (const char *q = element; q < end; q++)
		if ((unsigned char)*q <= ' ' || *q == 0x7f || *q == '#')
			return "a blank, a control character or '#' must be percent-encoded";
	if (!colon)
		return "it has no scheme, such as redis://";
	int i = scheme_of(element, colon);
	if (i < 0)
		return faulty(a, "unknown scheme ", word(element, colon, a));
	p->scheme = schemes[i].name;
	p->host = p->path = "";
	if (schemes[i].is == IS_REDIS && !p->port)
		p->port = REDIS_USUAL_PORT;
	if (schemes[i].is != IS_REDIS)
		p->port = 0;
	if ((wrong = parse_rest(p, schemes[i].is, colon + 3, end, a)))
		return wrong;
	p->shown = show(p, schemes[i].is, "", a);
	return p->shown ? NULL : "no memory";
}

const char *remote_url_print(const char *urls, struct arena *a)
{
	const char *out = "", *text = "";

	for (size_t n; out && *(urls += strspn(urls, " ")); urls += n) {
		struct remote_place p = {.port = REDIS_USUAL_PORT};

		n = strcspn(urls, " ");
		const char *wrong = place_parse(&p, urls, n, a);
		text = wrong ? arena_cat(a, "(malformed, not shown: ", wrong, ")", NULL)
		             : show(&p, kind_of(&p), p.user || p.password ? "..@" : "", a);
		out = text ? arena_cat(a, out, *out ? " " : "", text, NULL) : NULL;
	}
	return out ? out : "(not shown)";
}

/* The first variable that is set and not empty, or NULL. */
static const char *variable(char *const envp[], const char *name, const char *other)
{
	const char *value = env_get(envp, name);

	if (!value || !*value)
		value = env_get(envp, other);
	return value && *value ? value : NULL;
}

void place_add_settings(struct remote_place *p, const struct settings *set, char *const envp[])
{
	uint64_t ms = setting_number(set, SETTING_REMOTE_LOOKUP_TIMEOUT);
	int given = set->v[SETTING_REMOTE_LOOKUP_TIMEOUT].origin != ORIGIN_DEFAULT;

	p->set = set;
	p->envp = envp;
	p->prefix = setting_text(set, SETTING_REDIS_PREFIX);
	p->readonly |= setting_number(set, SETTING_REMOTE_READONLY) ||
	               setting_number(set, SETTING_READONLY);
	if (kind_of(p) & IS_S3) {
		if (!p->endpoint)
			p->endpoint = variable(envp, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
		if (!p->region)
			p->region = variable(envp, "AWS_REGION", "AWS_DEFAULT_REGION");
		p->user = variable(envp, "AWS_PROFILE", "AWS_DEFAULT_PROFILE");
	}
	if (!p->timeout_ns && !given && kind_of(p) & IS_WEB)
		p->timeout_ns = WEB_TIMEOUT_NS;
	if (!p->timeout_ns)
		p->timeout_ns = (int64_t)(ms < TIMEOUT_MAX_MS ? ms : TIMEOUT_MAX_MS) * 1000000;
}

/* Loads the one server that REDIS_HOST or REDIS_SOCKET names. */
static const char *load_server(struct remote_place *p, const struct settings *set, struct arena *a)
{
	const char *host = setting_text(set, SETTING_REDIS_HOST);
	const char *socket_path = setting_text(set, SETTING_REDIS_SOCKET);
	struct sockaddr_un un;
	int is_socket = *socket_path != '\0';

	p->scheme = is_socket ? "redis+unix" : "redis";
	p->host = is_socket ? "" : host;
	p->path = socket_path;
	if (strlen(socket_path) >= sizeof un.sun_path)
		return "REDIS_SOCKET: the socket's path is too long";
	if (!is_socket && !host_is_good(host, strchr(host, ':') != NULL))
		return "REDIS_HOST is neither a name nor an address";
	p->shown = show(p, kind_of(p), "", a);
	return p->shown ? NULL : "no memory";
}

/* Loads the one Redis that REPRISE_REDIS_* name. NULL, or what is wrong. */
static const char *load_redis(struct remote_place *p, const struct settings *set, struct arena *a)
{
	const char *url = setting_text(set, SETTING_REDIS_URL), *wrong;

	if (!*url)
		return load_server(p, set, a);
	wrong = place_parse(p, url, strlen(url), a);
	if (!wrong && !place_is_redis(p))
		wrong = "it does not begin with redis://, rediss:// or redis+unix://";
	return wrong ? faulty(a, "REDIS_URL: ", wrong) : NULL;
}

static int load_list(struct remote_place out[PLACES_MAX], const struct remote_place *first,
                     const char *urls, struct arena *a, struct fault *fault)
{
	int count = 0;

	for (size_t n; *(urls += strspn(urls, " ")); urls += n, count++) {
		n = strcspn(urls, " ");
		if (count == PLACES_MAX)
			return fault_set(fault, EINVAL, "REMOTE_URL: more than %d elements",
			                 PLACES_MAX);
		out[count] = *first;
		const char *wrong = place_parse(&out[count], urls, n, a);
		if (wrong)
			return fault_set(fault, EINVAL, "REMOTE_URL: element %d: %s", count + 1,
			                 wrong);
	}
	return count;
}

static int names_redis(const struct settings *set)
{
	return *setting_text(set, SETTING_REDIS_URL) || *setting_text(set, SETTING_REDIS_HOST) ||
	       *setting_text(set, SETTING_REDIS_SOCKET);
}

int places_are_named(const struct settings *set)
{
	return *setting_text(set, SETTING_REMOTE_URL) || names_redis(set);
}

int places_conflict(const struct settings *set)
{
	return *setting_text(set, SETTING_REMOTE_URL) && names_redis(set);
}

int places_load(struct remote_place out[PLACES_MAX], const struct settings *set,
                char *const envp[], struct arena *a, struct fault *fault)
{
	const char *urls = setting_text(set, SETTING_REMOTE_URL), *wrong;
	uint64_t port = setting_number(set, SETTING_REDIS_PORT);
	uint64_t db = setting_number(set, SETTING_REDIS_DB);
	struct remote_place first = {.port = (unsigned)port, .db = (unsigned)db};
	int count = 0;

	if (port < 1 || port > 65535 || db > DB_MAX)
		return fault_set(fault, EINVAL, "REDIS_PORT or REDIS_DB is out of range");
	if (*urls) {
		count = load_list(out, &first, urls, a, fault);
	} else if (names_redis(set)) {
		memcpy(out, &first, sizeof first);
		wrong = load_redis(out, set, a);
		if (wrong)
			return fault_set(fault, EINVAL, "%s", wrong);
		count = 1;
	}
	for (int i = 0; i < count; i++)
		place_add_settings(&out[i], set, envp);
	return count;
}
