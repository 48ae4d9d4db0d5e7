/* trace_dump --make FILE    an empty trace
 * trace_dump FILE [CWD]     its events, one a line with the pid first; status 1 where it has a hole
 *                           or overflowed */
#include "trace_read.h"

int main(int argc, char **argv)
{
	struct trace_view v;
	struct trace_event e;
	uint64_t at = TRACE_HEAD;
	char line[3 * 4096];
	int rc;

	if (argc == 3 && strcmp(argv[1], "--make") == 0)
		return trace_make(argv[2]) < 0;
	if (argc < 2 || trace_open(&v, argv[1]) < 0) {
		fprintf(stderr, "trace_dump: no trace\n");
		return 1;
	}
	while ((rc = trace_next(&v, &at, &e)) == 1) {
		trace_word(line, sizeof line, &e, argc > 2 ? argv[2] : "");
		printf("%u %s\n", e.pid, line);
	}
	if (rc < 0)
		printf("hole at %llu\n", (unsigned long long)at);
	if (v.overflow)
		printf("overflow\n");
	return rc < 0 || v.overflow;
}
