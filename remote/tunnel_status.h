/* remote/tunnel_status.h - the first line of reprise-remote (remote/tunnel.h): a word for each
 * status. Both ends include this header. SIGNAL. */
#ifndef REMOTE_TUNNEL_STATUS_H
#define REMOTE_TUNNEL_STATUS_H

#include <stddef.h>

#include "remote/status.h"

/* Longest line. */
#define TUNNEL_LINE 256
/* The word for a status; "fault" for a status without a word. */
const char *tunnel_status_word(enum wire_status s);
/* Finds the status of a word of n bytes. 1; 0: there is none. */
int tunnel_status_parse(enum wire_status *s, const char *word, size_t n);

#endif
