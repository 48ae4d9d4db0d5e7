/* A preloaded object that ends the process in its constructor: what is left of a start when a tool's
 * own work is taken away. */
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((constructor)) static void leave(void)
{
	syscall(SYS_exit_group, 0);
}
