/* hooks/linked.c - objects that are linked against a library, as torch's libcaffe2_nvrtc.so and
 * cuSPARSE are.
 *
 * A library's names carry a version node, its soname, and a linked object asks for the name of that
 * node. So this object exports each served function under each node: the node says which library is
 * meant, and builds of two majors in one process keep apart. The versions are hidden: a reference
 * without a node, and dlsym, never find them.
 *
 * Each exported name is an entry point (jit/jit.h). Their numbers begin at ENTRY_POINTS.
 * They follow the order of jit/libraries.def, and for each function the order of its nodes.
 * linked_find (jit/jit.h) counts in the same order. */
#include "jit/jit.h"

#define LINKED(node, symbols, name, version, id) \
	LINKED_AS("linked_" symbols #name "_" #id, symbols #name version "@" node)
#define LINKED_AS(label, symbol)                              \
	"	.globl " label "\n"                           \
	"	.type " label ", %function\n" label ":\n"     \
	ENTRY_POINT_CODE("linked_number")                     \
	"	.set linked_number, linked_number + 1\n"      \
	"	.size " label ", . - " label "\n"             \
	"	.symver " label ", " symbol ", remove\n"

__asm__(".text\n"
        "	.cfi_startproc\n"
        "	.set linked_number, " ENTRY_POINTS_TEXT "\n"
#define ENTRY(library, name, signature, role, answer) NODES_##library(LINKED, name)
#include "jit/libraries.def"
        "	.cfi_endproc\n");
