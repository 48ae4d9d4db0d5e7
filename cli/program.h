/* cli/program.h - whether the loader preloads the object into a program. TOOL. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

/* Says why it would not; NULL if it would. */
const char *program_unserved(const char *path);
/* What it says of a script: its interpreter decides. */
#define PROGRAM_IS_SCRIPT "a script"

#endif
