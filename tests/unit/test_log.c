/* Lines, levels, rotation, messages that appear once a job, and places where no log can be. */
#include "scratch.h"

#include <dirent.h>
#include <regex.h>
#include <time.h>

#include "shim/log.h"
#include "shim/settings/setting_value.h"

static struct arena arena;
static struct settings s;
static char text[65536], job[] = "REPRISE_JOB=one";
static char *env[] = {job, NULL};

static void start(void)
{
	scratch_make();
	settings_defaults(&s);
	settings_merge_env(&s, env, &arena);
}

static void stop(void)
{
	scratch_remove();
	arena_free(&arena);
}

TestSuite(log, .init = start, .fini = stop);

/* The log's text, "" when there is none. */
static const char *content(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return text;
}

static int lines(const char *p)
{
	int n = 0;

	while ((p = strchr(p, '\n')))
		p++, n++;
	return n;
}

static void init(const char *runtime)
{
	log_init(&s, scratch_dir, runtime, "gcc", env, &arena);
}

static void set(enum setting_id id, const char *value)
{
	s.v[id].text = value;
	cr_assert_null(setting_parse(setting_rows[id].type, value, &s.v[id].number));
}

Test(log, before_init_nothing_happens)
{
	log_write(LOG_ERROR, "x");
	log_once("x", "x");
	cr_expect_not(log_enabled(LOG_ERROR));
}

Test(log, a_line)
{
	regex_t re;
	char now[32];
	time_t t = time(NULL);

	init(NULL);
	log_write(LOG_WARNING, "cannot %s %d", "open", 3);
	strftime(now, sizeof now, "%Y-%m-%dT", gmtime(&t));
	content(scratch("log"));
	cr_expect_eq(strncmp(text, now, strlen(now)), 0, "%s", text);
	regcomp(&re, "^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z [0-9]+ "
	        "warning gcc: "
	        "cannot open 3\n$", REG_EXTENDED | REG_NOSUB);
	cr_expect_eq(regexec(&re, text, 0, NULL, 0), 0, "%s", text);
	regfree(&re);
	struct stat st;
	cr_assert_eq(stat(scratch("log"), &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0600);
}

Test(log, levels)
{
	init(NULL);
	log_write(LOG_INFO, "no");
	log_write(LOG_ERROR, "yes");
	cr_expect_eq(lines(content(scratch("log"))), 1);
	set(SETTING_LOG_LEVEL, "debug");
	init(NULL);
	log_write(LOG_DEBUG, "yes");
	cr_expect_eq(lines(content(scratch("log"))), 2);
	set(SETTING_LOG_LEVEL, "none");
	init(NULL);
	log_write(LOG_ERROR, "no");
	cr_expect_eq(lines(content(scratch("log"))), 2);
}

Test(log, control_bytes_and_length)
{
	static char big[5000];

	memset(big, 'x', sizeof big - 1);
	init(NULL);
	log_write(LOG_ERROR, "a\nb\tc\033[1m\x01");
	log_write(LOG_ERROR, "%s", big);
	content(scratch("log"));
	cr_expect_eq(lines(text), 2);
	cr_expect_not_null(strstr(text, "a?b?c?[1m?\n"), "%s", text);
	cr_expect_leq(strlen(strchr(text, '\n') + 1), 1024);
	cr_expect_geq(strlen(strchr(text, '\n') + 1), 1000);
}

Test(log, rotation)
{
	struct stat st;

	init(NULL);
	log_write(LOG_ERROR, "first");
	cr_assert_eq(truncate(scratch("log"), LOG_BYTES_MAX - 10), 0);
	log_write(LOG_ERROR, "second");
	cr_expect_eq(lines(content(scratch("log"))), 1);
	cr_expect_not_null(strstr(text, "second"));
	cr_assert_eq(stat(scratch("log.1"), &st), 0);
	cr_expect_eq(st.st_size, LOG_BYTES_MAX - 10);
	/* once: the old one is replaced */
	cr_assert_eq(truncate(scratch("log"), LOG_BYTES_MAX), 0);
	log_write(LOG_ERROR, "third");
	cr_expect_neq(stat(scratch("log.2"), &st), 0);
	cr_assert_eq(stat(scratch("log.1"), &st), 0);
	cr_expect_eq(st.st_size, LOG_BYTES_MAX);
}

Test(log, once_a_job)
{
	init(scratch_dir);
	log_once("a", "said %d", 1);
	log_once("a", "said %d", 2);
	log_once("b", "other");
	cr_expect_eq(lines(content(scratch("log"))), 2);
	cr_expect_not_null(strstr(text, "said 1"));
	s.v[SETTING_JOB].text = "two";
	init(scratch_dir);
	log_once("a", "another job");
	cr_expect_eq(lines(content(scratch("log"))), 3);
}

Test(log, once_holds_a_day_and_markers_do_not_pile_up)
{
	struct timespec old[2] = {{time(NULL) - LOG_ONCE_SECONDS - 10, 0},
	                          {time(NULL) - LOG_ONCE_SECONDS - 10, 0}};
	struct dirent *e;
	int n = 0;

	init(scratch_dir);
	log_once("a", "x");
	log_once("b", "x");
	DIR *d = opendir(scratch("once"));
	cr_assert_not_null(d);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			cr_expect_eq(utimensat(dirfd(d), e->d_name, old, 0), 0);
	log_once("a", "again");
	rewinddir(d);
	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	cr_expect_eq(n, 1);
	cr_expect_eq(lines(content(scratch("log"))), 3);
}

Test(log, once_without_a_runtime_directory_is_said_each_time)
{
	init(NULL);
	log_once("a", "x");
	log_once("a", "x");
	cr_expect_eq(lines(content(scratch("log"))), 2);
}

Test(log, many_processes_say_it_once)
{
	init(scratch_dir);
	for (int i = 0; i < 20; i++) {
		if (fork() == 0) {
			log_once("a", "x");
			log_write(LOG_ERROR, "y");
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	cr_expect_eq(lines(content(scratch("log"))), 21);
}

Test(log, malformed_settings_are_said_once_a_job)
{
	char *bad[] = {job, "REPRISE_MAX_SIZE=huge", NULL};

	settings_merge_env(&s, bad, &arena);
	init(scratch_dir);
	init(scratch_dir);
	cr_expect_eq(lines(content(scratch("log"))), 1);
	cr_expect_not_null(strstr(text, "REPRISE_MAX_SIZE: \"huge\""), "%s", text);
}

Test(log, where_it_is)
{
	char variable[] = "TMPDIR=/t", wanted[64];
	char *tmp[] = {variable, NULL}, *none[] = {NULL};

	snprintf(wanted, sizeof wanted, "/t/reprise_%u.log", geteuid());
	cr_expect_str_eq(log_locate(&s, "/c", tmp, &arena), "/c/log");
	cr_expect_str_eq(log_locate(&s, NULL, tmp, &arena), wanted);
	cr_expect_null(log_locate(&s, NULL, none, &arena));
	set(SETTING_LOG, "/own");
	cr_expect_str_eq(log_locate(&s, "/c", tmp, &arena), "/own");
}

Test(log, no_place_drops_lines)
{
	log_init(&s, "/nonexistent/dir", "/nonexistent/run", "gcc", env, &arena);
	log_write(LOG_ERROR, "x");
	log_once("a", "x");
	log_init(&s, NULL, NULL, "gcc", env, &arena);
	log_write(LOG_ERROR, "x");
}

Test(log, a_link_in_the_default_place_is_not_followed)
{
	cr_assert_eq(symlink("victim", scratch("log")), 0);
	init(NULL);
	log_write(LOG_ERROR, "x");
	cr_expect_neq(access(scratch("victim"), F_OK), 0);
	/* a name the user gave is theirs to link */
	static char own[128];
	strcpy(own, scratch("log"));
	set(SETTING_LOG, own);
	init(NULL);
	log_write(LOG_ERROR, "x");
	cr_expect_eq(lines(content(scratch("victim"))), 1);
}

Test(log, a_fifo_does_not_hang_it)
{
	cr_assert_eq(mkfifo(scratch("log"), 0600), 0);
	init(NULL);
	log_write(LOG_ERROR, "x");
}

Test(log, standard_descriptors_are_never_used)
{
	init(NULL);
	pid_t child = fork();
	if (child == 0) {
		close(0);
		close(1);
		close(2);
		log_write(LOG_ERROR, "x");
		_exit(fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0 &&
		      fcntl(2, F_GETFD) < 0 ? 0 : 1);
	}
	int status;
	waitpid(child, &status, 0);
	cr_expect_eq(status, 0);
	cr_expect_eq(lines(content(scratch("log"))), 1);
}
