/* remote/remote_config.c - the remote store's settings: URL, password file, limits. */
#include "remote/remote_config.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "remote/remote.h"
#include "remote/wire/tunnel_program.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "store/entry/entry.h"
#include "units/units.def"

#include "shim/banned.h"

/* Longest name in DNS. */
#define HOST_MAX 255
#define PREFIX_MAX 64
/* Redis counts databases in an int; a larger number is a mistake. */
#define DB_MAX 999999
/* A longer deadline is as good as none; the limit keeps ms to ns from overflowing. */
#define TIMEOUT_MAX_MS (24ull * 3600 * 1000)
#define TTL_MAX_S (10u * 365 * 24 * 3600)

#define CLASSES_COMPILE (1u << STORE_MANIFEST | 1u << STORE_RESULT)
#define CLASSES_UNITS (1u << STORE_UNIT | 1u << STORE_SET)
static const struct {
	char name[16];
	unsigned classes, units;
} class_words[] = {
#define ROW(id, number, name, ...) {name, 0, 1u << number},
	UNIT_CLASSES(ROW)
#undef ROW
	{"compile", CLASSES_COMPILE, 0},
	{"all", CLASSES_COMPILE, ~0u},
	{"none", 0, 0},
	{"", 0, 0}, /* for "a,,b" and "a," */
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
static const char *parse_user(struct remote_config *c, const char *p, const char *end,
                              struct arena *a)
{
	const char *colon = memchr(p, ':', (size_t)(end - p)), *user_end = colon ? colon : end;

	if (user_end > p) {
		c->user = percent_decode(p, (size_t)(user_end - p), a);
		if (!c->user)
			return "malformed percent-encoding in the user";
	}
	if (colon) {
		c->password = percent_decode(colon + 1, (size_t)(end - colon - 1), a);
		if (!c->password)
			return "malformed percent-encoding in the password";
		if (strlen(c->password) > REMOTE_PASSWORD_MAX)
			return "the password is too long";
		if (!*c->password)
			c->password = NULL;
	}
	return NULL;
}

/* Parses host[:port] in p..end. */
static const char *parse_host(struct remote_config *c, const char *p, const char *end,
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
	c->host = bracketed ? percent_decode(host, (size_t)(host_end - host), a)
	                    : arena_memdup(a, host, (size_t)(host_end - host));
	if (!c->host || !host_is_good(c->host, bracketed))
		return "the host is neither a name nor an address (IPv6 needs brackets)";
	if (rest < end && *rest != ':')
		return "only a port may follow the address";
	if (rest < end &&
	    (read_number(rest + 1, (size_t)(end - rest - 1), 65535, &c->port) < 0 || !c->port))
		return "the port is not 1 to 65535";
	return NULL;
}

/* Parses /path[?db=N] in p..end. */
static const char *parse_socket(struct remote_config *c, const char *p, const char *end,
                                struct arena *a)
{
	const char *query = memchr(p, '?', (size_t)(end - p)), *path_end = query ? query : end;
	struct sockaddr_un un;

	if (path_end - p < 2)
		return "the path of the socket is missing";
	c->socket = percent_decode(p, (size_t)(path_end - p), a);
	if (!c->socket)
		return "malformed percent-encoding in the socket's path";
	if (strlen(c->socket) >= sizeof un.sun_path)
		return "the socket's path is too long";
	if (!query)
		return NULL;
	if (end - query < 4 || memcmp(query, "?db=", 4) != 0)
		return "only db=N may follow the '?'";
	if (read_number(query + 4, (size_t)(end - query - 4), DB_MAX, &c->db) < 0)
		return "the database is not a number";
	return NULL;
}

static int starts(const char *text, const char *scheme)
{
	for (; *scheme; text++, scheme++)
		if ((*text >= 'A' && *text <= 'Z' ? *text | 0x20 : *text) != *scheme)
			return 0;
	return 1;
}

static int has_at(const char *p, const char *end)
{
	return memrchr(p, '@', (size_t)(end - p)) != NULL;
}

const char *remote_url_parse(struct remote_config *c, const char *url, struct arena *a)
{
	const char *p = strstr(url, "://"), *end = url + strlen(url), *wrong, *slash, *at;

	for (const char *q = url; q < end; q++)
		if ((unsigned char)*q <= ' ' || *q == 0x7f || *q == '#')
			return "a blank, a control character or '#' must be percent-encoded";
	if (starts(url, "redis://"))
		c->scheme = REMOTE_TCP;
	else if (starts(url, "rediss://"))
		c->scheme = REMOTE_TLS;
	else if (starts(url, "redis+unix://"))
		c->scheme = REMOTE_UNIX;
	else
		return "it does not begin with redis://, rediss:// or redis+unix://";
	p += 3;
	slash = memchr(p, '/', (size_t)(end - p));
	slash = slash ? slash : end;
	/* The last '@': an unencoded '@' in a password then belongs to the password. */
	at = memrchr(p, '@', (size_t)(slash - p));
	/* An '@' after the slash means an unencoded '/' in user or password, so the text before it
	 * is no host. */
	if (c->scheme != REMOTE_UNIX && has_at(slash, end))
		return "a '/' in user or password must be percent-encoded";
	if (at && (wrong = parse_user(c, p, at, a)))
		return wrong;
	p = at ? at + 1 : p;
	if (c->scheme == REMOTE_UNIX)
		return p == slash ? parse_socket(c, slash, end, a) : "a socket has no host";
	if ((wrong = parse_host(c, p, slash, a)))
		return wrong;
	if (slash < end && slash + 1 < end &&
	    read_number(slash + 1, (size_t)(end - slash - 1), DB_MAX, &c->db) < 0)
		return "the part after the host is not a database number";
	return NULL;
}

/* Reads the first line of the file; an empty line is a mistake. */
static const char *read_password(const char *path, struct arena *a, struct fault *fault)
{
	char text[REMOTE_PASSWORD_MAX + 3];
	struct statx st;
	/* O_NONBLOCK: a FIFO here must not hang every compile. */
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	const char *wrong = NULL, *out = NULL;
	ssize_t n;

	if (fd < 0) {
		fault_sys(fault, -fd, "open password file", path);
		return NULL;
	}
	n = sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st);
	if (n >= 0 && !S_ISREG(st.stx_mode))
		wrong = "is not a regular file";
	else if (n >= 0)
		n = sys_read_all(fd, text, sizeof text);
	sys_close(fd);
	if (n < 0) {
		fault_sys(fault, (int)-n, "read password file", path);
	} else if (!wrong) {
		const char *newline = memchr(text, '\n', (size_t)n);
		size_t len = newline ? (size_t)(newline - text) : (size_t)n;

		if (len && text[len - 1] == '\r')
			len--;
		if (!len || memchr(text, 0, len))
			wrong = "holds no password in its first line";
		else if (len > REMOTE_PASSWORD_MAX)
			wrong = "has a first line that is too long for a password";
		else if (!(out = arena_memdup(a, text, len)))
			fault_sys(fault, ENOMEM, "password file", path);
	}
	if (wrong)
		fault_set(fault, EINVAL, "password file %s %s", path, wrong);
	explicit_bzero(text, sizeof text);
	return out;
}

int remote_classes_parse(const char *text, unsigned *classes, unsigned *units)
{
	*classes = *units = 0;
	while (*text) {
		size_t n = strcspn(text, ","), minus = *text == '-', i = 0;

		while (i < sizeof class_words / sizeof *class_words &&
		       (strlen(class_words[i].name) != n - minus ||
		        memcmp(class_words[i].name, text + minus, n - minus) != 0))
			i++;
		if (i == sizeof class_words / sizeof *class_words || (minus && n == 1))
			return -1;
		*classes = minus ? *classes & ~class_words[i].classes
		                 : *classes | class_words[i].classes;
		*units = minus ? *units & ~class_words[i].units : *units | class_words[i].units;
		text += n + (text[n] == ',');
	}
	*classes |= *units ? CLASSES_UNITS : 0;
	return 0;
}

static int prefix_is_good(const char *prefix)
{
	size_t n = strlen(prefix);

	if (n < 1 || n > PREFIX_MAX)
		return 0;
	/* Braces are hash tags in a cluster. */
	for (size_t i = 0; i < n; i++)
		if (prefix[i] <= ' ' || prefix[i] >= 0x7f || strchr("{}*?[]\\", prefix[i]))
			return 0;
	return 1;
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static int64_t timeout_ns(const struct settings *set, enum setting_id id)
{
	uint64_t ms = setting_number(set, id);

	return (int64_t)(ms < TIMEOUT_MAX_MS ? ms : TIMEOUT_MAX_MS) * 1000000;
}

/* Loads the settings that do not depend on the server's address. NULL, or the fault. */
static const char *load_limits(struct remote_config *c, const struct settings *set)
{
	uint64_t ttl_ms = setting_number(set, SETTING_REDIS_TTL);

	c->prefix = setting_text(set, SETTING_REDIS_PREFIX);
	c->ttl_s = ttl_ms / 1000 < TTL_MAX_S ? (unsigned)((ttl_ms + 999) / 1000) : TTL_MAX_S;
	c->readonly = setting_number(set, SETTING_REMOTE_READONLY) ||
	              setting_number(set, SETTING_READONLY);
	c->lookup_ns = timeout_ns(set, SETTING_REMOTE_LOOKUP_TIMEOUT);
	c->transfer_ns = timeout_ns(set, SETTING_REMOTE_TRANSFER_TIMEOUT);
	c->min_rate = setting_number(set, SETTING_REMOTE_MIN_RATE);
	c->max_entry = setting_number(set, SETTING_REMOTE_MAX_ENTRY);
	if (remote_classes_parse(setting_text(set, SETTING_REMOTE_CLASSES), &c->classes,
	                         &c->units) < 0)
		return "REMOTE_CLASSES names an unknown class";
	if (!prefix_is_good(c->prefix))
		return "REDIS_PREFIX is too long or holds a character that keys must not have";
	if (!c->lookup_ns || !c->transfer_ns || !c->min_rate)
		return "REMOTE_LOOKUP_TIMEOUT, REMOTE_TRANSFER_TIMEOUT and REMOTE_MIN_RATE must "
		       "not be 0";
	return NULL;
}

static const char *load_tls(struct remote_config *c, const struct settings *set,
                            char *const envp[])
{
	static const char *const variables[] = {"SSL_CERT_FILE", "SSL_CERT_DIR"};

	c->tls_ca = setting_text(set, SETTING_REDIS_TLS_CA);
	/* The program that does TLS gets no environment. */
	for (int i = 0; i < 2 && !*c->tls_ca; i++) {
		const char *path = env_get(envp, variables[i]);
		c->tls_ca = path ? path : "";
	}
	c->tls_cert = setting_text(set, SETTING_REDIS_TLS_CERT);
	c->tls_key = setting_text(set, SETTING_REDIS_TLS_KEY);
	c->tls_name = setting_text(set, SETTING_REDIS_TLS_NAME);
	if (!*c->tls_cert != !*c->tls_key)
		return "REDIS_TLS_CERT and REDIS_TLS_KEY must be set together";
	return NULL;
}

/* Loads the server's address from its own settings, without a URL. */
static const char *load_server(struct remote_config *c, const struct settings *set)
{
	const char *host = setting_text(set, SETTING_REDIS_HOST);
	const char *socket_path = setting_text(set, SETTING_REDIS_SOCKET);
	struct sockaddr_un un;

	if (*socket_path) {
		c->scheme = REMOTE_UNIX;
		c->socket = socket_path;
		if (strlen(socket_path) >= sizeof un.sun_path)
			return "REDIS_SOCKET: the socket's path is too long";
	} else if (*host) {
		c->scheme = REMOTE_TCP;
		c->host = host;
		if (!host_is_good(host, strchr(host, ':') != NULL))
			return "REDIS_HOST is neither a name nor an address";
	}
	return NULL;
}

static int is_asked_for(const struct settings *set)
{
	return setting_number(set, SETTING_REMOTE) &&
	       (*setting_text(set, SETTING_REDIS_URL) || *setting_text(set, SETTING_REDIS_HOST) ||
	        *setting_text(set, SETTING_REDIS_SOCKET));
}

/* Loads everything from settings alone, whether a remote is configured or not. */
static int fill(struct remote_config *c, const struct settings *set, char *const envp[],
                struct arena *a, struct fault *fault)
{
	const char *url = setting_text(set, SETTING_REDIS_URL), *wrong = NULL;
	uint64_t port = setting_number(set, SETTING_REDIS_PORT);
	uint64_t db = setting_number(set, SETTING_REDIS_DB);
	int in_url = 0;

	c->port = port <= 65535 ? (unsigned)port : 0;
	c->db = db <= DB_MAX ? (unsigned)db : 0;
	c->user = or_null(setting_text(set, SETTING_REDIS_USER));
	if (*url) {
		wrong = remote_url_parse(c, url, a);
		in_url = wrong != NULL;
	} else {
		wrong = load_server(c, set);
	}
	if (!wrong && (!c->port || db > DB_MAX))
		wrong = "REDIS_PORT or REDIS_DB is out of range";
	if (!wrong)
		wrong = load_limits(c, set);
	if (!wrong)
		wrong = load_tls(c, set, envp);
	if (!wrong)
		return 0;
	fault_set(fault, EINVAL, "%s%s", in_url ? "REDIS_URL: " : "", wrong);
	c->scheme = REMOTE_NONE;
	return -1;
}

int remote_config_where(struct remote_config *c, const struct settings *set, char *const envp[],
                        struct arena *a, struct fault *fault)
{
	memset(c, 0, sizeof *c);
	return is_asked_for(set) ? fill(c, set, envp, a, fault) : 0;
}

int remote_config_check(const struct settings *set, char *const envp[], struct arena *a,
                        struct fault *fault)
{
	struct remote_config c;

	memset(&c, 0, sizeof c);
	return fill(&c, set, envp, a, fault) < 0 ? -1 : remote_config_load(&c, set, envp, a, fault);
}

int remote_config_load(struct remote_config *c, const struct settings *set, char *const envp[],
                       struct arena *a, struct fault *fault)
{
	char program[PATH_SIZE];
	const char *file;

	if (remote_config_where(c, set, envp, a, fault) < 0)
		return -1;
	if (c->scheme == REMOTE_NONE)
		return 0;
	if (c->scheme == REMOTE_TLS && tunnel_program_find(program) < 0) {
		fault_set(fault, EINVAL,
		          "rediss:// needs libexec/reprise/reprise-remote, which is missing");
		goto off;
	}
	if (!c->password)
		c->password = or_null(setting_text(set, SETTING_REDIS_PASSWORD));
	file = setting_text(set, SETTING_REDIS_PASSWORD_FILE);
	if (!c->password && *file && !(c->password = read_password(file, a, fault)))
		goto off;
	if (!c->classes)
		c->scheme = REMOTE_NONE;
	return 0;
off:
	c->scheme = REMOTE_NONE;
	return -1;
}

static const char *print(const struct remote_config *c, const char *credentials, struct arena *a)
{
	char port[16], db[16];
	const char *out = NULL;

	format_text(port, sizeof port, ":%u", c->port);
	format_text(db, sizeof db, "%u", c->db);
	if (c->scheme == REMOTE_UNIX) {
		out = arena_cat(a, "redis+unix://", credentials, c->socket, "?db=", db, NULL);
	} else if (c->scheme != REMOTE_NONE) {
		int v6 = strchr(c->host, ':') != NULL;
		out = arena_cat(a, c->scheme == REMOTE_TLS ? "rediss://" : "redis://", credentials,
		                v6 ? "[" : "", c->host, v6 ? "]" : "", port, "/", db, NULL);
	}
	return out ? out : "none";
}

const char *remote_config_print(const struct remote_config *c, struct arena *a)
{
	return print(c, "", a);
}

const char *remote_url_print(const char *url, struct arena *a)
{
	struct remote_config c = {.port = REMOTE_PORT};
	const char *wrong = remote_url_parse(&c, url, a), *text;

	if (!wrong)
		return print(&c, c.user || c.password ? "..@" : "", a);
	text = arena_cat(a, "(malformed, not shown: ", wrong, ")", NULL);
	return text ? text : "(malformed, not shown)";
}
