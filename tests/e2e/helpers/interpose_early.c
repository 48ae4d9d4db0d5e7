/* interpose_early - file calls before any constructor ran, as jemalloc makes them in the first
 * malloc: here from the resolver of an indirect function, which the loader calls while it
 * relocates. No real function is known to the object then. Status 0 when every call was answered as
 * libc answers it; run in a directory with "file" and "link". */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int asked_early;
static unsigned wrong;

static void ask(void)
{
	char text[16];
	struct stat st;
	int keep = errno, fd;

	asked_early = environ == NULL;
	fd = open("file", O_RDONLY | O_CLOEXEC);
	wrong |= (fd < 0 || close(fd) != 0) << 0;
	fd = openat(AT_FDCWD, "file", O_RDONLY);
	wrong |= (fd < 0 || close(fd) != 0) << 1;
	errno = 0;
	wrong |= (open("none", O_RDONLY) != -1 || errno != ENOENT) << 2;
	wrong |= (access("file", R_OK) != 0) << 3;
	errno = 0;
	wrong |= (access("none", F_OK) != -1 || errno != ENOENT) << 4;
	wrong |= (readlink("link", text, sizeof text) != 4) << 5;
	errno = 0;
	wrong |= (readlink("none", text, sizeof text) != -1 || errno != ENOENT) << 6;
	wrong |= (stat("link", &st) != 0 || !S_ISREG(st.st_mode)) << 7;
	wrong |= (lstat("link", &st) != 0 || !S_ISLNK(st.st_mode)) << 8;
	wrong |= (fstatat(AT_FDCWD, "link", &st, 0) != 0) << 9;
	errno = 0;
	wrong |= (unlink("none") != -1 || errno != ENOENT) << 10;
	wrong |= (mkdir("made", 0700) != 0 || rmdir("made") != 0) << 11;
	/* libc may not have the environment yet, so the answer may be NULL. The call must
	 * return. */
	(void)getenv("MALLOC_CONF");
	(void)secure_getenv("MALLOC_CONF");
	errno = keep;
}

static int answer(void)
{
	return 42;
}

static int (*resolve(void))(void)
{
	ask();
	return answer;
}

static int indirect(void) __attribute__((ifunc("resolve")));

int main(void)
{
	if (indirect() != 42 || !asked_early)
		return 3;
	if (wrong)
		dprintf(2, "wrong answers: %#x\n", wrong);
	return wrong != 0;
}
