/* remote/http/secret_file.c - reads small files that hold credentials. */
#include "remote/http/secret_file.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

int secret_file_read(char *out, size_t cap, const char *path, struct fault *fault)
{
	struct statx st;
	/* O_NONBLOCK: a FIFO must not hang the caller. */
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	ssize_t n = fd;

	if (fd >= 0) {
		n = sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st);
		if (n >= 0)
			n = S_ISREG(st.stx_mode) ? sys_read_all(fd, out, cap) : -EINVAL;
		sys_close(fd);
	}
	if (n >= 0 && ((size_t)n == cap || memchr(out, 0, (size_t)n)))
		n = -EINVAL;
	if (n < 0)
		return fault_sys(fault, (int)-n, "read credentials", path);
	out[n] = '\0';
	return (int)n;
}

int secret_file_line(char *out, size_t cap, const char *path, struct fault *fault)
{
	int n = secret_file_read(out, cap, path, fault);

	if (n < 0)
		return -1;
	while (n && (unsigned char)out[n - 1] <= ' ')
		out[--n] = '\0';
	for (int i = 0; i < n; i++)
		if ((unsigned char)out[i] < ' ' || out[i] == 0x7f)
			n = 0;
	return n ? n : fault_set(fault, 0, "credentials %s are not one line of text", path);
}
