/* shim/loader/childenv.h - the environment of a child: keeps our preload and settings in it.
 *
 * A job that clears the environment of its children (env -i, subprocess env={...}) does not mean to
 * remove Reprise. A program of another class or libc, or of a sanitizer, must not get the preload.
 * The plan is made and carried out on the caller's stack, since the caller may be a vfork child.
 *
 *     struct childenv_plan p;
 *     size_t need = childenv_plan(&p, path, envp);     // bytes of stack; 0: pass envp as it is
 *     char **env = need ? childenv_fill(&p, alloca(need)) : envp; */
#pragma once

#include <stddef.h>

/* Largest environment that is changed. A host may have only a 16 KiB stack, so it passes a larger
 * one unchanged. A traced compiler has a main thread's stack, and its children need the marker in
 * any environment. */
#define CHILDENV_HOST_STRINGS 320
#define CHILDENV_TRACED_STRINGS 32768

struct childenv_plan {
	char *const *envp;
	size_t count;         /* strings in envp */
	size_t preload_at;    /* index of LD_PRELOAD, count when unset */
	size_t preload_len;   /* length of the new LD_PRELOAD string with NUL; 0: unchanged */
	int strip, add, scrubbed;
};

/* Constructor only. Copies what must survive; envp is the process's own; the cache directory is
 * cache_dir followed by cache_end. disabled: the
 * preload is never added; programs that cannot run with it are still started without it. */
void childenv_init(char *const envp[], const char *cache_dir, const char *cache_end,
                   const char *runtime_dir, int disabled);
/* Constructor only: in the child of a recording tool, or in a process below it. */
void childenv_set_trace(const char *path);

/* In place of a trace's path: below a tool that runs without us, no process acts as a tool. */
#define CHILDENV_UNTRACED "-"
/* Before a trace's path: below this tool, tools are steps (action/nest.h). */
#define CHILDENV_NESTS "+"

/* CHILD. True if the environment holds this process's marker for its children. */
int childenv_is_marked(char *const envp[]);
/* CHILD. path: the program to run, NULL if unknown. */
size_t childenv_plan(struct childenv_plan *p, const char *path, char *const envp[]);
/* CHILD. room: as many bytes as childenv_plan asked for, aligned for pointers. */
char **childenv_fill(const struct childenv_plan *p, void *room);
