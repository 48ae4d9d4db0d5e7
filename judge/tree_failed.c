/* judge/tree_failed.c - errors: what a file was, and what the machine lacked. */
#include "judge/tree_failed.h"

#include <errno.h>
#include <stddef.h>

#include "shim/banned.h"

/* A file's type, its permissions or what it is asked for answer so each time. What is not here the next run may not meet:
 * too many descriptors, memory, a disk or a server that fails, a signal. ELOOP neither: of a loop of links each link would
 * have to be an input; nor a name that is too long, since that goes by the file system. */
static const unsigned char of_file[] = {
	EACCES, EPERM, EROFS,              /* permissions */
	EISDIR, EEXIST, ENOTEMPTY, EINVAL, /* its type: readlink of what is no link, mkdir of what is there */
	EXDEV, EOPNOTSUPP, ENOSYS, ENODATA, ENOEXEC /* the caller does it in another way */
};
_Static_assert(EOPNOTSUPP < 256, "errors fit");

int tree_of_machine(unsigned error, enum tree_special special)
{
	if (special != ORDINARY) /* /dev/tty of nobody, what a kernel file does not do */
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
