/* units/scope/scope.h - the text that says which processes share a unit. It is keyed beside the
 * unit's name.
 *
 * It is put together from the parts that the class's row names, in this order:
 *   RANK, RANK_FX  "world=8 rank=3": global rank and world size. Inductor's key holds no rank, and
 *                  its code for another rank is wrong. REPRISE_FX_SCOPE says how RANK_FX counts:
 *                  rank (default), shared (left out), off (the class is off)
 *   ISA            "isa=<hex>": the CPU's features that code generators ask for, and
 *                  ATEN_CPU_CAPABILITY. Inductor's key holds none, and numbers differ
 *   TORCH          "torch=<hex>": build id and version file of this process's libtorch_cpu.so;
 *                  without one nothing is shared
 *   PYTHON         "python=<version>"
 *   NPU            "torch_npu=<hex, or none> <NPUs>"
 *   DEVICE         GPU models and the driver's version, as /proc/driver/nvidia says; without an
 *                  accelerator "cpu=<hex> isa=<hex>"
 *   CPU            "cpu=<hex> isa=<hex>": this CPU's model, and its features as of ISA
 *   GPU            "gpu=<models> driver=<version>" as of DEVICE; "gpu=none" without an accelerator
 *   LOADED         "loaded=<hex>": the class's libraries (units/scope/loaded_scope.h)
 *   NATIVE         "machine=... libc=...": what C for this host is made for
 * (units/scope/native_scope.h)
 *   ROOT           "root=<path>": the cache's directory. The caller appends it
 *
 * Rank and world are read at each question, since programs set them late (units/scope/rank.h). A
 * worker that multiprocessing, Ray or an engine (vLLM, SGLang) made has the variables of its
 * parent, but learns its rank by argument. So an inherited rank does not count. A process made by
 * fork has no rank. A process that was started as a worker has one only if it has set RANK and
 * WORLD_SIZE since its start. A process that has given itself a title hides how it was started, and
 * has no rank.
 *
 * Reads small files of /proc at each call; allocates from the arena only. THREAD; not in a vfork
 * child. */
#ifndef UNITS_SCOPE_SCOPE_H
#define UNITS_SCOPE_SCOPE_H

#include "shim/arena.h"
#include "shim/settings/settings.h"
#include "units/class.h"
#include "units/scope/rank.h"

/* The text, or NULL with *why: nothing is shared. forked: this process was made by fork, without an
 * exec since. */
const char *unit_scope(enum unit_class class, const struct settings *set, char *const envp[],
                       int forked,
                       struct arena *a, const char **why);
/* "cpu=<hex> isa=<hex>": this CPU, and its features. NULL: no memory. */
const char *unit_scope_cpu(char *const envp[], struct arena *a);
/* The scope of a peer on this host that differs from this process, of rank `me` and this scope, by
 * its rank alone. NULL: the scope is not of that rank, or no memory. Pure. */
const char *unit_scope_of_peer(const char *scope, const struct rank *me,
                               const struct rank *peer,
                               struct arena *a);

#endif
