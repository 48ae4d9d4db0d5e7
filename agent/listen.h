/* agent/listen.h - the agent's side of its socket. TOOL. */
#ifndef AGENT_LISTEN_H
#define AGENT_LISTEN_H

/* The next client of this user. -EAGAIN: none waits, or there is no room for it now; else -errno:
 * none can be accepted any more. */
int listen_accept(int listening);

#endif
