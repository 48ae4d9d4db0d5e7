/* remote/tunnel_status.c - the words in the first line of reprise-remote, and their statuses. */
#include "remote/tunnel_status.h"

#include <string.h>

#include "shim/banned.h"

static const struct {
	char word[8]; /* no pointers, which would be relocated in every process */
	enum wire_status status;
} words[] = {
	{"ok", WIRE_OK}, {"timeout", WIRE_TIMEOUT}, {"refused", WIRE_REFUSED},
	{"denied", WIRE_DENIED}, {"garbage", WIRE_GARBAGE}, {"fault", WIRE_FAULT},
};

const char *tunnel_status_word(enum wire_status s)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].status == s)
			return words[i].word;
	return tunnel_status_word(WIRE_FAULT);
}

int tunnel_status_parse(enum wire_status *s, const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strlen(words[i].word) != n || memcmp(words[i].word, word, n) != 0)
			continue;
		*s = words[i].status;
		return 1;
	}
	return 0;
}
