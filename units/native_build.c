/* units/native_build.c - knows the compile of Triton's own C by where its output lies. */
#include "units/native_build.h"

#include <string.h>

#include "units/scope/condition.h"
#include "units/shape/pattern.h"

#include "shim/banned.h"

int unit_native_build(char *const argv[], const struct settings *set, char *const envp[])
{
	const char *why;
	size_t name;

	for (; *argv; argv++) {
		size_t n = strlen(*argv);
		ptrdiff_t at = pattern_place(*argv, n, 2);

		if (at > 0 && pattern_fits(UNIT_NATIVE_BUILD, *argv + at, n - (size_t)at, &name))
			return unit_class_on(UNIT_TRITON_NATIVE, set, envp, &why);
	}
	return 0;
}
