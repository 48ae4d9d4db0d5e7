/* shim/distance.c - the distance of two words. */
#include "shim/distance.h"

#include <string.h>

#include "shim/banned.h"

static int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

size_t distance(const char *x, size_t n, const char *y)
{
	size_t row[DISTANCE_MOST + 1], m = strlen(y);

	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t before = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t same = before + (lower(x[i - 1]) != lower(y[j - 1]));
			size_t other = row[j] < row[j - 1] ? row[j] : row[j - 1];

			before = row[j];
			row[j] = same <= other ? same : other + 1;
		}
	}
	return row[m];
}
