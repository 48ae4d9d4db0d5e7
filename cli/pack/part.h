/* cli/pack/part.h - files and directories of an export that is not finished.
 *
 *     part_begin();                        // SIGINT, SIGTERM and SIGHUP remove them from now on
 *     part_hold(); fd = open(...); part_add(path); part_release();
 *     part_drop();                         // the export failed
 *     part_keep();                         // it is complete
 *
 * Only one export runs in a process. TOOL. */
#ifndef CLI_PACK_PART_H
#define CLI_PACK_PART_H

/* Signals that are ignored stay ignored. */
void part_begin(void);
/* Between the two no signal arrives: it would leave a file behind that is not listed yet. */
void part_hold(void);
void part_release(void);
/* path stays the caller's, and must stay. */
#define PARTS_MOST 16
void part_add(const char *path);
/* Removes them, the last one first. errno is kept. */
void part_drop(void);
void part_keep(void);

#endif
