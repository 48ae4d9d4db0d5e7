/* cli/open_store.c - opens the store for subcommands, and parses their arguments. */
#include "cli/cli.h"
#include "remote/remote.h"

#include <argp.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* No subcommand has more options. */
#define OPTIONS_MOST 8

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct cli_syntax *s = state->input;

	if (key == ARGP_KEY_ARG && s->command) {
		*s->command = state->next - 1;
		state->next = state->argc;
		return 0;
	}
	if (key == ARGP_KEY_ARG) {
		if (!s->operand || state->arg_num > 0)
			argp_error(state, "too many arguments");
		*s->operand = arg;
		return 0;
	}
	if (key == ARGP_KEY_NO_ARGS && s->missing)
		argp_error(state, "%s is missing", s->missing);
	for (const struct cli_option *o = s->options; o && o->to; o++) {
		if (o->key != key)
			continue;
		if (o->value)
			*(const char **)o->to = arg;
		else
			*(int *)o->to = 1;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int cli_open_store(struct cli *c, struct store *s, const char *who)
{
	struct fault fault = {0, ""};

	if (cli_find_store(c, s, &fault) == 0) {
		s->reads = ENTRY_MAPS;
		if (s->passed)
			fprintf(stderr, "%s: %s: the store is %s\n", who, s->passed, s->dir);
		if (!s->runtime_dir)
			fprintf(stderr,
			        "%s: nothing is recorded or counted: no usable runtime directory: "
			        "%s\n", who, fault.text);
		return CLI_OK;
	}
	fprintf(stderr, "%s: no usable store: %s\n", who,
	        *fault.text ? fault.text : "none is configured");
	return CLI_STORE;
}

int cli_find_store(struct cli *c, struct store *s, struct fault *fault)
{
	memset(s, 0, sizeof *s);
	if (store_open(s, &c->settings, c->envp, &c->arena, fault) < 0)
		s->dir = NULL;
	return s->dir ? 0 : -1;
}

void cli_parse(int argc, char **argv, const struct cli_syntax *s)
{
	struct argp_option v[OPTIONS_MOST + 1] = {{0}};
	struct argp argp = {v, parse, s->operands, s->text, NULL, NULL, NULL};

	for (int i = 0; s->options && s->options[i].to; i++)
		v[i] = (struct argp_option){s->options[i].name, s->options[i].key,
		                            s->options[i].value,
		                            s->options[i].help ? 0 : OPTION_HIDDEN,
		                            s->options[i].help, 0};
	argp_parse(&argp, argc, argv, s->command ? ARGP_IN_ORDER : 0, NULL, (void *)s);
}

void cli_wrong_usage(const char *who, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", who);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nTry `%s --help' or `%s --usage' for more information.\n", who, who);
	exit(CLI_USAGE);
}

void cli_setting(const char *who, const char *option, enum setting_type type, const char *text,
                 uint64_t *number)
{
	const char *wrong = NULL;

	if (text)
		wrong = *text ? setting_parse(type, text, number) : setting_type_name(type);
	if (wrong)
		cli_wrong_usage(who, "%s takes %s", option, wrong);
}

int cli_failed(const char *who, int status, const char *why)
{
	fprintf(stderr, "%s: %s\n", who, why);
	return status;
}

int cli_number(const char *text, int most, int *n)
{
	char *end;
	long v = strtol(text, &end, 10);

	*n = v > most ? most : (int)v;
	return end == text || *end || v < 1 ? -1 : 0;
}

/* --- questions to all agents of a store on this node --- */

#define PATIENCE_NS 1000000000ll

static void ask(struct cli *c, struct store *s, const char *name, struct agent_question *q,
                struct agent_reply *out)
{
	struct agent g = {.s = s, .set = &c->settings, .envp = c->envp, .a = &c->arena};
	struct fault ignored;

	strcpy(g.name, name);
	g.fd = agent_socket(s->runtime_dir, name, 0);
	out->answer = AGENT_SKIPPED;
	if (g.fd >= 0)
		out->answer = agent_ask(&g, q, PATIENCE_NS, out, &ignored);
	agent_close(&g);
}

int cli_remote_answers(struct cli *c, struct store *s, struct fault *fault)
{
	const struct digest none = {{0}};
	struct agent_question q;
	struct agent_reply reply;
	struct agent g;

	remote_tag(s, &c->settings, c->envp, &c->arena);
	agent_open(&g, s, &c->settings, c->envp, &c->arena);
	agent_question(&q, &g, AGENT_PING, STORE_MANIFEST, &none);
	int rc = agent_ask(&g, &q, agent_patience(&g, 0), &reply, fault) == AGENT_SKIPPED ? -1 : 0;
	agent_close(&g);
	return rc;
}

void cli_ask_agents(struct cli *c, struct store *s, enum agent_verb verb, unsigned from,
                    void (*said)(void *ctx, const struct agent_reply *r), void *ctx)
{
	DIR *dir = s->runtime_dir ? opendir(s->runtime_dir) : NULL;
	struct agent_question q;
	struct agent_reply r;
	struct digest tag;
	struct dirent *e;
	struct agent g;

	agent_open(&g, s, &c->settings, c->envp, &c->arena);
	digest_name(&tag, s->remote, strlen(s->remote));
	agent_question(&q, &g, verb, STORE_RESULT, &tag);
	q.from = from;
	while (dir && (e = readdir(dir)))
		if (strncmp(e->d_name, "agent.", 6) == 0 && strlen(e->d_name) < sizeof g.name) {
			ask(c, s, e->d_name, &q, &r);
			if (said)
				said(ctx, &r);
		}
	if (dir)
		closedir(dir);
}
