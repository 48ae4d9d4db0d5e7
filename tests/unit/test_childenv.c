/* The environment of a child: planned and filled on the caller's stack. */
#include "childenv_fixture.h"

#include "shim/settings/setting_value.h"
#include "shim/settings/settings.h"

#define SETTINGS_MAX (SETTING_COUNT + 60)

TestSuite(childenv, .init = start, .fini = scratch_remove);

Test(childenv, whole_environments_pass_as_they_are)
{
	char *env[] = {"A=b", preload, "REPRISE_LOG=/l", NULL};

	init(env, 0);
	cr_expect_eq(child(NULL, env), env);
	cr_expect_eq(child("/bin/true", env), env);
}

Test(childenv, switched_off)
{
	char *env[] = {"A=b", NULL};

	init(env, 1);
	cr_expect_eq(child(NULL, env), env);
}

Test(childenv, without_an_object_nothing_is_done)
{
	char *env[] = {"A=b", NULL};

	*(char *)object_path() = 0;
	init(env, 0);
	cr_expect_eq(child(NULL, env), env);
}

Test(childenv, scrubbed)
{
	char *own[] = {"HOME=/h", "REPRISE_LOG=/l", "TORCHINDUCTOR_FORCE_DISABLE_CACHES=0", preload,
	               NULL};
	char *env[] = {"A=b", "C=d", NULL}, **out;

	init(own, 0);
	out = child("/bin/true", env);
	cr_expect_neq(out, env);
	cr_expect_str_eq(value(out, "A"), "b");
	cr_expect_str_eq(value(out, "C"), "d");
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
	cr_expect_str_eq(value(out, "REPRISE_LOG"), "/l");
	cr_expect_str_eq(value(out, "TORCHINDUCTOR_FORCE_DISABLE_CACHES"), "0");
	/* Without HOME the store would be looked for elsewhere. */
	cr_expect_str_eq(value(out, "REPRISE_CACHE_DIR"), CACHE);
	cr_expect_str_eq(value(out, "REPRISE_RUNTIME_DIR"), RUNTIME);
	cr_expect_eq(value(out, "HOME"), NULL, "not ours to bring back");
	cr_expect_eq(count(out), 7);
	/* The caller's environment is not changed. */
	cr_expect_eq(count(env), 2);
}

Test(childenv, no_environment_at_all)
{
	char *none[] = {NULL}, **out;

	host();
	out = child(NULL, none);
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
	out = child(NULL, NULL);
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
	cr_expect_eq(count(out), 3);
}

Test(childenv, what_the_caller_set_stays)
{
	char *own[] = {"REPRISE_LOG=/ours", "REPRISE_CACHE_DIR=/c", "REPRISE_RUNTIME_DIR=/r", NULL};
	char *env[] = {"REPRISE_LOG=/theirs", "REPRISE_LOG_LEVEL=debug", NULL}, **out;

	init(own, 0);
	out = child(NULL, env);
	cr_expect_str_eq(value(out, "REPRISE_LOG"), "/theirs");
	cr_expect_str_eq(value(out, "REPRISE_CACHE_DIR"), "/c");
	cr_expect_str_eq(value(out, "REPRISE_RUNTIME_DIR"), "/r");
	cr_expect_eq(count(out), 5);
}

/* setproctitle and its like overwrite the strings they were started with. */
Test(childenv, settings_are_copied)
{
	char setting[] = "REPRISE_LOG=/l";
	char *own[] = {setting, NULL}, *env[] = {"A=b", NULL};

	init(own, 0);
	memset(setting, 'x', sizeof setting - 1);
	cr_expect_str_eq(value(child(NULL, env), "REPRISE_LOG"), "/l");
}

/* A child with REPRISE_REDIS_URL and without REPRISE_TRUST would trust every entry. */
Test(childenv, all_settings_are_handed_on)
{
	static char text[SETTING_COUNT][64];
	char *envp[SETTING_COUNT + 1], *env[] = {"HOME=/h", NULL}, **out;

	for (int i = 0; i < SETTING_COUNT; i++) {
		snprintf(text[i], sizeof text[i], "REPRISE_%s=%d", setting_rows[i].name, i);
		envp[i] = text[i];
	}
	envp[SETTING_COUNT] = NULL;
	init(envp, 0);
	out = child("/bin/sh", env);
	for (int i = 0; i < SETTING_COUNT; i++) {
		char name[64];

		snprintf(name, sizeof name, "REPRISE_%s", setting_rows[i].name);
		cr_expect_not_null(value(out, name), "%s", name);
	}
}

Test(childenv, more_settings_than_are_handed_on)
{
	static char text[SETTINGS_MAX][32];
	char *own[SETTINGS_MAX + 1], *env[] = {"A=b", NULL}, **out;

	for (int i = 0; i < SETTINGS_MAX; i++) {
		snprintf(text[i], sizeof text[i], "REPRISE_S%d=%d", i, i);
		own[i] = text[i];
	}
	own[SETTINGS_MAX] = NULL;
	init(own, 0);
	out = child(NULL, env);
	cr_expect_str_eq(value(out, "REPRISE_S0"), "0");
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
}

Test(childenv, behind_the_preloads_of_others)
{
	char *env[] = {"LD_PRELOAD=/lib/libasan.so.8 /x.so", "A=b", NULL}, **out;
	char want[200];

	host();
	out = child(NULL, env);
	snprintf(want, sizeof want, "/lib/libasan.so.8 /x.so:%s", object_path());
	cr_expect_str_eq(value(out, "LD_PRELOAD"), want);
	cr_expect_eq(strncmp(out[0], "LD_PRELOAD=", 11), 0, "where it was");
}

Test(childenv, never_twice)
{
	static const char *const lists[] = {"%s", "/a.so:%s", "%s:/a.so", "/a.so %s /b.so", ":%s:"};
	char text[300], *env[] = {text, NULL};

	host();
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		int n = snprintf(text, sizeof text, "LD_PRELOAD=");

		snprintf(text + n, sizeof text - (size_t)n, lists[i], object_path());
		cr_expect_eq(child(NULL, env), env, "%s", text);
	}
}

/* Names that begin or end like ours are other objects. */
Test(childenv, longer_names_are_not_ours)
{
	static const char *const names[] = {"%s.old", "/x%s", "%s/x"};
	char text[300], want[300], *env[] = {text, NULL};

	host();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int n = snprintf(text, sizeof text, "LD_PRELOAD=");

		snprintf(text + n, sizeof text - (size_t)n, names[i], object_path());
		snprintf(want, sizeof want, "%s:%s", text + n, object_path());
		cr_expect_str_eq(value(child(NULL, env), "LD_PRELOAD"), want);
	}
}

Test(childenv, set_and_empty_is_a_wish)
{
	char *env[] = {"LD_PRELOAD=", "A=b", NULL};

	host();
	cr_expect_eq(child(NULL, env), env);
}

Test(childenv, preload_lists_of_odd_length_are_left_alone)
{
	static char text[5000];
	char *env[] = {text, NULL};

	host();
	memset(text, 'p', sizeof text - 1);
	memcpy(text, "LD_PRELOAD=/", 12);
	cr_expect_eq(child(NULL, env), env);
	text[2000] = 0;
	cr_expect_neq(child(NULL, env), env);
}

/* The trace. */

Test(childenv, the_trace_is_added_and_an_old_one_dropped)
{
	char *env[] = {"A=b", "REPRISE_TRACE=/old", preload, "REPRISE_TRACE=/older", NULL}, **out;

	host();
	cr_expect_eq(child(NULL, env), env, "a host says nothing of traces");
	childenv_set_trace("/r/trace.1.0");
	out = child(NULL, env);
	cr_expect_str_eq(value(out, "REPRISE_TRACE"), "/r/trace.1.0");
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
	cr_expect_eq(count(out), 3);
}

Test(childenv, scrubbed_and_traced)
{
	char *env[] = {NULL}, **out;

	host();
	childenv_set_trace(CHILDENV_UNTRACED);
	out = child(NULL, env);
	cr_expect_str_eq(value(out, "REPRISE_TRACE"), CHILDENV_UNTRACED);
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
	cr_expect_eq(count(out), 4);
}

/* A trace is no setting: it must not outlive its tool in an environment that was scrubbed. */
Test(childenv, a_trace_found_at_the_start_is_not_kept)
{
	char *own[] = {"REPRISE_TRACE=/old", NULL}, *env[] = {NULL};

	init(own, 0);
	cr_expect_eq(value(child(NULL, env), "REPRISE_TRACE"), NULL);
}

/* Sizes: the plan is carried out on the caller's stack. */

static char **huge(size_t n)
{
	char **env = malloc((n + 1) * sizeof *env);

	for (size_t i = 0; i < n; i++)
		env[i] = "V=some value";
	env[n] = NULL;
	return env;
}

Test(childenv, huge_environments)
{
	char **env = huge(CHILDENV_HOST_STRINGS), **out;

	host();
	out = child(NULL, env);
	cr_expect_neq(out, env);
	cr_expect_eq(count(out), CHILDENV_HOST_STRINGS + 3);
	cr_expect_leq(needed, 4096, "of a stack of 16 KiB");
	free(env);
	env = huge(CHILDENV_HOST_STRINGS + 1);
	cr_expect_eq(child(NULL, env), env);
	childenv_set_trace("/r/trace.1.0");
	out = child(NULL, env);
	cr_expect_str_eq(value(out, "REPRISE_TRACE"), "/r/trace.1.0");
	free(env);
	env = huge(CHILDENV_TRACED_STRINGS);
	out = child(NULL, env);
	cr_expect_eq(count(out), CHILDENV_TRACED_STRINGS + 4);
	free(env);
	env = huge(CHILDENV_TRACED_STRINGS + 1);
	cr_expect_eq(child(NULL, env), env);
	free(env);
}
