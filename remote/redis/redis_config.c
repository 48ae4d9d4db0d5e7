/* remote/redis/redis_config.c - reads the settings of a connection, and the password file. */
#include "remote/redis/redis_config.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "store/agent_start.h"

#include "shim/banned.h"

/* Reads the first line of the file; an empty line is a mistake. */
static const char *read_password(const char *path, struct arena *a, struct fault *fault)
{
	char text[PLACE_PASSWORD_MAX + 3];
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
		else if (len > PLACE_PASSWORD_MAX)
			wrong = "has a first line that is too long for a password";
		else if (!(out = arena_memdup(a, text, len)))
			fault_sys(fault, ENOMEM, "password file", path);
	}
	if (wrong)
		fault_set(fault, EINVAL, "password file %s %s", path, wrong);
	explicit_bzero(text, sizeof text);
	return out;
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static const char *load_tls(struct redis_config *c, const struct settings *set,
                            char *const envp[])
{
	static const char *const variables[] = {"SSL_CERT_FILE", "SSL_CERT_DIR"};

	c->tls_ca = setting_text(set, SETTING_REDIS_TLS_CA);
	/* OpenSSL would read the environment of this process, not that of the job. */
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

int redis_config_load(struct redis_config *c, const struct remote_place *place, struct arena *a,
                      struct fault *fault)
{
	const struct settings *set = place->set;
	const char *file = setting_text(set, SETTING_REDIS_PASSWORD_FILE), *wrong;

	memset(c, 0, sizeof *c);
	c->scheme = strcmp(place->scheme, "rediss") == 0 ? REMOTE_TLS
	            : *place->path ? REMOTE_UNIX : REMOTE_TCP;
	c->host = c->scheme == REMOTE_UNIX ? NULL : place->host;
	c->socket = c->scheme == REMOTE_UNIX ? place->path : NULL;
	c->port = place->port;
	c->db = place->db;
	c->shown = place->shown;
	c->runtime_dir = place->node_dir;
	c->user = place->user ? place->user : or_null(setting_text(set, SETTING_REDIS_USER));
	c->password = place->password;
	wrong = load_tls(c, set, place->envp);
	if (wrong)
		return fault_set(fault, EINVAL, "%s", wrong);
	if (!c->password)
		c->password = or_null(setting_text(set, SETTING_REDIS_PASSWORD));
	if (!c->password && *file && !(c->password = read_password(file, a, fault)))
		return -1;
	return 0;
}
