/* jit/versioned.c - nvJitLink's functions under the names that programs are linked against, one set a version. */
#include "jit/jit.h"

#include "shim/real.h"

#define OF(id, version, parameters, arguments)                                                       \
	EXPORT int __nvJitLink##id##_##version parameters;                                           \
	EXPORT int __nvJitLink##id##_##version parameters                                            \
	{                                                                                            \
		return nvjitlink_##id(jit_library_of_caller(JIT_NVJITLINK, "_" #version,             \
		                                            __builtin_return_address(0)),            \
		                      JIT_PARAMETERS arguments);                                     \
	}
#define NVJITLINK(id, parameters, arguments)                                                         \
	OF(id, 12_0, parameters, arguments) OF(id, 12_1, parameters, arguments)                      \
	OF(id, 12_2, parameters, arguments) OF(id, 12_3, parameters, arguments)                      \
	OF(id, 12_4, parameters, arguments) OF(id, 12_5, parameters, arguments)                      \
	OF(id, 12_6, parameters, arguments) OF(id, 12_7, parameters, arguments)                      \
	OF(id, 12_8, parameters, arguments) OF(id, 12_9, parameters, arguments)                      \
	OF(id, 13_0, parameters, arguments) OF(id, 13_1, parameters, arguments)                      \
	OF(id, 13_2, parameters, arguments) OF(id, 13_3, parameters, arguments)                      \
	OF(id, 13_4, parameters, arguments) OF(id, 13_5, parameters, arguments)                      \
	OF(id, 13_6, parameters, arguments) OF(id, 13_7, parameters, arguments)                      \
	OF(id, 13_8, parameters, arguments) OF(id, 13_9, parameters, arguments)
#include "jit/entries.def"
