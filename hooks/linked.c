/* hooks/linked.c - objects that are linked against NVRTC or nvJitLink, as torch's
 * libcaffe2_nvrtc.so and cuSPARSE are.
 *
 * The libraries' symbols have a version node, their soname, and an object that is linked against a
 * library refers to the symbol of that node. So each node has definitions of ours, which know the
 * library by the node; builds of two majors in one process stay apart. They are hidden versions: a
 * reference without a node, and dlsym, never find them. */
#include "jit/jit.h"
#include "shim/real.h"

#define AS(impl, name) __asm__(".symver " impl ", " name ", remove")

#define FORWARD(kind, major, minor, entry, function, parameters, arguments)               \
	{                                                                                 \
		struct jit_linked meant = jit_linked(kind, major, minor, entry);             \
                                                                                          \
		if (meant.library)                                                           \
			return function(meant.library, JIT_PARAMETERS arguments);            \
		return meant.real ? ((int (*) parameters)meant.real)arguments                     \
		                  : jit_missing_of(kind);                                         \
	}

#define NVRTC_OF(major, id, parameters, arguments) \
	EXPORT int linked_nvrtc_##id##_##major parameters; \
	AS("linked_nvrtc_" #id "_" #major, "nvrtc" #id "@libnvrtc.so." #major); \
	EXPORT int linked_nvrtc_##id##_##major parameters \
		FORWARD(JIT_NVRTC, major, 0, NVRTC_##id, nvrtc_##id, parameters, arguments)
#define NVJITLINK_OF(major, minor, id, parameters, arguments) \
	EXPORT int linked_nvjitlink_##id##_##major##_##minor parameters; \
	AS("linked_nvjitlink_" #id "_" #major "_" #minor, \
	   "__nvJitLink" #id "_" #major "_" #minor "@libnvJitLink.so." #major); \
	EXPORT int linked_nvjitlink_##id##_##major##_##minor parameters \
		FORWARD(JIT_NVJITLINK, major, minor, NVJITLINK_##id, nvjitlink_##id, parameters,  \
		        arguments)

#define NVRTC(id, parameters, arguments)                                                          \
	NVRTC_OF(12, id, parameters, arguments)                                                   \
	NVRTC_OF(13, id, parameters, arguments)
#define NVJITLINK_TEN(major, id, parameters, arguments) \
	NVJITLINK_OF(major, 0, id, parameters, arguments)                                         \
	NVJITLINK_OF(major, 1, id, parameters, arguments)                                         \
	NVJITLINK_OF(major, 2, id, parameters, arguments)                                         \
	NVJITLINK_OF(major, 3, id, parameters, arguments)                                         \
	NVJITLINK_OF(major, 4, id, parameters, arguments)                                         \
	NVJITLINK_OF(major, 5, id, parameters, arguments)                                         \
	NVJITLINK_OF(major, 6, id, parameters, arguments)                                         \
	NVJITLINK_OF(major, 7, id, parameters, arguments)                                         \
	NVJITLINK_OF(major, 8, id, parameters, arguments)                                         \
	NVJITLINK_OF(major, 9, id, parameters, arguments)
#define NVJITLINK(id, parameters, arguments) \
	NVJITLINK_TEN(12, id, parameters, arguments) NVJITLINK_TEN(13, id, parameters, arguments)
#include "jit/entries.def"
