/* TorchAir's modules: bound to their sources, and kept after their process has ended. */
#include "gather_fixture.h"

#include <sys/wait.h>

#include "shim/kernel/process.h"

TestSuite(gather_torchair, .init = fixture_start, .fini = fixture_stop);

static const char *module(const char *source)
{
	static char dir[256];
	unsigned char bytes[512] = "\x80\x04" "C";
	size_t n = strlen(source);

	snprintf(dir, sizeof dir, "%s/Net_dynamic_0123456789abcdef0123456789abcdef/forward", root);
	bytes[3] = (unsigned char)(n + 2);
	bytes[4] = 0xfa; /* as marshal has a name that is referred to */
	bytes[5] = (unsigned char)n;
	memcpy(bytes + 6, source, n);
	bytes[6 + n] = '.';
	put_text(in_root("Net_dynamic_0123456789abcdef0123456789abcdef/forward/compiled_module"),
	         "");
	write_file(in_root("Net_dynamic_0123456789abcdef0123456789abcdef/forward/compiled_module"),
	           bytes, n + 7);
	return dir;
}

static struct offer module_offer(const char *source)
{
	struct offer o = offer_of(UNIT_TORCHAIR, module(source), "compiled_module");

	o.opened = 1;
	offer_sign(&o);
	o.writer_began--; /* another process of this pid, which has ended */
	o.began_at = o.made_at + 10; /* long after the source was there */
	return o;
}

Test(gather_torchair, a_module_of_torchair_is_bound_to_its_sources)
{
	const char *source = arena_strdup(&arena, in_root("model.py"));
	struct offer o;
	struct entry e;
	struct member m;
	struct digest d;

	put_text(source, "def forward(): pass\n");
	o = module_offer(source);
	cr_expect_eq(gathered(&o), GATHER_LATER, "just written");
	sleep(1);
	usleep(100000);
	cr_assert(keeps(&o));
	cr_assert_eq(store_get(&store, STORE_SET, &o.key, 0, &e, &arena, &fault), ENTRY_OK);
	cr_assert_eq(member_decode(&m, e.payload, e.len, &arena), 0);
	cr_assert_eq(m.conditions, 1);
	cr_expect_str_eq(m.condition[0].path, source);
	digest_of(&d, "def forward(): pass\n", 20);
	cr_expect(digest_equal(&m.condition[0].content, &d));
	struct parcel p = parcel_of(&m.parcel);
	cr_expect_eq(p.file[0].mode, 0600);
	cr_expect_eq(p.file[0].exact, 1);
	/* If a source is edited while the job runs, nothing is carried. */
	o.began_at = o.made_at;
	drops(&o, "may have changed since");
	o.began_at = 0;
	drops(&o, "may have changed since");
	o.began_at = o.made_at + 10;
	shell("rm '%s/model.py'", root);
	drops(&o, "made from");
	shell("chmod 0644 "
	      "'%s/Net_dynamic_0123456789abcdef0123456789abcdef/forward/compiled_module'; sleep "
	      "1.1", root);
	cr_expect_eq(gathered(&o), GATHER_LATER, "its mode is the last that is set");
}

/* TorchAir may remove the module as long as the process that made it lives. */
Test(gather_torchair, a_module_waits_for_the_end_of_its_maker)
{
	const char *source = arena_strdup(&arena, in_root("model.py"));
	struct offer o;
	pid_t maker = fork();

	if (maker == 0)
		for (;;)
			pause();
	put_text(source, "def forward(): pass\n");
	o = module_offer(source);
	struct process p;
	cr_assert_eq(process_read(&p, maker), 0);
	o.writer_pid = (unsigned)maker;
	o.writer_began = p.began;
	sleep(1);
	usleep(100000);
	o.made_at -= 2 * GATHER_REST_MAX_S;
	cr_expect_eq(gathered(&o), GATHER_HELD);
	cr_assert_eq(offer_add(&store, &o), 0);
	size_t due;
	int64_t age;
	cr_assert_eq(offers_pending(&store, &due, &age), 0);
	cr_expect_eq(due, 0);
	cr_expect_eq(offers_held(&store), 1);
	kill(maker, SIGKILL);
	siginfo_t info;
	waitid(P_PID, (id_t)maker, &info, WEXITED | WNOWAIT);
	cr_expect(keeps(&o), "nobody waited for it yet");
	waitpid(maker, NULL, 0);
	cr_assert_eq(offers_pending(&store, &due, &age), 0);
	cr_expect_eq(due, 1);
	o.writer_space++;
	drops(&o, "cannot tell whether the process that wrote it");
	o.writer_pid = 0;
	drops(&o, "cannot tell whether the process that wrote it");
}

Test(gather_torchair, a_module_that_cannot_be_bound_stays)
{
	struct offer o = module_offer("no source");

	sleep(1);
	usleep(100000);
	drops(&o, "does not name the sources");
	o = module_offer("train.py");
	sleep(1);
	usleep(100000);
	drops(&o, "not an absolute path");
}
