/* judge/pwd.c - $PWD, by which tools spell the working directory. */
#include "judge/pwd.h"

#include <string.h>

#include "judge/start.h"
#include "judge/tree_file.h"
#include "shim/sys.h"

#include "shim/banned.h"

/* libiberty, gcc, clang and shells take $PWD only where it leads to the working directory; of a
 * program that nobody described, what it says counts. */
static int asks_where_pwd_leads(const struct start *a)
{
	return !(a->row->flags & TOOL_UNKNOWN);
}

const char *judge_pwd(struct start *a)
{
	const char *pwd = start_env(a, "PWD");
	struct statx there, here;

	if (!pwd || strcmp(pwd, a->cwd) == 0)
		return "";
	if (asks_where_pwd_leads(a) &&
	    (pwd[0] != '/' || probe_stat(&a->prober, pwd, &there) < 0 ||
	     probe_stat(&a->prober, a->cwd, &here) < 0 || !sys_same_file(&there, &here)))
		return "";
	return pwd;
}

static int reads_pwd(const struct tree *t)
{
	for (size_t i = 0; i < t->env_count; i++)
		if (strcmp(t->env[i].name, "PWD") == 0)
			return 1;
	return 0;
}

/* Not $PWD itself, nor what the shell keeps beside it. */
static int variable_names(struct collect *k, const char *path)
{
	const char *value;

	for (size_t i = 0; i < k->t->env_count; i++) {
		const struct tree_env *e = &k->t->env[i];

		if (e->value && strcmp(e->name, "PWD") != 0 && strcmp(e->name, "OLDPWD") != 0 &&
		    strstr(e->value, path))
			return 1;
	}
	for (const char *name = k->a->row->env; *name; name += strlen(name) + 1) {
		value = start_env(k->a, name);
		if (value && strstr(value, path))
			return 1;
	}
	return 0;
}

int judge_asked_for_pwd(struct collect *k, const struct tree_file *f)
{
	const unsigned other =
		TREE_READ | TREE_MADE | TREE_LISTED | TREE_LINK | TREE_REAL | TREE_NOFOLLOW;
	const char *pwd = start_env(k->a, "PWD");

	/* A spelling that is not tidy, which no shell makes, is a path like others. */
	if (!pwd || f->flags & other || strcmp(pwd, f->path) != 0 || !asks_where_pwd_leads(k->a) ||
	    !reads_pwd(k->t) || variable_names(k, f->path))
		return 0;
	for (int i = 0; i < k->a->cmd.count; i++)
		if (strstr(k->a->cmd.v[i].text, f->path))
			return 0;
	return 1;
}

void collect_pwd(struct collect *k)
{
	struct input *in = collect_input(k, INPUT_PWD);

	if (in)
		collect_text(k, in, judge_pwd(k->a));
}
