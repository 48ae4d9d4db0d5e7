/* gets HOST PORT LIST RESULT [DIR] - sends the two commands of a remote hit and does nothing else.
 * With DIR it also does with the bytes what a hit cannot leave out: it digests them, keeps
 * candidate and result in files that get their names when they are whole, and writes an output. */
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static void write_file(const char *path, const redisReply *r)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, r->str, r->len) != (ssize_t)r->len || close(fd) < 0)
		exit(1);
}

static void keep(const redisReply *r, const char *temporary)
{
	XXH128_hash_t digest = XXH3_128bits(r->str, r->len);
	char name[64];

	snprintf(name, sizeof name, "%016llx", (unsigned long long)digest.low64);
	write_file(temporary, r);
	if (rename(temporary, name) < 0)
		exit(1);
}

int main(int argc, char **argv)
{
	if (argc != 5 && argc != 6)
		return 2;
	redisContext *c = redisConnect(argv[1], atoi(argv[2]));
	if (!c || c->err)
		return 1;
	redisReply *list = redisCommand(c, "LRANGE %s 0 3", argv[3]);
	redisReply *result = redisCommand(c, "GET %s", argv[4]);
	if (!list || list->elements < 1 || !result || result->type != REDIS_REPLY_STRING)
		return 1;
	fprintf(stderr, "%zu bytes\n", (size_t)result->len);
	if (argc == 5)
		return 0;
	if (chdir(argv[5]) < 0)
		return 1;
	keep(list->element[0], "candidate.tmp");
	keep(result, "result.tmp");
	write_file("output", result);
	return 0;
}
