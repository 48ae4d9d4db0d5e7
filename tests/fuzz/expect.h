/* Conditions that hold for every input. The line is printed: sanitizers' reports fold all calls of
 * abort() into one. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define expect(holds)                                                                              \
	do {                                                                                       \
		if (!(holds)) {                                                                    \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #holds);        \
			abort();                                                                   \
		}                                                                                  \
	} while (0)
