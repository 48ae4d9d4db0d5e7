/* units/class.c - units/units.def as data. */
#include "units/class.h"

#include <stddef.h>

#include "shim/banned.h"

static const struct texts {
	char none[1];
#define ROW(id, number, name, form, complete, scope, check, traits, path, member, index, shown, \
            help) \
	char name_##id[sizeof name], path_##id[sizeof path], member_##id[sizeof member], \
		index_##id[sizeof index], help_##id[sizeof help];
	UNIT_CLASSES(ROW)
#undef ROW
} texts = {
	"",
#define ROW(id, number, name, form, complete, scope, check, traits, path, member, index, shown, \
            help) \
	name, path, member, index, help,
	UNIT_CLASSES(ROW)
#undef ROW
};
_Static_assert(sizeof texts <= 65536, "columns are found by 16 bits");

const struct unit_row unit_rows[UNIT_CLASSES_MAX] = {
#define AT(column) offsetof(struct texts, column)
#define ROW(id, number, name, form, complete, scope, check, traits, path, member, index, shown, \
            help) \
	[number] = {number, UNIT_##form, complete, CHECK_AS_##check, traits, scope, \
	            AT(name_##id), AT(path_##id), AT(member_##id), AT(index_##id), AT(help_##id)},
	UNIT_CLASSES(ROW)
#undef ROW
#undef AT
};

const char *unit_text(unsigned short column)
{
	return (const char *)&texts + column;
}
