/* jit/compile.h - the compile of a program as an action: looked up, recorded and judged like that
 * of a process (action/).
 *
 * The trace is of the calling thread alone (trace_thread_begin). The key covers the library's
 * build, source, names, headers, options and the variables that the libraries ask for. Files that
 * the compile reads, and files that it misses, are inputs. Nothing is written to the host's
 * streams; no thread is started and no descriptor stays open. */
#ifndef JIT_COMPILE_H
#define JIT_COMPILE_H

struct program;
/* Compiles a program whose options and inputs are complete, for real or from the store: p->state
 * says which. If p->adding is set, the action is the addition of this input. The status. THREAD. */
int serve_compile(struct program *p);

#endif
