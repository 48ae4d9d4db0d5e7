/* shim/fortify.c - replacements for the fortified functions that the static libraries call.
 *
 * Debian builds libzstd.a, libsodium.a and libhiredis.a with fortify. If these names were left to
 * libc, the object would not load under musl, whose loader ends the process if a symbol is missing.
 * The hidden definitions here win over libc's at link time. They do not check lengths: glibc's
 * reaction to a failed check is to abort the host. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__aarch64__)
/* glibc's copy is in the loader, which would then be in DT_NEEDED. The zero byte first stops string
 * overruns. */
extern uintptr_t __stack_chk_guard;
uintptr_t __stack_chk_guard = 0x5ca1ab1e0ddba100u;
#endif

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int byte, size_t n, size_t room);
void __explicit_bzero_chk(void *at, size_t n, size_t room);
/* glibc has it since 2.25. An older loader ends each process whose object needs a later version. */
void explicit_bzero(void *at, size_t n) __attribute__((visibility("hidden")));
int __sprintf_chk(char *to, int flag, size_t room, const char *fmt, ...);
int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *fmt, ...);
int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *fmt, va_list ap);
long int __fdelt_chk(long int fd);

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	return memcpy(to, from, n);
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	return memmove(to, from, n);
}

void *__memset_chk(void *to, int byte, size_t n, size_t room)
{
	return memset(to, byte, n);
}

void __explicit_bzero_chk(void *at, size_t n, size_t room)
{
	explicit_bzero(at, n);
}

void explicit_bzero(void *at, size_t n)
{
	memset(at, 0, n);
	__asm__ volatile("" : : "r"(at) : "memory");
}

int __sprintf_chk(char *to, int flag, size_t room, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(to, room, fmt, ap);
	va_end(ap);
	return n;
}

int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(to, n, fmt, ap);
	va_end(ap);
	return len;
}

int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *fmt, va_list ap)
{
	return vsnprintf(to, n, fmt, ap);
}

long int __fdelt_chk(long int fd)
{
	return fd / (8 * (long int)sizeof(long int));
}
