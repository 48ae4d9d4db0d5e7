/* cli/reasons.h - reasons by their names: what they mean, and what a user can do. TOOL. */
#ifndef CLI_REASONS_H
#define CLI_REASONS_H

/* NULL: no such reason. */
const char *reason_text(const char *reason);
const char *reason_remedy(const char *reason);

#endif
