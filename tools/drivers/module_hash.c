/* tools/drivers/module_hash.c - computes the hash bit by bit: paths are few and short. */
#include "tools/drivers/drivers.h"

#include <stdint.h>

#include "shim/ascii.h"
#include "shim/path.h"

#include "shim/banned.h"

#define POLYNOMIAL 0xedb88320u /* of IEEE 802.3, reflected */

int module_hash_covers(const char *path)
{
	return path_ends(path, ".cu") || path_ends(path, ".cc") || path_ends(path, ".cpp") ||
	       path_ends(path, ".cxx");
}

void module_hash(char out[SOURCE_HASH + 1], const char *path)
{
	uint32_t crc = 0xffffffffu;

	for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
		crc ^= *p;
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
	}
	crc ^= 0xffffffffu;
	ascii_put_hex(out, crc, SOURCE_HASH);
	out[SOURCE_HASH] = '\0';
}
