/* leave.c - a preloaded object that ends the process in its constructor. It measures the start of
 * a tool without the tool's work. With LEAVE_BYTES=N it first writes N bytes to the file that the
 * last argument names: that measures the cost of the file on its file system. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((constructor)) static void leave(int argc, char **argv, char **envp)
{
	static char bytes[1 << 20];
	size_t n = 0;
	int fd;

	for (char **e = envp; *e; e++)
		if (strncmp(*e, "LEAVE_BYTES=", 12) == 0)
			n = strtoul(*e + 12, NULL, 10);
	if (n) {
		fd = open(argv[argc - 1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (n > sizeof bytes || write(fd, bytes, n) != (ssize_t)n)
			syscall(SYS_exit_group, 1);
		close(fd);
	}
	syscall(SYS_exit_group, 0);
}
