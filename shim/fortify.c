/* shim/fortify.c - the fortified copies that the static libraries ask for.
 *
 * Debian builds libzstd.a and libsodium.a with fortify; left to libc, its names would keep the object from loading
 * under musl, whose loader ends the process over a missing symbol. Hidden definitions here win over
 * libc's at link time. The length checks are dropped: glibc's answer to a failed one is to abort the host. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__aarch64__)
/* glibc's stands in the loader and would add it to DT_NEEDED. Zero byte first: stops string overruns. */
extern uintptr_t __stack_chk_guard;
uintptr_t __stack_chk_guard = 0x5ca1ab1e0ddba100u;
#endif

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int byte, size_t n, size_t room);
void __explicit_bzero_chk(void *at, size_t n, size_t room);

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	(void)room;
	return memcpy(to, from, n);
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	(void)room;
	return memmove(to, from, n);
}

void *__memset_chk(void *to, int byte, size_t n, size_t room)
{
	(void)room;
	return memset(to, byte, n);
}

void __explicit_bzero_chk(void *at, size_t n, size_t room)
{
	(void)room;
	explicit_bzero(at, n);
}
