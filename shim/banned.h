/* shim/banned.h - what code in another program's process must not call, as compile errors.
 *
 * Included last: a system header after it would trip over the poisoned names. A file that has a
 * licence (the command, hooks/ that define these names) simply does not include it.
 *
 * Why: the host's allocator may be ASan's or locked; stdio and the environment are the host's own; exit
 * and abort end somebody else's job; libc's file calls are our own hooks inside the object and set
 * errno (shim/sys.h has the raw calls); dlsym belongs to shim/real.c alone. */
#ifndef SHIM_BANNED_H
#define SHIM_BANNED_H

#pragma GCC poison malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf
#undef alloca /* a macro where a library's header brings <stdlib.h> along */
#pragma GCC poison memalign posix_memalign aligned_alloc alloca
#pragma GCC poison printf fprintf dprintf vprintf vfprintf sprintf snprintf vsprintf vsnprintf
#pragma GCC poison puts fputs fputc putchar perror scanf sscanf fscanf
#pragma GCC poison fdopen fclose fread fwrite fgets getline getdelim
#pragma GCC poison exit abort quick_exit atexit on_exit
#pragma GCC poison setenv putenv unsetenv getenv secure_getenv clearenv environ
#pragma GCC poison dlvsym dlclose getpwuid getpwnam getaddrinfo localtime strerror
#pragma GCC poison longjmp siglongjmp setjmp

/* Files that include shim/real.h name the hooked functions through its table: real.open. */
#ifndef SHIM_REAL_H
#pragma GCC poison fopen fopen64 freopen open open64 openat openat64 creat creat64
#pragma GCC poison stat64 lstat lstat64 fstat fstat64 fstatat fstatat64 access faccessat
#pragma GCC poison opendir readdir readlink readlinkat realpath getcwd
#pragma GCC poison unlink unlinkat rename renameat rmdir mkdir mkdirat symlink chmod fchmod
#pragma GCC poison system popen fork vfork execve execv execvp execl posix_spawn posix_spawnp
#pragma GCC poison dlsym dlopen
#endif

#endif
