/* remote/wire/tunnel_program.h - where reprise-remote is, the program that does TLS
 * (remote/wire/tunnel.h). THREAD. */
#ifndef REMOTE_WIRE_TUNNEL_PROGRAM_H
#define REMOTE_WIRE_TUNNEL_PROGRAM_H

#include "shim/path.h"

/* 0 and the program's path: beside the object (or this program) in the build tree, else below its
 * prefix. -1: it is missing, as in a build without OpenSSL, and rediss:// must be refused. */
int tunnel_program_find(char out[PATH_SIZE]);

#endif
