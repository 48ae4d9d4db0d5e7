/* shim/loader/link_list.h - the list of loaded objects that debuggers read, which needs no call.
 * AddressSanitizer, loaded before us, wraps dl_iterate_phdr and calls dlsym before it can answer;
 * ThreadSanitizer's own copy cannot be called before its start. */
#pragma once

#include <link.h>

/* The program's entry; NULL: the list is not found. Objects of other dlmopen namespaces are not in
 * it. Call it only while no thread loads an object. */
const struct link_map *link_list(void);
