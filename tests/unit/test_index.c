/* Triton's indexes: read strictly, stripped of their directory and filled again; paths as Python's
 * json writes them. */
#include "store_fixture.h"

#include "shim/buf.h"
#include "units/format/index.h"
#include "units/format/json_path.h"

static void stop(void)
{
	arena_free(&arena);
}
TestSuite(index, .fini = stop);

/* The strings of Python 3.11: json.dumps(os.fsdecode(path))[1:-1], under UTF-8. */
static const struct { const char *path, *text; } escapes[] = {
	{"/plain/path",
	 "/plain/path"},
	{"",
	 ""},
	{"/q\"uote\\back",
	 "/q\\\"uote\\\\back"},
	{"/\001\037\177\010\014\012\015\011",
	 "/\\u0001\\u001f\\u007f\\b\\f\\n\\r\\t"},
	{"/\303\251/\321\217\320\264\321\200\320\276/\346\274\242\345\255\227",
	 "/\\u00e9/\\u044f\\u0434\\u0440\\u043e/\\u6f22\\u5b57"},
	{"/\360\237\230\200/\364\217\277\277/\360\220\200\200",
	 "/\\ud83d\\ude00/\\udbff\\udfff/\\ud800\\udc00"},
	{"/\377\376",
	 "/\\udcff\\udcfe"},
	{"/\303",
	 "/\\udcc3"},
	{"/\303(",
	 "/\\udcc3("},
	{"/\300\257/\301\277",
	 "/\\udcc0\\udcaf/\\udcc1\\udcbf"},
	{"/\340\200\200/\340\240\200",
	 "/\\udce0\\udc80\\udc80/\\u0800"},
	{"/\355\237\277/\355\240\200/\355\277\277/\356\200\200",
	 "/\\ud7ff/\\udced\\udca0\\udc80/\\udced\\udcbf\\udcbf/\\ue000"},
	{"/\357\277\277/\357\277\276",
	 "/\\uffff/\\ufffe"},
	{"/\360\200\200\200/\360\217\277\277/\360\220\200\200",
	 "/\\udcf0\\udc80\\udc80\\udc80/\\udcf0\\udc8f\\udcbf\\udcbf/\\ud800\\udc00"},
	{"/\364\217\277\277/\364\220\200\200/\365\200\200\200",
	 "/\\udbff\\udfff/\\udcf4\\udc90\\udc80\\udc80/\\udcf5\\udc80\\udc80\\udc80"},
	{"/\360\237\342\202\254/\342\202",
	 "/\\udcf0\\udc9f\\u20ac/\\udce2\\udc82"},
	{"/\200\277\200",
	 "/\\udc80\\udcbf\\udc80"},
	{"/\342\202\254x\302\200\337\277\340\237\277",
	 "/\\u20acx\\u0080\\u07ff\\udce0\\udc9f\\udcbf"},
	{"/<>&'/%s\\u0041",
	 "/<>&'/%s\\\\u0041"},
	{"/\360\237\230",
	 "/\\udcf0\\udc9f\\udc98"},
	{"/\370\210\200\200\200",
	 "/\\udcf8\\udc88\\udc80\\udc80\\udc80"},
};

Test(index, escapes_as_python_does)
{
	for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
		size_t n;
		const char *text = json_path_escape(escapes[i].path, &n, &arena);

		cr_assert_not_null(text);
		cr_expect_str_eq(text, escapes[i].text, "row %zu: %s, not %s", i, text,
		                 escapes[i].text);
		cr_expect_eq(n, strlen(escapes[i].text));
	}
}

static struct index x;

static int parse(const char *text)
{
	return index_parse(&x, text, strlen(text), &arena);
}

/* Every path of the table is a directory that an index can name. */
Test(index, reads_back_what_it_escapes)
{
	for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
		char text[512];

		if (escapes[i].path[0] != '/')
			continue;
		snprintf(text, sizeof text, "{\"child_paths\": {\"k\": \"%s/k\"}}",
		         escapes[i].text);
		cr_assert_eq(parse(text), 0, "row %zu: %s", i, text);
		cr_expect_str_eq(x.dir, escapes[i].path);
		cr_expect_eq(x.dir_text_len, strlen(escapes[i].text));
	}
}

#define TWO "{\"child_paths\": {\"k.ptx\": \"/c \\u00e9/K/k.ptx\", \"\\u044f.json\": \"/c " \
	"\\u00e9/K/\\u044f.json\"}}"

Test(index, names_and_directory)
{
	cr_assert_eq(parse(TWO), 0);
	cr_expect_eq(x.names, 2);
	cr_expect_str_eq(x.dir, "/c \303\251/K");
	cr_expect_str_eq(x.name[0], "k.ptx");
	cr_expect_str_eq(x.name[1], "\321\217.json");
	for (unsigned i = 0; i < 2; i++)
		cr_expect_eq(memcmp(TWO + x.at[i], "/c \\u00e9/K/", x.dir_text_len + 1), 0);
}

Test(index, stripped_and_filled_it_names_the_given_directory)
{
	size_t len;
	uint64_t n, *mark;

	cr_assert_eq(parse(TWO), 0);
	unsigned char *bare = index_strip(&x, TWO, strlen(TWO), &len, &mark, &arena);
	cr_assert_not_null(bare);
	static const char want[] =
		"{\"child_paths\": {\"k.ptx\": \"/k.ptx\", \"\\u044f.json\": \"/\\u044f.json\"}}";
	cr_assert_eq(len, sizeof want - 1);
	cr_expect_eq(memcmp(bare, want, len), 0);
	struct parcel_file f = {.name = "i", .data = bare, .len = len, .mark = mark,
	                        .marks = x.names};
	const unsigned char *again = parcel_file_bytes(&f, x.dir, &n, &arena);
	cr_assert_eq(n, strlen(TWO));
	cr_expect_eq(memcmp(again, TWO, n), 0);
	again = parcel_file_bytes(&f, "/\"", &n, &arena);
	static const char other[] =
		"{\"child_paths\": {\"k.ptx\": \"/\\\"/k.ptx\", \"\\u044f.json\": "
		"\"/\\\"/\\u044f.json\"}}";
	cr_assert_eq(n, sizeof other - 1);
	cr_expect_eq(memcmp(again, other, n), 0);
}

Test(index, spaces_are_json)
{
	cr_expect_eq(parse("\n{ \"child_paths\"\t:{\"a\" :\"/d/a\" ,\r\n\"b\":\"/d/b\" } } \n\n"),
	             0);
	cr_expect_eq(x.names, 2);
}

Test(index, what_does_not_look_so_is_none)
{
	static const char *const rows[] = {
		"", "{}", "[]", "null", "{\"child_paths\": {}}", "{\"child_paths\": [\"a\"]}",
		"{\"child_paths\": {\"a\": \"/d/a\"}", "{\"child_paths\": {\"a\": \"/d/a\"}}}",
		"{\"child_paths\": {\"a\": \"/d/a\"}} x", "{\"child_paths\": {\"a\": \"/d/a\",}}",
		"{\"child_paths\": {\"a\": \"/d/a\"}, \"more\": 1}",
		"{\"paths\": {\"a\": \"/d/a\"}}",
		/* relative */
		"{\"child_paths\": {\"a\": \"/d/b\"}}", "{\"child_paths\": {\"a\": \"d/a\"}}",
		"{\"child_paths\": {\"a\": \"/a\"}}", "{\"child_paths\": {\"a\": \"a\"}}",
		"{\"child_paths\": {\"a\": 1}}",
		"{\"child_paths\": {\"a\": \"/d/a\", \"b\": \"/e/b\"}}", /* two directories */
		"{\"child_paths\": {\"a\": \"/d/a\", \"a\": \"/d/a\"}}",
		"{\"child_paths\": {\"\": \"/d/\"}}", "{\"child_paths\": {\"..\": \"/d/..\"}}",
		"{\"child_paths\": {\"a/b\": \"/d/a/b\"}}",
		"{\"child_paths\": {\".reprise-x\": \"/d/.reprise-x\"}}",
		/* not as json.dumps writes it, or no path */
		"{\"child_paths\": {\"a\": \"\\/d/a\"}}",
		"{\"child_paths\": {\"a\": \"/\\u0064/a\"}}",
		"{\"child_paths\": {\"a\": \"/\303\251/a\"}}",
		"{\"child_paths\": {\"a\": \"/\\u00E9/a\"}}",
		"{\"child_paths\": {\"a\": \"/\\udcc3\\udca9/a\"}}",
		"{\"child_paths\": {\"a\": \"/\\ud800/a\"}}",
		"{\"child_paths\": {\"a\": \"/\\udc41/a\"}}",
		"{\"child_paths\": {\"a\": \"/\\ud83d\\u0041/a\"}}",
		"{\"child_paths\": {\"a\": \"/\\u0000/a\"}}",
		"{\"child_paths\": {\"a\": \"/\\x/a\"}}",
		"{\"child_paths\": {\"a\": \"/\\u00/a\"}}", "{\"child_paths\": {\"a\": \"/d\\",
		"{\"child_paths\": {\"a\": \"/d\n/a\"}}",
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		cr_expect_eq(parse(rows[i]), -1, "row %zu: %s", i, rows[i]);
}

Test(index, every_prefix_is_refused)
{
	for (size_t n = 0; n < strlen(TWO); n++)
		cr_expect_eq(index_parse(&x, TWO, n, &arena), -1, "%zu", n);
	cr_expect_eq(index_parse(&x, TWO "\0", strlen(TWO) + 1, &arena), -1);
}

Test(index, limits)
{
	struct buf b = BUF_INIT(&arena);
	char child[64];

	for (int most = 0; most < 2; most++) {
		b.len = 0;
		buf_str(&b, "{\"child_paths\": {");
		for (int i = 0; i < INDEX_NAMES_MAX + most; i++) {
			snprintf(child, sizeof child, "%s\"f%d\": \"/d/f%d\"", i ? ", " : "", i, i);
			buf_str(&b, child);
		}
		buf_str(&b, "}}");
		cr_expect_eq(index_parse(&x, b.data, b.len, &arena), most ? -1 : 0);
	}
	b.len = 0;
	buf_str(&b, "{\"child_paths\": {\"f\": \"/d/f\"}}");
	while (b.len < INDEX_TEXT_MAX)
		buf_u8(&b, ' ');
	cr_expect_eq(index_parse(&x, b.data, b.len, &arena), 0);
	buf_u8(&b, ' ');
	cr_expect_eq(index_parse(&x, b.data, b.len, &arena), -1);
}
