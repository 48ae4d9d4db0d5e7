/* shim/banned.h - turns calls that are forbidden in another program's process into compile errors.
 *
 * Include it last: a later system header would contain the poisoned names. Files that may make
 * these calls (the command, hooks/ that define these names) do not include it.
 *
 * Reasons: The host's allocator may be ASan's or locked. stdio and the environment belong to the
 * host. exit and abort end somebody else's job. Inside the object, libc's file calls are our own
 * hooks and set errno; shim/kernel/sys.h has the raw calls. Only shim/loader/real.c may call dlsym.
 * */
#pragma once

#pragma GCC poison malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf
#undef alloca /* a macro if a library's header includes <stdlib.h> */
#pragma GCC poison memalign posix_memalign aligned_alloc alloca
#pragma GCC poison printf fprintf dprintf vprintf vfprintf sprintf snprintf vsprintf vsnprintf
#pragma GCC poison puts fputs fputc putchar perror scanf sscanf fscanf
#pragma GCC poison fdopen fclose fread fwrite fgets getline getdelim
#pragma GCC poison exit abort quick_exit atexit on_exit
#pragma GCC poison setenv putenv unsetenv getenv secure_getenv clearenv environ
#pragma GCC poison dlvsym dlclose getpwuid getpwnam getaddrinfo localtime strerror
#pragma GCC poison longjmp siglongjmp setjmp

/* shim/loader/real.h has the hooked functions in a table: real.open. */
#pragma GCC poison fopen fopen64 freopen open open64 openat openat64 creat creat64
#pragma GCC poison stat64 lstat lstat64 fstat fstat64 fstatat fstatat64 access faccessat
#pragma GCC poison opendir readdir readlink readlinkat realpath getcwd
#pragma GCC poison unlink unlinkat rename renameat rmdir mkdir mkdirat symlink chmod fchmod
#pragma GCC poison system popen fork vfork execve execv execvp execl posix_spawn posix_spawnp
#pragma GCC poison dlsym dlopen
