/* gets HOST PORT LIST RESULT - sends the two commands of a remote hit and does nothing else. */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	redisContext *c = redisConnect(argv[1], atoi(argv[2]));
	if (!c || c->err)
		return 1;
	redisReply *list = redisCommand(c, "LRANGE %s 0 3", argv[3]);
	redisReply *result = redisCommand(c, "GET %s", argv[4]);
	if (!list || list->elements < 1 || !result || result->type != REDIS_REPLY_STRING)
		return 1;
	fprintf(stderr, "%zu bytes\n", (size_t)result->len);
	return 0;
}
