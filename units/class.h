/* units/class.h - the rows of units/units.def. CHILD. */
#pragma once

#include "units/units.def"

enum unit_class {
#define ROW(id, number, ...) UNIT_##id = number,
	UNIT_CLASSES(ROW)
#undef ROW
};
#define UNIT_CLASSES_MAX 32 /* numbers stay below */
/* Patterns of units, and of these with each of their members' patterns. */
#define UNIT_KINDS_MAX 64

/* The columns' words; units/units.def says what they mean. */
enum unit_form { UNIT_WHOLE, UNIT_SET, UNIT_FILE, UNIT_MERGED };
enum unit_complete { COMPLETE_RENAME = 1, COMPLETE_CLOSE = 2, COMPLETE_LOCK = 4,
                     COMPLETE_CLOSED = 8 };
enum unit_scope_part {
	SCOPE_RANK = 1, SCOPE_RANK_FX = 2, SCOPE_ISA = 4, SCOPE_TORCH = 8, SCOPE_PYTHON = 16,
	             SCOPE_NPU = 32, SCOPE_DEVICE = 64,
	SCOPE_ROOT = 128, SCOPE_DECLARED = 256, SCOPE_NATIVE = 512,
	             SCOPE_NVCC = 1024, SCOPE_DEEP_JIT = 2048,
	SCOPE_CPU = 4096, SCOPE_GPU = 8192, SCOPE_LOADED = 16384
};
enum unit_check {
	CHECK_AS_KERNEL_DIRECTORY, CHECK_AS_GRAPH, CHECK_AS_JSON, CHECK_AS_CHOICES, CHECK_AS_KERNEL,
	        CHECK_AS_MODULE, CHECK_AS_COMPRESSED, CHECK_AS_NATIVE, CHECK_AS_ANY,
	        CHECK_AS_ANY_DIRECTORY, CHECK_AS_WARP_DIRECTORY, CHECK_AS_BYTECODE,
	        CHECK_AS_CONFIGURATION, CHECK_AS_TILELANG_DIRECTORY,
	        CHECK_AS_DEEP_JIT_DIRECTORY
};
enum unit_trait { TRAIT_NEWEST = 1, TRAIT_FRESH = 2, TRAIT_PER_DEVICE = 4, TRAIT_WITHDRAWN = 8,
                 TRAIT_SOURCES = 16, TRAIT_LOOKED_TWICE = 32, TRAIT_READS_NOTHING = 64 };

/* No pointers: each would be relocated in every process of a job. */
struct unit_row {
	unsigned char class; /* 0: no such number */
	unsigned char form, complete, check, traits;
	unsigned short scope;
	unsigned short name, path, member, index, help; /* for unit_text */
};
extern const struct unit_row unit_rows[UNIT_CLASSES_MAX];

/* A text column of a row; "" for a number without a row. */
const char *unit_text(unsigned short column);
static inline const char *unit_name(unsigned class)
{
	return unit_text(unit_rows[class].name);
}
