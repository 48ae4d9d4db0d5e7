/* shim/le.h - whole numbers of n bytes in our formats: little-endian. CHILD. */
#ifndef SHIM_LE_H
#define SHIM_LE_H

/* Returns the address after the written bytes. */
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
