# Programs that look up names, and objects that wrap dlsym. After lib.bash. BUILT_CC: another
# compiler than gcc.

# built NAME FLAGS...: a program or library from stdin, made beside the case's tree.
built() {
	local name=$1
	shift
	${BUILT_CC:-gcc} -D_GNU_SOURCE -O1 -w -o "$ROOT/$name" -x c - -x none "$@"
}

# lookups: what dlsym says of names of every kind, from the program and from a library.
lookups() {
	built looks.so -shared -fPIC <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <string.h>
	static const char *names[] = { "puts", "nvrtcVersion", "nvrtcCompileProgram",
		"nvJitLinkCreate", "__nvJitLinkCreate_13_5",
		"dlsym", "dlopen", "malloc", "no_such_name", "looked_up_twice", "", "main" };
	void looked_up_twice(void) {}
	void looks(const char *who, void *handle, const char *which)
	{
		for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
			dlerror();
			void *p = dlsym(handle, names[i]);
			const char *error = dlerror();
			Dl_info info = { 0 };
			const char *base = p && dladdr(p, &info) &&
				info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
			/* Hooked, so it comes from another object. */
			if (!strcmp(names[i], "dlsym"))
				base = "/any";
			printf("%s %s %s: %s %s\n", who, which, names[i],
			       p ? base ? base : "somewhere" : "NULL", error ? error : "");
		}
	}
	void looks_all(const char *who)
	{
		looks(who, RTLD_DEFAULT, "default");
		looks(who, RTLD_NEXT, "next");
	}
	EOC
	built looks -rdynamic -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <string.h>
	void looked_up_twice(void) {}
	int main(int argc, char **argv)
	{
		void *h = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL), *self = dlopen(NULL, RTLD_NOW),
			*libc = dlopen("libc.so.6", RTLD_NOW);
		void (*all)(const char *) = dlsym(h, "looks_all"),
			(*looks)(const char *, void *, const char *) = dlsym(h, "looks");
		all("library");
		looks("library", h, "handle");
		looks("library", self, "self");
		looks("library", libc, "libc");
		printf("%d\n", dlsym(RTLD_NEXT, "looked_up_twice") == dlsym(h, "looked_up_twice"));
		printf("%d\n", dlsym(RTLD_DEFAULT, "looked_up_twice") == (void *)looked_up_twice);
		dlerror();
		printf("%p %s\n", dlsym(h, "nvrtcNever"), dlerror());
	}
	EOC
}

# wrapper NAME FLAG: an object that wraps dlsym, as profilers do. It counts and passes on: with -O2
# by a jump, otherwise by a call. After a call, RTLD_NEXT of all earlier objects means the objects
# after the wrapper.
wrapper() {
	built "$1.so" -shared -fPIC "$2" <<-'EOC'
	#include <dlfcn.h>
	#include <string.h>
	#include <unistd.h>
	static void *(*real)(void *, const char *);
	static int compiles;
	void *dlsym(void *handle, const char *name)
	{
		if (!real) {
			real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
			if (!real)
				real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
		}
		if (!strcmp(name, "nvrtcCompileProgram"))
			compiles++;
		return real(handle, name);
	}
	__attribute__((destructor)) static void said(void)
	{
		if (compiles)
			write(1, "asked\n", 6);
	}
	EOC
}

# A wrapper that calls libc's dlsym, past all objects between.
wrapper_next() {
	built "$1.so" -shared -fPIC "$2" <<-'EOC'
	#include <dlfcn.h>
	#include <link.h>
	#include <string.h>
	#include <unistd.h>
	static int compiles;
	static void *(*real)(void *, const char *);
	void *dlsym(void *handle, const char *name)
	{
		if (!real) {
			void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
			real = dlvsym(libc, "dlsym", "GLIBC_2.34");
		}
		if (!strcmp(name, "nvrtcCompileProgram") && !compiles++)
			write(1, "asked\n", 6);
		return real(handle, name);
	}
	EOC
}

# puts_preload: puts.so, which says "mine" and goes on to the next puts; say, which calls it.
puts_preload() {
	built puts.so -shared -fPIC <<-'EOC'
	#include <dlfcn.h>
	int puts(const char *s)
	{
		static int (*next)(const char *);
		if (!next)
			next = (int (*)(const char *))dlsym(RTLD_NEXT, "puts");
		next("mine");
		return next(s) + 0;
	}
	EOC
	built say <<-'EOC'
	#include <stdio.h>
	int main(void) { puts("once"); return 0; }
	EOC
}
