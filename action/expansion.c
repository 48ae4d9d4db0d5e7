/* action/expansion.c - runs the preprocessor in a hidden child. */
#include "action/action.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "shim/buf.h"
#include "shim/kernel/hidden_child.h"
#include "shim/kernel/read_only.h"
#include "shim/kernel/sys.h"
#include "shim/loader/childenv.h"
#include "tools/asks/preprocessed.h"

#include "shim/banned.h"

/* A unit that takes longer is bound. */
#define SECONDS 20
#define TEXT_MOST (64u << 20)

/* Behind the text, if the preprocessor ended well. */
static const char ended[2] = {'\0', 'k'};

_Noreturn static void start_program(const struct invocation *call, struct arena *arena,
                                    const char *const *argv, int to)
{
	struct childenv_plan plan;
	char **env = call->envp;
	size_t need;
	void *room;

	/* No process below is an action, and none is traced. */
	childenv_set_trace(CHILDENV_UNTRACED);
	need = childenv_plan(&plan, call->execfn, env);
	room = need ? arena_alloc(arena, need) : NULL;
	if (room)
		env = childenv_fill(&plan, room);
	SYS5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if ((room || !need) && SYS1(SYS_chdir, call->cwd) == 0 && sys_dup3(to, 1, 0) == 1)
		SYS3(SYS_execve, call->execfn, argv, env);
	sys_exit_group(127);
}

/* In the hidden child: an exec would set its exit signal, so the program is its child. */
_Noreturn static void run(const struct invocation *call, struct arena *arena,
                          const char *const *argv, int to)
{
	unsigned tries = 0;
	int status = -1;
	long rc = read_only_enter();
	pid_t pid;

	if (rc == 0 && (rc = SYS5(SYS_clone, SIGCHLD, 0, 0, 0, 0)) == 0)
		start_program(call, arena, argv, to);
	pid = (pid_t)rc;
	if (rc > 0)
		do
			rc = SYS4(SYS_wait4, pid, &status, 0, NULL);
		while (sys_interrupted(rc, &tries));
	if (rc == pid && status == 0)
		sys_write_all(to, ended, sizeof ended);
	sys_exit_group(0);
}

static int read_back(struct arena *arena, int fd, struct buf *out)
{
	struct statx st;
	char *text;

	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) < 0 ||
	    st.stx_size < sizeof ended || st.stx_size > TEXT_MOST)
		return -1;
	text = arena_alloc(arena, st.stx_size);
	if (!text || sys_pread(fd, text, st.stx_size, 0) != (ssize_t)st.stx_size)
		return -1;
	out->data = (unsigned char *)text;
	out->len = st.stx_size - sizeof ended;
	return memcmp(text + out->len, ended, sizeof ended) == 0 ? 0 : -1;
}

int action_expand(struct start *s, struct buf *out)
{
	const char **argv = expanded_command(s->row, &s->cmd, &s->arena);
	int fd, rc = -1;
	pid_t pid;

	if (!argv || s->call.nested || s->source.kind != STDIN_UNREAD)
		return -1;
	fd = sys_open(s->store.runtime_dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	pid = hidden_child_fork(&fd, 1, SECONDS);
	if (pid == 0)
		run(&s->call, &s->arena, argv, fd);
	if (pid > 0) {
		hidden_child_reap(pid, SECONDS * 1000000000ll);
		rc = read_back(&s->arena, fd, out);
	}
	sys_close(fd);
	return rc;
}
