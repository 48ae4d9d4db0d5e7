/* units/unit_counters.c - the classes' counters by number. */
#include "units/unit_counters.h"

#include "shim/banned.h"

static const unsigned char packed[UNIT_CLASSES_MAX] = {
#define ROW(id, number, ...) [number] = COUNTER_PACKED_##id,
	UNIT_CLASSES(ROW)
#undef ROW
};
static const unsigned char brought[UNIT_CLASSES_MAX] = {
#define ROW(id, number, ...) [number] = COUNTER_BROUGHT_##id,
	UNIT_CLASSES(ROW)
#undef ROW
};

enum counter unit_counter_packed(enum unit_class class)
{
	return (enum counter)packed[class];
}

enum counter unit_counter_brought(enum unit_class class)
{
	return (enum counter)brought[class];
}

void unit_counters_packed(struct store *s, enum unit_class class, uint64_t bytes)
{
	counters_add(s, COUNTER_UNITS_PACKED, 1);
	counters_add(s, COUNTER_UNITS_BYTES, (int64_t)bytes);
	counters_add(s, unit_counter_packed(class), 1);
}

void unit_counters_brought(struct store *s, enum unit_class class, uint64_t bytes)
{
	counters_add(s, COUNTER_UNITS_BROUGHT, 1);
	counters_add(s, COUNTER_UNITS_BROUGHT_BYTES, (int64_t)bytes);
	counters_add(s, unit_counter_brought(class), 1);
}
