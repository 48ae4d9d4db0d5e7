/* Puts a list of what a job used into the remote store, as any writer can, for prefetch.bats.
 *
 *   remote_list NAME [CLASS KEY RESULT]...     records; CLASS is a number
 *   remote_list NAME junk TEXT                 well wrapped, and no list */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote/remote.h"
#include "store/job/job_used.h"
#include "store/trust.h"

extern char **environ;

int main(int argc, char **argv)
{
	struct arena a = ARENA_INIT;
	static struct settings set;
	struct fault fault = {0, ""};
	struct job_list l = {0};
	struct digest key;
	struct store s;
	struct remote r;
	const void *payload;
	size_t len = 0;

	settings_load(&set, environ, &a);
	if (trust_configured(&set))
		digest_use(DIGEST_BLAKE2B);
	if (argc < 2 || store_open(&s, &set, environ, &a, &fault) < 0 ||
	    remote_open(&r, &set, environ, "job", &s, &a, &fault) < 0 || !r.on)
		return 1;
	job_used_key(&key, argv[1], NULL, NULL, -1);
	l.v = arena_alloc(&a, (size_t)argc * sizeof *l.v);
	for (int i = 2; i + 2 < argc; i += 3, l.count++) {
		l.v[l.count].class = (enum store_class)atoi(argv[i]);
		if (digest_parse(&l.v[l.count].key, argv[i + 1]) < 0 ||
		    digest_parse(&l.v[l.count].result, argv[i + 2]) < 0)
			return 2;
	}
	payload = job_used_encode(&len, &l, &a);
	if (argc == 4 && strcmp(argv[2], "junk") == 0) {
		payload = argv[3];
		len = strlen(argv[3]);
	}
	if (remote_put_result(&r, STORE_JOB_USED, &key, payload, len, &fault) != 0) {
		fprintf(stderr, "remote_list: %s\n", fault.text);
		return 3;
	}
	remote_close(&r);
	return 0;
}
