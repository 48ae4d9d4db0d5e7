/* Values by type, files line by line, the order of origins. */
#include "scratch.h"

#include "proofs/proof.h"
#include "shim/settings/job.h"
#include "shim/settings/setting_value.h"
#include "shim/settings/settings.h"
#include "units/units.def"

static struct arena arena;
static struct settings s;

static void start(void)
{
	settings_defaults(&s);
}

static void stop(void)
{
	arena_free(&arena);
}

TestSuite(settings, .init = start, .fini = stop);

static char *no_env[] = {NULL};

static void merge(const char *text, enum setting_origin origin)
{
	settings_merge_file(&s, "/conf", text, strlen(text), origin, no_env, &arena);
}

Test(settings, values_of_each_type)
{
	static const struct {
		enum setting_type type;
		const char *text;
		int good;
		uint64_t number;
	} rows[] = {
		{SETTING_BOOL, "0", 1, 0},          {SETTING_BOOL, "1", 1, 1},
		{SETTING_BOOL, "TRUE", 1, 1},       {SETTING_BOOL, "False", 1, 0},
		{SETTING_BOOL, "yes", 1, 1},        {SETTING_BOOL, "no", 1, 0},
		{SETTING_BOOL, "on", 1, 1},         {SETTING_BOOL, "off", 1, 0},
		{SETTING_BOOL, "2", 0, 0},          {SETTING_BOOL, "tru", 0, 0},
		{SETTING_BOOL, "truee", 0, 0},      {SETTING_SIZE, "0", 1, 0},
		{SETTING_SIZE, "4096", 1, 4096},    {SETTING_SIZE, "4096B", 1, 4096},
		{SETTING_SIZE, "512M", 1, 512u << 20}, {SETTING_SIZE, "20G", 1, 20ull << 30},
		{SETTING_SIZE, "20g", 1, 20ull << 30}, {SETTING_SIZE, "3KiB", 1, 3072},
		{SETTING_SIZE, "3kb", 1, 3072},     {SETTING_SIZE, "2T", 1, 2ull << 40},
		{SETTING_SIZE, "18446744073709551615", 1, UINT64_MAX},
		{SETTING_SIZE, "18446744073709551616", 0, 0},
		{SETTING_SIZE, "16777216T", 0, 0},
		{SETTING_SIZE, "16777215T", 1, 16777215ull << 40},
		{SETTING_SIZE, "1.5G", 0, 0},       {SETTING_SIZE, "-1", 0, 0},
		{SETTING_SIZE, "G", 0, 0},          {SETTING_SIZE, "20 G", 0, 0},
		{SETTING_SIZE, "20GG", 0, 0},       {SETTING_SIZE, "20Gi", 0, 0},
		{SETTING_SIZE, "0x10", 0, 0},       {SETTING_PERCENT, "0", 1, 0},
		{SETTING_PERCENT, "100", 1, 100},   {SETTING_PERCENT, "5%", 1, 5},
		{SETTING_PERCENT, "101", 0, 0},     {SETTING_PERCENT, "5%%", 0, 0},
		{SETTING_LEVEL, "none", 1, 0},      {SETTING_LEVEL, "error", 1, 1},
		{SETTING_LEVEL, "Warning", 1, 2},   {SETTING_LEVEL, "debug", 1, 4},
		{SETTING_NUMBER, "6379", 1, 6379},  {SETTING_NUMBER, "-1", 0, 0},
		{SETTING_NUMBER, "1k", 0, 0},       {SETTING_NUMBER, "18446744073709551616", 0, 0},
		{SETTING_TIME, "250ms", 1, 250},    {SETTING_TIME, "2", 1, 2000},
		{SETTING_TIME, "2S", 1, 2000},      {SETTING_TIME, "3m", 1, 180000},
		{SETTING_TIME, "1h", 1, 3600000},   {SETTING_TIME, "30d", 1, 2592000000},
		{SETTING_TIME, "1.5s", 0, 0},       {SETTING_TIME, "ms", 0, 0},
		{SETTING_TIME, "1 s", 0, 0},        {SETTING_TIME, "999999999999999999d", 0, 0},
		{SETTING_LEVEL, "trace", 0, 0},     {SETTING_COMPRESS_MODE, "auto", 1, 1},
		{SETTING_COMPRESS_MODE, "0", 1, 0}, {SETTING_COMPRESS_MODE, "1", 1, 2},
		{SETTING_EVENTS_MODE, "remote", 1, 2}, {SETTING_EVENTS_MODE, "off", 1, 0},
		{SETTING_EVENTS_MODE, "2", 0, 0},
		{SETTING_COMPRESS_MODE, "yes", 1, 2}, {SETTING_COMPRESS_MODE, "2", 0, 0},
		{SETTING_PATH, "/x y", 1, 0},       {SETTING_PATH, "x", 0, 0},
		{SETTING_PATH, "~/x", 0, 0},        {SETTING_PATH, "/x\ny", 0, 0},
		{SETTING_PATHS, "/a:/b", 1, 0},     {SETTING_PATHS, "/a::/b:", 1, 0},
		{SETTING_PATHS, "/a:b", 0, 0},      {SETTING_STRING, "any\x01", 1, 0},
		{SETTING_SHARING, "rank", 1, SHARING_RANK},
		{SETTING_SHARING, "Shared", 1, SHARING_ALL},
		{SETTING_SHARING, "off", 1, SHARING_OFF}, {SETTING_SHARING, "0", 0, 0},
		{SETTING_SHARING, "ranks", 0, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t n = 7;
		const char *why = setting_parse(rows[i].type, rows[i].text, &n);
		cr_expect_eq(why == NULL, rows[i].good, "type %d: %s", rows[i].type, rows[i].text);
		if (rows[i].good)
			cr_expect_eq(n, rows[i].number, "type %d: %s: %llu", rows[i].type,
			             rows[i].text, (unsigned long long)n);
	}
}

Test(settings, a_path_longer_than_the_kernel_takes)
{
	char text[5000];
	uint64_t n;

	memset(text, 'x', sizeof text - 1);
	text[0] = '/';
	text[sizeof text - 1] = 0;
	cr_expect_not_null(setting_parse(SETTING_PATH, text, &n));
	text[4095] = 0;
	cr_expect_null(setting_parse(SETTING_PATH, text, &n));
}

Test(settings, every_default_is_well_formed)
{
	for (int i = 0; i < SETTING_COUNT; i++) {
		uint64_t n;
		if (*setting_rows[i].dflt)
			cr_expect_null(setting_parse(setting_rows[i].type, setting_rows[i].dflt,
			                             &n), "%s",
			               setting_rows[i].name);
		cr_expect_str_not_empty(setting_rows[i].help);
		cr_expect_not_null(setting_type_name(setting_rows[i].type));
	}
	cr_expect_eq(setting_number(&s, SETTING_MAX_SIZE), 20ull << 30);
	cr_expect_eq(setting_number(&s, SETTING_LOCAL), 1);
	cr_expect_str_eq(setting_text(&s, SETTING_CACHE_DIR), "");
}

Test(settings, lines_of_a_file)
{
	merge("# MAX_SIZE=1\r\n\r\n \t\nMAX_SIZE = 5M \r\nREPRISE_VERIFY=7\nBASE_DIRS=/a=b:/c\n"
	      "LOG=/no/newline", ORIGIN_USER);
	cr_expect_eq(s.bad_count, 0, "%s", s.bad[0]);
	cr_expect_eq(setting_number(&s, SETTING_MAX_SIZE), 5u << 20);
	cr_expect_eq(s.v[SETTING_MAX_SIZE].origin, ORIGIN_USER);
	cr_expect_eq(setting_number(&s, SETTING_VERIFY), 7);
	cr_expect_str_eq(setting_text(&s, SETTING_BASE_DIRS), "/a=b:/c");
	cr_expect_str_eq(setting_text(&s, SETTING_LOG), "/no/newline");
	cr_expect_eq(s.v[SETTING_LOCAL].origin, ORIGIN_DEFAULT);
}

Test(settings, malformed_lines_are_named_with_file_and_line)
{
	merge("\nMAX_SIZE=1.5G\njunk\nCOLOUR=red\n!LOCAL=0\n", ORIGIN_USER);
	cr_assert_eq(s.bad_count, 4);
	cr_expect_not_null(strstr(s.bad[0], "/conf:2: MAX_SIZE: \"1.5G\""), "%s", s.bad[0]);
	cr_expect_not_null(strstr(s.bad[1], "/conf:3: "), "%s", s.bad[1]);
	cr_expect_not_null(strstr(s.bad[2], "COLOUR"), "%s", s.bad[2]);
	cr_expect_not_null(strstr(s.bad[3], "/conf:5: '!'"), "%s", s.bad[3]);
	cr_expect_eq(setting_number(&s, SETTING_MAX_SIZE), 20ull << 30);
	cr_expect_eq(s.v[SETTING_MAX_SIZE].origin, ORIGIN_DEFAULT);
}

Test(settings, names_are_whole)
{
	merge("MAX_SIZ=1\nMAX_SIZEX=1\n=1\nREPRISE_=1\n", ORIGIN_USER);
	cr_expect_eq(s.bad_count, 4);
	cr_expect_eq(setting_number(&s, SETTING_MAX_SIZE), 20ull << 30);
}

Test(settings, a_nul_byte_spoils_its_line_only)
{
	static const char text[] = "LOCAL=0\0x\nVERIFY=3\n";

	settings_merge_file(&s, "/conf", text, sizeof text - 1, ORIGIN_USER, no_env, &arena);
	cr_expect_eq(s.bad_count, 1);
	cr_expect_eq(setting_number(&s, SETTING_LOCAL), 1);
	cr_expect_eq(setting_number(&s, SETTING_VERIFY), 3);
}

Test(settings, complaints_are_bounded)
{
	char text[4096] = "";

	for (int i = 0; i < 100; i++)
		strcat(text, "junk\n");
	merge(text, ORIGIN_USER);
	cr_expect_eq(s.bad_count, 100);
	for (int i = 0; i < SETTINGS_BAD_MAX; i++)
		cr_expect_str_not_empty(s.bad[i]);
}

Test(settings, order_of_origins)
{
	char *env[] = {"REPRISE_VERIFY=3", "REPRISE_READONLY=1", "REPRISE_MAX_SIZE=9", "OTHER=1",
	               NULL};

	merge("VERIFY=1\nCOMPRESS=0\n!MAX_SIZE=5G\nMAX_SIZE=6G\n!RECACHE=maybe\n", ORIGIN_ETC);
	merge("VERIFY=2\nCOMPRESS=1\nMAX_SIZE=7G\nRECACHE=1\n", ORIGIN_USER);
	settings_merge_env(&s, env, &arena);
	cr_expect_eq(setting_number(&s, SETTING_VERIFY), 3);
	cr_expect_eq(s.v[SETTING_VERIFY].origin, ORIGIN_ENVIRONMENT);
	cr_expect_eq(setting_number(&s, SETTING_COMPRESS), 2);
	cr_expect_eq(s.v[SETTING_COMPRESS].origin, ORIGIN_USER);
	cr_expect_eq(setting_number(&s, SETTING_MAX_SIZE), 5ull << 30);
	cr_expect_eq(s.v[SETTING_MAX_SIZE].origin, ORIGIN_ETC_FORCED);
	cr_expect_eq(setting_number(&s, SETTING_READONLY), 1);
	/* fixed to a malformed value: the default counts, and later files cannot change it */
	cr_expect_eq(setting_number(&s, SETTING_RECACHE), 0);
}

Test(settings, environment_oddities)
{
	char *env[] = {"REPRISE_MAX_SIZE=", "REPRISE_VERIFY=200", "REPRISE_LOCAL=0",
	               "REPRISE_LOCAL=1",
	               "REPRISE_TRACE=/x", "REPRISE_NOEQUALS", "HOME=/srv/uu",
	               "REPRISE_CACHE_DIR=~/c", "REPRISE_LOG=~u/c", NULL};

	merge("MAX_SIZE=1G\nVERIFY=5\n", ORIGIN_USER);
	settings_merge_env(&s, env, &arena);
	cr_expect_eq(setting_number(&s, SETTING_MAX_SIZE), 20ull << 30,
	             "an empty value is the default");
	cr_expect_eq(setting_number(&s, SETTING_VERIFY), 0, "so is a malformed one");
	cr_expect_eq(setting_number(&s, SETTING_LOCAL), 0,
	             "the first of two counts, as for getenv");
	cr_expect_str_eq(setting_text(&s, SETTING_CACHE_DIR), "/srv/uu/c");
	cr_expect_str_eq(setting_text(&s, SETTING_LOG), "");
	cr_expect_eq(s.bad_count, 2);
	settings_defaults(&s);
	settings_merge_env(&s, NULL, &arena);
	cr_expect_eq(s.bad_count, 0);
}

Test(settings, a_long_wrong_value_is_cut)
{
	char text[2000] = "MAX_SIZE=";

	memset(text + 9, 'x', 1900);
	merge(text, ORIGIN_USER);
	cr_assert_eq(s.bad_count, 1);
	cr_expect_lt(strlen(s.bad[0]), 250);
	cr_expect_not_null(strstr(s.bad[0], "...\""), "%s", s.bad[0]);
}

Test(settings, disabled)
{
	static const struct {
		char *entry;
		int disabled;
	} rows[] = {
		{"REPRISE_FORCE_DISABLE=1", 1},   {"REPRISE_FORCE_DISABLE=true", 1},
		{"REPRISE_FORCE_DISABLE=0", 0},   {"REPRISE_FORCE_DISABLE=", 0},
		{"REPRISE_FORCE_DISABLE", 0},     {"REPRISE_FORCE_DISABLEX=1", 0},
		{"REPRISE_FORCE_DISABLE=junk", 0},
		{"TORCHINDUCTOR_FORCE_DISABLE_CACHES=1", 1},
		{"TORCH_COMPILE_FORCE_DISABLE_CACHES=1", 1},
		{"TORCHINDUCTOR_FORCE_DISABLE_CACHES=0", 0}, {"", 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *env[] = {"PATH=/bin", rows[i].entry, NULL};
		cr_expect_eq(settings_disabled(env), rows[i].disabled, "%s", rows[i].entry);
		settings_defaults(&s);
		settings_merge_env(&s, env, &arena);
		cr_expect_eq(setting_number(&s, SETTING_FORCE_DISABLE), (uint64_t)rows[i].disabled,
		             "%s", rows[i].entry);
	}
	cr_expect_eq(settings_disabled(NULL), 0);
}

Test(settings, env_get_wants_the_whole_name)
{
	char *env[] = {"AB=1", "A", "A=2", "A=3", NULL};

	cr_expect_str_eq(env_get(env, "A"), "2");
	cr_expect_str_eq(env_get(env, "AB"), "1");
	cr_expect_null(env_get(env, "B"));
	cr_expect_null(env_get(NULL, "A"));
}

Test(settings, where_the_users_file_is)
{
	char *xdg[] = {"HOME=/h", "XDG_CONFIG_HOME=/x", NULL},
		*home[] = {"HOME=/h", "XDG_CONFIG_HOME=x", NULL},
	     *none[] = {"HOME=", NULL};

	cr_expect_str_eq(settings_user_file(xdg, &arena), "/x/reprise/reprise.conf");
	cr_expect_str_eq(settings_user_file(home, &arena), "/h/.config/reprise/reprise.conf");
	cr_expect_null(settings_user_file(none, &arena));
}

/* A file as the user's; returns the environment that leads to it. */
static char **user_file(const char *text, size_t n)
{
	static char variable[160];
	static char *env[] = {variable, NULL};
	const char *path;

	scratch_make();
	snprintf(variable, sizeof variable, "XDG_CONFIG_HOME=%s", scratch_dir);
	mkdir(scratch("reprise"), 0700);
	path = scratch("reprise/reprise.conf");
	if (!text) {
		cr_assert_eq(mkfifo(path, 0600), 0);
		return env;
	}
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	cr_assert_eq(write(fd, text, n), (ssize_t)n);
	close(fd);
	return env;
}

Test(settings, loaded_from_the_users_file)
{
	char **env = user_file("VERIFY=9\n", 9);

	settings_load(&s, env, &arena);
	cr_expect_eq(setting_number(&s, SETTING_VERIFY), 9);
	cr_expect_eq(s.v[SETTING_VERIFY].origin, ORIGIN_USER);
	scratch_remove();
}

Test(settings, a_file_of_64_kib_is_read_and_a_larger_one_is_not)
{
	char *text = malloc(SETTINGS_FILE_MAX + 1);

	memset(text, '#', SETTINGS_FILE_MAX + 1);
	memcpy(text, "VERIFY=9\n", 9);
	char **env = user_file(text, SETTINGS_FILE_MAX);
	settings_load(&s, env, &arena);
	cr_expect_eq(setting_number(&s, SETTING_VERIFY), 9);

	char path[256];
	snprintf(path, sizeof path, "%s/reprise/reprise.conf", strchr(env[0], '=') + 1);
	int fd = open(path, O_WRONLY | O_APPEND);
	cr_expect_eq(write(fd, "#", 1), 1);
	close(fd);
	settings_load(&s, env, &arena);
	cr_expect_eq(setting_number(&s, SETTING_VERIFY), 0);
	cr_expect_eq(s.bad_count, 1);
	free(text);
	scratch_remove();
}

Test(settings, a_fifo_in_the_files_place_does_not_hang)
{
	char **env = user_file(NULL, 0);

	settings_load(&s, env, &arena);
	cr_expect_eq(s.bad_count, 1);
	cr_expect_not_null(strstr(s.bad[0], "not a regular file"), "%s", s.bad[0]);
	scratch_remove();
}

Test(settings, job)
{
	char *slurm[] = {"SLURM_JOB_ID=77", "TORCHELASTIC_RUN_ID=x", NULL},
		*none[] = {"TORCHELASTIC_RUN_ID=none", NULL},
	     *mpi[] = {"PMIX_NAMESPACE=1384841217", "KUBERNETES_SERVICE_HOST=10.0.0.1",
		       "HOSTNAME=worker-0", NULL},
	     *pod[] = {"KUBERNETES_SERVICE_HOST=10.0.0.1", "HOSTNAME=train-0", NULL},
	     *own[] = {"SLURM_JOB_ID=77", "REPRISE_JOB=mine", NULL};
	const char *variable;
	char session[32];

	cr_expect_str_eq(settings_job(&s, slurm, &arena, &variable), "77");
	cr_expect_str_eq(variable, "SLURM_JOB_ID");
	cr_expect_str_eq(settings_job(&s, pod, &arena, NULL), "train-0");
	cr_expect_str_eq(settings_job(&s, mpi, &arena, NULL), "1384841217");
	snprintf(session, sizeof session, "session-%d", getsid(0));
	cr_expect_str_eq(settings_job(&s, none, &arena, &variable), session);
	cr_expect_null(variable);
	settings_merge_env(&s, own, &arena);
	cr_expect_str_eq(settings_job(&s, own, &arena, &variable), "mine");
}

Test(settings, words_of_a_list)
{
	static const struct {
		const char *text;
		int listed;
	} rows[] = {
		{"", 0}, {"lineinfo", 1}, {"x,lineinfo", 1}, {"lineinfo,,x", 1}, {",lineinfo", 1},
		{"lineinf", 0}, {"lineinfos", 0}, {"nolineinfo", 0}, {"x,nolineinfo,", 0}, {",", 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		s.v[SETTING_SLOPPY].text = rows[i].text;
		cr_expect_eq(setting_lists(&s, SETTING_SLOPPY, "lineinfo"), rows[i].listed, "%s",
		             rows[i].text);
	}
}

Test(settings, lists_of_classes)
{
#define ROW(id, number, ...) | 1 << number
	enum { T = 1 << 1, F = 1 << 2, J = 1 << 6, ALL = 0 UNIT_CLASSES(ROW) };
#undef ROW
	static const struct {
		const char *text;
		int good;
		uint64_t bits;
	} rows[] = {
		{"all", 1, ALL}, {"none", 1, 0}, {"triton", 1, T}, {"triton,fxgraph", 1, T | F},
		{"-fxgraph", 1, ALL & ~F},   {"+triton", 1, ALL},   {"all,-triton", 1, ALL & ~T},
		{"+triton,-fxgraph", 1, ALL & ~F}, {"none,+jiterator", 1, J}, {"triton,none", 1, 0},
		{"-all", 1, 0},
		{"-all,+Triton", 1, T}, {"TRITON", 1, T}, {"triton,,jiterator,", 1, T | J},
		{"triton,-none", 1, T},
		{"triton,-triton", 1, 0}, {"tritons", 0, 0}, {"trito", 0, 0},
		{"triton fxgraph", 0, 0},
		{"all,cubins", 0, 0}, {" triton", 0, 0}, {"--triton", 0, 0}, {"alll", 0, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t n = 0;
		const char *why = setting_parse(SETTING_CLASS_LIST, rows[i].text, &n);

		cr_expect_eq(why == NULL, rows[i].good, "%s", rows[i].text);
		if (rows[i].good)
			cr_expect_eq(n, rows[i].bits, "%s: %llx", rows[i].text,
			             (unsigned long long)n);
	}
}

Test(settings, lists_of_proofs)
{
	enum { C = 1 << PROOF_COMMENTS, D = 1 << PROOF_DEFINES, ALL = (1 << PROOF_COUNT) - 1 };
	static const struct {
		const char *text;
		int good;
		uint64_t off;
	} rows[] = {
		{"-comments", 1, C}, {"-comments,-defines", 1, C | D},
		{"-defines,,-Comments,", 1, C | D},
		{"-all", 1, ALL}, {",", 1, 0}, {"comments", 0, 0}, {"+comments", 0, 0},
		{"-comment", 0, 0}, {"-commentss", 0, 0}, {"-", 0, 0}, {"--comments", 0, 0},
		{"-comments -defines", 0, 0}, {"-none", 0, 0}, {"0", 0, 0},
		/* The words that are right hold. */
		{"-coments,-defines", 0, D}, {"-defines,x", 0, D},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t n = 0;
		const char *why = setting_parse(SETTING_PROOF_LIST, rows[i].text, &n);

		cr_expect_eq(why == NULL, rows[i].good, "%s", rows[i].text);
		cr_expect_eq(n, rows[i].off, "%s: %llx", rows[i].text, (unsigned long long)n);
	}
}

Test(settings, a_misspelt_proof_leaves_the_others_off)
{
	char *envp[] = {"REPRISE_PROOFS=-order,-nothing", NULL};
	struct arena a = ARENA_INIT;

	settings_defaults(&s);
	for (int i = 0; i < PROOF_COUNT; i++)
		cr_expect(proof_on(&s, (enum proof)i), "all are on: %s", proof_name((unsigned)i));
	settings_merge_env(&s, envp, &a);
	cr_expect_not(proof_on(&s, PROOF_ORDER));
	cr_expect(proof_on(&s, PROOF_COMMENTS));
	cr_assert_eq(s.bad_count, 1);
	cr_expect_str_eq(s.bad[0], "REPRISE_PROOFS: \"-order,-nothing\" is not a comma list of "
	                           "proofs, each with a -; its other words hold");
	arena_free(&a);
}
