/* Which process makes a kernel that several ranks look for at once. */
#include "store_fixture.h"

#include <sys/mman.h>

#include "units/find/claim.h"

TestSuite(claim, .init = fixture_start, .fini = fixture_stop);

/* 1: the kernel is there. All claims of these tests are of device 0. */
static int stands(void *ctx, const char *device)
{
	cr_assert_str_eq(device, "0", "whose the claim is");
	return access(ctx, F_OK) == 0;
}

static int turn(const char *kernel, const char *device)
{
	struct digest k = key_of(kernel);

	return claim_or_wait(runtime, &k, device, stands, (void *)in_root(kernel));
}

/* How many kernels the maker has claimed, and how many it may claim. All processes of a test share
 * it. */
static struct {
	_Atomic int claimed, allowed;
} *steps;

static void claim(int ready, const void *ctx)
{
	int n = 0;

	for (const char *const *k = ctx; *k; k++) {
		if (turn(*k, "0") != 0)
			_exit(1);
		steps->claimed = ++n;
		if (n == 1 && write(ready, "x", 1) != 1)
			_exit(1);
		while (steps->allowed <= n)
			usleep(1000);
		/* When the test allows the next claim, it waits for this kernel. After this time it
		 * waits. */
		usleep(300000);
	}
}

/* A process of device 0. It claims the first kernel, and the next one after each go_on(). It does
 * not end. */
static pid_t maker(const char *const *kernels)
{
	steps = mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	             0);
	cr_assert_neq(steps, MAP_FAILED);
	steps->allowed = 1;
	return stays(claim, kernels);
}

/* The maker may claim one more kernel. It does so after 0.3 s. */
static void go_on(void)
{
	steps->allowed++;
}

/* Waits until the maker has claimed all kernels that it may. */
static void all_claimed(void)
{
	int64_t begun = ms();

	while (steps->claimed < steps->allowed) {
		cr_assert_lt(ms() - begun, 30000, "the maker does not go on");
		usleep(1000);
	}
}

static int waits(void *kernel)
{
	return turn(kernel, "1");
}

Test(claim, others_wait_until_it_is_made)
{
	cr_assert_eq(turn("k", "0"), 0, "the first one makes it");
	cr_expect_eq(turn("k", "0"), 0, "and does not wait for itself");
	pid_t pid = fork();
	if (pid == 0) {
		usleep(200000);
		write_file(in_root("k"), "", 0);
		_exit(0);
	}
	int64_t begun = ms();
	cr_expect_eq(in_child(waits, "k"), 1);
	cr_expect_geq(ms() - begun, 150);
	cr_expect_eq(turn("k", "1"), 1, "and whoever comes later");
	waitpid(pid, NULL, 0);
	cr_expect_eq(turn("l", "1"), 0, "another kernel is another matter");
}

static int of_the_same_device(void *kernel)
{
	return turn(kernel, "0");
}

Test(claim, a_device_does_not_wait_for_itself)
{
	int64_t begun = ms();

	cr_assert_eq(turn("k", "0"), 0);
	/* The rank looks for the kernel, and its worker makes it. */
	cr_expect_eq(in_child(of_the_same_device, "k"), 0);
	cr_expect_lt(ms() - begun, 1000);
}

Test(claim, a_killed_maker_delays_no_process)
{
	pid_t pid = maker((const char *const[]){"k", NULL});

	end_one(pid);
	int64_t begun = ms();
	cr_expect_eq(turn("k", "1"), 0);
	cr_expect_lt(ms() - begun, 1000);
}

Test(claim, killed_while_another_waits)
{
	/* A zombie would still be there for kill(2), until its parent asks. */
	signal(SIGCHLD, SIG_IGN);
	pid_t pid = maker((const char *const[]){"k", NULL});
	int64_t begun = ms();

	if (fork() == 0) {
		usleep(200000);
		kill(pid, SIGKILL);
		_exit(0);
	}
	cr_expect_eq(turn("k", "1"), 0);
	cr_expect_lt(ms() - begun, 3000);
	signal(SIGCHLD, SIG_DFL);
}

Test(claim, a_maker_that_claims_another_kernel_has_not_made_the_first)
{
	pid_t pid = maker((const char *const[]){"k", "l", NULL});
	int64_t begun = ms();

	go_on();
	cr_expect_eq(turn("k", "1"), 0, "its compile failed");
	cr_expect_lt(ms() - begun, 2000);
	end_one(pid);
}

Test(claim, a_maker_that_makes_nothing_is_waited_for_three_times)
{
	const char *const kernels[] = {"a", "b", "c", "d", NULL};
	pid_t pid = maker(kernels);

	for (int i = 0; i < CLAIM_DISTRUST; i++) {
		all_claimed();
		go_on();
		cr_expect_eq(turn(kernels[i], "1"), 0);
	}
	all_claimed();
	int64_t begun = ms();
	cr_expect_eq(turn("d", "1"), 0, "nobody waits now");
	cr_expect_lt(ms() - begun, CLAIM_LIFE_NS / 1000000 / 2);
	end_one(pid);
}

Test(claim, a_wait_that_was_worth_it_restores_trust)
{
	const char *const kernels[] = {"a", "b", "c", "d", NULL};
	pid_t pid = maker(kernels);

	for (int i = 0; i < CLAIM_DISTRUST; i++) {
		int is_made = i == CLAIM_DISTRUST - 1;

		all_claimed();
		if (is_made)
			write_file(in_root(kernels[i]), "", 0);
		go_on();
		cr_expect_eq(turn(kernels[i], "1"), is_made);
	}
	all_claimed();
	write_file(in_root("d"), "", 0);
	cr_expect_eq(turn("d", "1"), 1);
	end_one(pid);
}

Test(claim, a_table_that_was_damaged)
{
	char junk[4096], path[256];

	memset(junk, 0xa5, sizeof junk);
	cr_assert_eq(turn("k", "0"), 0);
	snprintf(path, sizeof path, "%s/makers", runtime);
	int fd = open(path, O_RDWR);
	cr_assert_geq(fd, 0);
	struct stat st;
	cr_assert_eq(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at += (off_t)sizeof junk)
		cr_assert_gt(pwrite(fd, junk, sizeof junk, at), 0);
	close(fd);
	int64_t begun = ms();
	cr_expect_eq(in_child(waits, "k"), 0, "it says nothing");
	cr_expect_lt(ms() - begun, 1000);
}

/* As a process that was stopped at the slot, or a child that has its descriptor. */
Test(claim, a_slot_that_is_never_released)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[256];

	cr_assert_eq(turn("other", "0"), 0);
	snprintf(path, sizeof path, "%s/makers", runtime);
	int fd = open(path, O_RDWR);
	cr_assert_geq(fd, 0);
	cr_assert_eq(fcntl(fd, F_OFD_SETLK, &all), 0, "nobody has kept a slot");
	int64_t begun = ms();
	cr_expect_eq(turn("k", "1"), 0);
	cr_expect_lt(ms() - begun, 5000);
	close(fd);
}

Test(claim, without_a_table)
{
	struct digest k = key_of("k");
	char *long_name = "12345678901234567890";

	cr_expect_eq(claim_or_wait(NULL, &k, "0", stands, NULL), 0);
	cr_expect_eq(claim_or_wait("/nowhere/at/all", &k, "0", stands, NULL), 0);
	cr_expect_eq(claim_or_wait(runtime, &k, long_name, stands, NULL), 0);
}
