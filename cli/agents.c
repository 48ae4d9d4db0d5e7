/* cli/agents.c - questions to all agents of a store on this node. */
#include "cli/cli.h"

#include <dirent.h>
#include <string.h>

#include "remote/remote.h"

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
