/* judge/tree_failed.c - errors that come from a file, and errors that come from the machine. */
#include "judge/tree_failed.h"

#include <errno.h>

#include "shim/banned.h"

/* These errors come from a file's type, its permissions or the kind of request, so they return each
 * time. The next run may not meet other errors: too many descriptors, memory, a failing disk or
 * server, a signal. ELOOP is not here, since each link of the loop would have to be an input. A
 * name that is too long is not here, since its limit depends on the file system. */
static const unsigned char of_file[] = {
	EACCES, EPERM, EROFS,              /* permissions */
	EISDIR, EEXIST, ENOTEMPTY, EINVAL, /* its type: readlink of no link, mkdir of a file */
	EXDEV, EOPNOTSUPP, ENOSYS, ENODATA, ENOEXEC /* the caller uses another way */
};
_Static_assert(EOPNOTSUPP < 256, "errors fit");

int tree_of_machine(unsigned error, enum tree_special special)
{
	/* /dev/tty without a terminal, an operation that a kernel file lacks */
	if (special != ORDINARY)
		return error == EMFILE || error == ENFILE || error == ENOMEM;
	if (error == ENOENT || error == ENOTDIR)
		return 0;
	for (size_t i = 0; i < sizeof of_file; i++)
		if (of_file[i] == error)
			return 0;
	return 1;
}

int tree_denies(unsigned error)
{
	return error == EACCES || error == EPERM || error == EROFS;
}
