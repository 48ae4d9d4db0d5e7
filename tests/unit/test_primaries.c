/* The primary inputs. */
#include "judge/primaries.h"

#include <criterion/criterion.h>
#include <string.h>

Test(primaries, grows_and_finds)
{
	struct arena a = ARENA_INIT;
	struct primaries p = {NULL, 0, 0};
	struct digest d;
	struct statx st;

	memset(&st, 0, sizeof st);
	for (int i = 0; i < 9; i++) {
		struct primary *next = primaries_next(&p, &a);

		cr_assert_not_null(next);
		memset(next, 0, sizeof *next);
		next->path = i == 8 ? "b.c" : "a.c";
		next->whole = i == 8 ? "/p/b.c" : "/p/a.c";
		next->st.stx_ino = (unsigned)i + 1;
		digest_of(&next->content, &i, sizeof i);
		cr_expect_eq(primaries_name(&p, "b.c"), 0, "it is not counted yet");
		p.count++;
	}
	cr_expect(primaries_name(&p, "b.c"));
	cr_expect_not(primaries_name(&p, "/p/b.c"));
	cr_expect_eq(primaries_at(&p, "/p/b.c"), &p.v[8]);
	cr_expect_null(primaries_at(&p, "b.c"));
	st.stx_ino = 9;
	cr_expect(primaries_have_file(&p, &st));
	st.stx_ino = 10;
	cr_expect_not(primaries_have_file(&p, &st));
	d = p.v[8].content;
	cr_expect(primaries_hold(&p, &d));
	d.b[0] ^= 1;
	cr_expect_not(primaries_hold(&p, &d));
	arena_free(&a);
}
