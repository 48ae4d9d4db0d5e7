/* shim/start_data.h - variables that each start of a tool changes.
 *
 * START_DATA puts them into the page of the object's data that a start changes in any case. Each
 * other page costs a start two page faults: one to read zeros, one to write. */
#ifndef SHIM_START_DATA_H
#define SHIM_START_DATA_H

#define START_DATA __attribute__((section(".data.start")))

#endif
