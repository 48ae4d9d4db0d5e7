/* tests/unit/test_mode.c - permission bits of outputs. The program of each case really runs, on
 * files of a scratch directory. It is recorded over one state and replayed over another. The bits
 * must be those that the program itself leaves there. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/output/mode.h"
#include "tests/unit/scratch.h"

/* What a program does: opens a file with these bits, then sets some. */
struct program {
	unsigned asks;
	enum { SETS_NOTHING, SETS_BITS, SETS_BY_UMASK, ADDS_EXECUTE } then;
	unsigned bits;
};

static const struct program programs[] = {
	{0666, SETS_NOTHING, 0},      {0600, SETS_NOTHING, 0},
	{0640, SETS_NOTHING, 0},      {0777, SETS_NOTHING, 0},
	{0666, SETS_BITS, 0640},      {0666, SETS_BITS, 0711},
	{0666, SETS_BITS, 0604},      {0666, SETS_BITS, 04755},
	{0666, SETS_BY_UMASK, 0666},  {0666, SETS_BY_UMASK, 0777}, {0666, ADDS_EXECUTE, 0},
};
/* 0: no file is there. */
static const unsigned states[] = {0, 0755, 0640, 0600, 0444};
static const unsigned masks[] = {022, 077, 0, 02, 027, 0177};

static const char *path;

/* A file that is there stays, with other permissions: to make one is dear. */
static void state(unsigned mode)
{
	if (!mode) {
		unlink(path);
		return;
	}
	if (chmod(path, mode) == 0)
		return;
	close(open(path, O_WRONLY | O_CREAT, 0600));
	cr_assert_eq(chmod(path, mode), 0);
}

static unsigned mode_there(void)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_mode : 0;
}

/* Runs p under a umask; returns what a trace would hold. */
static struct mode_seen run(const struct program *p, unsigned mask)
{
	unsigned before = mode_there();
	struct mode_seen seen = {.made = before << 16 | S_IFREG | p->asks, .umask = mask,
	                         .in_place = before != 0};
	unsigned was = umask(mask);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, p->asks);

	umask(was);
	cr_assert_geq(fd, 0);
	seen.changed = p->then != SETS_NOTHING;
	seen.adds_execute = p->then == ADDS_EXECUTE;
	if (p->then == SETS_BITS)
		fchmod(fd, p->bits);
	if (p->then == SETS_BY_UMASK)
		fchmod(fd, p->bits & ~mask);
	if (p->then == ADDS_EXECUTE)
		fchmod(fd, (mode_there() | (0111 & ~mask)) & 07777);
	close(fd);
	seen.mode = mode_there();
	return seen;
}

/* As action/replay.c writes. */
static void replay(const struct result_output *o, unsigned mask)
{
	unsigned was = umask(mask);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode_of_new(o)), mode;

	umask(was);
	cr_assert_geq(fd, 0);
	mode = mode_to_set(o, mask, mode_there());
	if (mode >= 0)
		fchmod(fd, (unsigned)mode);
	close(fd);
}

static void init(void)
{
	scratch_make();
	path = strdup(scratch("out"));
}
static void fini(void)
{
	free((void *)path);
	scratch_remove();
}
TestSuite(mode, .init = init, .fini = fini);

/* Bits that were set by chmod and are by chance what the umask gives are taken to follow it. */
static int ambiguous(const struct program *p, unsigned mask)
{
	return p->then == SETS_BITS && (p->bits == (0666 & ~mask) || p->bits == (0777 & ~mask));
}

Test(mode, recorded_over_any_state_replayed_over_any_other)
{
	size_t cases = 0;

	/* Root can open a file without permissions. Another user's program fails there, and its run
	 * is not stored. */
	size_t n_states = sizeof states / sizeof *states - (geteuid() != 0);

	for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
		unsigned left[sizeof states / sizeof *states][sizeof masks / sizeof *masks];

		for (size_t now = 0; now < n_states; now++)
			for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
				state(states[now]);
				run(&programs[p], masks[k]);
				left[now][k] = mode_there();
			}
		for (size_t was = 0; was < n_states; was++)
			for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
				struct result_output o = {0};
				struct mode_seen seen;

				if (ambiguous(&programs[p], masks[m]))
					continue;
				state(states[was]);
				seen = run(&programs[p], masks[m]);
				/* not kept: the umask hides what was asked for */
				if (mode_record(&seen, &o) < 0) {
					cr_assert_eq(masks[m] & 0111, 0111);
					continue;
				}
				for (size_t now = 0; now < n_states; now++)
					for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
						unsigned want = left[now][k], got;

						state(states[now]);
						replay(&o, masks[k]);
						got = mode_there();
						cr_assert_eq(got, want, "program %zu over %o under "
						             "%o, replayed over %o under %o: %o, "
						             "not %o",
						             p, states[was], masks[m], states[now],
						             masks[k], got, want);
						cases++;
					}
			}
	}
	cr_assert_gt(cases, 5000);
}

Test(mode, a_file_that_the_tool_would_not_have_made)
{
	struct mode_seen seen = {.made = (S_IFREG | 0644u) << 16, .umask = 022,
	                         .mode = S_IFREG | 0644, .in_place = 1};
	struct result_output o = {0};

	cr_assert_eq(mode_record(&seen, &o), -1);
	seen.changed = 1;
	cr_assert_eq(mode_record(&seen, &o), 0);
}

/* Elsewhere the umask cuts the bits, or another list. */
Test(mode, what_an_access_control_list_cut_is_what_was_asked_for)
{
	struct mode_seen seen = {.made = S_IFREG | 0666, .umask = 022, .mode = S_IFREG | 0664,
	                         .acl = 1};
	struct result_output o = {0};

	cr_assert_eq(mode_record(&seen, &o), 0);
	cr_assert_eq(o.mode_kind, MODE_PLAIN);
	seen.changed = 1;
	cr_assert_eq(mode_record(&seen, &o), -1);
	seen.adds_execute = 1;
	cr_assert_eq(mode_record(&seen, &o), -1);
	seen.mode = S_IFREG | 0775;
	cr_assert_eq(mode_record(&seen, &o), 0);
	cr_assert_eq(o.mode_kind, MODE_EXEC);
}

Test(mode, what_the_tools_own_umask_had_a_say_in_is_exact)
{
	struct mode_seen seen = {.made = S_IFREG | 0666, .umask = 022, .mode = S_IFREG | 0664};
	struct result_output o = {0};

	cr_assert_eq(mode_record(&seen, &o), 0);
	cr_assert_eq(o.mode_kind, MODE_EXACT);
	cr_assert_eq(o.mode, 0664);
}

Test(mode, a_member_of_an_archive_keeps_its_own)
{
	struct mode_seen seen = {
		.made = S_IFREG | 0666, .umask = 022, .mode = S_IFREG | 0644, .changed = 1,
		.own_mode = 1};
	struct result_output o = {0};

	cr_assert_eq(mode_record(&seen, &o), 0);
	cr_assert_eq(o.mode_kind, MODE_EXACT);
	cr_assert_eq(mode_to_set(&o, 077, 0600), 0644);
}
