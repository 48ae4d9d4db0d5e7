/* shim/le.h - whole numbers as all our formats hold them: little-endian, n bytes. CHILD. */
#ifndef SHIM_LE_H
#define SHIM_LE_H

/* What follows the bytes that were written. */
static inline unsigned char *le_put(unsigned char *p, unsigned long long v, int n)
{
	for (int i = 0; i < n; i++)
		*p++ = (unsigned char)(v >> 8 * i);
	return p;
}

static inline unsigned long long le_get(const unsigned char *p, int n)
{
	unsigned long long v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

#endif
