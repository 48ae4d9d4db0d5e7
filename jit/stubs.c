/* jit/stubs.c - the functions that callers get: one set for each slot. */
#include "jit/jit.h"

#include "shim/banned.h"

#define SLOTS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

#define NVRTC_OF_SLOT(slot, id, parameters, arguments) \
	static int nvrtc_##id##_##slot parameters { return nvrtc_##id(jit_slot(slot), JIT_PARAMETERS arguments); }
#define NVJITLINK_OF_SLOT(slot, id, parameters, arguments) \
	static int nvjitlink_##id##_##slot parameters { return nvjitlink_##id(jit_slot(slot), JIT_PARAMETERS arguments); }

#define NVRTC(id, parameters, arguments)                                                          \
	NVRTC_OF_SLOT(0, id, parameters, arguments) NVRTC_OF_SLOT(1, id, parameters, arguments)   \
	NVRTC_OF_SLOT(2, id, parameters, arguments) NVRTC_OF_SLOT(3, id, parameters, arguments)   \
	NVRTC_OF_SLOT(4, id, parameters, arguments) NVRTC_OF_SLOT(5, id, parameters, arguments)   \
	NVRTC_OF_SLOT(6, id, parameters, arguments) NVRTC_OF_SLOT(7, id, parameters, arguments)   \
	NVRTC_OF_SLOT(8, id, parameters, arguments) NVRTC_OF_SLOT(9, id, parameters, arguments)   \
	NVRTC_OF_SLOT(10, id, parameters, arguments) NVRTC_OF_SLOT(11, id, parameters, arguments)
#define NVJITLINK(id, parameters, arguments)                                                              \
	NVJITLINK_OF_SLOT(0, id, parameters, arguments) NVJITLINK_OF_SLOT(1, id, parameters, arguments)   \
	NVJITLINK_OF_SLOT(2, id, parameters, arguments) NVJITLINK_OF_SLOT(3, id, parameters, arguments)   \
	NVJITLINK_OF_SLOT(4, id, parameters, arguments) NVJITLINK_OF_SLOT(5, id, parameters, arguments)   \
	NVJITLINK_OF_SLOT(6, id, parameters, arguments) NVJITLINK_OF_SLOT(7, id, parameters, arguments)   \
	NVJITLINK_OF_SLOT(8, id, parameters, arguments) NVJITLINK_OF_SLOT(9, id, parameters, arguments)   \
	NVJITLINK_OF_SLOT(10, id, parameters, arguments) NVJITLINK_OF_SLOT(11, id, parameters, arguments)
#include "jit/entries.def"
#undef NVRTC
#undef NVJITLINK

#ifdef __clang__
#define AS_CODE
#else
#define AS_CODE __attribute__((optimize("no-tree-switch-conversion")))
#endif

/* Rows of pointers would be a relocation each in every process: a switch is code. */
AS_CODE void *jit_stub(const struct jit_library *l, int entry)
{
	switch ((unsigned)entry * JIT_SLOTS + l->slot + (l->kind == JIT_NVRTC ? 0 : 1000)) {
#define OF(slot, id) \
	case NVRTC_##id * JIT_SLOTS + slot: \
		return (void *)nvrtc_##id##_##slot;
#define NVRTC(id, parameters, arguments)                                                                \
	OF(0, id) OF(1, id) OF(2, id) OF(3, id) OF(4, id) OF(5, id) OF(6, id) OF(7, id) OF(8, id) OF(9, id) \
	OF(10, id) OF(11, id)
#include "jit/entries.def"
#undef NVRTC
#undef OF
#define OF(slot, id) \
	case 1000 + NVJITLINK_##id * JIT_SLOTS + slot: \
		return (void *)nvjitlink_##id##_##slot;
#define NVJITLINK(id, parameters, arguments)                                                            \
	OF(0, id) OF(1, id) OF(2, id) OF(3, id) OF(4, id) OF(5, id) OF(6, id) OF(7, id) OF(8, id) OF(9, id) \
	OF(10, id) OF(11, id)
#include "jit/entries.def"
#undef NVJITLINK
#undef OF
	}
	return NULL;
}
