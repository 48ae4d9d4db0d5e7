/* remote/wire/cluster.c and cluster_map.c, the pure parts: slots, redirects, CLUSTER SLOTS, the
 * map's file. Real clusters: tests/e2e/redis_wire_cluster.bats. */
#include "tests/unit/scratch.h"

#include "remote/wire/cluster_map.h"

TestSuite(cluster, .init = scratch_make, .fini = scratch_remove);

static const struct redis_config config = {.scheme = REMOTE_TCP, .host = "h", .port = 1,
                                          .shown = "redis://h:1/0"};

static unsigned slot(const char *key)
{
	return cluster_slot(key, strlen(key));
}

Test(cluster, slots)
{
	/* The answers of Redis 7.0.15 to CLUSTER KEYSLOT. */
	cr_expect_eq(slot("123456789"), 0x31c3, "CRC16 XMODEM");
	cr_expect_eq(slot("foo"), 12182);
	cr_expect_eq(slot("bar"), 5061);
	cr_expect_eq(slot(""), 0);
	cr_expect_eq(slot("{user1000}.following"), slot("user1000"));
	cr_expect_eq(slot("foo{}{bar}"), 8363, "an empty tag is none");
	cr_expect_eq(slot("foo{{bar}}zap"), slot("{bar"));
	cr_expect_eq(slot("foo{bar}{zap}"), slot("bar"));
	cr_expect_eq(slot("foo{bar"), 15278, "a tag without its end is none");
	cr_expect_eq(cluster_slot("a\0{b}", 5), slot("b"), "bytes, not text");
	cr_expect_neq(slot("reprise:1:m:{aa}"), slot("reprise:1:m:{ab}"));
	cr_expect_eq(slot("reprise:1:m:{aa}"), slot("reprise:1:l:{aa}"));
}

Test(cluster, redirects)
{
	char host[256];
	unsigned s, port;

	cr_expect_eq(cluster_map_redirect("MOVED 3999 127.0.0.1:6381", "x", &s, host, &port), 0);
	cr_expect_eq(s, 3999);
	cr_expect_str_eq(host, "127.0.0.1");
	cr_expect_eq(port, 6381);
	cr_expect_eq(cluster_map_redirect("ASK 0 2001:db8::1:7", "x", &s, host, &port), 0);
	cr_expect_str_eq(host, "2001:db8::1");
	cr_expect_eq(port, 7);
	cr_expect_eq(cluster_map_redirect("MOVED 16383 :6381", "from", &s, host, &port), 0);
	cr_expect_str_eq(host, "from");
	cr_expect_eq(cluster_map_redirect("MOVED 1 ?:6381", "from", &s, host, &port), 0);
	cr_expect_str_eq(host, "from");

	static const char *const bad[] = {
		"MOVED", "MOVED ", "MOVED 1", "MOVED 1 ", "MOVED 1 h", "MOVED 1 h:", "MOVED 1 h:0",
		"MOVED 1 h:65536", "MOVED 1 h:1x", "MOVED 16384 h:1", "MOVED x h:1", "MOVED -1 h:1",
		"MOVED 99999999999999999999 h:1", "MOVED 1 h:99999999999999999999",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect_eq(cluster_map_redirect(bad[i], "x", &s, host, &port), -1, "%s", bad[i]);
	char longer[400];
	snprintf(longer, sizeof longer, "MOVED 1 %0300d:1", 1);
	cr_expect_eq(cluster_map_redirect(longer, "x", &s, host, &port), -1);
}

static redisReply *reply(const char *text)
{
	redisReader *r = redisReaderCreate();
	void *out = NULL;

	redisReaderFeed(r, text, strlen(text));
	cr_assert_eq(redisReaderGetReply(r, &out), REDIS_OK);
	cr_assert(out, "incomplete: %s", text);
	redisReaderFree(r);
	return out;
}

static int read_map(struct cluster *c, const char *text)
{
	redisReply *r = reply(text);
	int rc = cluster_map_read(c, r, "asked");

	freeReplyObject(r);
	return rc;
}

#define NODE(host, port) "*3\r\n" host ":" port "\r\n$1\r\ni\r\n"
#define THREE                                                                                      \
	"*3\r\n*4\r\n:0\r\n:5460\r\n" NODE("$1\r\na\r\n", "7000") NODE("$1\r\nx\r\n", "7100")      \
	"*3\r\n:5461\r\n:10922\r\n" NODE("$1\r\nb\r\n", "7001")                                    \
	"*3\r\n:10923\r\n:16383\r\n" NODE("$-1\r\n", "7002")

Test(cluster, map)
{
	struct cluster c;

	cluster_init(&c, &config, NULL);
	cr_assert_eq(read_map(&c, THREE), 0);
	cr_assert_eq(c.nodes, 3, "replicas are not asked");
	cr_expect_str_eq(c.node[c.owner[0]]->host, "a");
	cr_expect_eq(c.node[c.owner[5460]]->port, 7000);
	cr_expect_str_eq(c.node[c.owner[5461]]->host, "b");
	cr_expect_str_eq(c.node[c.owner[16383]]->host, "asked", "nil is whom it came from");
	/* A lying or foreign reply changes nothing. */
	static const char *const bad[] = {
		"-NOPERM\r\n", "+OK\r\n", "*0\r\n", "*1\r\n:1\r\n", "*1\r\n*2\r\n:0\r\n:1\r\n",
		"*1\r\n*3\r\n:0\r\n:16384\r\n" NODE("$1\r\na\r\n", "1"),
		"*1\r\n*3\r\n:-1\r\n:1\r\n" NODE("$1\r\na\r\n", "1"),
		"*1\r\n*3\r\n:2\r\n:1\r\n" NODE("$1\r\na\r\n", "1"),
		"*1\r\n*3\r\n:0\r\n:1\r\n" NODE("$1\r\na\r\n", "0"),
		"*1\r\n*3\r\n:0\r\n:1\r\n:7\r\n", "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\na\r\n",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect_eq(read_map(&c, bad[i]), -1, "%s", bad[i]);
	cr_expect_str_eq(c.node[c.owner[0]]->host, "a");
	/* A slot that the reply does not name is unknown. */
	cr_expect_eq(read_map(&c, "*1\r\n*3\r\n:0\r\n:0\r\n" NODE("$1\r\nb\r\n", "7001")), 0);
	cr_expect_eq(c.owner[1], CLUSTER_UNKNOWN);
	cr_expect_str_eq(c.node[c.owner[0]]->host, "b");
	cluster_free(&c);
}

static void fill(struct cluster *c, const struct redis_config *remote)
{
	cluster_init(c, remote, scratch_dir);
	cluster_map_load(c);
}

static void expect_no_map(const char *what, long at)
{
	struct cluster c;

	fill(&c, &config);
	cr_expect_null(c.owner, "%s %ld", what, at);
	cluster_free(&c);
}

/* The map of the cluster on disk. */
static void find_file(char path[4096])
{
	snprintf(path, 4096, "ls %s/cluster-* >%s", scratch_dir, scratch("name"));
	cr_assert_eq(system(path), 0);
	FILE *f = fopen(scratch("name"), "r");
	cr_assert_eq(fscanf(f, "%4000s", path), 1);
	fclose(f);
}

/* Changes a bit of the byte there. */
static void flip(FILE *f, long at)
{
	fseek(f, at, SEEK_SET);
	int byte = fgetc(f);
	fseek(f, at, SEEK_SET);
	fputc(byte ^ 1, f);
	fflush(f);
}

Test(cluster, file)
{
	static const struct redis_config other = {.scheme = REMOTE_TCP, .host = "i", .port = 1,
                                         .shown = "redis://i:1/0"};
	struct cluster c;
	char path[4096] = "";

	fill(&c, &config);
	cr_expect_null(c.owner);
	cr_assert_eq(read_map(&c, THREE), 0);
	cluster_map_save(&c, 0);
	cluster_free(&c);

	fill(&c, &config);
	cr_assert(c.owner);
	cr_expect_eq(c.nodes, 3);
	cr_expect_str_eq(c.node[c.owner[16383]]->host, "asked");
	cluster_map_save(&c, 1);
	cluster_free(&c);

	fill(&c, &other);
	cr_expect_null(c.owner, "another remote's");
	cluster_free(&c);

	fill(&c, &config);
	cr_assert_eq(c.nodes, 3, "a dropped map still names nodes");
	cr_expect_eq(c.owner[0], CLUSTER_UNKNOWN);
	cluster_map_save(&c, 0);
	cluster_free(&c);

	/* Every damaged byte is seen. */
	find_file(path);
	FILE *f = fopen(path, "r+");
	fseek(f, 0, SEEK_END);
	long size = ftell(f);
	for (long at = 0; at < size; at += at < 20 || at > 16390 ? 1 : 997) {
		flip(f, at);
		expect_no_map("byte", at);
		flip(f, at);
	}
	fclose(f);
	cr_assert_eq(truncate(path, size - 1), 0);
	expect_no_map("length", size - 1);
	/* A FIFO in the file's place is not waited for. */
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(mkfifo(path, 0600), 0);
	expect_no_map("a FIFO", 0);
}

Test(cluster, nodes_that_came_and_went_leave_room)
{
	struct cluster c;
	char host[32];

	fill(&c, &config);
	cluster_map_set(&c, 0, 0);
	for (int i = 0; i < CLUSTER_NODES_MAX; i++) {
		snprintf(host, sizeof host, "n%d", i);
		cr_assert_eq(cluster_map_node(&c, host, strlen(host), 1), i);
	}
	cluster_map_save(&c, 0);
	cluster_free(&c);
	fill(&c, &config);
	cr_expect_eq(c.nodes, CLUSTER_NODES_MAX, "what the map says counts");
	cr_expect_eq(c.owner[0], 0);
	cluster_map_save(&c, 1);
	cluster_free(&c);

	fill(&c, &config);
	cr_assert_eq(c.nodes, CLUSTER_NODES_MAX / 2);
	cr_expect_str_eq(c.node[0]->host, "n32", "the newest stay");
	cr_expect_eq(c.owner[0], CLUSTER_UNKNOWN);
	cr_expect_geq(cluster_map_node(&c, "new", 3, 1), 0);
	cluster_free(&c);
}

Test(cluster, a_reader_of_the_map_is_not_waited_for)
{
	char command[4096 + 100], path[4096];
	struct cluster c;

	fill(&c, &config);
	cr_assert_eq(read_map(&c, THREE), 0);
	cluster_map_save(&c, 0);
	snprintf(command, sizeof command, "ls %s/cluster-* >%s", scratch_dir, scratch("name"));
	cr_assert_eq(system(command), 0);
	FILE *f = fopen(scratch("name"), "r");
	cr_assert_eq(fscanf(f, "%4000s", path), 1);
	fclose(f);
	snprintf(command, sizeof command, "%s.%d.new", path, (int)getpid());
	cr_assert_eq(mkfifo(command, 0600), 0);
	cluster_map_save(&c, 0);
	cluster_free(&c);
}

Test(cluster, bounds)
{
	struct cluster c;
	char host[300];

	cluster_init(&c, &config, NULL);
	for (int i = 0; i < CLUSTER_NODES_MAX; i++) {
		snprintf(host, sizeof host, "n%d", i);
		cr_expect_eq(cluster_map_node(&c, host, strlen(host), 1), i);
	}
	cr_expect_eq(cluster_map_node(&c, "n5", 2, 1), 5);
	cr_expect_eq(cluster_map_node(&c, "n5", 2, 2), -1, "one too many");
	cr_expect_eq(cluster_map_node(&c, "", 0, 1), -1);
	cr_expect_eq(cluster_map_node(&c, "a\0b", 3, 1), -1);
	memset(host, 'h', sizeof host);
	cr_expect_eq(cluster_map_node(&c, host, 256, 1), -1);
	cluster_free(&c);
}
