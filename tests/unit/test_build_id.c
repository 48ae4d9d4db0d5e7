/* The build id of this program, which GNU ld has linked. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/self_fixture.h"
#include "tools/object/build_id.h"
#include "tools/object/sections.h"

Test(build_id, follows_the_bytes)
{
	struct section text, id;
	size_t n;
	unsigned char *bytes = self(&n), before[36];

	if (section_named(&id, bytes, n, ".note.gnu.build-id") < 0 || id.len != sizeof before)
		cr_skip_test("linked without a build id, or not by GNU ld");
	memcpy(before, id.data, sizeof before);
	cr_expect(build_id_holds(bytes, n));
	cr_assert_eq(section_named(&text, bytes, n, ".rodata"), 0);
	bytes[(const unsigned char *)text.data - bytes + 9] ^= 1;
	cr_expect_not(build_id_holds(bytes, n));
	build_id_renew(bytes, n);
	cr_expect(build_id_holds(bytes, n));
	cr_expect(memcmp(before, id.data, sizeof before) != 0);
	bytes[(const unsigned char *)text.data - bytes + 9] ^= 1;
	build_id_renew(bytes, n);
	cr_expect_arr_eq(id.data, before, sizeof before);
	free(bytes);
}

Test(build_id, cut_and_damaged_files)
{
	struct section id;
	size_t n;
	unsigned char *bytes = self(&n);

	if (section_named(&id, bytes, n, ".note.gnu.build-id") < 0)
		cr_skip_test("linked without a build id");
	for (size_t cut = 0; cut < 4096; cut += cut < 64 ? 7 : 97)
		cr_expect_not(build_id_holds(bytes, n - 1 - cut) &&
		              section_named(&id, bytes, n - 1 - cut, ".note.gnu.build-id") == 0);
	/* Any table of sections: no byte outside of the file is read. */
	for (size_t i = 0; i < 64; i++) {
		bytes[i] ^= 0xff;
		build_id_holds(bytes, n);
		bytes[i] ^= 0xff;
	}
	cr_expect_not(build_id_holds("\4\0\0\0\24\0\0\0\3\0\0\0GNU", 16),
	              "an id elsewhere is not known");
	cr_expect(build_id_holds("text", 4));
	free(bytes);
}
