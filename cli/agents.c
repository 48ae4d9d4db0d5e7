/* cli/agents.c - questions to all agents of a store on this node. */
#include "cli/cli.h"

#include <dirent.h>
#include <string.h>

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
