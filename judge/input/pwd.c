/* judge/input/pwd.c - $PWD, a spelling of the working directory. */
#include "judge/input/input.h"

#include "tools/cmdline/cmdline.h"

#include "shim/banned.h"

/* libiberty, gcc, clang and shells use $PWD only if it leads to the working directory. For a
 * program without a row, the value itself counts. */
static int asks_where_pwd_leads(const struct tool_row *row)
{
	return !(row->flags & TOOL_UNKNOWN);
}

const char *judge_pwd(struct start *s)
{
	const char *pwd = invocation_env(&s->call, "PWD");
	struct statx there, here;

	if (!pwd || strcmp(pwd, s->call.cwd) == 0)
		return "";
	if (asks_where_pwd_leads(s->row) &&
	    (pwd[0] != '/' || probe_stat(&s->prober, pwd, &there) < 0 ||
	     probe_stat(&s->prober, s->call.cwd, &here) < 0 || !sys_same_file(&there, &here)))
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

/* 1: a variable names the path, other than $PWD and the shell's OLDPWD. */
static int variable_names(struct collect *k, const char *path)
{
	const char *value;

	for (size_t i = 0; i < k->t->env_count; i++) {
		const struct tree_env *e = &k->t->env[i];

		if (e->value && strcmp(e->name, "PWD") != 0 && strcmp(e->name, "OLDPWD") != 0 &&
		    strstr(e->value, path))
			return 1;
	}
	for (const char *name = k->start->row->env; *name; name += strlen(name) + 1) {
		value = invocation_env(&k->start->call, name);
		if (value && strstr(value, path))
			return 1;
	}
	return 0;
}

int judge_asked_for_pwd(struct collect *k, const struct tree_file *f)
{
	const unsigned other =
		TREE_READ | TREE_MADE | TREE_LISTED | TREE_LINK | TREE_REAL | TREE_NOFOLLOW |
		TREE_NOT_LINK;
	const struct cmdline *cmd = &k->start->cmd;

	/* A spelling that is not tidy is an ordinary path. No shell makes such a $PWD. */
	if (!k->pwd || f->flags & other || strcmp(k->pwd, f->path) != 0 ||
	    !asks_where_pwd_leads(k->start->row) ||
	    !reads_pwd(k->t) || variable_names(k, f->path))
		return 0;
	return !strstr(cmd->v[0].text, f->path) && !cmdline_holds(cmd, f->path);
}

void collect_pwd(struct collect *k)
{
	struct input *in = collect_input(k, INPUT_PWD);

	if (in)
		collect_text(k, in, judge_pwd(k->start));
}
