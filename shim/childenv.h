/* shim/childenv.h - the environment of a child: our preload and settings kept alive in it.
 *
 * A job that scrubs the environment of what it starts (env -i, subprocess env={...}) does not mean us,
 * and a program of another class or libc must not meet us. The plan is made and carried out on the
 * caller's stack, since the caller may be a vfork child.
 *
 *     struct childenv_plan p;
 *     size_t need = childenv_plan(&p, path, envp);     // bytes of stack; 0: pass envp as it is
 *     char **env = need ? childenv_fill(&p, alloca(need)) : envp;
 */
#ifndef SHIM_CHILDENV_H
#define SHIM_CHILDENV_H

#include <stddef.h>

/* An environment of more strings is passed unchanged by a host (a 16 KiB stack may be all there is);
 * a traced compiler has a main thread's stack and needs its marker in any. */
#define CHILDENV_HOST_STRINGS 320
#define CHILDENV_TRACED_STRINGS 32768

struct childenv_plan {
	char *const *envp;
	size_t count;         /* strings in envp */
	size_t preload_at;    /* index of LD_PRELOAD, count when unset */
	size_t preload_len;   /* of the new LD_PRELOAD string with NUL, 0 when it stays */
	int strip, add, scrubbed;
};

/* Constructor only. Copies what must survive; envp is the process's own; the cache
 * directory is cache_dir followed by cache_end. disabled: hooks only pass. */
void childenv_init(char *const envp[], const char *cache_dir, const char *cache_end,
                   const char *runtime_dir, int disabled);
/* Constructor of a recording tool's child, or of a process below it. */
void childenv_set_trace(const char *path);

/* As a trace's path: below a tool that runs without us no process is a tool. */
#define CHILDENV_UNTRACED "-"
/* Before a trace's path: below this tool, tools are steps (action/nest.h). */
#define CHILDENV_NESTS "+"

/* CHILD. True when the environment holds this process's marker for the ones below. */
int childenv_is_marked(char *const envp[]);
/* CHILD. path: what will run, NULL when unknown. */
size_t childenv_plan(struct childenv_plan *p, const char *path, char *const envp[]);
/* CHILD. room: as many bytes as childenv_plan asked for, aligned for pointers. */
char **childenv_fill(const struct childenv_plan *p, void *room);

#endif
