/* A real Redis for a unit test, on a socket in the fixture's directory, and misbehaving servers. */
#pragma once

#include "store_fixture.h"

#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

static pid_t redis_pid, fake_pid;

static inline const char *redis_socket(void)
{
	return in_root("redis.sock");
}

static inline void redis_stop(void)
{
	int status;

	if (redis_pid > 0) {
		kill(redis_pid, SIGKILL);
		waitpid(redis_pid, &status, 0);
	}
	redis_pid = 0;
}

static inline redisContext *redis_connect(void)
{
	redisContext *c = NULL;

	for (int i = 0; i < 500; i++) {
		c = redisConnectUnix(redis_socket());
		if (c && !c->err) {
			redisReply *r = redisCommand(c, "PING");
			int up = r && r->type == REDIS_REPLY_STATUS;
			if (r)
				freeReplyObject(r);
			if (up)
				return c;
		}
		if (c)
			redisFree(c);
		usleep(10000);
	}
	cr_assert_fail("redis-server does not come up");
	return NULL;
}

/* option: one more line of its configuration, or "". */
static inline void redis_start(const char *option)
{
	char conf[512];
	int n = snprintf(conf, sizeof conf,
	                 "port 0\nunixsocket %s\nsave \"\"\nappendonly no\ndir %s\n%s\n",
	                 redis_socket(), root, option);

	write_file(in_root("redis.conf"), conf, (size_t)n);
	unlink(redis_socket());
	redis_pid = fork();
	if (redis_pid == 0) {
		freopen("/dev/null", "w", stdout);
		execlp("redis-server", "redis-server", in_root("redis.conf"), NULL);
		_exit(127);
	}
	redisFree(redis_connect());
}

/* The reply's text, integer or error as text, "(nil)", or the number of elements. Valid for three
 * more calls. */
static inline const char *redis(const char *format, ...)
{
	static char text[4][4096];
	static int n;
	redisContext *c = redis_connect();
	va_list ap;

	va_start(ap, format);
	redisReply *r = redisvCommand(c, format, ap);
	va_end(ap);
	cr_assert_not_null(r);
	n = (n + 1) % 4;
	if (r->type == REDIS_REPLY_INTEGER)
		snprintf(text[n], sizeof text[n], "%lld", r->integer);
	else if (r->type == REDIS_REPLY_NIL)
		snprintf(text[n], sizeof text[n], "(nil)");
	else if (r->type == REDIS_REPLY_ARRAY)
		snprintf(text[n], sizeof text[n], "%zu", r->elements);
	else
		snprintf(text[n], sizeof text[n], "%s", r->str);
	freeReplyObject(r);
	redisFree(c);
	return text[n];
}

/* A server on the socket. It takes connections, and answers each message with text after delay_us;
 * it never answers if text is NULL. */
static inline void fake_start(const char *text, useconds_t delay_us)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(at.sun_path, redis_socket());
	unlink(at.sun_path);
	cr_assert_eq(bind(s, (struct sockaddr *)&at, sizeof at), 0);
	cr_assert_eq(listen(s, 64), 0);
	fake_pid = fork();
	if (fake_pid == 0) {
		signal(SIGCHLD, SIG_IGN);
		for (;;) {
			int c = accept(s, NULL, NULL);
			char in[4096];

			if (c < 0 || fork() != 0) {
				close(c);
				continue;
			}
			for (ssize_t n; (n = read(c, in, sizeof in)) > 0;) {
				usleep(delay_us);
				if (text && write(c, text, strlen(text)) < 0)
					break;
			}
			_exit(0);
		}
	}
	close(s);
}

static inline void fake_stop(void)
{
	int status;

	if (fake_pid > 0) {
		kill(fake_pid, SIGKILL);
		waitpid(fake_pid, &status, 0);
	}
	fake_pid = 0;
}

static inline void redis_fixture_start(void)
{
	fixture_start();
}

static inline void redis_fixture_stop(void)
{
	redis_stop();
	fake_stop();
	fixture_stop();
}
