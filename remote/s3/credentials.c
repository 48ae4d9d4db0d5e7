/* remote/s3/credentials.c - where credentials for S3 come from. */
#include "remote/s3/credentials.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>
#include <time.h>

#include "remote/http/secret_file.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/settings/settings.h"

#define FILE_MAX (64u << 10)
#define ANSWER_MAX (32u << 10)
#define TOKEN_MAX 8192
/* Credentials are replaced this long before they expire, as AWS's programs do it. */
#define EARLY_S 300
/* How often a source is asked that gives nothing new. */
#define AGAIN_S 30
/* The address at which ECS answers. */
#define RELATIVE_HOST "http://169.254.170.2"

static int64_t now_s(void)
{
	return sys_now_ns(CLOCK_REALTIME) / 1000000000;
}

static const char *value_of(char *const envp[], const char *name)
{
	const char *value = env_get(envp, name);

	return value && *value ? value : NULL;
}

/* Copies n bytes that a header may hold: 0, or -1. */
static int copy(char *out, size_t cap, const char *p, size_t n)
{
	*out = '\0';
	if (n >= cap)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (p[i] <= ' ' || p[i] == 0x7f)
			return -1;
	memcpy(out, p, n);
	out[n] = '\0';
	return 0;
}

static int copy_text(char *out, size_t cap, const char *text)
{
	return copy(out, cap, text ? text : "", text ? strlen(text) : 0);
}

/* The value of "name = value" in a line of n bytes; NULL: another name. */
static const char *key_value(const char *line, size_t n, const char *name, size_t *len)
{
	const char *end = line + n, *p = line + strlen(name);

	if (n < strlen(name) || strncmp(line, name, strlen(name)) != 0)
		return NULL;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || *p++ != '=')
		return NULL;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	*len = (size_t)(end - p);
	return p;
}

/* "[name]", with blanks around the name. */
static int is_section(const char *line, size_t n, const char *name)
{
	const char *p = line + 1, *end = memchr(line, ']', n);

	if (!end)
		return 0;
	while (p < end && *p == ' ')
		p++;
	while (end > p && end[-1] == ' ')
		end--;
	return (size_t)(end - p) == strlen(name) && strncmp(p, name, strlen(name)) == 0;
}

int credentials_parse_file(struct credentials *c, const char *text)
{
	int ours = 0, wrong = 0;

	*c->id = *c->secret = *c->token = '\0';
	while (*text) {
		size_t n = strcspn(text, "\n"), next = n + (text[n] == '\n'), len;
		const char *v;

		while (n && (unsigned char)text[n - 1] <= ' ')
			n--;
		if (n && *text == '[')
			ours = is_section(text, n, c->profile);
		else if (!ours || !n)
			;
		else if ((v = key_value(text, n, "aws_access_key_id", &len)))
			wrong |= copy(c->id, sizeof c->id, v, len);
		else if ((v = key_value(text, n, "aws_secret_access_key", &len)))
			wrong |= copy(c->secret, sizeof c->secret, v, len);
		else if ((v = key_value(text, n, "aws_session_token", &len)))
			wrong |= copy(c->token, sizeof c->token, v, len);
		text += next;
	}
	return !wrong && *c->id && *c->secret ? 0 : -1;
}

static const char *member(json_object *o, const char *name)
{
	json_object *v = NULL;

	return json_object_object_get_ex(o, name, &v) && json_object_is_type(v, json_type_string)
	       ? json_object_get_string(v)
	       : NULL;
}

int credentials_parse_json(struct credentials *c, const char *text)
{
	json_object *o = json_tokener_parse(text);
	const char *id = member(o, "AccessKeyId"), *secret = member(o, "SecretAccessKey");
	const char *until = member(o, "Expiration");
	struct tm tm = {0};
	int rc = -1;

	if (id && secret && *id && *secret) {
		rc = copy_text(c->id, sizeof c->id, id) |
		     copy_text(c->secret, sizeof c->secret, secret) |
		     copy_text(c->token, sizeof c->token, member(o, "Token"));
		c->until_s =
			until && strptime(until, "%Y-%m-%dT%H:%M:%S", &tm) ? timegm(&tm) : 0;
	}
	/* A key that does not fit leaves none. */
	if (rc < 0 && id)
		*c->id = '\0';
	json_object_put(o);
	return rc;
}

static int read_file(struct credentials *c, struct arena *a, struct fault *fault)
{
	char *text = arena_alloc(a, FILE_MAX);
	int n, rc;

	if (!text)
		return fault_set(fault, ENOMEM, "no memory for credentials");
	n = secret_file_read(text, FILE_MAX, c->path, fault);
	rc = n < 0 ? -1 : credentials_parse_file(c, text);
	if (n >= 0 && rc < 0)
		fault_set(fault, 0, "S3: %s has no keys of the profile %s", c->path, c->profile);
	explicit_bzero(text, FILE_MAX);
	return rc;
}

/* Credentials go over plain HTTP on this machine alone, as AWS's programs have it. */
static int is_safe(const char *url)
{
	static const char *const hosts[] = {"169.254.170.2", "169.254.170.23", "[fd00:ec2::23]",
	                                    "localhost",     "127.0.0.1",      "[::1]"};

	if (!strncmp(url, "https://", 8))
		return 1;
	if (strncmp(url, "http://", 7) != 0)
		return 0;
	for (unsigned i = 0; i < sizeof hosts / sizeof *hosts; i++) {
		size_t n = strlen(hosts[i]);

		if (!strncmp(url + 7, hosts[i], n) && (!url[7 + n] || strchr(":/", url[7 + n])))
			return 1;
	}
	return 0;
}

static enum backend_status ask_container(struct credentials *c, struct http *http, struct arena *a,
                                         int64_t deadline, struct fault *fault)
{
	const struct backend_limit limit = {.most = ANSWER_MAX};
	struct http_request q = {.method = "GET", .url = c->url, .limit = &limit, .direct = 1};
	char token[TOKEN_MAX];
	const char *auth = c->auth, *text;
	struct http_reply reply;
	enum backend_status s;

	if (c->auth_file && secret_file_line(token, sizeof token, c->auth_file, fault) < 0)
		return BACKEND_DENIED;
	auth = c->auth_file ? token : auth;
	if (auth)
		http_header(&q, arena_cat(a, "Authorization: ", auth, NULL));
	explicit_bzero(token, sizeof token);
	s = http_transfer(http, &q, &reply, a, deadline, fault);
	if (s != BACKEND_OK)
		return s;
	text = arena_memdup(a, reply.body.data, reply.body.len);
	if (reply.status == 200 && text && credentials_parse_json(c, text) == 0)
		return BACKEND_OK;
	fault_set(fault, 0, "S3: the container's endpoint gives no credentials (status %d)",
	          (int)reply.status);
	return BACKEND_DENIED;
}

enum backend_status credentials_renew(struct credentials *c, int refused, struct http *http,
                                      struct arena *a, int64_t deadline, struct fault *fault)
{
	int64_t now = now_s();
	int old = refused || !*c->id || (c->until_s && now > c->until_s - EARLY_S);
	int usable = *c->id && !(c->until_s && now >= c->until_s);
	enum backend_status s;

	if (c->source == CREDENTIALS_ENVIRONMENT || !old ||
	    (usable && now >= c->asked_s && now - c->asked_s < AGAIN_S))
		return BACKEND_OK;
	c->asked_s = now;
	if (c->source == CREDENTIALS_FILE)
		s = read_file(c, a, fault) == 0 ? BACKEND_OK : BACKEND_DENIED;
	else
		s = ask_container(c, http, a, deadline, fault);
	return s == BACKEND_OK || (usable && *c->id) ? BACKEND_OK : s;
}

static int open_environment(struct credentials *c, char *const envp[], struct fault *fault)
{
	c->source = CREDENTIALS_ENVIRONMENT;
	if (copy_text(c->id, sizeof c->id, value_of(envp, "AWS_ACCESS_KEY_ID")) == 0 &&
	    copy_text(c->secret, sizeof c->secret, value_of(envp, "AWS_SECRET_ACCESS_KEY")) == 0 &&
	    copy_text(c->token, sizeof c->token, value_of(envp, "AWS_SESSION_TOKEN")) == 0)
		return 0;
	return fault_set(fault, 0, "S3: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or "
	                           "AWS_SESSION_TOKEN is malformed");
}

static int open_container(struct credentials *c, char *const envp[], struct arena *a,
                          struct fault *fault)
{
	const char *full = value_of(envp, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
	const char *relative = value_of(envp, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");

	c->source = CREDENTIALS_CONTAINER;
	c->url = relative ? arena_cat(a, RELATIVE_HOST, relative, NULL) : full;
	c->auth_file = value_of(envp, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	c->auth = value_of(envp, "AWS_CONTAINER_AUTHORIZATION_TOKEN");
	if (!relative && !full)
		return fault_set(fault, 0, "S3: no credentials: set AWS_ACCESS_KEY_ID and "
		                           "AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials");
	if (!c->url || !is_safe(c->url))
		return fault_set(fault, 0, "S3: AWS_CONTAINER_CREDENTIALS_FULL_URI is neither "
		                           "https:// nor on this machine");
	return 0;
}

int credentials_open(struct credentials *c, const char *profile, char *const envp[],
                     struct arena *a, struct fault *fault)
{
	const char *file = value_of(envp, "AWS_SHARED_CREDENTIALS_FILE");
	const char *home = value_of(envp, "HOME");
	int container = value_of(envp, "AWS_CONTAINER_CREDENTIALS_FULL_URI") ||
	                value_of(envp, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");

	if (value_of(envp, "AWS_ACCESS_KEY_ID") && value_of(envp, "AWS_SECRET_ACCESS_KEY"))
		return open_environment(c, envp, fault);
	c->source = CREDENTIALS_FILE;
	c->path = file ? file : home ? arena_cat(a, home, "/.aws/credentials", NULL) : NULL;
	c->profile = profile ? profile : "default";
	if (c->path && (file || profile || sys_access(c->path, F_OK) == 0) &&
	    (read_file(c, a, fault) == 0 || file || profile || !container))
		return *c->id && *c->secret ? 0 : -1;
	return open_container(c, envp, a, fault);
}
