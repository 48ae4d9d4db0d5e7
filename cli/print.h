/* cli/print.h - sizes, bytes and progress for a terminal. TOOL. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes "1.5 GiB" into out and returns it. */
#define CLI_SIZE_TEXT 32
const char *cli_size(char out[CLI_SIZE_TEXT], uint64_t bytes);
/* Prints bytes for a terminal or a report: control bytes as \xNN, at most max bytes of s, then
 * "...". */
void cli_print_safe(FILE *to, const char *s, size_t n, size_t max);
/* Prints a spec (names/names.h): 0x01 'T' '0' as @T0. */
void cli_print_spec(FILE *to, const char *s, size_t n);
/* Asks on the terminal, by the printf format and " [y/N]". 1: yes. */
int cli_confirmed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Overwrites a line on stderr, at most ten times a second, and only on a terminal. */
void cli_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_progress_end(void);

/* Any bytes as a text of HTML. */

/* Prints s, at most its first 1,000 bytes. */
void html_text(FILE *to, const char *s);

/* Texts of commands, which may hold any bytes, for JSON and HTML. */

/* Copies in to out, as much as fits: control bytes and what is no UTF-8 become U+FFFD. Returns
 * out. */
char *utf8_clean(char *out, size_t size, const char *in);

/* What a command reports, as one JSON object on standard output. The names of members
 * are listed in docs/json.md and stay. */

/* Members. Bytes that are no UTF-8 become U+FFFD. */
void json_text(struct json_object *o, const char *key, const char *text);
/* Into an array. */
void json_add_text(struct json_object *array, const char *text);
void json_number(struct json_object *o, const char *key, uint64_t n);
void json_flag(struct json_object *o, const char *key, int set);
/* Six decimals. */
void json_seconds(struct json_object *o, const char *key, int64_t ns);
/* An object with the member version. */
struct json_object *json_report(void);
/* Prints and frees it. CLI_OK, or CLI_FINDING if it cannot be written. */
int json_print(FILE *to, struct json_object *o);

#endif
