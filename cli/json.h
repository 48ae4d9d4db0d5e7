/* cli/json.h - what a command reports, as one JSON object on standard output. The names of members
 * are listed in docs/json.md and stay. TOOL. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>

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
